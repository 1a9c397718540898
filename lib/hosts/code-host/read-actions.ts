import { LRUCache } from 'lru-cache';
import type {
  ActionFacts,
  CommitMembership,
  NetworkFacts,
  NotAssessedReason,
  Source,
  Unread,
} from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import {
  ActionsAnswer,
  actionsQuery,
  ComparisonAnswer,
  FoundAction,
  OwnersAnswer,
  ownersQuery,
} from './action-queries.ts';
import { batchesOf, toQuestions, type Wanted } from './action-wants.ts';
import { again, type Client, type GraphqlAnswer } from './client.ts';
import { CodeHostFailure, reasonOf } from './errors.ts';
import { type Learnt, learn, lengthOf } from './learnt-actions.ts';
import { isRepositoryName, parseFullName, type RepositoryName } from './repository-name.ts';

export interface ReadActionsOptions {
  readonly client: Client;
  readonly host: string;
  /**
   * True if a missing action cannot exist elsewhere. Enterprise Server also runs actions of github.com, so there a
   * missing repository proves nothing.
   */
  readonly holdsAll: boolean;
  readonly publicOnly?: boolean;
  readonly maxRequests?: number;
  readonly timeLimitMs?: number;
}

const MAX_REQUESTS = 30;
const TIME_LIMIT_MS = 20_000;
const MAX_ACTIONS = 300;
const MAX_OWNERS = 50;
const MAX_COMPARISONS = 16;
const MAX_CLOCK_SKEW_MS = 2 * 24 * 3_600_000;
const MAX_CONCURRENT = 3;
const MAX_DEFINITIONS_BYTES = 3_000_000;
const MAX_REMEMBERED_BYTES = 64_000_000;

/** Holds public repositories only, for ten minutes: what one tenant's token sees is never shown to another tenant. */
const shared = new LRUCache<string, Learnt>({
  max: 2_000,
  ttl: 10 * 60_000,
  maxSize: MAX_REMEMBERED_BYTES,
  sizeCalculation: ({ tags, branches, dates, definitions }) =>
    1_000 + 200 * (tags.size + branches.size + dates.size) + 2 * lengthOf(definitions),
});

export function holdsAllActions(apiUrl: string): boolean {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' || /^api\.[a-z0-9-]+\.ghe\.com$/.test(hostname);
}

export async function readActions(
  used: readonly UsedAction[],
  options: ReadActionsOptions,
): Promise<Source<NetworkFacts>> {
  return new Reading(options).read(used);
}

class Reading {
  readonly #client: Client;
  readonly #host: string;
  readonly #holdsAll: boolean;
  readonly #publicOnly: boolean;
  readonly #deadline: number;
  #requestsLeft: number;
  #definitionBytesLeft = MAX_DEFINITIONS_BYTES;
  #stopped: NotAssessedReason | undefined;
  readonly #learnt = new Map<string, Learnt>();
  readonly #missing = new Set<string>();
  readonly #unread: Unread[] = [];
  readonly #owners = new Map<string, 'exists' | 'absent'>();

  constructor(options: ReadActionsOptions) {
    const { client, host, holdsAll, publicOnly = false } = options;
    const { maxRequests = MAX_REQUESTS, timeLimitMs = TIME_LIMIT_MS } = options;
    this.#client = client;
    this.#host = host;
    this.#holdsAll = holdsAll;
    this.#publicOnly = publicOnly;
    this.#requestsLeft = maxRequests;
    this.#deadline = performance.now() + timeLimitMs;
  }

