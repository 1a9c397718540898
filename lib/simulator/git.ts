import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ENVIRONMENT, type GitObject, ObjectReader } from './object-reader.ts';

export interface TreeEntry {
  readonly mode: number;
  readonly name: string;
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
}

export type FileContent = string | Uint8Array | { readonly link: string } | { readonly executable: string };

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
  readonly keepOthers?: boolean;
}

/** A commit of a history that is written at once. */
export interface PastCommit extends Change {
  /** Place of its parent in the list; a first commit has none. */
  readonly parent?: number;
  /** Published id to answer for instead of its own. No commit may build on such a one. */
  readonly oid?: string;
}

export interface History {
  readonly commits: readonly PastCommit[];
  /** Place of the commit that each full name of a ref points to. */
  readonly refs: Readonly<Record<string, number>>;
}

export interface Objects {
  object(revision: string): Promise<GitObject | undefined>;
  refs(prefix: 'refs/heads/' | 'refs/tags/'): Promise<readonly Ref[]>;
  /** Counts the commits that only one side has; undefined without a common ancestor. */
  compare(base: string, head: string): Promise<Compared | undefined>;
  history(oid: string): Promise<readonly string[]>;
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

const run = promisify(execFile);
export class GitRepository implements Objects {
  readonly #folder: string;
  readonly #defaultBranch: string;
  #reader: ObjectReader | undefined;

  constructor(folder: string, defaultBranch: string) {
    this.#folder = folder;
    this.#defaultBranch = defaultBranch;
  }

  /** A repository whose objects are in another one, written without the program, which takes longer. */
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
    await run('git', args, { env: { ...ENVIRONMENT, GIT_TEMPLATE_DIR: '' } });
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
    await this.#write([...commitParts(`refs/heads/${branch}`, change, parent?.oid)]);
    const created = await this.object(`refs/heads/${branch}`);
    if (created === undefined) throw new Error(`git wrote no commit in ${this.#folder}.`);
    return created.oid;
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
    const { stdout } = await run('git', args, { cwd: this.#folder, env: ENVIRONMENT });
    return stdout.split('\n').filter((line) => line !== '');
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

  /** Writes commits that no ref of this repository names, in one process; returns their ids. */
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
    const refspec = `${oid}:refs/heads/${this.#defaultBranch}`;
    const args = ['-c', 'protocol.version=2', 'fetch', '--quiet', '--no-tags', other.#folder, refspec];
    await run('git', args, { cwd: this.#folder, env: ENVIRONMENT });
  }

  #write(parts: readonly (string | Uint8Array)[], ...options: readonly string[]): Promise<string> {
    return feed(this.#folder, ['fast-import', '--quiet', ...options], parts);
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
}

function* commitParts(
  ref: string,
  { files, message, author, keepOthers = false }: Change,
  parent: string | undefined,
  mark?: number,
): Generator<string | Uint8Array> {
  yield `commit ${ref}\n${mark === undefined ? '' : `mark :${mark}\n`}committer ${signature(author)}\n`;
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

function toBlob(content: FileContent): { mode: string; bytes: string | Uint8Array } {
  if (typeof content === 'string' || content instanceof Uint8Array) return { mode: '100644', bytes: content };
  return 'link' in content ? { mode: '120000', bytes: content.link } : { mode: '100755', bytes: content.executable };
}

function signature({ name, email, date }: Author): string {
  const plain = (text: string): string => text.replace(/[<>\r\n\0]/g, '');
  return `${plain(name)} <${plain(email)}> ${Math.floor(date.getTime() / 1000)} +0000`;
}

function feed(folder: string, args: readonly string[], parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: folder, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`git ${args[0]} failed: ${errors}`));
    });
    child.stdin.on('error', reject);
    child.stdin.end(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
  });
}
