import * as actions from '#lib/db/queries/actions.ts';
import type { ActionScore, Source } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { Services } from '../context.ts';

export async function readScores(
  services: Services,
  used: readonly UsedAction[],
): Promise<Source<ReadonlyMap<string, ActionScore>>> {
  if (used.length === 0) return { value: new Map() };
  const rows = await actions.readScores(
    services.adminDb(),
    used.flatMap(({ slug, references }) => references.map(({ ref }) => ({ name: slug, ref }))),
  );
  if (rows.length === 0) return { missing: 'not_run' };
  return {
    value: new Map(
      rows.map(({ name, score, at, refs }) => [
        name,
        { score, at, refs: new Map(refs.map((version) => [version.ref, { score: version.score, at: version.at }])) },
      ]),
    ),
  };
}
