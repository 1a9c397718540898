'use client';

import { ShieldCheckIcon, UnlinkIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { RuleText } from '../../domain/rule-text.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { type FoundPath, keyFinding } from './use-paths.ts';

interface Props {
  readonly found: FoundPath;
  readonly namesRepository?: boolean;
}

export function PathCard({ found: { repoId, repository, path }, namesRepository = true }: Props) {
  const org = useOrg();
  const address = orgLink(org.id, `paths/${repoId}/${path.id}`, { f: keyFinding(path) });
  return (
    <article className="rounded-panel border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <SeverityChip severity={path.severity} />
        <h3 className="min-w-0 font-semibold">
          <Link href={address} prefetch={false} className="link">
            {path.title}
          </Link>
        </h3>
      </div>
      {(namesRepository || path.file !== null) && (
        <p className="mt-1 text-sm wrap-anywhere text-muted">
          {namesRepository && `${visible(repository)} `}
          {path.file !== null && <code>{visible(path.file)}</code>}
        </p>
      )}
      <ol className="mt-3 flex flex-wrap gap-x-2 gap-y-1 text-sm">
        {path.stages.map(({ order, title }, index) => (
          <li key={order} className="flex items-center gap-2">
            {index > 0 && (
              <span aria-hidden="true" className="text-muted">
                →
              </span>
            )}
            {title}
          </li>
        ))}
      </ol>
      <p className="mt-3 flex gap-2 text-sm text-ok">
        <Icon of={UnlinkIcon} className="mt-[3px] shrink-0" />
        <span>
          <RuleText text={path.break_chain} />
        </span>
      </p>
      {path.contains_accepted_risk && (
        <p className="mt-2 flex gap-2 text-sm text-muted">
          <Icon of={ShieldCheckIcon} className="mt-[3px] shrink-0" />
          Contains an accepted or snoozed finding
        </p>
      )}
    </article>
  );
}
