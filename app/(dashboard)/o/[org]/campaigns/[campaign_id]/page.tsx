import type { Metadata } from 'next';
import { CampaignPage } from '../../../../../components/dashboard/campaigns/campaign-page.tsx';

export const metadata: Metadata = { title: 'Campaign' };

interface Props {
  readonly params: Promise<{ readonly campaign_id: string }>;
}

export default async function CampaignTrackerPage({ params }: Props) {
  const { campaign_id: campaignId } = await params;
  return <CampaignPage campaignId={campaignId} />;
}
