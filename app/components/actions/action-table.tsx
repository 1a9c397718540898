import type { DirectoryFilter, ShownAction } from '#lib/services/pages/action-directory.ts';
import { formatNumber } from '../../numbers.ts';
import { ActionLink } from '../domain/action-link.tsx';
import { Band } from '../domain/band.tsx';
import { ForeignText } from '../domain/foreign-text.tsx';
import { Time } from '../domain/time.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

interface Props {
  readonly actions: readonly ShownAction[];
  readonly filter: DirectoryFilter;
}

export function ActionTable({ actions, filter }: Props) {
  const sorted = (column: DirectoryFilter['sort']) =>
    filter.sort === column ? { 'aria-sort': filter.descending ? ('descending' as const) : ('ascending' as const) } : {};
  return (
    <Table caption="Scored actions">
      <thead>
        <tr>
          <HeaderCell className="w-px" {...sorted('score')}>
            Score
          </HeaderCell>
          <HeaderCell {...sorted('name')}>Action</HeaderCell>
          <HeaderCell className="text-end max-sm:hidden" {...sorted('stars')}>
            Stars
          </HeaderCell>
          <HeaderCell className="max-md:hidden" {...sorted('scored_at')}>
            Scored
          </HeaderCell>
        </tr>
      </thead>
      <tbody>
        {actions.map(({ owner, name, description, score, band, doubtful, stars, archived, scoredAt }) => (
          <Row key={`${owner}/${name}`}>
            <Cell className="whitespace-nowrap tabular-nums">
              <Band band={doubtful ? null : band} className="me-2.5" />
              <span className="inline-block min-w-[3ch] text-end font-medium">{score}</span>
            </Cell>
            <HeaderCell scope="row" className="text-start font-normal">
              <ActionLink owner={owner} name={name} className="font-medium" />
              {archived && <span className="ms-2 rounded-full bg-inset px-2 py-0.5 text-2xs text-muted">Archived</span>}
              {description !== null && (
                <ForeignText text={description} className="mt-0.5 block text-muted [overflow-wrap:anywhere]" />
              )}
            </HeaderCell>
            <Cell className="text-end tabular-nums max-sm:hidden">{stars === null ? '–' : formatNumber(stars)}</Cell>
            <Cell className="text-muted max-md:hidden">
              <Time at={scoredAt} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
