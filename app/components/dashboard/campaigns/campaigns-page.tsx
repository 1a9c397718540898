'use client';

import Link from 'next/link';
import { parseAsInteger, useQueryState } from 'nuqs';
import { RULESET_LABELS } from '../../../messages.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { Time } from '../../domain/time.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useWide } from '../../ui/use-wide.ts';
import { AdminOnly } from '../admin-only.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { orgLink } from '../links.ts';
import { NothingFound } from '../nothing-found.tsx';
import { useScanCoverage } from '../overview/use-overview.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { type CampaignLine, PAGE_ROWS, useCampaigns, useRecordsMerges } from './use-campaigns.ts';

const STATUS_LABELS = { pending: 'Not started', running: 'Running', completed: 'Completed' } as const;

export function CampaignsPage() {
  const [asked, setPage] = useQueryState('page', parseAsInteger.withDefault(1));
  const page = Math.max(1, asked);
  const { data, error, refetch } = useCampaigns(page);
  const recordsMerges = useRecordsMerges() === true;
  const wide = useWide();
  const isEmpty = data?.rows.length === 0;
  const isFirstUse = useScanCoverage().data?.repositories === 0 && isEmpty;
  return (
    <>
      <DashboardHeader
        title="Campaigns"
        actions={
          isFirstUse ? undefined : (
            <AdminOnly what="create a campaign">
              <NewCampaignLink />
            </AdminOnly>
          )
        }
      >
        <p>
          A campaign opens pull requests with safe fixes in many repositories, and follows them until a scan confirms
          the fix.
        </p>
      </DashboardHeader>
      {error !== null && (
        <Problem error={error} what="The campaigns could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton lines={6} />}
      {isFirstUse && <NothingFound title="No campaign yet" />}
      {isEmpty && !isFirstUse && (
        <EmptyState title="No campaign yet">
          Choose rules and repositories, and see every change before a pull request is opened.
        </EmptyState>
      )}
      {data !== undefined && data.rows.length > 0 && (
        <>
          <p role="status" className="mb-3 text-sm text-muted">
            {plural(data.total, { one: '1 campaign', other: '# campaigns' })}
          </p>
          <Table caption="Campaigns">
            <thead>
              <tr>
                <HeaderCell>Ruleset</HeaderCell>
                <HeaderCell className="max-md:hidden">Status</HeaderCell>
                <HeaderCell className="max-md:hidden">Repositories</HeaderCell>
                <HeaderCell className="max-md:hidden">Fixes</HeaderCell>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <Line key={row.id} row={row} recordsMerges={recordsMerges} wide={wide} />
              ))}
            </tbody>
          </Table>
          <Pagination
            page={page}
            pages={Math.ceil(data.total / PAGE_ROWS)}
            onPage={(next) => void setPage(next, { history: 'push' })}
          />
        </>
      )}
    </>
  );
}

function NewCampaignLink() {
  const org = useOrg();
  return (
    <Link href={orgLink(org.id, 'campaigns/new')} prefetch={false} className={buttonClass('primary')}>
      New campaign
    </Link>
  );
}

interface LineProps {
  readonly row: CampaignLine;
  readonly recordsMerges: boolean;
  readonly wide: boolean;
}

function Line({ row, recordsMerges, wide }: LineProps) {
  const org = useOrg();
  const parts = [
    row.pending > 0 && `${formatNumber(row.pending)} pending`,
    row.partial > 0 && `${formatNumber(row.partial)} partial`,
    row.failed > 0 && `${formatNumber(row.failed)} failed`,
  ].filter((part) => part !== false);
  const fixes = `${formatNumber(row.prs_opened)} opened, ${formatNumber(row.prs_merged)} merged${
    recordsMerges ? `, ${formatNumber(row.prs_verified)} verified` : ''
  }`;
  return (
    <Row>
      <HeaderCell scope="row" className="align-top">
        <Link href={orgLink(org.id, `campaigns/${row.id}`)} prefetch={false} className="link">
          {RULESET_LABELS[row.ruleset].label}
        </Link>
        <span className="block text-xs font-normal text-muted">
          <Time at={row.created_at} />
        </span>
        {!wide && (
          <span className="mt-1 block text-xs font-normal">
            {`${STATUS_LABELS[row.status]}: ${plural(row.total, { one: '1 repository', other: '# repositories' })}`}
            {parts.length > 0 && ` (${parts.join(', ')})`}
            <span className="block">{`Fixes: ${fixes}`}</span>
          </span>
        )}
      </HeaderCell>
      <Cell className="max-md:hidden">{STATUS_LABELS[row.status]}</Cell>
      <Cell className="max-md:hidden">
        {formatNumber(row.total)}
        {parts.length > 0 && <span className="block text-xs text-muted">{parts.join(', ')}</span>}
      </Cell>
      <Cell className="tabular-nums max-md:hidden">{fixes}</Cell>
    </Row>
  );
}
