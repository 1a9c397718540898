import { CATEGORY_LABELS } from '../../messages.ts';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

const QUESTIONS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Does something merge, approve or act without a person who may?',
  'CICD-SEC-2': 'Who holds which rights, and for how long?',
  'CICD-SEC-3': 'Can somebody else change the actions, images and packages that run?',
  'CICD-SEC-4': 'Can an outsider’s text or code run where credentials are?',
  'CICD-SEC-5': 'May the job’s token do more than the job needs?',
  'CICD-SEC-6': 'Do secrets reach steps, logs, disks or places that should not have them?',
  'CICD-SEC-7': 'Can a job break out of its container or reach your own machines?',
  'CICD-SEC-8': 'Which third parties may act on the repository?',
  'CICD-SEC-9': 'Can what is released be swapped on its way?',
  'CICD-SEC-10': 'Can you tell afterwards what ran?',
};

export function Checks({ rules }: { readonly rules: readonly { readonly category: string }[] }) {
  const count = (category: string) => rules.filter((rule) => rule.category === category).length;
  const asked = Object.keys(CATEGORY_LABELS)
    .filter((category) => count(category) > 0)
    .sort((a, b) => count(b) - count(a));
  return (
    <Table caption="What is checked, by the OWASP Top 10 CI/CD Security Risks">
      <thead>
        <tr>
          <HeaderCell>Question</HeaderCell>
          <HeaderCell className="max-sm:hidden">Risk</HeaderCell>
          <HeaderCell className="text-end">Rules</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {asked.map((category) => (
          <Row key={category}>
            <Cell>{QUESTIONS[category]}</Cell>
            <Cell className="text-muted max-sm:hidden">{CATEGORY_LABELS[category]}</Cell>
            <Cell className="text-end whitespace-nowrap tabular-nums">{count(category)}</Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
