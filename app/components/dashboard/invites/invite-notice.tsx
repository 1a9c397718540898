'use client';

import Link from 'next/link';
import { plural } from '../../../numbers.ts';
import { Banner } from '../../ui/banner.tsx';
import { useMyInvites } from './use-invites.ts';

export function InviteNotice() {
  const { data: invites = [] } = useMyInvites();
  if (invites.length === 0) return null;
  return (
    <Banner
      tone="neutral"
      title={plural(invites.length, { one: 'A team has invited you', other: '# teams have invited you' })}
      className="mb-6"
    >
      <Link href="/invites" prefetch={false} className="link">
        See who, and join
      </Link>
    </Banner>
  );
}
