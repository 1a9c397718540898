import { ACTION_NEEDS, type ActionNeeds } from '#lib/data/curated/action-needs.ts';
import { type CommandNeeds, GH_COMMANDS } from '#lib/data/curated/gh-commands.ts';
import { DOCUMENTED_NEEDS, type DocumentedNeeds } from '#lib/data/generated/documented-needs.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { parseVersion, usedVersion } from '#lib/workflow/model/versions.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';

export interface LikelyNeeds {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

const ROWS: ReadonlyMap<string, DocumentedNeeds> = new Map(DOCUMENTED_NEEDS.map((row) => [row.action, row]));

/**
 * Returns the scopes that the documentation of a release grants: likely needs, but not certain enough for an unattended
 * fix. Undefined if unknown, or if the step passes another token.
 */
export function documentedNeeds(step: Step): LikelyNeeds | undefined {
  const row = ROWS.get(actionOf(step)?.name ?? '');
  const major = step.uses === undefined ? undefined : usedVersion(step.uses)?.version.numbers[0];
  if (row === undefined || major === undefined) return undefined;
  if (row.token !== undefined && inputOf(step, row.token) !== undefined) return undefined;
  for (const line of row.releases) {
    const [tags = '', scopes = ''] = line.split(' | ');
    if (!tags.split(' ').some((tag) => parseVersion(tag)?.numbers[0] === major)) continue;
    const named = (level: string): string[] =>
      scopes.split(' ').flatMap((text) => (text.endsWith(`:${level}`) ? [text.slice(0, -level.length - 1)] : []));
    return { writes: named('write'), reads: named('read').filter((scope) => scope !== 'contents') };
  }
  return undefined;
}

export function actionNeeds(step: Step): ActionNeeds | undefined {
  const action = actionOf(step);
  return action === undefined ? undefined : (ACTION_NEEDS[action.name] ?? ACTION_NEEDS[action.slug]);
}

export function ghNeeds({ args }: ShellCommand): CommandNeeds | undefined {
  const [group = '', command = ''] = args.map(({ value }) => value);
  return ownValue(GH_COMMANDS, `${group} ${command}`);
}
