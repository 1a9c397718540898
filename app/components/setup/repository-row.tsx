'use client';

import { LockIcon, StopIcon, SyncIcon } from '@primer/octicons-react';
import type { LastScan } from '#lib/db/browser.ts';
import type { RepositoryList } from '#lib/http/schemas/repositories.ts';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES, type Severity } from '../../messages.ts';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Time } from '../domain/time.tsx';
import { Icon } from '../ui/octicon.tsx';
import { Cell, HeaderCell, Row } from '../ui/table.tsx';
import { reasonOfScan } from './sentences.ts';
import type { RowState } from './use-scans.ts';

interface Props {
  readonly repository: RepositoryList['repositories'][number];
  readonly state: RowState | undefined;
  readonly lastScan: LastScan | null | undefined;
  readonly host: string;
  readonly wide: boolean;
}

export function RepositoryRow({ repository, state, lastScan, host, wide }: Props) {
  const result = state === undefined ? <Last scan={lastScan} /> : <State state={state} host={host} />;
  return (
    <Row>
      <HeaderCell scope="row" className="align-top">
        <span className="flex flex-wrap items-center gap-x-2">
          <a href={repository.html_url} rel="noopener noreferrer nofollow" className="link min-w-0 wrap-anywhere">
            {visible(repository.full_name)}
          </a>
          {repository.private && (
            <span className="inline-flex items-center gap-1 text-xs font-normal text-muted">
              <Icon of={LockIcon} />
              Private
            </span>
          )}
        </span>
        {!wide && <span className="mt-1 block text-xs font-normal">{result}</span>}
      </HeaderCell>
      {wide && <Cell className="h-11">{result}</Cell>}
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        {state?.kind === 'done' ? 'Just scanned' : lastScan != null && <Time at={lastScan.finishedAt} />}
      </Cell>
    </Row>
  );
}

function State({ state, host }: { readonly state: RowState; readonly host: string }) {
  switch (state.kind) {
    case 'queued':
      return <span className="text-muted">Queued</span>;
    case 'running':
      return (
        <span className="inline-flex items-center gap-2">
          <Icon of={SyncIcon} className="shrink-0 animate-spin text-accent" />
          Scanning
        </span>
      );
    case 'done': {
      const { high, medium, low, info } = state.value.counts;
      return <OpenFindings counts={{ HIGH: high, MEDIUM: medium, LOW: low, INFO: info }} />;
    }
    case 'failed':
      return (
        <span className="flex gap-2 text-critical">
          <Icon of={StopIcon} className="mt-[3px] shrink-0" />
          <span>
            Failed: {reasonOfScan(state.refused, host)}
            {state.refused.requestId !== undefined && (
              <span className="text-muted">
                {' '}
                If this keeps happening, report this id: <code className="break-all">{state.refused.requestId}</code>
              </span>
            )}
          </span>
        </span>
      );
  }
}

function Last({ scan }: { readonly scan: LastScan | null | undefined }) {
  if (scan === null) return <span className="text-muted">Unknown</span>;
  if (scan === undefined) return <span className="text-muted">Not scanned yet</span>;
  return <OpenFindings counts={scan.counts} />;
}

function OpenFindings({ counts }: { readonly counts: Readonly<Record<Severity, number>> }) {
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (present.length === 0) return <span>No open findings</span>;
  return (
    <span className="flex flex-wrap gap-1.5">
      {present.map((severity) => (
        <SeverityChip key={severity} severity={severity} count={counts[severity]} />
      ))}
    </span>
  );
}
