import type { Metadata } from 'next';
import { PROBLEM_CODES } from '#lib/errors.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS } from '#lib/http/route/problem.ts';
import { Page, PageHeader } from '../../components/ui/frame.tsx';
import { Cell, HeaderCell, Row, Table } from '../../components/ui/table.tsx';

export const metadata: Metadata = {
  title: 'Problems',
  description: 'What each API error means and what to do about it.',
};

export default function ProblemList() {
  return (
    <Page narrow>
      <PageHeader title="Problems">
        <p>
          Every API error is a JSON object of type <code>{PROBLEM_MEDIA_TYPE}</code>. Its <code>code</code> is one of
          these, and its <code>type</code> links to the page that explains it.
        </p>
      </PageHeader>
      <Table caption="Error codes, HTTP status and meaning">
        <thead>
          <tr>
            <HeaderCell>Code</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <HeaderCell>Meaning</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {PROBLEM_CODES.map((code) => (
            <Row key={code}>
              <HeaderCell scope="row" className="align-top">
                <a href={`/problems/${code}`} className="link font-mono text-xs">
                  {code}
                </a>
              </HeaderCell>
              <Cell className="tabular-nums">{PROBLEMS[code].status}</Cell>
              <Cell>{PROBLEMS[code].title}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Page>
  );
}
