import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Author, type FileContent, GitRepository } from './git.ts';

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Organization';
  readonly name: string;
  readonly email: string | null;
  readonly createdAt: string;
}

export type Visibility = 'public' | 'private' | 'internal';

export interface Repository {
  readonly id: number;
  readonly ownerId: number;
  name: string;
  description: string | null;
  visibility: Visibility;
  archived: boolean;
  readonly defaultBranch: string;
  /** `owner/name` before each renaming, in lower case. */
  readonly formerNames: string[];
  readonly createdAt: string;
  pushedAt: string;
}

export interface Membership {
  readonly organizationId: number;
  readonly userId: number;
  readonly role: 'admin' | 'member';
}

export interface Installation {
  readonly id: number;
  readonly accountId: number;
  /** All repositories of the account when null. */
  readonly repositoryIds: readonly number[] | null;
  readonly permissions: Readonly<Record<string, string>>;
  readonly createdAt: string;
  suspendedAt: string | null;
}

/** What survives a restart beside the git repositories. */
interface Stored {
  /** Set when the seed is complete: a start that was cut short is begun anew. */
  seeded: boolean;
  lastId: number;
  readonly accounts: Account[];
  readonly memberships: Membership[];
  readonly repositories: Repository[];
  readonly installations: Installation[];
}

export interface NewRepository {
  /** `owner/name`; the owner is made when missing, as an organization. */
  readonly fullName: string;
  readonly id?: number;
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly archived?: boolean;
  readonly defaultBranch?: string;
  readonly formerNames?: readonly string[];
  /** No files at all makes an empty repository without a commit. */
  readonly files?: Readonly<Record<string, FileContent>>;
}

const AUTHOR: Author = { name: 'Demo', email: 'demo@example.com', date: new Date('2026-09-01T09:00:00Z') };
const SEGMENT = /^[A-Za-z0-9._-]{1,100}$/;

/** Accounts, repositories and installations of the local code host. Git repositories lie beside it in one folder. */
export class World {
  readonly #folder: string;
  readonly #stored: Stored;
  readonly #git = new Map<number, GitRepository>();

  private constructor(folder: string, stored: Stored) {
    this.#folder = folder;
    this.#stored = stored;
  }

  static open(folder: string): World {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'state.json');
    const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : undefined;
    if (found?.seeded === true) return new World(folder, found);
    for (const name of ['git', 'state.json']) rmSync(join(folder, name), { recursive: true, force: true });
    const empty = { accounts: [], memberships: [], repositories: [], installations: [] };
    return new World(folder, { seeded: false, lastId: 4_200_000, ...empty });
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

  get accounts(): readonly Account[] {
    return this.#stored.accounts;
  }

  save(): void {
    const file = join(this.#folder, 'state.json');
    writeFileSync(`${file}.new`, `${JSON.stringify(this.#stored, null, 1)}\n`, { mode: 0o600 });
    // A crash leaves the old state or the new one, never half of it.
    renameSync(`${file}.new`, file);
  }

  close(): void {
    for (const git of this.#git.values()) git.close();
    this.#git.clear();
  }

  account(key: number | string): Account | undefined {
    const login = String(key).toLowerCase();
    return this.#stored.accounts.find((account) =>
      typeof key === 'number' ? account.id === key : account.login.toLowerCase() === login,
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

  /** A repository by `owner/name`, in any case; by a former name too unless renaming is not to be followed. */
  repository(fullName: string, followRenames = true): Repository | undefined {
    const wanted = fullName.toLowerCase();
    const { repositories } = this.#stored;
    return (
      repositories.find((repository) => this.fullNameOf(repository).toLowerCase() === wanted) ??
      (followRenames ? repositories.find(({ formerNames }) => formerNames.includes(wanted)) : undefined)
    );
  }

  git(repository: Repository): GitRepository {
    let git = this.#git.get(repository.id);
    if (git === undefined) {
      git = new GitRepository(this.#gitFolder(repository.id));
      this.#git.set(repository.id, git);
    }
    return git;
  }

  roleIn(organizationId: number, userId: number): Membership['role'] | undefined {
    return this.#stored.memberships.find(
      (membership) => membership.organizationId === organizationId && membership.userId === userId,
    )?.role;
  }

  /** What a user may do with a repository: nothing, see it, push to it, or administer it. */
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

  addMember(organization: Account, user: Account, role: Membership['role']): void {
    this.#stored.memberships.push({ organizationId: organization.id, userId: user.id, role });
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

  async addRepository(options: NewRepository): Promise<Repository> {
    const [login = '', name = '', ...rest] = options.fullName.split('/');
    if (!SEGMENT.test(name) || rest.length > 0) throw new Error(`"${options.fullName}" is no owner/name.`);
    if (this.repository(options.fullName, false) !== undefined) throw new Error(`${options.fullName} exists.`);
    const owner = this.account(login) ?? this.addAccount({ login, type: 'Organization' });
    const repository: Repository = {
      id: options.id ?? this.#newId(),
      ownerId: owner.id,
      name,
      description: options.description ?? null,
      visibility: options.visibility ?? 'public',
      archived: options.archived ?? false,
      defaultBranch: options.defaultBranch ?? 'main',
      formerNames: (options.formerNames ?? []).map((former) => former.toLowerCase()),
      createdAt: AUTHOR.date.toISOString(),
      pushedAt: AUTHOR.date.toISOString(),
    };
    const git = await GitRepository.create(this.#gitFolder(repository.id), repository.defaultBranch);
    this.#git.set(repository.id, git);
    const files = options.files ?? {};
    if (Object.keys(files).length > 0) await git.commit(repository.defaultBranch, files, 'Import the project', AUTHOR);
    this.#stored.repositories.push(repository);
    this.save();
    return repository;
  }

  async commit(
    repository: Repository,
    branch: string,
    files: Readonly<Record<string, FileContent>>,
    message: string,
    author: Author,
  ): Promise<string> {
    const oid = await this.git(repository).commit(branch, files, message, author);
    repository.pushedAt = author.date.toISOString();
    this.save();
    return oid;
  }

  #gitFolder(id: number): string {
    return join(this.#folder, 'git', `${id}.git`);
  }

  #newId(): number {
    this.#stored.lastId += 1 + (randomBytes(1)[0] ?? 0);
    return this.#stored.lastId;
  }
}
