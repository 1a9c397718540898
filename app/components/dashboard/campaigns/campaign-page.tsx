'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { useEffect } from 'react';
import type { CampaignView } from '#lib/db/shapes/campaigns.ts';
import { RULESET_LABELS } from '../../../messages.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { formatDay, Time } from '../../domain/time.tsx';
import { RunBar } from '../../session/run-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminOnly } from '../admin-only.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { NotThere } from '../not-there.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { usePageTitle } from '../use-page-title.ts';
import { CampaignRows } from './campaign-rows.tsx';
import { Funnel } from './funnel.tsx';
import { useCampaign } from './use-campaigns.ts';
import { takeStart, useRemediation } from './use-remediation.ts';

export function CampaignPage({ campaignId }: { readonly campaignId: string }) {
  const org = useOrg();
  const loop = useRemediation(campaignId);
  const busy = loop.run !== null && loop.run.state !== 'ended';
  const { data, error, dataUpdatedAt, refetch } = useCampaign(campaignId, busy);
  useEffect(() => {
    if (data && takeStart(campaignId)) loop.start(idsOf(data, 'pending'));
  });
  return (
    <>
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'campaigns')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Campaigns
        </Link>
      </p>
      {error !== null && <Problem error={error} what="The campaign could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={9} />}
      {data === null && <NotThere what="campaign">It was never created, or belongs to another organization.</NotThere>}
      {data !== undefined && data !== null && <Found view={data} readAt={dataUpdatedAt} loop={loop} busy={busy} />}
    </>
  );
}

interface FoundProps {
  readonly view: CampaignView;
  readonly readAt: number;
  readonly loop: ReturnType<typeof useRemediation>;
  readonly busy: boolean;
}

function Found({ view, readAt, loop, busy }: FoundProps) {
  const { campaign, repos, rollup } = view;
  const { rows, run, start } = loop;
  usePageTitle(`${RULESET_LABELS[campaign.ruleset].label} campaign of ${formatDay(campaign.created_at)}`);
  return (
    <>
      <DashboardHeader title={`Campaign: ${RULESET_LABELS[campaign.ruleset].label}`}>
        <p>
          {RULESET_LABELS[campaign.ruleset].meaning} Created <Time at={campaign.created_at} />.
        </p>
      </DashboardHeader>
      <p role="status" className="mb-4 text-sm">
        {summaryOf(rollup)}
      </p>
      <AdminOnly what="open pull requests">
        {!busy && <StartButtons view={view} onStart={start} />}
        <RunBar label="Repositories of this campaign" rows={rows} run={run} controls={loop} />
      </AdminOnly>
      <Funnel rollup={rollup} />
      <CampaignRows repos={repos} loopRows={rows} readAt={readAt} busy={busy} onRetry={(id) => start([id])} />
    </>
  );
}

function StartButtons({ view, onStart }: { readonly view: CampaignView; readonly onStart: (ids: string[]) => void }) {
  const pending = idsOf(view, 'pending');
  const failed = idsOf(view, 'failed');
  if (pending.length + failed.length === 0) return null;
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      {pending.length > 0 && (
        <Button variant="primary" onClick={() => onStart(pending)}>
          {plural(pending.length, {
            one: 'Open pull requests in the pending repository',
            other: 'Open pull requests in # pending repositories',
          })}
        </Button>
      )}
      {failed.length > 0 && (
        <Button onClick={() => onStart(failed)}>
          {plural(failed.length, { one: 'Retry the one that failed', other: 'Retry the # that failed' })}
        </Button>
      )}
    </div>
  );
}

function idsOf({ repos }: CampaignView, status: 'pending' | 'failed'): string[] {
  return repos.flatMap((row) => (row.status === status ? row.repo_id : []));
}

function summaryOf({ total, pending, running, succeeded, partial, failed }: CampaignView['rollup']): string {
  const parts = [
    [pending, 'pending'],
    [running, 'running'],
    [succeeded, 'succeeded'],
    [partial, 'partial'],
    [failed, 'failed'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`);
  return `${plural(total, { one: '1 repository', other: '# repositories' })}: ${told.join(', ')}.`;
}
