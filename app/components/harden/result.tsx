'use client';

import { useEffect, useRef, useState } from 'react';
import { SEVERITIES, type Severity } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { CopyButton } from '../domain/copy-button.tsx';
import { isForReview } from '../domain/refusal.ts';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ChangeTable } from './change-table.tsx';
import { DownloadButton } from './download-button.tsx';
import { Refusals } from './refusals.tsx';
import type { Hardened } from './use-harden.ts';

const VIEWS = { unified: 'Unified', paired: 'Side by side' } as const;

interface Props {
  readonly hardened: Hardened;
  readonly severities: Readonly<Record<string, Severity>>;
  readonly onReview: (() => void) | undefined;
}

export function Result({ hardened, severities, onReview }: Props) {
  const { reply, filename } = hardened;
  const heading = useRef<HTMLHeadingElement>(null);
  const [view, setView] = useState<keyof typeof VIEWS>('unified');
  const wide = useWide();
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <section aria-labelledby="result" className="mt-10">
      <h2 id="result" ref={heading} tabIndex={-1} className="mb-3 text-lg font-semibold">
        Result
      </h2>
      <Summary hardened={hardened} onReview={onReview} />
      {reply.changed && (
        <>
          <div className="mt-6 mb-3 flex flex-wrap items-center gap-2">
            <CopyButton label="Copy fixed workflow" text={reply.hardened} />
            <DownloadButton label="Download" text={reply.hardened} filename={filename} />
            {wide && (
              <fieldset className="ms-auto flex gap-4 text-sm">
                <legend className="sr-only">How changes are shown</legend>
                {(Object.keys(VIEWS) as (keyof typeof VIEWS)[]).map((name) => (
                  <label key={name} className="inline-flex min-h-8 items-center gap-2">
                    <input
                      type="radio"
                      name="view"
                      checked={view === name}
                      onChange={() => setView(name)}
                      className="size-4 accent-accent"
                    />
                    {VIEWS[name]}
                  </label>
                ))}
              </fieldset>
            )}
          </div>
          <ChangeTable hardened={hardened} paired={wide && view === 'paired'} />
        </>
      )}
      {reply.refused.length > 0 && (
        <>
          <Refusals refused={reply.refused} severities={severities} />
        </>
      )}
    </section>
  );
}

function Summary({ hardened: { reply }, onReview }: Pick<Props, 'hardened' | 'onReview'>) {
  const { categories, changed, remaining, refused } = reply;
  const fixes = categories.reduce((sum, category) => sum + category.fixes.length, 0);
  const left = SEVERITIES.filter((severity) => remaining[severity] > 0);
  const fixed = plural(fixes, { one: '1 finding fixed', other: '# findings fixed' });
  const forReview = refused.filter(isForReview).length;
  return (
    <Banner tone={toneOf(remaining)} title={titleOf(remaining, changed, fixed)}>
      {left.length === 0 ? (
        changed && <p>No findings are left in this file.</p>
      ) : (
        <>
          {changed && remaining.HIGH + remaining.MEDIUM > 0 && <p>{`${fixed}.`}</p>}
          {!changed && remaining.HIGH + remaining.MEDIUM > 0 && <p>Nothing was changed.</p>}
          <div className="mt-1 flex flex-wrap items-center gap-2">
            <span>Still open:</span>
            {left.map((severity) => (
              <SeverityChip key={severity} severity={severity} count={remaining[severity]} />
            ))}
          </div>
        </>
      )}
      {onReview !== undefined && forReview > 0 && (
        <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button onClick={onReview}>Apply changes that need review</Button>
          <span>
            {plural(forReview, {
              one: '1 more finding has a fix that may change behaviour.',
              other: '# more findings have a fix that may change behaviour.',
            })}
          </span>
        </p>
      )}
      <p className="mt-2">Checks that need the rest of the repository, such as its settings, did not run.</p>
    </Banner>
  );
}

type Remaining = Hardened['reply']['remaining'];

function toneOf({ HIGH, MEDIUM, LOW, INFO }: Remaining): 'failure' | 'warning' | 'neutral' | 'ok' {
  if (HIGH > 0) return 'failure';
  if (MEDIUM > 0) return 'warning';
  return LOW + INFO > 0 ? 'neutral' : 'ok';
}

function titleOf({ HIGH, MEDIUM, LOW, INFO }: Remaining, changed: boolean, fixed: string): string {
  if (HIGH > 0)
    return plural(HIGH, {
      one: 'Still dangerous: 1 high finding is left',
      other: 'Still dangerous: # high findings are left',
    });
  if (MEDIUM > 0) return plural(MEDIUM, { one: '1 medium finding is left', other: '# medium findings are left' });
  if (changed) return fixed;
  return LOW + INFO === 0 ? 'Nothing to fix: no findings' : 'Nothing was changed';
}
