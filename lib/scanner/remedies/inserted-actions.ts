import { SUCCESSORS } from '#lib/data/curated/action-successors.ts';
import { networkOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { mostSpecificTag } from '#lib/workflow/model/versions.ts';
import type { Category } from '../engine/rule.ts';
import { COOL_DOWN_DAYS, tooYoung } from './cool-down.ts';

export interface InsertedAction {
  readonly owner: string;
  readonly repo: string;
  readonly path: string;
  readonly tag: string;
}

export const CRATES_IO_AUTH: InsertedAction = {
  owner: 'rust-lang',
  repo: 'crates-io-auth-action',
  path: '',
  tag: 'v1',
};

export const EGRESS_MONITOR: InsertedAction = { owner: 'step-security', repo: 'harden-runner', path: '', tag: 'v2' };

/** Adds the actions that fixes of these categories may insert to the look-ups; by default those of all categories. */
export function withInserted(
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

export type Pinned =
  | { readonly name: string; readonly commit: string; readonly version: string }
  | { readonly refusal: string };

/** A fix inserts no action whose commit is unknown. */
export function pinned(action: InsertedAction, facts: Facts): Pinned {
  const { owner, repo, path, tag } = action;
  const name = [owner, repo, ...(path === '' ? [] : [path])].join('/');
  const network = networkOf(facts);
  const known = network?.actions.get(slugOf(action));
  const commit = known?.tags.get(tag);
  if (network === undefined || known === undefined) {
    return { refusal: `The commit of ${name}, which this fix inserts, was not looked up on GitHub.` };
  }
  if (commit === undefined) return { refusal: `No commit is known for \`${tag}\` of ${name}.` };
  const membership = known.commits?.get(commit);
  if (membership === 'foreign' || membership === 'missing') {
    return { refusal: `The commit of \`${tag}\` of ${name} is on no branch or tag of it, which suggests a hijack.` };
  }
  const days = tooYoung(network, known, commit);
  if (days !== undefined) {
    return {
      refusal: `The newest release of ${name} is ${days} days old; fixes only insert releases that are at least ${COOL_DOWN_DAYS} days old.`,
    };
  }
  return { name, commit, version: mostSpecificTag(known.tags, commit) ?? tag };
}

export function definitionOf(action: InsertedAction, facts: Facts): string | undefined {
  return networkOf(facts)?.actions.get(slugOf(action))?.definitions?.get(`${action.path}@${action.tag}`);
}

export function slugOf({ owner, repo }: Pick<InsertedAction, 'owner' | 'repo'>): string {
  return `${owner}/${repo}`.toLowerCase();
}

export function factsWith(actions: readonly (InsertedAction & { readonly definition?: string })[]): Facts {
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
