import type { Metadata } from 'next';
import { NewCampaignPage } from '../../../../../components/dashboard/campaigns/new-campaign-page.tsx';

export const metadata: Metadata = { title: 'New campaign' };

export default function CampaignWizardPage() {
  return <NewCampaignPage />;
}
