'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useOrg } from '../context.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Tabs } from '../tabs.tsx';
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
      <Tabs label="Settings" path="settings" tabs={LABELS} current={tab} />
      <Content key={org.id} />
    </div>
  );
}
