import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Author, Change, GitRepository, History, Objects } from './git.ts';
import { GitStore } from './git-store.ts';
import type {
  Account,
  CheckRun,
  Installation,
  Label,
  Membership,
  NewRepository,
  PullRequest,
  Repository,
  Stored,
} from './model.ts';
import { GUARDED } from './settings.ts';

/** Increase when the stored format changes. */
const FORMAT = 6;
const SAVE_AFTER_MS = 100;
const AUTHOR: Author = { name: 'Demo', email: 'demo@example.com', date: new Date('2026-09-01T09:00:00Z') };
const SEGMENT = /^[A-Za-z0-9._-]{1,100}$/;

export class World {
  readonly #folder: string;
  readonly #stored: Stored;
  readonly #git: GitStore;
  #saving: NodeJS.Timeout | undefined;
  readonly #busy = new Map<number, Promise<unknown>>();
  readonly #pullRequests = new Map<number, readonly PullRequest[]>();
  readonly advisories: Readonly<Record<string, unknown>>[] = [];

  private constructor(folder: string, stored: Stored) {
    this.#folder = folder;
    this.#stored = stored;
    this.#git = new GitStore(join(folder, 'git'));
    for (const request of stored.pullRequests) {
      const own = this.#pullRequests.get(request.repositoryId) ?? [];
      this.#pullRequests.set(request.repositoryId, [...own, request]);
    }
  }

