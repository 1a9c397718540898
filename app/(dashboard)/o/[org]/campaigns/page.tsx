import type { Metadata } from 'next';
import { CampaignsPage } from '../../../../components/dashboard/campaigns/campaigns-page.tsx';

export const metadata: Metadata = { title: 'Campaigns' };

export default function CampaignListPage() {
  return <CampaignsPage />;
}
