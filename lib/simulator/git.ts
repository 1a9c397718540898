import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ENVIRONMENT, runGit } from './git-process.ts';
import { type GitObject, ObjectReader } from './object-reader.ts';

export interface TreeEntry {
  readonly mode: number;
  readonly name: string;
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
}

type Bytes = string | Uint8Array;

export type FileContent = Bytes | { readonly link: Bytes } | { readonly executable: Bytes };

export interface Author {
  readonly name: string;
  readonly email: string;
  readonly date: Date;
}

export type FileChanges = Readonly<Record<string, FileContent | null>>;

export interface Change {
  readonly files: FileChanges;
  readonly message: string;
  readonly author: Author;
  readonly committer?: Author;
  readonly keepOthers?: boolean;
  readonly keepModes?: boolean;
}

export interface FileDiff {
  readonly path: string;
  readonly previousPath: string | undefined;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed' | 'changed';
  readonly oid: string;
  readonly additions: number;
  readonly deletions: number;
  readonly patch: string | undefined;
}

export interface PastCommit extends Change {
  readonly parent?: number;
  /** Published id that stands in for its own. No commit may build on such a commit. */
  readonly oid?: string;
}

export interface History {
  readonly commits: readonly PastCommit[];
  readonly refs: Readonly<Record<string, number>>;
}

export interface Objects {
  object(revision: string): Promise<GitObject | undefined>;
  refs(prefix: 'refs/heads/' | 'refs/tags/'): Promise<readonly Ref[]>;
  compare(base: string, head: string): Promise<Compared | undefined>;
  history(oid: string): Promise<readonly string[]>;
  diff(from: string, to: string): Promise<readonly FileDiff[]>;
  between(from: string, to: string): Promise<readonly string[]>;
}

export interface Ref {
  readonly name: string;
  readonly oid: string;
}

export interface Compared {
  readonly ahead: number;
  readonly behind: number;
  readonly mergeBase: string;
}

const MAX_HISTORY = 1_000;

export class GitRepository implements Objects {
  readonly #folder: string;
  readonly #defaultBranch: string;
  #reader: ObjectReader | undefined;

  constructor(folder: string, defaultBranch: string) {
    this.#folder = folder;
    this.#defaultBranch = defaultBranch;
  }

  /** A repository whose objects are in another one, written without starting git, which takes longer. */
  static borrow(
    folder: string,
    lender: string,
    defaultBranch: string,
    refs: ReadonlyMap<string, string>,
  ): GitRepository {
    for (const name of ['objects/info', 'refs']) mkdirSync(join(folder, name), { recursive: true });
    const lines = [...refs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([ref, oid]) => `${oid} ${ref}\n`);
    const files = {
      HEAD: `ref: refs/heads/${defaultBranch}\n`,
      config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
      'packed-refs': lines.join(''),
      'objects/info/alternates': `${relative(join(folder, 'objects'), join(lender, 'objects'))}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return new GitRepository(folder, defaultBranch);
  }

  static async create(folder: string, defaultBranch: string): Promise<GitRepository> {
    const args = ['init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`, folder];
    await runGit(args, { env: { ...ENVIRONMENT, GIT_TEMPLATE_DIR: '' } });
    return new GitRepository(folder, defaultBranch);
  }

  async object(revision: string): Promise<GitObject | undefined> {
    if (revision === '' || /[\n\r\0]/.test(revision)) return undefined;
    this.#reader ??= new ObjectReader(this.#folder);
    return this.#reader.read(revision);
  }

  async commit(branch: string, change: Change): Promise<string> {
    if (!isBranch(branch)) throw new Error(`${JSON.stringify(branch)} is no name of a branch.`);
    const own = await this.object(`refs/heads/${branch}`);
    const parent = own ?? (await this.object(`refs/heads/${this.#defaultBranch}`));
    const kept = change.keepModes === true && parent !== undefined ? await this.#withModes(change, parent.oid) : change;
    await this.#write([...commitParts(`refs/heads/${branch}`, kept, parent?.oid)]);
    const created = await this.object(`refs/heads/${branch}`);
    if (created === undefined) throw new Error(`git wrote no commit in ${this.#folder}.`);
    return created.oid;
  }

