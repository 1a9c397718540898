import type { Metadata } from 'next';
import { ActivityPage } from '../../../../components/dashboard/activity/activity-page.tsx';

export const metadata: Metadata = { title: 'Activity' };

export default function OrgActivityPage() {
  return <ActivityPage />;
}
