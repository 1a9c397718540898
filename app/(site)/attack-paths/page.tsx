import type { Metadata } from 'next';
import { listCombinations } from '#lib/services/pages/combination-page.ts';
import { CombinationGroup } from '../../components/combination/group.tsx';
import { Page, PageHeader } from '../../components/ui/frame.tsx';
import { COMBINATION_SEVERITIES } from '../../messages.ts';
import { plural } from '../../numbers.ts';

export const metadata: Metadata = {
  title: 'Attack paths',
  description:
    'The attack paths that Chainbreak searches for: how weaknesses combine into a compromise, the impact, and the one change that breaks each chain.',
  alternates: { canonical: '/attack-paths' },
};

export default function CombinationList() {
  const rows = listCombinations();
  return (
    <Page>
      <PageHeader title="Attack paths">
        <p>
          Weaknesses that look minor on their own can combine into a full compromise. Each page shows the chain step by
          step, its impact, and where it breaks. <code>chainbreak paths</code> draws the attack paths of a repository.
        </p>
      </PageHeader>
      <p className="text-sm">{plural(rows.length, { one: '1 attack path', other: '# attack paths' })}</p>
      {COMBINATION_SEVERITIES.map((severity) => (
        <CombinationGroup key={severity} severity={severity} rows={rows.filter((row) => row.severity === severity)} />
      ))}
    </Page>
  );
}
