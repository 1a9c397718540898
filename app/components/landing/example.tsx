import { CATEGORY_LABELS } from '../../messages.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { RuleLink } from '../domain/rule-link.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';

const BEFORE = `on: issue_comment
jobs:
  reply:
    runs-on: ubuntu-latest
    steps:
      - run: ./reply.sh "\${{ github.event.comment.body }}"
        env:
          TOKEN: \${{ secrets.REPLY_TOKEN }}
`;

const CHANGE = `- run: ./reply.sh "\${{ github.event.comment.body }}"
- run: ./reply.sh "$BODY"
  env:
    BODY: \${{ github.event.comment.body }}
    TOKEN: \${{ secrets.REPLY_TOKEN }}
`;

export function Example() {
  return (
    <Section id="example" title="Anatomy of a finding">
      <div className="grid gap-6 md:grid-cols-[minmax(0,11fr)_minmax(0,10fr)]">
        <div className="min-w-0">
          <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <SeverityChip severity="HIGH" />
            <span className="text-muted">{CATEGORY_LABELS['CICD-SEC-4']}</span>
            <RuleLink id="template-injection" />
          </div>
          <p className="mb-4 text-sm">
            Anyone who can comment can close the quote and run their own commands, with <code>TOKEN</code> in reach and
            no approval needed.
          </p>
          <CodeSnippet label=".github/workflows/reply.yml" code={BEFORE} marked={[6]} />
        </div>
        <div className="min-w-0">
          <p className="mb-3 text-sm font-semibold">The change that breaks the path</p>
          <p className="mb-4 text-sm">
            Passed as an environment variable, the comment stays data; the shell never parses it as code.
          </p>
          <CodeSnippet label="The same step, changed" code={CHANGE} removed={[1]} added={[2, 4]} />
        </div>
      </div>
    </Section>
  );
}
