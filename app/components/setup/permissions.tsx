import { Disclosure } from '../ui/disclosure.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';
import { PERMISSIONS } from './permission-list.ts';

export function Permissions({ host }: { readonly host: string }) {
  return (
    <Disclosure title="What the app may do, and what for" className="mt-6">
      <p className="mb-4 max-w-[70ch] text-sm text-muted">
        {`You grant these when you install the app at ${host}. A scan reads only. Nothing is written before an admin starts a campaign or a pull request is checked.`}
      </p>
      <Table caption="Permissions of the app">
        <thead>
          <tr>
            <HeaderCell>Permission</HeaderCell>
            <HeaderCell className="max-md:hidden">Access</HeaderCell>
            <HeaderCell>What for</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {PERMISSIONS.map(({ id, label, writes, purpose }) => (
            <Row key={id}>
              <HeaderCell scope="row" className="align-top">
                {label}
                <span className="block font-normal text-muted md:hidden">{accessOf(writes)}</span>
              </HeaderCell>
              <Cell className="whitespace-nowrap max-md:hidden">{accessOf(writes)}</Cell>
              <Cell>{purpose}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Disclosure>
  );
}

function accessOf(writes: boolean): string {
  return writes ? 'Read and write' : 'Read';
}
