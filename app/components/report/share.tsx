import { drawBadge } from '#lib/report/badge.ts';
import type { BadgeCounts } from '#lib/services/public-scans/badge.ts';
import { Badge } from '../domain/badge.tsx';
import { CopiedCode } from '../domain/copied-code.tsx';
import { CopyButton } from '../domain/copy-button.tsx';
import { Panel } from '../ui/panel.tsx';

interface Props {
  readonly repo: string;
  readonly badge: BadgeCounts;
  readonly url: string;
  readonly newestUrl: string;
  readonly badgeUrl: string;
}

export function Share({ repo, badge, url, newestUrl, badgeUrl }: Props) {
  const markdown = `[![chainbreak](${badgeUrl})](${newestUrl})`;
  return (
    <Panel>
      <h2 className="font-semibold">Share</h2>
      <p className="mt-1 mb-3 text-sm text-muted">
        Anyone with the link can see this report. Search engines are asked not to index it.
      </p>
      <CopyButton label="Copy link" text={url} />
      <h3 className="mt-5 text-sm font-semibold">Badge</h3>
      <p className="mt-1 mb-2 text-sm text-muted">
        Shows the latest scan, links to its report, and updates within four hours.
      </p>
      <p className="mb-3">
        <Badge svg={drawBadge(badge)} text={`Badge of ${repo}`} />
      </p>
      <CopiedCode language="text" label="Markdown" code={markdown} copy="Copy Markdown" />
    </Panel>
  );
}
