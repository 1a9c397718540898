import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

export function OperationList({ part }: { readonly part: 'public' | 'full' }) {
  const operations = OPERATIONS.filter(({ access }) => part === 'full' || access === 'public');
  return (
    <Table caption="Operations of the API">
      <thead>
        <tr>
          <HeaderCell>Operation</HeaderCell>
          <HeaderCell>What it does</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {operations.map(({ id, verb, path, summary }) => (
          <Row key={id}>
            <HeaderCell scope="row" className="text-start font-mono text-xs">
              {verb} {path}
            </HeaderCell>
            <Cell>{summary}</Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
