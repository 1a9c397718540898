'use client';

import { Button } from '../ui/button.tsx';
import { ScanProgress } from './lazy-progress.tsx';
import { ScanProblem } from './scan-problem.tsx';
import type { Refused } from './sentences.ts';
import { useScan } from './use-scan.ts';

interface Props {
  readonly host: string;
  readonly rules: number;
  readonly examples: readonly string[];
  readonly typed: string;
  readonly refused: Refused | null;
}

export function ScanForm({ host, rules, examples, typed, refused }: Props) {
  const { state, submit } = useScan();
  const running = state.kind === 'running';
  const problem = state.kind === 'refused' ? state.refused : state.kind === 'idle' ? refused : null;
  const invalid = problem?.code === 'validation-failed' || problem?.code === 'not-found';
  return (
    <form
      method="post"
      action="/scan"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget, event.nativeEvent.submitter);
      }}
    >
      <label htmlFor="repo" className="mb-1.5 block text-sm font-semibold">
        Public repository
      </label>
      <div className="flex flex-col gap-2 sm:flex-row">
        <input
          id="repo"
          name="repo"
          required
          maxLength={500}
          defaultValue={typed}
          placeholder="owner/repo"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-describedby={problem === null ? 'repo-hint' : 'repo-hint scan-problem'}
          aria-invalid={invalid || undefined}
          className="min-h-11 min-w-0 flex-1 rounded-control border border-control bg-page px-3 font-mono text-sm text-fg placeholder:text-muted"
        />
        <Button type="submit" variant="primary" aria-disabled={running} className="min-h-11 px-5">
          {running ? 'Scanning' : 'Scan'}
        </Button>
      </div>
      <p id="repo-hint" className="mt-2 text-sm text-muted">
        Or paste its URL at {host}. No account needed, and no code is executed.
      </p>
      <div className="mt-4 min-h-36">
        {state.kind === 'running' ? (
          <ScanProgress state={state} host={host} rules={rules} />
        ) : (
          <>
            {problem !== null && (
              <ScanProblem id="scan-problem" refused={problem} host={host} live={state.kind === 'refused'} />
            )}
            {problem === null && examples.length > 0 && (
              <div role="group" aria-labelledby="examples" className="mb-4 flex flex-wrap items-center gap-2 text-sm">
                <span id="examples" className="text-muted">
                  Try one of these:
                </span>
                {examples.map((repo) => (
                  <Button
                    key={repo}
                    type="submit"
                    name="repo"
                    value={repo}
                    formNoValidate
                    className="min-h-8 px-3 font-mono text-xs"
                  >
                    {repo}
                  </Button>
                ))}
              </div>
            )}
            {problem === null && (
              <ol className="list-decimal space-y-0.5 ps-5 text-sm text-muted">
                <li>We read the workflow files of the default branch, in at most two requests.</li>
                <li>We check them against {rules} rules.</li>
                <li>You get a report at an unguessable link. It never shows file names or line numbers.</li>
              </ol>
            )}
          </>
        )}
      </div>
    </form>
  );
}
