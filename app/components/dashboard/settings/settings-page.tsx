'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Connections } from './connections.tsx';
import { General } from './general.tsx';
import { Members } from './members.tsx';
import { Policy } from './policy.tsx';

const TABS = ['general', 'members', 'policy', 'connections'] as const;
const LABELS = {
  general: 'General',
  members: 'Members',
  policy: 'Policy',
  connections: 'Connections',
} as const;
const CONTENT = { general: General, members: Members, policy: Policy, connections: Connections } as const;

export function SettingsPage() {
  const org = useOrg();
  const [tab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('general'));
  const Content = CONTENT[tab];
  return (
    <div className="max-w-3xl">
      <DashboardHeader title="Settings" />
      <nav aria-label="Settings" className="mb-6 border-b border-line">
        <ul className="flex flex-wrap gap-x-5 text-sm">
          {TABS.map((each) => (
            <li key={each}>
              <Link
                href={orgLink(org.id, 'settings', { tab: each })}
                prefetch={false}
                aria-current={each === tab ? 'page' : undefined}
                className={clsx(
                  'inline-flex min-h-9 items-center border-b-2 no-underline',
                  each === tab ? 'border-accent font-semibold text-fg' : 'border-transparent text-muted hover:text-fg',
                )}
              >
                {LABELS[each]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Content key={org.id} />
    </div>
  );
}
