import type { Metadata } from 'next';
import { MAX_SEARCH_LENGTH, readRuleFilter } from '#lib/http/rule-filter.ts';
import { visible } from '#lib/report/visible.ts';
import { findRules, type RuleRow, sizesOfRulesets } from '#lib/services/rules/catalog.ts';
import { ClearFilters, FilterForm } from '../../components/rules/filter-form.tsx';
import { RuleGroup } from '../../components/rules/rule-group.tsx';
import { RulesetList } from '../../components/rules/ruleset-list.tsx';
import { Banner } from '../../components/ui/banner.tsx';
import { Page, PageHeader } from '../../components/ui/frame.tsx';
import { SEVERITIES, SEVERITY_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';

export const metadata: Metadata = {
  title: 'Rules',
  description:
    'What Chainbreak finds in GitHub Actions workflows and repository settings: each rule with its severity, OWASP category, examples and fix.',
  alternates: { canonical: '/rules' },
};

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function RuleList({ searchParams }: Props) {
  const { filter, unknown } = readRuleFilter(await searchParams);
  const { rows, total, counts } = findRules(filter);
  return (
    <Page>
      <PageHeader title="Rules">
        <p>
          Each rule explains why it matters, how it is exploited, what to change and what it cannot see. The severity
          shown is the default; each finding is rated by what an attacker could reach there.
        </p>
      </PageHeader>
      <FilterForm filter={filter} counts={counts} maxLength={MAX_SEARCH_LENGTH} />
      {unknown.length > 0 && (
        <Banner tone="warning" title="Part of the URL was not understood and is ignored" className="mt-6">
          <code>{visible(unknown.slice(0, 5).join(', '))}</code>
        </Banner>
      )}
      <p className="mt-6 text-sm">
        {rows.length === total
          ? plural(total, { one: '1 rule', other: '# rules' })
          : plural(rows.length, { one: `1 of ${total} rules`, other: `# of ${total} rules` })}
        {rows.length > 0 && <span className="text-muted">{`: ${severitiesOf(rows)}`}</span>}
      </p>
      {rows.length === 0 && (
        <div className="mt-6 rounded-panel border border-dashed border-control p-6 text-center">
          <h2 className="font-semibold">No rule matches these filters</h2>
          <p className="mt-1 text-sm text-muted">All words must appear in the rule’s text.</p>
          <ClearFilters />
        </div>
      )}
      {[...new Set(rows.map(({ category }) => category))].map((category) => (
        <RuleGroup key={category} category={category} rules={rows.filter((row) => row.category === category)} />
      ))}
      <RulesetList sizes={sizesOfRulesets()} />
    </Page>
  );
}

function severitiesOf(rows: readonly RuleRow[]): string {
  return SEVERITIES.map((severity) => ({
    label: SEVERITY_LABELS[severity].label.toLowerCase(),
    count: rows.filter((row) => row.severity === severity).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count} ${label}`)
    .join(', ');
}
