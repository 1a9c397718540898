'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { CampaignView } from '#lib/db/shapes/campaigns.ts';
import type { Remediation } from '#lib/http/schemas/campaigns.ts';
import { type LoopControls, useLoop } from '../../session/use-loop.ts';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { campaignKey } from './use-campaigns.ts';

const AT_ONCE = 3;

const toStart = new Set<string>();

export function startOnOpening(campaignId: string): void {
  toStart.add(campaignId);
}

export function takeStart(campaignId: string): boolean {
  return toStart.delete(campaignId);
}

export function useRemediation(campaignId: string): LoopControls<Remediation> {
  const { id, call } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const queryKey = campaignKey(id, org.id, campaignId);
  const send = async (repoId: string) => {
    const path = `/api/campaigns/${encodeURIComponent(campaignId)}/repos/${repoId}/remediate?org=${org.id}`;
    const answer = await call<Remediation>(path, undefined, 'POST');
    if (answer.ok === undefined) {
      const { code } = answer.refused;
      if (code === 'already-running' || code === 'already-finished') await client.invalidateQueries({ queryKey });
      return answer;
    }
    const { skipped: _, ...ended } = answer.ok;
    client.setQueryData<CampaignView | null>(
      queryKey,
      (view) =>
        view && { ...view, repos: view.repos.map((row) => (row.repo_id === repoId ? { ...row, ...ended } : row)) },
    );
    return answer;
  };
  return useLoop(send, {
    atOnce: AT_ONCE,
    lasting: {
      name: `campaign ${campaignId}`,
      label: 'Campaign',
      href: orgLink(org.id, `campaigns/${campaignId}`),
    },
    onEnd: () => void client.invalidateQueries({ queryKey: [id, org.id, 'campaigns'] }),
  });
}
