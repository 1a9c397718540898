import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { trimPath } from '#lib/workflow/shell/working-directory.ts';

const CHECKOUT_STORES_OUTSIDE_SINCE = 6;

export interface StoredCredential {
  readonly step: Step;
  readonly folder: string | undefined;
  readonly secret: string | undefined;
  readonly outsideWorkspace: boolean;
}

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
    outsideWorkspace:
      major === undefined ? /^main$/.test(actionOf(step)?.ref ?? '') : major >= CHECKOUT_STORES_OUTSIDE_SINCE,
  };
}

function ownCredential(text: Text): string | undefined {
  const paths = expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  return paths.find((path) => /^(?:secrets|steps|needs|env|inputs)\./.test(path) && path !== 'secrets.github_token');
}
