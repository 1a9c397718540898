import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, GitRepository, type History, type Objects, PooledRepository } from './git.ts';

export interface Stored {
  readonly id: number;
  readonly defaultBranch: string;
  readonly importedHead: string | null;
  ownGit: boolean;
  readonly settings: { readonly tags: readonly string[] };
}

/**
 * Git repositories below one folder. Imports share a pool, so that a thousand cost one process; the first later commit
 * gives a repository its own storage.
 */
export class GitStore {
  readonly #folder: string;
  readonly #open = new Map<number, Objects & { close?(): void }>();
  #pool: Promise<GitRepository> | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async import(changes: readonly Change[]): Promise<(string | null)[]> {
    const filled = changes.filter(({ files }) => Object.keys(files).length > 0);
    if (filled.length === 0) return changes.map(() => null);
    const oids = await this.#alone(async () => (await this.#openPool()).commitLoose(filled));
    return changes.map((change) => oids[filled.indexOf(change)] ?? null);
  }

  objects(repository: Stored): Objects {
    let found = this.#open.get(repository.id);
    if (found === undefined) {
      const { id, defaultBranch, importedHead, ownGit } = repository;
      found = ownGit
        ? new GitRepository(this.#folderOf(id), defaultBranch)
        : new PooledRepository(
            () => this.#openPool(),
            importedHead,
            defaultBranch,
            () => repository.settings.tags,
          );
      this.#open.set(id, found);
    }
    return found;
  }

  commit(repository: Stored, branch: string, change: Change): Promise<string> {
    return this.write(repository, (git) => git.commit(branch, change));
  }

  write<T>(repository: Stored, change: (git: GitRepository) => Promise<T>): Promise<T> {
    return this.#alone(async () => change(await this.#own(repository)));
  }

  /** Makes a commit of one repository readable in another, as GitHub does within a network of forks. */
  keep(repository: Stored, ref: string, oid: string, source: Stored): Promise<void> {
    return this.#alone(async () => {
      const git = await this.#own(repository);
      await git.keep(ref, oid, source === repository ? undefined : await this.#own(source));
    });
  }

  copy(from: Stored, to: Stored): Promise<void> {
    return this.#alone(async () => {
      const git = await this.#leavePool(to);
      await git.copyFrom(await this.#own(from));
    });
  }

  writeHistories(list: readonly (readonly [repository: Stored, history: History])[]): Promise<string[][]> {
    return this.#alone(async () => {
      const written = await (await this.#openPool()).writePast(list.map(([, { commits }]) => commits));
      return list.map(([repository, { commits, refs }], index) => {
        const own = written[index] ?? [];
        const ids = commits.map(({ oid }, place) => oid ?? own[place] ?? '');
        const targets = new Map(Object.entries(refs).map(([ref, place]) => [ref, ids[place] ?? '']));
        // Git reads the replacement wherever a published id is named.
        for (const [place, { oid }] of commits.entries()) {
          if (oid !== undefined) targets.set(`refs/replace/${oid}`, own[place] ?? '');
        }
        const { id, defaultBranch } = repository;
        const git = GitRepository.borrow(this.#folderOf(id), this.#poolFolder, defaultBranch, targets);
        repository.ownGit = true;
        this.#open.set(id, git);
        return ids;
      });
    });
  }

  close(): void {
    for (const git of this.#open.values()) git.close?.();
    this.#open.clear();
    void this.#pool?.then((pool) => pool.close());
    this.#pool = undefined;
  }

  async #own(repository: Stored): Promise<GitRepository> {
    return repository.ownGit ? (this.objects(repository) as GitRepository) : this.#leavePool(repository);
  }

  async #leavePool(repository: Stored): Promise<GitRepository> {
    const { id, defaultBranch, importedHead } = repository;
    const folder = this.#folderOf(id);
    rmSync(folder, { recursive: true, force: true });
    const git = await GitRepository.create(folder, defaultBranch);
    if (importedHead !== null) {
      await git.adopt(await this.#openPool(), importedHead);
      for (const tag of repository.settings.tags) await git.tag(tag, importedHead, false);
    }
    repository.ownGit = true;
    this.#open.set(id, git);
    return git;
  }

  #openPool(): Promise<GitRepository> {
    const folder = this.#poolFolder;
    this.#pool ??= existsSync(folder)
      ? Promise.resolve(new GitRepository(folder, 'main'))
      : GitRepository.create(folder, 'main');
    return this.#pool;
  }

  get #poolFolder(): string {
    return join(this.#folder, 'pool.git');
  }

  #folderOf(id: number): string {
    return join(this.#folder, `${id}.git`);
  }

  #alone<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#writing.then(write, write);
    this.#writing = written.catch(() => {});
    return written;
  }
}
