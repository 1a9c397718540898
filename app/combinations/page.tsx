import type { Metadata } from 'next';
import { listCombinations } from '#lib/services/pages/combination-page.ts';
import { CombinationGroup } from '../components/combination/group.tsx';
import { Page, PageHeader } from '../components/ui/frame.tsx';
import { COMBINATION_SEVERITIES, plural } from '../messages.ts';

export const metadata: Metadata = {
  title: 'Combinations',
  description:
    'The attack paths that Chainbreak looks for: findings that together let somebody in, what each costs, and the one change that ends it.',
  alternates: { canonical: '/combinations' },
};

export default function CombinationList() {
  const rows = listCombinations();
  return (
    <Page>
      <PageHeader title="Combinations">
        <p>
          Findings that are harmless or bearable alone can together let somebody in. Each combination says how the chain
          goes, what it costs, and where it breaks. The command <code>chainbreak paths</code> draws those of a
          repository.
        </p>
      </PageHeader>
      <p className="text-sm">{plural(rows.length, { one: '1 combination', other: '# combinations' })}</p>
      {COMBINATION_SEVERITIES.map((severity) => (
        <CombinationGroup key={severity} severity={severity} rows={rows.filter((row) => row.severity === severity)} />
      ))}
    </Page>
  );
}
