import type { Metadata } from 'next';
import { InvitePage } from '../../../components/dashboard/invites/invite-page.tsx';

export const metadata: Metadata = { title: 'Invite' };

interface Props {
  readonly params: Promise<{ readonly invite_id: string }>;
}

export default async function OneInvitePage({ params }: Props) {
  const { invite_id: inviteId } = await params;
  return <InvitePage inviteId={inviteId} />;
}
