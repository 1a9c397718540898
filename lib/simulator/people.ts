import { rerequest } from './check-runs.ts';
import type { Credentials } from './credentials.ts';
import type { Announcing, Sent } from './events.ts';
import { type MergeOptions, mergeBy } from './merges.ts';
import type { Account, PullRequest, Repository } from './model.ts';
import { closeBy, openPullRequest, reopenBy } from './pull-requests.ts';
import { anyMember } from './push.ts';

export interface ByPerson {
  /** Login of who acts; without it, a member of the organization. */
  readonly by?: string;
  readonly hold?: boolean;
}

export interface PersonsPullRequest extends ByPerson {
  readonly title: string;
  readonly head: string;
  readonly base?: string;
  readonly body?: string;
  readonly draft?: boolean;
}

export interface Done extends Sent {
  readonly request: PullRequest;
}

export class People {
  readonly #announcing: () => Announcing;
  readonly #credentials: Credentials;

  constructor(announcing: () => Announcing, credentials: Credentials) {
    this.#announcing = announcing;
    this.#credentials = credentials;
  }

  async open(
    fullName: string,
    { title, head, base, body, draft = false, by }: PersonsPullRequest,
  ): Promise<PullRequest> {
    const repository = this.#repository(fullName);
    const caller = { kind: 'user', account: this.#person(by, repository), throughApp: false } as const;
    const acting = { ...this.#announcing(), credentials: this.#credentials, caller };
    return openPullRequest(acting, repository, { title, head, base: base ?? repository.defaultBranch, body, draft });
  }

  async merge(fullName: string, number: number, options: ByPerson & MergeOptions = {}): Promise<Done> {
    const { request, person, timing } = this.#find(fullName, number, options);
    const { sent } = await mergeBy(person, request, options, this.#announcing(), timing);
    return {
      request,
      deliveries: sent.flatMap(({ deliveries }) => deliveries),
      held: sent.flatMap(({ held }) => held),
    };
  }

  async close(fullName: string, number: number, options: ByPerson = {}): Promise<Done> {
    const { request, person, timing } = this.#find(fullName, number, options);
    return { request, ...(await closeBy(person, request, this.#announcing(), timing)) };
  }

  async reopen(fullName: string, number: number, options: ByPerson = {}): Promise<Done> {
    const { request, person, timing } = this.#find(fullName, number, options);
    return { request, ...(await reopenBy(person, request, this.#announcing(), timing)) };
  }

  async rerequest(
    fullName: string,
    checkRunId: number,
    { by, hold = false, suite = false }: ByPerson & { readonly suite?: boolean } = {},
  ): Promise<Sent> {
    const repository = this.#repository(fullName);
    const acting = { ...this.#announcing(), credentials: this.#credentials };
    const run = acting.world.checkRuns(repository).find(({ id }) => id === checkRunId);
    if (run === undefined) throw new Error(`There is no check run ${checkRunId} in ${fullName}.`);
    const what = suite ? 'check_suite' : 'check_run';
    return rerequest(run, what, this.#person(by, repository), acting, hold ? 'held' : 'awaited');
  }

  #find(
    fullName: string,
    number: number,
    { by, hold = false }: ByPerson,
  ): { readonly request: PullRequest; readonly person: Account; readonly timing: 'held' | 'awaited' } {
    const repository = this.#repository(fullName);
    const request = this.#announcing()
      .world.pullRequests(repository)
      .find((each) => each.number === number);
    if (request === undefined) throw new Error(`There is no pull request ${fullName}#${number}.`);
    return { request, person: this.#person(by, repository), timing: hold ? 'held' : 'awaited' };
  }

  #repository(fullName: string): Repository {
    const found = this.#announcing().world.repository(fullName);
    if (found === undefined) throw new Error(`There is no repository "${fullName}".`);
    return found;
  }

  #person(login: string | undefined, repository: Repository): Account {
    if (login === undefined) return anyMember(repository, this.#announcing());
    const found = this.#announcing().world.account(login);
    if (found === undefined) throw new Error(`There is no account "${login}".`);
    return found;
  }
}