  async #withModes(change: Change, parent: string): Promise<Change> {
    const files: Record<string, FileContent | null> = { ...change.files };
    for (const [path, content] of Object.entries(files)) {
      if (!(content instanceof Uint8Array)) continue;
      const folder = await this.object(`${parent}:${path.split('/').slice(0, -1).join('/')}`);
      const entries = folder?.type === 'tree' ? parseTree(folder.content) : [];
      const mode = entries.find(({ name }) => name === path.split('/').at(-1))?.mode;
      if (mode === 0o100755) files[path] = { executable: content };
      if (mode === 0o120000) files[path] = { link: content };
    }
    return { ...change, files };
  }

  async refs(prefix: string): Promise<readonly Ref[]> {
    const lines = await this.#git('for-each-ref', '--format=%(objectname) %(refname)', prefix);
    return lines.map((line) => ({ oid: line.slice(0, 40), name: line.slice(41 + prefix.length) }));
  }

  async compare(base: string, head: string): Promise<Compared | undefined> {
    if (![base, head].every((oid) => /^[0-9a-f]{40}$/.test(oid))) return undefined;
    const [mergeBase] = await this.#git('merge-base', base, head).catch(() => []);
    if (mergeBase === undefined) return undefined;
    const [counts = ''] = await this.#git('rev-list', '--left-right', '--count', `${base}...${head}`);
    const [behind = 0, ahead = 0] = counts.split('\t').map(Number);
    return { ahead, behind, mergeBase };
  }

  async history(oid: string): Promise<readonly string[]> {
    return /^[0-9a-f]{40}$/.test(oid) ? this.#git('rev-list', `--max-count=${MAX_HISTORY}`, oid) : [];
  }

  async diff(from: string, to: string): Promise<readonly FileDiff[]> {
    const args = ['diff-tree', '-r', '-M', '--no-color', '--no-abbrev'];
    const [listed, patches] = await Promise.all([
      this.#output(...args, '-z', '--raw', '--numstat', from, to),
      this.#output(...args, '-p', from, to),
    ]);
    return parseDiff(listed, patches);
  }

  async between(from: string, to: string): Promise<readonly string[]> {
    return this.#git('rev-list', '--reverse', '--topo-order', `${from}..${to}`);
  }

  async isAncestor(oid: string, of: string): Promise<boolean> {
    return this.#git('merge-base', '--is-ancestor', oid, of).then(
      () => true,
      () => false,
    );
  }

  async moveBranch(name: string, oid: string, from: string): Promise<boolean> {
    return this.#git('update-ref', `refs/heads/${name}`, oid, from).then(
      () => true,
      () => false,
    );
  }

  async keep(ref: string, oid: string, other: GitRepository | undefined): Promise<void> {
    if (other === undefined) await this.#git('update-ref', ref, oid);
    else await this.#fetch(other, `+${oid}:${ref}`);
  }

  async mergesInto(base: string, head: string): Promise<boolean> {
    return this.#git('merge-tree', '--write-tree', base, head).then(
      () => true,
      () => false,
    );
  }

  async merge(base: string, head: string, change: Merge): Promise<string | undefined> {
    const { message, author, parents } = change;
    const [tree] = await this.#git('merge-tree', '--write-tree', base, head).catch(() => []);
    if (tree === undefined) return undefined;
    const { name, email, date } = author;
    const stamp = `${Math.floor(date.getTime() / 1000)} +0000`;
    const person = {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: stamp,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: stamp,
    };
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
    const output = await runGit(args, { folder: this.#folder, env: { ...ENVIRONMENT, ...person } });
    return output.trim();
  }

  async copyFrom(other: GitRepository): Promise<void> {
    await this.#fetch(other, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*');
  }

  async tag(name: string, oid: string, annotated: boolean): Promise<void> {
    if (!isBranch(name)) throw new Error(`${JSON.stringify(name)} is no name of a tag.`);
    const person = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com'];
    await this.#git(...person, 'tag', '--force', ...(annotated ? ['--annotate', '--message', name] : []), name, oid);
  }

  async createBranch(name: string, oid: string): Promise<boolean> {
    if (!isBranch(name) || (await this.object(`${oid}^{commit}`)) === undefined) return false;
    return this.#git('update-ref', `refs/heads/${name}`, oid, '').then(
      () => true,
      () => false,
    );
  }

  async deleteBranch(name: string): Promise<void> {
    if (!isBranch(name)) throw new Error(`${JSON.stringify(name)} is no name of a branch.`);
    await this.#git('update-ref', '-d', `refs/heads/${name}`);
  }

  async #git(...args: readonly string[]): Promise<string[]> {
    return (await this.#output(...args)).split('\n').filter((line) => line !== '');
  }

  #output(...args: readonly string[]): Promise<string> {
    return runGit(args, { folder: this.#folder });
  }

  async commitLoose(changes: readonly Change[]): Promise<string[]> {
    const ref = 'refs/loose/last';
    const parts = changes.flatMap((change, index) => [
      `reset ${ref}\n\n`,
      ...commitParts(ref, change, undefined, index + 1),
      `get-mark :${index + 1}\n`,
    ]);
    const oids = (await this.#write(parts, '--force')).split('\n').filter((line) => line !== '');
    if (oids.length !== changes.length) throw new Error(`git wrote ${oids.length} of ${changes.length} commits.`);
    return oids;
  }

  async writePast(list: readonly (readonly PastCommit[])[]): Promise<string[][]> {
    const ref = 'refs/loose/last';
    let marks = 0;
    const parts = list.flatMap((commits) => {
      const first = marks + 1;
      return commits.flatMap((commit) => {
        const parent = commit.parent === undefined ? undefined : `:${first + commit.parent}`;
        marks += 1;
        return [`reset ${ref}\n\n`, ...commitParts(ref, commit, parent, marks), `get-mark :${marks}\n`];
      });
    });
    const oids = (await this.#write(parts, '--force')).split('\n');
    return list.map((commits) => oids.splice(0, commits.length));
  }

  async adopt(other: GitRepository, oid: string): Promise<void> {
    await this.#fetch(other, `${oid}:refs/heads/${this.#defaultBranch}`);
  }

  async #fetch(other: GitRepository, ...refspecs: readonly string[]): Promise<void> {
    const args = ['-c', 'protocol.version=2', 'fetch', '--quiet', '--no-tags', other.#folder, ...refspecs];
    await runGit(args, { folder: this.#folder });
  }

  #write(parts: readonly (string | Uint8Array)[], ...options: readonly string[]): Promise<string> {
    const input = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    return runGit(['fast-import', '--quiet', ...options], { folder: this.#folder, input });
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}

export class PooledRepository implements Objects {
  readonly #pool: () => Promise<Objects>;
  readonly #head: string | null;
  readonly #branch: string;
  readonly #names: readonly string[];
  readonly #tags: () => readonly string[];

  constructor(pool: () => Promise<Objects>, head: string | null, defaultBranch: string, tags: () => readonly string[]) {
    this.#tags = tags;
    this.#pool = pool;
    this.#head = head;
    this.#branch = defaultBranch;
    this.#names = ['HEAD', `refs/heads/${defaultBranch}`, defaultBranch, ...(head === null ? [] : [head])];
  }

  async object(revision: string): Promise<GitObject | undefined> {
    const head = this.#head;
    if (head === null) return undefined;
    const tags = this.#tags().flatMap((tag) => [`refs/tags/${tag}`, tag]);
    const name = [...this.#names, ...tags].find(
      (each) => revision.startsWith(each) && /^(?:$|[:^~])/.test(revision.slice(each.length)),
    );
    if (name !== undefined) return (await this.#pool()).object(`${head}${revision.slice(name.length)}`);
    const found = /^[0-9a-f]{40}$/.test(revision) ? await (await this.#pool()).object(revision) : undefined;
    // A submodule's commit is in another repository.
    return found?.type === 'commit' ? undefined : found;
  }

  async refs(prefix: string): Promise<readonly Ref[]> {
    const oid = this.#head;
    if (oid === null) return [];
    return (prefix === 'refs/heads/' ? [this.#branch] : this.#tags()).map((name) => ({ name, oid }));
  }

  async compare(base: string, head: string): Promise<Compared | undefined> {
    return base === head && base === this.#head ? { ahead: 0, behind: 0, mergeBase: base } : undefined;
  }

  async history(oid: string): Promise<readonly string[]> {
    return oid === this.#head ? [oid] : [];
  }

  async diff(): Promise<readonly FileDiff[]> {
    return [];
  }

  async between(): Promise<readonly string[]> {
    return [];
  }
}

export interface Merge {
  readonly message: string;
  readonly author: Author;
  readonly parents: readonly string[];
}

function* commitParts(
  ref: string,
  { files, message, author, committer, keepOthers = false }: Change,
  parent: string | undefined,
  mark?: number,
): Generator<string | Uint8Array> {
  const people =
    committer === undefined
      ? `committer ${signature(author)}\n`
      : `author ${signature(author)}\ncommitter ${signature(committer)}\n`;
  yield `commit ${ref}\n${mark === undefined ? '' : `mark :${mark}\n`}${people}`;
  yield* data(message);
  if (parent !== undefined) yield `from ${parent}\n${keepOthers ? '' : 'deleteall\n'}`;
  for (const [path, content] of Object.entries(files)) {
    if (!isPath(path)) throw new Error(`${JSON.stringify(path)} is no path of a file.`);
    if (content === null) {
      yield `D ${JSON.stringify(path)}\n`;
      continue;
    }
    const { mode, bytes } = toBlob(content);
    yield `M ${mode} inline ${JSON.stringify(path)}\n`;
    yield* data(bytes);
  }
}

function* data(bytes: string | Uint8Array): Generator<string | Uint8Array> {
  yield `data ${typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength}\n`;
  yield bytes;
  yield '\n';
}

export function isBranch(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/.test(name) && !/\.\.|\/\/|\/\.|[./]$|\.lock(?:$|\/)/.test(name);
}

export function isPath(path: string): boolean {
  const segments = path.split('/');
  return !/[\u0000-\u001f\u007f"\\]/.test(path) && segments.every((name) => !['', '.', '..', '.git'].includes(name));
}

export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const mode = Number.parseInt(content.toString('latin1', at, space), 8);
    const oid = content.toString('hex', end + 1, end + 21);
    const type = mode === 0o040000 ? 'tree' : mode === 0o160000 ? 'commit' : 'blob';
    entries.push({ mode, name: content.toString('utf8', space + 1, end), oid, type });
    at = end + 21;
  }
  return entries;
}

const STATUSES: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  C: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
};

function parseDiff(listed: string, patches: string): FileDiff[] {
  const fields = listed.split('\0');
  const raw: Omit<FileDiff, 'additions' | 'deletions' | 'patch'>[] = [];
  while (fields[0]?.startsWith(':') === true) {
    const [, , before = '', after = '', code = ''] = (fields.shift() ?? '').split(' ');
    const status = STATUSES[code.charAt(0)] ?? 'modified';
    const first = fields.shift() ?? '';
    const isMoved = /^[CR]/.test(code);
    const path = isMoved ? (fields.shift() ?? '') : first;
    raw.push({ path, previousPath: isMoved ? first : undefined, status, oid: status === 'removed' ? before : after });
  }
  const texts = patches.split(/^diff --git /m).slice(1);
  return raw.map((file, index) => {
    const [additions = '', deletions = '', path] = (fields.shift() ?? '').split('\t');
    if (path === '') fields.splice(0, 2);
    const [, patch] = /\n(@@ [\s\S]*)$/.exec(texts[index] ?? '') ?? [];
    return { ...file, additions: Number(additions) || 0, deletions: Number(deletions) || 0, patch: patch?.trimEnd() };
  });
}

function toBlob(content: FileContent): { mode: string; bytes: string | Uint8Array } {
  if (typeof content === 'string' || content instanceof Uint8Array) return { mode: '100644', bytes: content };
  return 'link' in content ? { mode: '120000', bytes: content.link } : { mode: '100755', bytes: content.executable };
}

function signature({ name, email, date }: Author): string {
  const plain = (text: string): string => text.replace(/[<>\r\n\0]/g, '');
  return `${plain(name)} <${plain(email)}> ${Math.floor(date.getTime() / 1000)} +0000`;
}
