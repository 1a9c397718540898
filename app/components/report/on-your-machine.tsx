import { CopiedCode } from '../domain/copied-code.tsx';
import { Panel } from '../ui/panel.tsx';

export function OnYourMachine() {
  return (
    <Panel>
      <h2 className="font-semibold">On your machine</h2>
      <p className="mt-1 mb-3 text-sm text-muted">
        In a clone, the command line shows every finding with its line and fix. No file leaves your machine.
      </p>
      <CopiedCode language="text" label="Command line" code="chainbreak scan ." copy="Copy" />
      <p className="mt-3 text-sm">
        <a href="/docs/install" className="link">
          How to install it
        </a>
      </p>
    </Panel>
  );
}
