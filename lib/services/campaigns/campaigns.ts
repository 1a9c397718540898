import * as campaigns from '#lib/db/queries/campaigns.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import type { CampaignRuleset, CampaignView } from '#lib/db/shapes/campaigns.ts';
import type { Services } from '../context.ts';

export async function createCampaign(
  services: Services,
  user: organizations.Caller,
  org: string | undefined,
  campaign: { readonly ruleset: CampaignRuleset; readonly repoIds: readonly string[] },
): Promise<CampaignView> {
  const db = services.adminDb();
  const { id: orgId } = await organizations.resolve(db, user, org ?? null);
  return shown(services, await campaigns.create(db, user.id, { orgId, ...campaign }));
}

export async function readCampaign(services: Services, userId: string, campaignId: string): Promise<CampaignView> {
  return shown(services, await campaigns.get(services.adminDb(), userId, campaignId));
}

/** Without webhooks, merges are not recorded in time, so a count of zero verified fixes would be misleading. */
function shown({ env }: Services, view: CampaignView): CampaignView {
  if (env.scmWebhookSecret !== null) return view;
  const { prs_verified: _, ...rollup } = view.rollup;
  return { ...view, rollup };
}
