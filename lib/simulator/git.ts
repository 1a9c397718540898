import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

export interface GitObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly content: Buffer;
}

export interface TreeEntry {
  /** Decimal, as the code host gives it: 33188 is a file, 40960 a symbolic link. */
  readonly mode: number;
  readonly name: string;
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
}

/** A file of a commit: its content, with another mode than a plain file's when given. */
export type FileContent = string | Uint8Array | { readonly link: string } | { readonly executable: string };

export interface Author {
  readonly name: string;
  readonly email: string;
  readonly date: Date;
}

const run = promisify(execFile);
/** Nothing of the person's own git configuration has a say here. */
const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/** One bare repository on disk, read and written through git itself. */
export class GitRepository {
  readonly folder: string;
  #reader: ObjectReader | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async create(folder: string, defaultBranch: string): Promise<GitRepository> {
    const args = ['init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`, folder];
    await run('git', args, { env: { ...ENVIRONMENT, GIT_TEMPLATE_DIR: '' } });
    return new GitRepository(folder);
  }

  /** What a revision such as `HEAD`, `main:README.md` or an object id names; undefined when it names nothing. */
  async object(revision: string): Promise<GitObject | undefined> {
    if (revision === '' || /[\n\r\0]/.test(revision)) return undefined;
    this.#reader ??= new ObjectReader(this.folder);
    return this.#reader.read(revision);
  }

  /** Writes a commit on a branch that holds these files and no others, and returns its id. */
  async commit(
    branch: string,
    files: Readonly<Record<string, FileContent>>,
    message: string,
    author: Author,
  ): Promise<string> {
    const parts: (string | Uint8Array)[] = [];
    const data = (bytes: string | Uint8Array): void => {
      parts.push(`data ${typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength}\n`, bytes, '\n');
    };
    parts.push(`commit refs/heads/${branch}\ncommitter ${signature(author)}\n`);
    data(message);
    const parent = await this.object(`refs/heads/${branch}`);
    if (parent !== undefined) parts.push(`from ${parent.oid}\ndeleteall\n`);
    for (const [path, content] of Object.entries(files)) {
      const { mode, bytes } = toBlob(content);
      parts.push(`M ${mode} inline ${JSON.stringify(path)}\n`);
      data(bytes);
    }
    await feed(this.folder, ['fast-import', '--quiet'], parts);
    const created = await this.object(`refs/heads/${branch}`);
    if (created === undefined) throw new Error(`git wrote no commit in ${this.folder}.`);
    return created.oid;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
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
  return `${name} <${email}> ${Math.floor(date.getTime() / 1000)} +0000`;
}

function feed(folder: string, args: readonly string[], parts: readonly (string | Uint8Array)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: folder, env: ENVIRONMENT, stdio: ['pipe', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`git ${args[0]} failed: ${errors}`));
    });
    child.stdin.on('error', reject);
    child.stdin.end(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
  });
}

/** One `git cat-file --batch` that answers in the order of the questions. It ends with its standard input. */
class ObjectReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: { resolve(found: GitObject | undefined): void; reject(error: Error): void }[] = [];
  #buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  /** Bytes that complete the answer under way. */
  #needed = 0;

  constructor(folder: string) {
    this.#child = spawn('git', ['cat-file', '--batch'], { cwd: folder, env: ENVIRONMENT });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.resume();
    const fail = (): void => {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error('git cat-file ended.'));
    };
    this.#child.on('error', fail);
    this.#child.stdin.on('error', fail);
    this.#child.on('close', fail);
  }

  read(revision: string): Promise<GitObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${revision}\n`);
    });
  }

  close(): void {
    this.#child.stdin.end();
  }

  #receive(chunk: Buffer): void {
    // Large objects come in many chunks: they are joined once, when all are there.
    this.#chunks.push(chunk);
    const size = this.#buffer.length + this.#chunks.reduce((sum, { length }) => sum + length, 0);
    if (size < this.#needed) return;
    this.#buffer = Buffer.concat([this.#buffer, ...this.#chunks]);
    this.#chunks = [];
    while (this.#take());
  }

  #take(): boolean {
    const newline = this.#buffer.indexOf(0x0a);
    if (newline === -1) return false;
    const header = this.#buffer.toString('utf8', 0, newline);
    const [, oid, type, length] = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/.exec(header) ?? [];
    if (oid === undefined) {
      this.#buffer = this.#buffer.subarray(newline + 1);
      this.#waiting.shift()?.resolve(undefined);
      return true;
    }
    const start = newline + 1;
    const end = start + Number(length);
    this.#needed = end + 1;
    if (this.#buffer.length < this.#needed) return false;
    const content = Buffer.from(this.#buffer.subarray(start, end));
    this.#buffer = this.#buffer.subarray(this.#needed);
    this.#needed = 0;
    this.#waiting.shift()?.resolve({ oid, type: type as GitObject['type'], content });
    return true;
  }
}
