'use client';

import { LockIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { reasonOfScan } from '../../setup/sentences.ts';
import type { RowState, Scans } from '../../setup/use-scans.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Cell, HeaderCell, Row } from '../../ui/table.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { ageOfOldScan } from '../overview/use-overview.ts';
import { MonitorSwitch } from './monitor-switch.tsx';
import type { RepositoryRow } from './use-repositories.ts';

interface Props {
  readonly row: RepositoryRow;
  readonly scans: Scans;
  readonly host: string;
  readonly wide: boolean;
}

export function RepositoryLine({ row, scans, host, wide }: Props) {
  const org = useOrg();
  const state = scans.rows.get(row.id);
  const busy = scans.run !== null && scans.run.state !== 'ended';
  const age = row.finished_at === null ? null : ageOfOldScan(row.finished_at);
  const findings = <Findings row={row} state={state} host={host} />;
  return (
    <Row>
      <HeaderCell scope="row" className="align-top md:min-w-44">
        <span className="flex flex-wrap items-center gap-x-2">
          <Link
            href={orgLink(org.id, `repositories/${row.id}`)}
            prefetch={false}
            className="link min-w-0 wrap-anywhere"
          >
            {visible(row.full_name)}
          </Link>
          {row.private && (
            <span className="inline-flex items-center gap-1 text-xs font-normal text-muted">
              <Icon of={LockIcon} />
              Private
            </span>
          )}
          {row.archived && <span className="text-xs font-normal text-muted">Archived</span>}
        </span>
        {row.suspended_at !== null && (
          <span className="block text-xs font-normal text-muted">The app is suspended: it cannot be scanned</span>
        )}
        {!wide && <span className="mt-1 block text-xs font-normal">{findings}</span>}
      </HeaderCell>
      {wide && <Cell>{findings}</Cell>}
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        {row.finished_at !== null && <Time at={row.finished_at} />}
        {age !== null && <span className="block text-xs text-medium">{age}</span>}
        {row.ruleset === 'owasp' && <span className="block text-xs">Security rules only</span>}
      </Cell>
      <Cell>
        <MonitorSwitch repository={row} />
      </Cell>
      {wide && (
        <Cell className="text-end">
          {row.suspended_at === null && (
            <Button
              className="-my-1 min-h-8 px-3 whitespace-nowrap"
              disabled={busy}
              onClick={() => scans.start([row.id])}
            >
              Scan now<span className="sr-only"> {visible(row.full_name)}</span>
            </Button>
          )}
        </Cell>
      )}
    </Row>
  );
}

interface FindingsProps {
  readonly row: RepositoryRow;
  readonly state: RowState | undefined;
  readonly host: string;
}

function Findings({ row, state, host }: FindingsProps) {
  if (state?.kind === 'failed') {
    return <span className="text-critical">Failed: {reasonOfScan(state.refused, host)}</span>;
  }
  if (state !== undefined && state.kind !== 'done') {
    return <span className="text-muted">{state.kind === 'queued' ? 'Queued' : 'Scanning'}</span>;
  }
  if (state === undefined && row.last_scan_id === null) return <span className="text-muted">Not scanned yet</span>;
  const isRead = state === undefined || state.value.scan_id === row.last_scan_id;
  const { high, medium, low, info } = isRead ? row : state.value.counts;
  const counts = { HIGH: high ?? 0, MEDIUM: medium ?? 0, LOW: low ?? 0, INFO: info ?? 0 };
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
