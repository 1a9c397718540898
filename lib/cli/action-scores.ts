import { collectFacts } from '#lib/collector/collect.ts';
import { evaluateAction } from '#lib/collector/evaluate-action.ts';
import { AppError } from '#lib/errors.ts';
import type { ActionScore, NetworkFacts, NotAssessedReason, Source, Unread } from '#lib/facts/facts.ts';
import type { CodeHost } from '#lib/hosts/code-host/port.ts';
import { holdsAllActions } from '#lib/hosts/code-host/read-actions.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';

/** About eight requests each. */
const MAX_ACTIONS = 15;
const MAX_CONCURRENT = 3;
const TIME_LIMIT_MS = 30_000;
const FIRST_PARTY = new Set(['actions', 'github']);
const NO_HISTORY = { observations: [], identities: [], users: 0, organizations: 0, used_refs: [] };

export type ActionScores = Map<string, ActionScore | NotAssessedReason | null>;

interface Options {
  readonly network: Source<NetworkFacts>;
  readonly known: ActionScores;
  readonly apiUrl: string;
  readonly asOf: Date;
}

/**
 * Scores the newest releases of used actions, within a limit of actions and time for the whole run. What it does not
 * score is listed as unread in the returned facts.
 */
export async function scoreActions(
  host: Pick<CodeHost, 'readPublicRepository' | 'actionSource'>,
  used: readonly UsedAction[],
  { network, known, apiUrl, asOf }: Options,
): Promise<{ readonly scores: Source<ReadonlyMap<string, ActionScore>>; readonly network: Source<NetworkFacts> }> {
  if ('missing' in network) return { scores: network, network };
  const isElsewhere = !holdsAllActions(apiUrl);
  const deadline = performance.now() + TIME_LIMIT_MS;
  let stopped: NotAssessedReason | undefined;
  const score = async ({ owner, repo, slug }: UsedAction): Promise<void> => {
    if (stopped !== undefined || performance.now() > deadline) {
      known.set(slug, stopped ?? 'rate_limited');
      return;
    }
    try {
      const collected = await collectFacts(
        { owner, name: repo },
        {
          source: host.actionSource,
          history: async () => NO_HISTORY,
          publisherFiles: async (at) => (await host.readPublicRepository(at.owner, at.name)).files,
          asOf,
          deadline,
        },
      );
      if (collected === undefined) {
        known.set(slug, isElsewhere ? 'unsupported_host' : null);
        return;
      }
      const { attempt } = evaluateAction(collected.facts, collected.publisherFiles, []);
      const at = asOf.toISOString();
      known.set(slug, 'missing' in attempt ? 'offline' : { score: attempt.evaluation.score, at });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.retryAfterSeconds !== undefined) stopped = 'rate_limited';
      known.set(slug, stopped ?? 'offline');
    }
  };
  const open = used.filter(({ slug }) => !known.has(slug));
  const inOrder = [...open].sort((a, b) => Number(isFirstParty(a)) - Number(isFirstParty(b)));
  const room = Math.max(0, MAX_ACTIONS - known.size);
  for (const { slug } of inOrder.slice(room)) known.set(slug, 'rate_limited');
  const queue = inOrder.slice(0, room);
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await score(next);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));

  const scores = new Map<string, ActionScore>();
  const unread: Unread[] = [];
  for (const { slug } of used) {
    const found = known.get(slug);
    if (typeof found === 'string') unread.push({ what: 'scores', name: slug, reason: found });
    else if (found != null) scores.set(slug, found);
  }
  const [first] = unread;
  if (first !== undefined && scores.size === 0) return { scores: { missing: first.reason }, network };
  const told = { ...network.value, unread: [...(network.value.unread ?? []), ...unread] };
  return { scores: { value: scores }, network: { value: told } };
}

function isFirstParty({ owner }: UsedAction): boolean {
  return FIRST_PARTY.has(owner.toLowerCase());
}
