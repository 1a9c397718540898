import type { sizesOfRulesets } from '#lib/services/rules/catalog.ts';
import { RULESET_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { ExternalLink } from '../ui/external-link.tsx';
import { Section } from '../ui/frame.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

export function RulesetList({ sizes }: { readonly sizes: ReturnType<typeof sizesOfRulesets> }) {
  return (
    <Section id="rulesets" title="Rulesets">
      <p className="mb-4 max-w-[70ch]">
        Select one on the command line with <code>--ruleset</code>. A SLSA level includes the lower levels of its track.
        A finding refutes a level; the absence of findings does not prove it, because much of{' '}
        <ExternalLink href="https://slsa.dev/spec/v1.2/">SLSA</ExternalLink> cannot be seen from a repository.
      </p>
      <Table caption="Rulesets, their meaning and number of rules">
        <thead>
          <tr>
            <HeaderCell>Ruleset</HeaderCell>
            <HeaderCell>Meaning</HeaderCell>
            <HeaderCell className="text-end">Rules</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {sizes.map(({ ruleset, rules }) => (
            <Row key={ruleset}>
              <HeaderCell scope="row" className="sm:whitespace-nowrap">
                <a href={`/rules?ruleset=${ruleset}`} className="link font-mono text-xs">
                  {ruleset}
                </a>
              </HeaderCell>
              <Cell>{RULESET_LABELS[ruleset].meaning}</Cell>
              <Cell className="text-end tabular-nums">
                {rules}
                <span className="sr-only">{plural(rules, { one: ' rule', other: ' rules' })}</span>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
