'use client';

import { useEffect, useRef, useState } from 'react';
import { plural, SEVERITIES } from '../../messages.ts';
import { CopyButton } from '../domain/copy-button.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Banner } from '../ui/banner.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ChangeTable } from './change-table.tsx';
import { DownloadButton } from './download-button.tsx';
import { Refusals } from './refusals.tsx';
import type { Hardened } from './use-harden.ts';

const VIEWS = { unified: 'Unified', paired: 'Side by side' } as const;

export function Result({ hardened }: { readonly hardened: Hardened }) {
  const { reply, filename } = hardened;
  const heading = useRef<HTMLHeadingElement>(null);
  const [view, setView] = useState<keyof typeof VIEWS>('unified');
  const wide = useWide();
  useEffect(() => heading.current?.focus(), []);
  return (
    <section aria-labelledby="result" className="mt-10">
      <h2 id="result" ref={heading} tabIndex={-1} className="mb-3 text-lg font-semibold">
        Result
      </h2>
      <Summary hardened={hardened} />
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
          <h2 className="mt-10 mb-3 text-lg font-semibold">Not fixed, and why</h2>
          <Refusals refused={reply.refused} />
        </>
      )}
    </section>
  );
}

function Summary({ hardened: { reply } }: { readonly hardened: Hardened }) {
  const { categories, changed, remaining } = reply;
  const fixes = categories.reduce((sum, category) => sum + category.fixes.length, 0);
  const left = SEVERITIES.filter((severity) => remaining[severity] > 0);
  const title = changed
    ? plural(fixes, { one: '1 finding fixed', other: '# findings fixed' })
    : left.length === 0
      ? 'Nothing to fix: no findings'
      : 'Nothing was changed';
  return (
    <Banner tone={changed || left.length === 0 ? 'ok' : 'neutral'} title={title}>
      {left.length === 0 ? (
        changed && <p>No findings are left in this file.</p>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <span>Still open:</span>
          {left.map((severity) => (
            <SeverityChip key={severity} severity={severity} count={remaining[severity]} />
          ))}
        </div>
      )}
      <p className="mt-1">Checks that need the rest of the repository, such as its settings, did not run.</p>
    </Banner>
  );
}
