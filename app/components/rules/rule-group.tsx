import { ToolsIcon } from '@primer/octicons-react';
import type { RuleRow } from '#lib/services/rules/catalog.ts';
import { CATEGORY_LABELS, CATEGORY_QUESTIONS, SURFACE_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

interface Props {
  readonly category: string;
  readonly rules: readonly RuleRow[];
}

export function RuleGroup({ category, rules }: Props) {
  const name = CATEGORY_LABELS[category] ?? category;
  return (
    <Section
      id={category.toLowerCase()}
      title={
        <>
          {name} <span className="text-sm font-normal text-muted">{category}</span>
        </>
      }
    >
      <p className="-mt-2 mb-3 text-sm text-muted">{CATEGORY_QUESTIONS[category]}</p>
      <Table caption={`${name}: ${plural(rules.length, { one: '1 rule', other: '# rules' })}`}>
        <thead>
          <tr>
            <HeaderCell className="w-px">Severity</HeaderCell>
            <HeaderCell>Rule</HeaderCell>
            <HeaderCell className="w-44 max-sm:hidden">Fix</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ id, title, severity, surface, gain, fixable }) => (
            <Row key={id}>
              <Cell>
                <SeverityChip severity={severity} />
              </Cell>
              <HeaderCell scope="row" className="text-start font-normal max-sm:ps-0">
                <a href={`/rules/${id}`} className="link font-medium">
                  {title}
                </a>
                <code className="mt-0.5 block text-2xs text-muted">{id}</code>
                <span className="mt-1 block max-w-[65ch] font-normal wrap-anywhere">
                  <RuleText text={gain} />
                </span>
                {fixable && (
                  <span className="mt-1 inline-flex items-center gap-1.5 text-xs text-ok sm:hidden">
                    <Icon of={ToolsIcon} />
                    Fixable
                  </span>
                )}
              </HeaderCell>
              <Cell className="max-sm:hidden">
                {fixable ? (
                  <span className="inline-flex items-center gap-1.5 text-ok">
                    <Icon of={ToolsIcon} />
                    Fixable
                  </span>
                ) : (
                  <span className="text-muted">
                    {surface === 'repo-settings' ? SURFACE_LABELS[surface].label : 'By hand'}
                  </span>
                )}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
