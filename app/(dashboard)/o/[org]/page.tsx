import type { Metadata } from 'next';
import { OverviewPage } from '../../../components/dashboard/overview/overview-page.tsx';

export const metadata: Metadata = { title: 'Overview' };

export default function OrgPage() {
  return <OverviewPage />;
}
