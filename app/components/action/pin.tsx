import type { ShownScore } from '#lib/services/pages/action-page.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { CopyButton } from '../domain/copy-button.tsx';
import { Panel } from '../ui/panel.tsx';

export function Pin({ latest: { pin, blocks } }: { readonly latest: ShownScore }) {
  return (
    <Panel className="mt-4">
      <h2 className="font-semibold">Pin this version</h2>
      {pin === null ? (
        <p className="mt-1 text-sm text-muted">
          {blocks.length > 0
            ? 'This version is blocked. Pin another one, listed under Versions, or switch to another action.'
            : 'This version is in band F: a pin would keep the risk in place. Fix what lowers the score first, or use another version.'}
        </p>
      ) : (
        <>
          <p className="mt-1 mb-3 text-sm text-muted">
            A commit cannot be moved, a tag can. The comment lets update tools follow releases.
          </p>
          <div className="mb-3">
            <CodeSnippet label="In a step of a workflow" code={pin} />
          </div>
          <CopyButton label="Copy line" text={pin} />
        </>
      )}
    </Panel>
  );
}
