import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { trimPath } from '#lib/workflow/shell/working-directory.ts';

/** From this major on the credential is written below the runner's temporary folder, not into `.git/config`. */
const OUTSIDE_WORKSPACE_SINCE = 6;

/** What `actions/checkout` leaves behind for git. */
export interface StoredCredential {
  readonly step: Step;
  /** Below the workspace; empty for the workspace itself. Undefined when computed. */
  readonly folder: string | undefined;
  /** Where the stored credential comes from, when it is not the job's own token. */
  readonly secret: string | undefined;
  /** `.git/config` only names a file outside the workspace. */
  readonly outsideWorkspace: boolean;
}

/** The credential that a step of `actions/checkout` persists by default. */
export function storedCredentialOf(step: Step): StoredCredential | undefined {
  if (actionOf(step)?.name !== 'actions/checkout') return undefined;
  const path = inputOf(step, 'path')?.value ?? '';
  const credential = inputOf(step, 'ssh-key') ?? inputOf(step, 'token');
  const version = versionOf(step);
  const major = version === undefined ? undefined : majorOf(version);
  return {
    step,
    folder: path.includes('${{') ? undefined : trimPath(path),
    secret: credential === undefined ? undefined : ownCredential(credential),
    outsideWorkspace: major === undefined ? /^main$/.test(actionOf(step)?.ref ?? '') : major >= OUTSIDE_WORKSPACE_SINCE,
  };
}

/** Where a credential that is not the job's token comes from: `secrets.deploy_key`, `steps.app.outputs.token`. */
function ownCredential(text: Text): string | undefined {
  const paths = expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  return paths.find((path) => /^(?:secrets|steps|needs|env|inputs)\./.test(path) && path !== 'secrets.github_token');
}
