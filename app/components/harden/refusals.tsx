import type { HardenReply } from '#lib/services/hardening/workflow.ts';
import { plural } from '../../messages.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

interface Group {
  readonly id: string;
  readonly reason: string;
  readonly lines: number[];
}

const MAX_LINES = 12;

export function Refusals({ refused }: { readonly refused: HardenReply['refused'] }) {
  const groups = new Map<string, Group>();
  for (const { rule_id: id, line, reason } of refused) {
    const key = `${id} ${reason}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { id, reason, lines: [line] });
    else known.lines.push(line);
  }
  return (
    <Table caption="Not fixed, and why">
      <thead>
        <tr>
          <HeaderCell>Rule</HeaderCell>
          <HeaderCell>Lines</HeaderCell>
          <HeaderCell>Reason</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {[...groups].map(([key, { id, reason, lines }]) => (
          <Row key={key}>
            <HeaderCell scope="row" className="align-top">
              <RuleLink id={id} />
            </HeaderCell>
            <Cell className="min-w-20 tabular-nums">
              {lines.slice(0, MAX_LINES).join(', ')}
              {lines.length > MAX_LINES &&
                plural(lines.length - MAX_LINES, { one: ' and 1 more', other: ' and # more' })}
            </Cell>
            <Cell className="min-w-64">
              <RuleText text={reason} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
