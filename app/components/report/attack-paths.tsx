import { ArrowRightIcon, UnlinkIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { ReportedPath } from '#lib/services/public-scans/shared-report.ts';
import { plural } from '../../numbers.ts';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';

const SHOWN = 4;

export function AttackPaths({ paths }: { readonly paths: readonly ReportedPath[] }) {
  if (paths.length === 0) return null;
  const [shown, others] = [paths.slice(0, SHOWN), paths.slice(SHOWN)];
  return (
    <Section id="paths" title="Attack paths">
      <ol className="space-y-3">
        {shown.map((path) => (
          <li key={`${path.severity} ${path.id}`} className="rounded-panel border border-line p-4">
            <Head path={path} />
            <p className="mt-1 text-sm">
              <RuleText text={path.impact} />
            </p>
            <Chain stages={path.stages} />
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <details className="mt-3 rounded-panel border border-line">
          <summary className="cursor-pointer rounded-panel px-4 py-2.5 text-sm font-medium hover:bg-subtle">
            {plural(others.length, { one: '1 more kind of attack path', other: '# more kinds of attack path' })}
          </summary>
          <ul className="space-y-3 border-t border-line p-4">
            {others.map((path) => (
              <li key={`${path.severity} ${path.id}`}>
                <Head path={path} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function Head({ path: { id, title, severity, count } }: { readonly path: ReportedPath }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <SeverityChip severity={severity} />
      <h3 className="min-w-0 font-semibold">
        <a href={`/attack-paths/${id}`} className="link text-fg">
          {title}
        </a>
      </h3>
      {count > 1 && <span className="text-sm text-muted">{`in ${count} places`}</span>}
    </div>
  );
}

function Chain({ stages }: Pick<ReportedPath, 'stages'>) {
  return (
    <ol className="mt-3 flex flex-col gap-2 text-sm sm:flex-row sm:flex-wrap sm:items-stretch">
      {stages.map(({ title, breaks }, index) => (
        <li key={title} className="flex min-w-0 items-center gap-2 sm:max-w-[18rem]">
          {index > 0 && <Icon of={ArrowRightIcon} className="shrink-0 text-muted max-sm:rotate-90" />}
          <span
            className={clsx(
              'min-w-0 rounded-control border px-3 py-1.5',
              breaks ? 'border-dashed border-ok bg-ok-soft' : 'border-line bg-subtle',
            )}
          >
            {title}
            {breaks && (
              <span className="mt-0.5 flex items-center gap-1.5 text-xs font-semibold text-ok">
                <Icon of={UnlinkIcon} />
                Break the chain here
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
