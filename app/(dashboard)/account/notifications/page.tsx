import type { Metadata } from 'next';
import { NotificationsPage } from '../../../components/dashboard/account/notifications-page.tsx';

export const metadata: Metadata = { title: 'Notifications' };

export default function OwnNotificationsPage() {
  return <NotificationsPage />;
}
