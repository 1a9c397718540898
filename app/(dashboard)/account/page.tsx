import type { Metadata } from 'next';
import { AccountPage } from '../../components/dashboard/account/account-page.tsx';

export const metadata: Metadata = { title: 'Account' };

export default function OwnAccountPage() {
  return <AccountPage />;
}
