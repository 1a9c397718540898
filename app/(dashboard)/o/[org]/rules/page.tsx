import type { Metadata } from 'next';
import { listPathKinds } from '#lib/services/rules/path-kinds.ts';
import { RulesPage } from '../../../../components/dashboard/rules/rules-page.tsx';

export const metadata: Metadata = { title: 'Rules' };

export default function RuleSettingsPage() {
  return <RulesPage kinds={listPathKinds()} />;
}