  static open(at: string): World {
    const folder = resolve(at);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'state.json');
    const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : undefined;
    if (found?.seeded === true && found.format === FORMAT) return new World(folder, found);
    for (const name of ['git', 'state.json']) rmSync(join(folder, name), { recursive: true, force: true });
    const empty = {
      accounts: [],
      memberships: [],
      repositories: [],
      installations: [],
      pullRequests: [],
      checkRuns: [],
    };
    return new World(folder, { format: FORMAT, seeded: false, lastId: randomInt(4_200_000, 2 ** 30), ...empty });
  }

  async seed(fill: (world: World) => Promise<void>): Promise<void> {
    if (this.#stored.seeded) return;
    await fill(this);
    this.#stored.seeded = true;
    this.save();
  }

  get installations(): readonly Installation[] {
    return this.#stored.installations;
  }

  get repositories(): readonly Repository[] {
    return this.#stored.repositories;
  }

  pullRequests(repository: Repository): readonly PullRequest[] {
    return this.#pullRequests.get(repository.id) ?? [];
  }

  pullRequestsFrom(head: Repository, branch: string): readonly PullRequest[] {
    return this.#stored.pullRequests.filter(
      ({ headRepositoryId, headBranch, state }) =>
        headRepositoryId === head.id && headBranch === branch && state === 'open',
    );
  }

  pullRequestById(id: number): PullRequest | undefined {
    return this.#stored.pullRequests.find((each) => each.id === id);
  }

  addPullRequest(repository: Repository, request: Omit<PullRequest, 'id' | 'number' | 'repositoryId'>): PullRequest {
    const own = this.#pullRequests.get(repository.id) ?? [];
    const added = { id: this.#newId(), number: own.length + 1, repositoryId: repository.id, ...request };
    this.#pullRequests.set(repository.id, [...own, added]);
    this.#stored.pullRequests.push(added);
    this.saveSoon();
    return added;
  }

  updatePullRequest(request: PullRequest, changes: Partial<PullRequest>): void {
    Object.assign(request, { updatedAt: new Date().toISOString(), ...changes });
    this.saveSoon();
  }

  checkRuns(repository: Repository): readonly CheckRun[] {
    return this.#stored.checkRuns.filter(({ repositoryId }) => repositoryId === repository.id);
  }

  addCheckRun(repository: Repository, run: Omit<CheckRun, 'id' | 'suiteId' | 'repositoryId'>): CheckRun {
    const suite = this.checkRuns(repository).find(({ headOid }) => headOid === run.headOid)?.suiteId;
    const added = { id: this.#newId(), suiteId: suite ?? this.#newId(), repositoryId: repository.id, ...run };
    this.#stored.checkRuns.push(added);
    this.saveSoon();
    return added;
  }

  updateCheckRun(run: CheckRun, changes: Partial<CheckRun>): void {
    Object.assign(run, changes);
    this.saveSoon();
  }

  exclusively<T>(repository: Repository, change: () => Promise<T>): Promise<T> {
    const done = (this.#busy.get(repository.id) ?? Promise.resolve()).then(change, change);
    this.#busy.set(
      repository.id,
      done.catch(() => {}),
    );
    return done;
  }

  addLabel(repository: Repository, name: string, color = 'ededed', description = ''): Label {
    const existing = repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
    if (existing !== undefined) return existing;
    const added = { id: this.#newId(), name, color, description };
    repository.labels = [...repository.labels, added];
    this.saveSoon();
    return added;
  }

  async keep(repository: Repository, ref: string, oid: string, source: Repository): Promise<void> {
    await this.#git.keep(repository, ref, oid, source);
    this.saveSoon();
  }

  async fork(repository: Repository, owner: Account, name = repository.name): Promise<Repository> {
    const fullName = `${owner.login}/${name}`;
    if (this.repository(fullName, false) !== undefined) throw new Error(`${fullName} exists.`);
    const { description, visibility, defaultBranch } = repository;
    const options = { fullName, description: description ?? '', visibility, defaultBranch, fork: true };
    const fork = { ...this.#toRepository(options, null), parentId: repository.id };
    this.#stored.repositories.push(fork);
    await this.#git.copy(repository, fork);
    this.save();
    return fork;
  }

  get accounts(): readonly Account[] {
    return this.#stored.accounts;
  }

  save(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const file = join(this.#folder, 'state.json');
    writeFileSync(`${file}.new`, `${JSON.stringify(this.#stored, null, 1)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  saveSoon(): void {
    this.#saving ??= setTimeout(() => this.save(), SAVE_AFTER_MS).unref();
  }

  close(): void {
    if (this.#saving !== undefined) this.save();
    this.#git.close();
  }

  account(key: number | string): Account | undefined {
    const login = String(key).toLowerCase();
    return this.#stored.accounts.find((account) =>
      typeof key === 'number' ? account.id === key : account.login.toLowerCase() === login,
    );
  }

  accountOfEmail(email: string): Account | undefined {
    const [, id] = /^(\d+)\+.*@users\.noreply\.github\.com$/.exec(email) ?? [];
    return this.#stored.accounts.find((account) =>
      id === undefined ? account.type === 'User' && account.email === email : account.id === Number(id),
    );
  }

  ownerOf(repository: Repository): Account {
    const owner = this.account(repository.ownerId);
    if (owner === undefined) throw new Error(`Repository ${repository.id} has no owner.`);
    return owner;
  }

  fullNameOf(repository: Repository): string {
    return `${this.ownerOf(repository).login}/${repository.name}`;
  }

  repository(fullName: string, followRenames = true): Repository | undefined {
    const wanted = fullName.toLowerCase();
    const { repositories } = this.#stored;
    return (
      repositories.find((repository) => this.fullNameOf(repository).toLowerCase() === wanted) ??
      (followRenames ? repositories.find(({ formerNames }) => formerNames.includes(wanted)) : undefined)
    );
  }

  repositoryById(id: number): Repository | undefined {
    return this.#stored.repositories.find((repository) => repository.id === id);
  }

  forkOf(repository: Repository, owner: string): Repository | undefined {
    const login = owner.toLowerCase();
    return [repository, ...this.#stored.repositories.filter(({ parentId }) => parentId === repository.id)].find(
      (each) => this.ownerOf(each).login.toLowerCase() === login,
    );
  }

  git(repository: Repository): Objects {
    return this.#git.objects(repository);
  }

  membership(organizationId: number, userId: number): Membership | undefined {
    return this.#stored.memberships.find(
      (membership) => membership.organizationId === organizationId && membership.userId === userId,
    );
  }

  roleIn(organizationId: number, userId: number): Membership['role'] | undefined {
    const membership = this.membership(organizationId, userId);
    return membership?.state === 'active' ? membership.role : undefined;
  }

  access(repository: Repository, userId: number | undefined): 'none' | 'read' | 'write' | 'admin' {
    if (userId !== undefined) {
      const role = repository.ownerId === userId ? 'admin' : this.roleIn(repository.ownerId, userId);
      if (role !== undefined) return role === 'admin' ? 'admin' : 'write';
    }
    return repository.visibility === 'public' ? 'read' : 'none';
  }

  isInstalledOn(installation: Installation, repository: Repository): boolean {
    return (
      repository.ownerId === installation.accountId &&
      (installation.repositoryIds === null || installation.repositoryIds.includes(repository.id))
    );
  }

  addAccount(account: Pick<Account, 'login' | 'type'> & Partial<Account>): Account {
    if (!SEGMENT.test(account.login)) throw new Error(`"${account.login}" is no login.`);
    const existing = this.account(account.login);
    if (existing !== undefined) return existing;
    const added: Account = {
      id: this.#newId(),
      name: account.login,
      email: account.type === 'User' ? `${account.login}@example.com` : null,
      createdAt: AUTHOR.date.toISOString(),
      ...account,
    };
    this.#stored.accounts.push(added);
    this.save();
    return added;
  }

  renameAccount(account: Account, login: string): void {
    if (!SEGMENT.test(login) || this.account(login) !== undefined) throw new Error(`Nobody can be "${login}".`);
    const own = this.#stored.repositories.filter(({ ownerId }) => ownerId === account.id);
    for (const repository of own) repository.formerNames.push(this.fullNameOf(repository).toLowerCase());
    account.login = login;
    this.save();
  }

  bot(slug: string): Account {
    const login = `${slug}[bot]`;
    const existing = this.account(login);
    if (existing !== undefined) return existing;
    const createdAt = AUTHOR.date.toISOString();
    const added: Account = { id: this.#newId(), login, type: 'Bot', name: login, email: null, createdAt };
    this.#stored.accounts.push(added);
    this.saveSoon();
    return added;
  }

  addMember(
    organization: Account,
    user: Account,
    role: Membership['role'],
    state: Membership['state'] = 'active',
  ): void {
    this.removeMember(organization, user);
    this.#stored.memberships.push({ organizationId: organization.id, userId: user.id, role, state });
    this.save();
  }

  removeMember(organization: Account, user: Account): void {
    const gone = this.membership(organization.id, user.id);
    this.#stored.memberships = this.#stored.memberships.filter((membership) => membership !== gone);
    this.save();
  }

  addInstallation(installation: Pick<Installation, 'accountId' | 'permissions'> & Partial<Installation>): Installation {
    const added: Installation = {
      id: this.#newId(),
      repositoryIds: null,
      createdAt: AUTHOR.date.toISOString(),
      suspendedAt: null,
      ...installation,
    };
    this.#stored.installations.push(added);
    this.save();
    return added;
  }

  updateInstallation(
    installation: Installation,
    changes: Partial<Pick<Installation, 'repositoryIds' | 'permissions' | 'suspendedAt'>>,
  ): void {
    Object.assign(installation, changes);
    this.save();
  }

  removeInstallation(installation: Installation): void {
    this.#stored.installations = this.#stored.installations.filter(({ id }) => id !== installation.id);
    this.save();
  }

  async addRepository(options: NewRepository): Promise<Repository> {
    const [added] = await this.addRepositories([options]);
    return added as Repository;
  }

  async addRepositories(list: readonly NewRepository[]): Promise<Repository[]> {
    const taken = new Set(this.#stored.repositories.map((each) => this.fullNameOf(each).toLowerCase()));
    for (const { fullName } of list) {
      const [login = '', name = '', ...rest] = fullName.split('/');
      if (!SEGMENT.test(login) || !SEGMENT.test(name) || rest.length > 0)
        throw new Error(`"${fullName}" is no owner/name.`);
      if (taken.has(fullName.toLowerCase())) throw new Error(`${fullName} exists.`);
      taken.add(fullName.toLowerCase());
    }
    const heads = await this.#git.import(
      list.map(({ files = {} }): Change => ({ files, message: 'Import the project', author: AUTHOR })),
    );
    const added = list.map((options, index) => this.#toRepository(options, heads[index] ?? null));
    this.#stored.repositories.push(...added);
    this.save();
    return added;
  }

  async addHistories(
    list: readonly { readonly repository: NewRepository; readonly history: History; readonly unsigned?: true }[],
  ): Promise<void> {
    const added = await this.addRepositories(list.map(({ repository }) => repository));
    const pairs = added.map(
      (repository, index) => [repository, list[index]?.history ?? { commits: [], refs: {} }] as const,
    );
    const oids = await this.#git.writeHistories(pairs);
    for (const [index, repository] of added.entries()) {
      if (list[index]?.unsigned !== true) repository.signed.push(...(oids[index] ?? []));
    }
    this.save();
  }

  #toRepository(options: NewRepository, importedHead: string | null): Repository {
    const [login = '', name = ''] = options.fullName.split('/');
    const owner = this.account(login) ?? this.addAccount({ login, type: 'Organization' });
    return {
      id: options.id ?? this.#newId(),
      ownerId: owner.id,
      name,
      description: options.description ?? null,
      visibility: options.visibility ?? 'public',
      archived: options.archived ?? false,
      fork: options.fork ?? false,
      disabled: options.disabled ?? false,
      workflowSettings: options.workflowSettings ?? { defaultPermissions: 'read', canApprovePullRequests: false },
      settings: { ...GUARDED, ...options.settings },
      defaultBranch: options.defaultBranch ?? 'main',
      formerNames: (options.formerNames ?? []).map((former) => former.toLowerCase()),
      createdAt: options.createdAt ?? AUTHOR.date.toISOString(),
      pushedAt: AUTHOR.date.toISOString(),
      importedHead,
      ownGit: false,
      stars: options.stars ?? 0,
      releases: options.releases ?? [],
      signed: [],
      labels: (options.labels ?? []).map((label) => ({
        id: this.#newId(),
        name: label,
        color: 'ededed',
        description: '',
      })),
      parentId: null,
    };
  }

  updateRepository(
    repository: Repository,
    changes: Partial<
      Pick<
        Repository,
        | 'name'
        | 'ownerId'
        | 'visibility'
        | 'archived'
        | 'disabled'
        | 'workflowSettings'
        | 'settings'
        | 'stars'
        | 'releases'
      >
    >,
  ): void {
    const before = this.fullNameOf(repository).toLowerCase();
    const after = this.fullNameOf({ ...repository, ...changes }).toLowerCase();
    const { repositories } = this.#stored;
    if (repositories.some((other) => other !== repository && this.fullNameOf(other).toLowerCase() === after)) {
      throw new Error(`${after} exists.`);
    }
    Object.assign(repository, changes);
    if (after !== before) repository.formerNames.push(before);
    this.save();
  }

  removeRepository(repository: Repository): void {
    this.#stored.repositories = this.#stored.repositories.filter(({ id }) => id !== repository.id);
    this.save();
  }

  async commit(repository: Repository, branch: string, change: Change): Promise<string> {
    const oid = await this.#git.commit(repository, branch, change);
    repository.pushedAt = change.author.date.toISOString();
    this.save();
    return oid;
  }

  async writeGit<T>(repository: Repository, change: (git: GitRepository) => Promise<T>): Promise<T> {
    const result = await this.#git.write(repository, change);
    this.saveSoon();
    return result;
  }

  pushed(repository: Repository, at: Date): void {
    repository.pushedAt = at.toISOString();
    this.saveSoon();
  }

  async tag(repository: Repository, name: string, oid: string, annotated = false): Promise<void> {
    await this.#git.write(repository, (git) => git.tag(name, oid, annotated));
    this.save();
  }

  sign(repository: Repository, oid: string): void {
    repository.signed.push(oid);
    this.saveSoon();
  }

  createBranch(repository: Repository, name: string, oid: string): Promise<boolean> {
    return this.writeGit(repository, (git) => git.createBranch(name, oid));
  }

  async deleteBranch(repository: Repository, name: string): Promise<void> {
    await this.writeGit(repository, (git) => git.deleteBranch(name));
  }

  #newId(): number {
    this.#stored.lastId += 1 + (randomBytes(1)[0] ?? 0);
    return this.#stored.lastId;
  }
}
