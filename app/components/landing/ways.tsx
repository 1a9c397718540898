import type { ReactNode } from 'react';
import { nameOfHost } from '../../messages.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Section } from '../ui/frame.tsx';

const COMMANDS = `# findings, attack paths, what to fix first
chainbreak scan

# the safe fixes, as a diff
chainbreak fix --dry-run

# only what a branch adds
chainbreak scan --diff main
`;

export function Ways({ host }: { readonly host: string }) {
  return (
    <Section id="more" title="On your machine, in CI, for every repository">
      <div className="grid gap-6 md:grid-cols-2">
        <div className="min-w-0">
          <p className="mb-4">
            The command line shows every finding with its line and its fix. It only reads files: no code is executed and
            no file leaves your machine.
          </p>
          <CodeSnippet language="text" label="Command line" code={COMMANDS} />
          <p className="mt-4 flex flex-wrap gap-x-5 gap-y-1 text-sm">
            <Link href="/docs/install">Install</Link>
            <Link href="/docs/ci">Use it in CI</Link>
            <Link href="/docs">Documentation</Link>
          </p>
        </div>
        <div className="min-w-0 rounded-panel border border-line bg-subtle p-5">
          <h3 className="font-semibold">Sign in to watch your repositories</h3>
          <ul className="mt-3 list-disc space-y-1.5 ps-5 text-sm">
            <li>Scans on every push, and a check on every pull request.</li>
            <li>Attack paths across all repositories, with the one finding to fix first.</li>
            <li>Fix pull requests for one repository or forty.</li>
            <li>Triage with your team: accept, snooze or dismiss, with a history.</li>
          </ul>
          <p className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
            <a href="/o" className={buttonClass('primary', 'min-h-11 px-5')}>
              {`Sign in with ${nameOfHost(host)}`}
            </a>
            <span className="text-muted">The app reads only the repositories that you choose.</span>
          </p>
        </div>
      </div>
    </Section>
  );
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} className="link inline-block py-1">
      {children}
    </a>
  );
}
