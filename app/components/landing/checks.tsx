import { CATEGORY_LABELS } from '../../messages.ts';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

const QUESTIONS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Can changes be merged or approved without an authorised reviewer?',
  'CICD-SEC-2': 'Who has which access, and for how long?',
  'CICD-SEC-3': 'Can a third party change the actions, images and packages that run?',
  'CICD-SEC-4': 'Can untrusted text or code run next to credentials?',
  'CICD-SEC-5': 'Are job tokens over-privileged?',
  'CICD-SEC-6': 'Do secrets leak into steps, logs, disks or other systems?',
  'CICD-SEC-7': 'Can a job escape its container or reach your own machines?',
  'CICD-SEC-8': 'Which third parties can act on the repository?',
  'CICD-SEC-9': 'Can a release be tampered with between build and publication?',
  'CICD-SEC-10': 'Could you reconstruct what ran?',
};

export function Checks({ rules }: { readonly rules: readonly { readonly category: string }[] }) {
  const count = (category: string) => rules.filter((rule) => rule.category === category).length;
  const asked = Object.keys(CATEGORY_LABELS)
    .filter((category) => count(category) > 0)
    .sort((a, b) => count(b) - count(a));
  return (
    <Table caption="Checks by OWASP Top 10 CI/CD Security Risk">
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
