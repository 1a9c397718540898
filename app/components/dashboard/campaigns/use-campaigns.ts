'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CampaignRuleset, CampaignView } from '#lib/db/shapes/campaigns.ts';
import { useOrg, useUser } from '../context.tsx';
import { RequestError, rowsOf } from '../request.ts';

export const PAGE_ROWS = 50;
const BUSY_MS = 5_000;
const IDLE_MS = 60_000;
const CAPABILITIES_FRESH_MS = 300_000;

export type Rollup = CampaignView['rollup'];

export interface CampaignLine {
  readonly id: string;
  readonly ruleset: CampaignRuleset;
  readonly status: CampaignView['campaign']['status'];
  readonly created_at: string;
  readonly total: number;
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  readonly partial: number;
  readonly failed: number;
  readonly prs_opened: number;
  readonly prs_merged: number;
  readonly prs_verified: number;
}

const COLUMNS =
  'id, ruleset, status, created_at, total, pending, running, succeeded, partial, failed, prs_opened, prs_merged, prs_verified';

export function useCampaigns(
  page: number,
): UseQueryResult<{ readonly rows: readonly CampaignLine[]; readonly total: number }> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'campaigns', 'list', page],
    queryFn: async () => {
      const from = (page - 1) * PAGE_ROWS;
      const { data, count, error, status } = await db
        .from('campaign_rollups')
        .select(COLUMNS, { count: 'exact' })
        .eq('org_id', org.id)
        .order('created_at', { ascending: false })
        .order('id')
        .range(from, from + PAGE_ROWS - 1);
      return { rows: rowsOf({ data, error, status }) as unknown as CampaignLine[], total: count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

export function useRecordsMerges(): boolean | undefined {
  const { id, request } = useUser();
  const { data } = useQuery({
    queryKey: [id, 'capabilities'],
    queryFn: () => request<{ readonly pr_webhooks: boolean }>('/api/capabilities'),
    staleTime: CAPABILITIES_FRESH_MS,
  });
  return data?.pr_webhooks;
}

export function campaignKey(userId: string, orgId: string, campaignId: string) {
  return [userId, orgId, 'campaigns', 'one', campaignId] as const;
}

export function useCampaign(campaignId: string, isBusy: boolean): UseQueryResult<CampaignView | null> {
  const { id, request } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: campaignKey(id, org.id, campaignId),
    queryFn: async () => {
      try {
        const view = await request<CampaignView>(`/api/campaigns/${encodeURIComponent(campaignId)}`);
        return view.campaign.org_id === org.id ? view : null;
      } catch (error) {
        if (error instanceof RequestError && error.refused.code === 'not-found') return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (isBusy || (state.data?.rollup.running ?? 0) > 0 ? BUSY_MS : IDLE_MS),
  });
}