  async read(used: readonly UsedAction[]): Promise<Source<NetworkFacts>> {
    const nameable = used.filter(({ owner, repo }) => isRepositoryName({ owner, name: repo }));
    const wanted = nameable.slice(0, MAX_ACTIONS).map(toQuestions);
    for (const { slug } of nameable.slice(MAX_ACTIONS)) this.#leaveOut('network', slug, 'rate_limited');
    for (const { dropped } of wanted) this.#unread.push(...dropped);
    const open = wanted.filter((each) => !this.#recall(each));
    const batches = batchesOf(open);
    for (let index = 0; index < batches.length; index += MAX_CONCURRENT) {
      await Promise.all(batches.slice(index, index + MAX_CONCURRENT).map((batch) => this.#ask(batch)));
    }
    await Promise.all([this.#decideCommits(wanted), this.#findOwners(wanted)]);
    for (const { slug } of open) this.#remember(slug);
    const first = this.#unread.find(({ what }) => what === 'network');
    if (first !== undefined && this.#learnt.size === 0 && this.#missing.size === 0) return { missing: first.reason };
    return { value: this.#facts(wanted) };
  }

  #recall({ slug, names, commits, files }: Wanted): boolean {
    const known = shared.get(`${this.#host} ${slug}`);
    if (known === undefined || [...names, ...commits, ...files].some((each) => !known.asked.has(each))) return false;
    this.#learnt.set(slug, known);
    return true;
  }

  #remember(slug: string): void {
    const learnt = this.#learnt.get(slug);
    if (learnt?.isPublic === true) shared.set(`${this.#host} ${slug}`, learnt);
  }

  async #ask(batch: readonly Wanted[]): Promise<void> {
    const { query, variables } = actionsQuery(batch);
    const answer = await this.#try(
      () => this.#client.query(query, variables),
      (reason) => {
        for (const { slug } of batch) this.#leaveOut('network', slug, reason);
      },
    );
    if (answer === undefined) return;
    const data = ActionsAnswer.safeParse(answer.data);
    for (const [index, wanted] of batch.entries()) {
      const found = data.success ? data.data[`r${index}`] : undefined;
      this.#take(wanted, found, answer.errors, `r${index}`);
    }
  }

  #take(wanted: Wanted, found: unknown, errors: GraphqlAnswer['errors'], alias: string): void {
    const { slug } = wanted;
    const parsed = FoundAction.safeParse(found);
    const own = errors.filter(({ path }) => path?.[0] === alias);
    if (!parsed.success) {
      if (own.some(({ type }) => type === 'NOT_FOUND')) {
        if (this.#holdsAll) this.#missing.add(slug);
        else this.#leaveOut('network', slug, 'unsupported_host');
      } else {
        this.#leaveOut('network', slug, own.some(({ type }) => type === 'FORBIDDEN') ? 'no_permission' : 'offline');
      }
      return;
    }
    const failed = new Set(own.map(({ path }) => String(path?.[1] ?? '')));
    const isOpen = (alias: string): boolean => !failed.has(alias);
    const learnt = learn(wanted, parsed.data, isOpen);
    this.#learnt.set(slug, learnt);
    this.#definitionBytesLeft -= lengthOf(learnt.definitions);
    if (this.#definitionBytesLeft < 0 && learnt.definitions.size > 0) {
      learnt.definitions.clear();
      for (const { file } of wanted.definitions) learnt.asked.delete(file);
      this.#leaveOut('definitions', slug, 'rate_limited');
    }
    for (const [index, commit] of wanted.commits.entries()) {
      if (failed.has(`c${index}`)) this.#leaveOut('commits', `${slug}@${commit}`, 'offline');
    }
    for (const [index, { key }] of wanted.definitions.entries()) {
      if (failed.has(`f${index}`)) this.#leaveOut('definitions', `${slug}/${key}`, 'offline');
    }
  }

  async #decideCommits(wanted: readonly Wanted[]): Promise<void> {
    await Promise.all(
      wanted.flatMap(({ slug, commits }) => {
        const learnt = this.#learnt.get(slug);
        // Uses the current name, since redirects are not followed.
        const at = learnt === undefined ? undefined : parseFullName(learnt.fullName);
        if (learnt === undefined || at === undefined) return [];
        return commits
          .filter((commit) => learnt.dates.has(commit) && !learnt.commits.has(commit))
          .map(async (commit) => {
            const decided = await this.#compare(at, learnt, commit);
            if (typeof decided === 'string') learnt.commits.set(commit, decided);
            else this.#leaveOut('commits', `${slug}@${commit}`, decided.reason);
          });
      }),
    );
  }

  async #compare(
    at: RepositoryName,
    learnt: Learnt,
    commit: string,
  ): Promise<CommitMembership | { readonly reason: NotAssessedReason }> {
    const { head, tags, branches, dates, partial, tagsSince } = learnt;
    const since = (dates.get(commit) ?? 0) - MAX_CLOCK_SKEW_MS;
    const dateOf = (tip: string): number => dates.get(tip) ?? Number.POSITIVE_INFINITY;
    const tips = [...new Set([...branches.values(), ...tags.values()])]
      .filter((tip) => tip !== head && dateOf(tip) >= since)
      .sort((a, b) => dateOf(a) - dateOf(b) || (a < b ? -1 : 1));
    const asked = [...(head === undefined ? [] : [head]), ...tips].slice(0, MAX_COMPARISONS);
    for (const tip of asked) {
      let reason: NotAssessedReason | undefined;
      const answer = await this.#try(
        () => this.#contains(at, tip, commit),
        (why) => {
          reason = why;
        },
        1,
      );
      if (reason !== undefined) return { reason };
      if (answer === true) return 'own';
    }
    const all = asked.length >= tips.length && !partial.has('branches') && (!partial.has('tags') || tagsSince < since);
    return all ? 'foreign' : { reason: 'rate_limited' };
  }

