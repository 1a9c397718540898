import type { Metadata } from 'next';
import { InvitesPage } from '../../components/dashboard/invites/invites-page.tsx';

export const metadata: Metadata = { title: 'Invites' };

export default function OwnInvitesPage() {
  return <InvitesPage />;
}
