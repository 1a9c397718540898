import { drawBadge } from '#lib/report/badge.ts';
import { Badge } from '../domain/badge.tsx';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { Section } from '../ui/frame.tsx';

const NONE = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };

export function BadgeExample({ webUrl }: { readonly webUrl: string }) {
  return (
    <Section id="badge" title="Add a badge">
      <p className="mb-4 max-w-[70ch]">
        A badge shows the latest scan of a repository and updates within four hours. Each report has the Markdown for
        it.
      </p>
      <p className="mb-4 flex flex-wrap gap-3">
        <Badge svg={drawBadge({ ...NONE, HIGH: 2 })} text="Badge: 2 high" />
        <Badge svg={drawBadge(NONE)} text="Badge: no findings" />
        <Badge svg={drawBadge(null)} text="Badge: not scanned" />
      </p>
      <CodeSnippet
        language="text"
        label="README.md"
        code={`[![chainbreak](${webUrl}/api/badge/owner/repo.svg)](${webUrl}/r/owner/repo)`}
      />
    </Section>
  );
}
