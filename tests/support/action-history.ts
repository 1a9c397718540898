import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { evaluate } from '#lib/scorer/evaluate.ts';
import type { CollectedFacts } from '#lib/scorer/facts.ts';
import { FLAWLESS } from '#lib/scorer/flawless.ts';
import { toEvaluation } from '#lib/services/actions/score.ts';
import type { TestDatabase } from './database.ts';
import { scoredAction } from './scored-action.ts';

export interface Evaluated {
  /** Hexadecimal digit that makes up the commit; `tags` and `branches` have one for each name. */
  readonly commit?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly branches?: Readonly<Record<string, string>>;
  readonly facts?: Partial<CollectedFacts>;
  readonly algorithm?: string;
  readonly current?: boolean;
  readonly days?: number;
}

export interface About {
  readonly description?: string | null;
  readonly stars?: number;
  readonly archived?: boolean;
}

const shaOf = (digit: string) => digit.repeat(40);

export async function storeHistory(
  database: TestDatabase,
  fullName: string,
  evaluations: readonly Evaluated[],
  about: About = {},
): Promise<void> {
  const db = createAdminDb(database);
  const [owner = '', name = ''] = fullName.split('/');
  const action = { ...scoredAction(fullName), ...about };
  for (const evaluated of evaluations) {
    const { commit = 'a', tags = {}, facts = {}, algorithm, current = true, days = 0 } = evaluated;
    const { branches = { main: commit } } = evaluated;
    const refs = [
      ...Object.entries(tags).map(([tag, digit]) => ({ ref: `refs/tags/${tag}`, commit: shaOf(digit) })),
      ...Object.entries(branches).map(([branch, digit]) => ({ ref: `refs/heads/${branch}`, commit: shaOf(digit) })),
    ];
    const evaluation = evaluationOf({
      ...FLAWLESS,
      action: { ...FLAWLESS.action, owner, name, commit: shaOf(commit) },
      ...facts,
    });
    const version = algorithm ?? evaluation.algorithm_version;
    await actions.store(db, {
      ...action,
      sha: shaOf(commit),
      refs,
      evaluation: { ...evaluation, algorithm_version: version },
      current,
    });
    if (days > 0) await age(database, fullName, days);
  }
}

function evaluationOf(facts: CollectedFacts): ReturnType<typeof scoredAction>['evaluation'] {
  const attempt = evaluate(facts);
  if ('missing' in attempt) throw new Error('Tree and refs are needed.');
  return toEvaluation(attempt.evaluation, { HIGH: 0, MEDIUM: 1, LOW: 0, INFO: 0 });
}

async function age(database: TestDatabase, fullName: string, days: number): Promise<void> {
  const own = `(select action_id from public.action_names where name_key = lower('${fullName}'))`;
  const passed = `make_interval(days => ${days})`;
  for (const statement of [
    `update public.ref_observations set first_seen_at = first_seen_at - ${passed}, last_seen_at = last_seen_at - ${passed} where action_id = ${own}`,
    `update public.action_versions set first_seen_at = first_seen_at - ${passed} where action_id = ${own}`,
    `update public.action_evaluations set evaluated_at = evaluated_at - ${passed}
       where version_id in (select id from public.action_versions where action_id = ${own})`,
    `update public.actions set scored_at = scored_at - ${passed} where id = ${own}`,
  ]) {
    await database.sql(statement);
  }
}

export const FLAWS = {
  plain: {
    commits: { value: { latestAt: '2024-10-01T00:00:00Z', authors: [{ key: 'ana', bot: false }], complete: true } },
    signature: { value: { verified: false } },
    releases: { value: [{ tag: 'v1.0.0', immutable: false, draft: false, publishedAt: '2025-06-01T00:00:00Z' }] },
    publisherCi: { value: { critical: 1, high: 0 } },
  },
  hijacked: {
    tree: {
      value: {
        paths: ['action.yml'],
        files: new Map([
          [
            'action.yml',
            `name: Greet\ndescription: Greets\nruns:\n  using: composite\n  steps:\n    - run: echo ${'A'.repeat(80)} | base64 -d | bash\n      shell: bash\n`,
          ],
        ]),
        omitted: new Set<string>(),
      },
    },
    reachability: { value: 'none' },
  },
  unread: {
    advisories: { unknown: 'rate_limited' },
    observations: { unknown: 'no_history' },
    identities: { unknown: 'no_history' },
    releases: { unknown: 'fetch_failed' },
    dependencies: { unknown: 'not_supported' },
  },
} as const satisfies Readonly<Record<string, Partial<CollectedFacts>>>;