  async #contains({ owner, name }: RepositoryName, tip: string, commit: string): Promise<boolean> {
    try {
      const answer = await this.#client.read('/repos/{owner}/{repo}/compare/{basehead}', {
        owner,
        repo: name,
        basehead: `${tip}...${commit}`,
        // The second page omits the changed files.
        per_page: 1,
        page: 2,
      });
      const comparison = ComparisonAnswer.safeParse(answer);
      if (!comparison.success) throw new CodeHostFailure('unexpected', 'The comparison has another shape.');
      return comparison.data.status === 'behind' || comparison.data.status === 'identical';
    } catch (error) {
      if (error instanceof CodeHostFailure && error.kind === 'missing') return false;
      throw error;
    }
  }

  async #findOwners(wanted: readonly Wanted[]): Promise<void> {
    const logins = new Set<string>();
    for (const { slug, owner } of wanted) {
      const to = this.#learnt.get(slug)?.fullName.split('/')[0];
      const left = to !== undefined && to.toLowerCase() !== owner.toLowerCase();
      if (this.#missing.has(slug) || left) logins.add(owner.toLowerCase());
    }
    const all = [...logins];
    for (let index = 0; index < all.length; index += MAX_OWNERS) {
      const asked = all.slice(index, index + MAX_OWNERS);
      const variables = Object.fromEntries(asked.map((login, number) => [`o${number}`, login]));
      const answer = await this.#try(
        () => this.#client.query(ownersQuery(asked.length), variables),
        () => {},
      );
      const data = OwnersAnswer.safeParse(answer?.data);
      if (answer === undefined || !data.success) continue;
      for (const [number, login] of asked.entries()) {
        const errors = answer.errors.filter(({ path }) => path?.[0] === `o${number}`);
        if (errors.some(({ type }) => type !== 'NOT_FOUND')) continue;
        this.#owners.set(login, data.data[`o${number}`] == null ? 'absent' : 'exists');
      }
    }
  }

  #facts(wanted: readonly Wanted[]): NetworkFacts {
    const actions = new Map<string, ActionFacts>();
    const missing = new Map<string, { owner: 'exists' | 'absent' | undefined }>();
    for (const { slug, owner } of wanted) {
      const formerOwner = this.#owners.get(owner.toLowerCase());
      if (this.#missing.has(slug)) missing.set(slug, { owner: formerOwner });
      const learnt = this.#learnt.get(slug);
      if (learnt === undefined) continue;
      if (this.#publicOnly && !learnt.isPublic) {
        missing.set(slug, { owner: undefined });
        continue;
      }
      const { fullName, archived, tags, branches, tagObjects, partial, absent, commits, dates, definitions } = learnt;
      const stays = fullName.split('/')[0]?.toLowerCase() === owner.toLowerCase();
      const renamed =
        fullName.toLowerCase() === slug
          ? {}
          : { renamed: { to: fullName, formerOwner: stays ? ('exists' as const) : formerOwner } };
      const facts = { archived, tags, branches, tagObjects, partial, absent, commits, dates, definitions };
      actions.set(slug, { ...facts, ...renamed });
    }
    return { at: Date.now(), actions, missing, unread: this.#unread };
  }

  async #try<T>(
    send: () => Promise<T>,
    tell: (reason: NotAssessedReason) => void,
    attempts = 2,
  ): Promise<T | undefined> {
    try {
      return await again(attempts, async () => {
        if (this.#stopped !== undefined || this.#requestsLeft <= 0 || performance.now() > this.#deadline) {
          throw new CodeHostFailure('limit', 'Not sent: the budget for actions is used up.');
        }
        this.#requestsLeft -= 1;
        return await send();
      });
    } catch (error) {
      if (!(error instanceof CodeHostFailure)) throw error;
      if (error.kind === 'limit') this.#stopped = 'rate_limited';
      tell(reasonOf(error));
      return undefined;
    }
  }

  #leaveOut(what: Unread['what'], name: string, reason: NotAssessedReason): void {
    this.#unread.push({ what, name, reason });
  }
}
