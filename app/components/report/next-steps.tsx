import { CodeSnippet } from '../domain/code-snippet.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';

export function NextSteps({
  connectUrl,
  nothingFound,
}: {
  readonly connectUrl: string | null;
  readonly nothingFound: boolean;
}) {
  return (
    <Panel>
      <h2 className="font-semibold">{nothingFound ? 'Run every check' : 'See and fix all findings'}</h2>
      {connectUrl !== null && (
        <>
          <p className="mt-1 mb-3 text-sm text-muted">
            Install the GitHub App to get the file, line and fix for each finding, visible only to your organization.
          </p>
          <a href={connectUrl} rel="nofollow" className={buttonClass('primary', 'mb-4')}>
            Connect the repository
          </a>
        </>
      )}
      <p className="mt-1 mb-2 text-sm text-muted">
        The command line shows the same, and no file leaves your machine. In a clone:
      </p>
      <CodeSnippet language="text" label="Command line" code="chainbreak scan ." />
    </Panel>
  );
}
