import { CHECKOUT_RELEASES } from '../data/checkout-guard.ts';
import { actionOf, inputOf } from './actions.ts';
import { accessedPaths, expressionsIn } from './expression.ts';
import type { Step, Text } from './model.ts';

/** The major version of a `vN…` tag, or of a comment that names one. */
export function majorOf(ref: string): number | undefined {
  const [, major] = /^v?(\d{1,3})(?:\.|$)/.exec(ref.trim()) ?? [];
  return major === undefined ? undefined : Number(major);
}

/** From this major on the credential is written below the runner's temporary folder, not into `.git/config`. */
const OUTSIDE_WORKSPACE_SINCE = 6;

/** The version a step's action is used at: its tag, the tag of its known commit, or what the comment beside it says. */
export function versionOf(step: Step): string | undefined {
  const action = actionOf(step);
  if (action === undefined) return undefined;
  if (majorOf(action.ref) !== undefined) return action.ref;
  if (action.slug === 'actions/checkout') {
    const known = CHECKOUT_RELEASES.find(({ sha }) => sha === action.ref.toLowerCase());
    if (known !== undefined) return known.tag;
  }
  return /\bv?\d{1,3}(?:\.\d+)*\b/.exec(step.uses?.comment ?? '')?.[0];
}

export interface Checkout {
  readonly step: Step;
  /** Below the workspace; empty for the workspace itself. Undefined when computed. */
  readonly folder: string | undefined;
  /** Where the stored credential comes from, when it is not the job's own token. */
  readonly secret: string | undefined;
  /** `.git/config` only names a file outside the workspace. */
  readonly outsideWorkspace: boolean;
}

/** A step that is `actions/checkout`. */
export function checkoutOf(step: Step): Checkout | undefined {
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

/** A path relative to the workspace, without `./` and slashes at its ends. */
export function trimPath(path: string): string {
  return path
    .trim()
    .replace(/^\$\{\{\s*github\.workspace\s*\}\}\/?|^\$\{?GITHUB_WORKSPACE\}?\/?/i, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\.$/, '')
    .replace(/\/+$/, '');
}
