import type { CoverageEntry } from '#lib/http/schemas/attack-paths.ts';
import { plural } from '../../../numbers.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { REASON_LABELS } from '../reasons.ts';

export function Coverage({ entries }: { readonly entries: readonly CoverageEntry[] }) {
  const blinded = entries.filter(({ blinded_repos, partial_repos }) => blinded_repos + partial_repos > 0);
  const summary =
    blinded.length === 0
      ? 'Every kind of path was searched for in all scanned repositories'
      : plural(blinded.length, {
          one: '1 kind of path could not be fully searched for',
          other: '# kinds of path could not be fully searched for',
        });
  return (
    <div className="mt-10">
      <Disclosure title={`Coverage: ${summary}`}>
        <Table caption="Coverage of each kind of attack path">
          <thead>
            <tr>
              <HeaderCell>Kind</HeaderCell>
              <HeaderCell>Result</HeaderCell>
              <HeaderCell>Not assessed</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.id}>
                <HeaderCell scope="row" className="align-top">
                  <SeverityChip severity={entry.severity} className="me-2" />
                  <a className="link" href={`/attack-paths/${entry.id}`}>
                    {entry.title}
                  </a>
                </HeaderCell>
                <Cell>{resultOf(entry)}</Cell>
                <Cell>
                  <ul>
                    {entry.blinded_by.map(({ rule_id, reason }) => (
                      <li key={`${rule_id} ${reason}`}>
                        <RuleLink id={rule_id} />: {REASON_LABELS[reason]}
                      </li>
                    ))}
                  </ul>
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      </Disclosure>
    </div>
  );
}

/** Only a complete search everywhere supports the words "not present". */
function resultOf({ searched_repos, blinded_repos, partial_repos, matched_repos }: CoverageEntry): string {
  const found =
    matched_repos > 0
      ? plural(matched_repos, { one: 'Found in 1 repository', other: 'Found in # repositories' })
      : null;
  if (searched_repos + blinded_repos === 0) return 'Not searched for: no repository was scanned';
  if (blinded_repos + partial_repos === 0) return found ?? 'Not present';
  const gaps = [
    blinded_repos > 0 &&
      plural(blinded_repos, { one: '1 repository not searched', other: '# repositories not searched' }),
    partial_repos > 0 &&
      plural(partial_repos, { one: '1 repository searched in part', other: '# repositories searched in part' }),
  ].filter((gap) => gap !== false);
  return [found ?? 'Not found', ...gaps].join('; ');
}
