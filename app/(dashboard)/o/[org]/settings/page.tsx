import type { Metadata } from 'next';
import { SettingsPage } from '../../../../components/dashboard/settings/settings-page.tsx';

export const metadata: Metadata = { title: 'Settings' };

export default function OrgSettingsPage() {
  return <SettingsPage />;
}
