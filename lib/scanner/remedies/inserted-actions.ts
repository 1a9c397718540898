import { SUCCESSORS } from '#lib/data/action-successors.ts';
import { networkOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { mostSpecificTag } from '#lib/workflow/model/versions.ts';
import type { Category } from '../engine/rule.ts';
import { COOL_DOWN_DAYS, tooYoung } from './cool-down.ts';

/** An action that a fix puts into a file, and the tag of the line of releases that it takes. */
export interface BroughtAction {
  readonly owner: string;
  readonly repo: string;
  /** Below the repository; empty for its root. */
  readonly path: string;
  readonly tag: string;
}

/** Gets a token of crates.io for the identity of the job, and takes it back at the job's end. */
export const CRATES_IO_AUTH: BroughtAction = {
  owner: 'rust-lang',
  repo: 'crates-io-auth-action',
  path: '',
  tag: 'v1',
};

/** Writes down, or stops, what a hosted runner sends out. */
export const EGRESS_MONITOR: BroughtAction = { owner: 'step-security', repo: 'harden-runner', path: '', tag: 'v2' };

/** Beside the actions that are asked about anyway, those that fixes of these categories may bring; all when left out. */
export function withBrought(
  used: readonly UsedAction[],
  repository: Repository,
  categories: ReadonlySet<Category> | undefined,
): UsedAction[] {
  const isChosen = (category: Category): boolean => categories?.has(category) ?? true;
  const bySlug = new Map(used.map((each) => [each.slug, each] as const));
  const texts = [...repository.workflows, ...repository.actions].map(({ source }) => source.text);
  const brought = [
    ...used.flatMap(({ slug }) => SUCCESSORS.find(({ action }) => action === slug)?.successor ?? []),
    ...(isChosen('CICD-SEC-6') && texts.some((text) => TO_CRATES_IO.test(text)) ? [CRATES_IO_AUTH] : []),
    ...(isChosen('CICD-SEC-10') && repository.workflows.length > 0 ? [EGRESS_MONITOR] : []),
  ];
  for (const action of brought) {
    const { owner, repo, path, tag } = action;
    const slug = slugOf(action);
    const references = bySlug.get(slug)?.references ?? [];
    bySlug.set(slug, { owner, repo, slug, references: [...references, { path, ref: tag, claimed: undefined }] });
  }
  return [...bySlug.values()];
}

const TO_CRATES_IO = /\bCARGO_REGISTRY_TOKEN\b|\bcargo\b[^\n]{0,100}\bpublish\b/;

/** A release by its commit, as it is written behind `uses:`, with the version for the comment; or why there is none. */
export type Pinned =
  | { readonly name: string; readonly commit: string; readonly version: string }
  | { readonly refusal: string };

/** The newest release of an action's line. A fix brings no action whose commit nobody knows. */
export function pinned(action: BroughtAction, facts: Facts): Pinned {
  const { owner, repo, path, tag } = action;
  const name = [owner, repo, ...(path === '' ? [] : [path])].join('/');
  const network = networkOf(facts);
  const known = network?.actions.get(slugOf(action));
  const commit = known?.tags.get(tag);
  if (network === undefined || known === undefined) {
    return { refusal: `The code host was not asked for the commit of ${name}, which this brings.` };
  }
  if (commit === undefined) return { refusal: `No commit of ${name} is known that \`${tag}\` names.` };
  const membership = known.commits?.get(commit);
  if (membership === 'foreign' || membership === 'missing') {
    return { refusal: `The commit that \`${tag}\` of ${name} names is on no branch or tag of it, as in a hijack.` };
  }
  const days = tooYoung(network, known, commit);
  if (days !== undefined) {
    return {
      refusal: `The newest release of ${name} is ${days} days old: no fix brings one of less than ${COOL_DOWN_DAYS}.`,
    };
  }
  return { name, commit, version: mostSpecificTag(known.tags, commit) ?? tag };
}

/** The text of the definition of the release that {@link pinned} names. */
export function definitionOf(action: BroughtAction, facts: Facts): string | undefined {
  return networkOf(facts)?.actions.get(slugOf(action))?.definitions?.get(`${action.path}@${action.tag}`);
}

/** `owner/repo` in lower case. */
export function slugOf({ owner, repo }: Pick<BroughtAction, 'owner' | 'repo'>): string {
  return `${owner}/${repo}`.toLowerCase();
}

/** Facts in which these actions are known at a commit, with the text of their definition: for examples of rules. */
export function factsWith(actions: readonly (BroughtAction & { readonly definition?: string })[]): Facts {
  const commit = '1'.repeat(40);
  return {
    settings: { missing: 'offline' },
    network: {
      value: {
        actions: new Map(
          actions.map((action) => {
            const { tag, path, definition } = action;
            const definitions = new Map(definition === undefined ? [] : [[`${path}@${tag}`, definition] as const]);
            return [
              slugOf(action),
              {
                branches: new Map(),
                tags: new Map([
                  [tag, commit],
                  [`${tag}.99.0`, commit],
                ]),
                definitions,
              },
            ];
          }),
        ),
      },
    },
  };
}
