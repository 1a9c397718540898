import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ENVIRONMENT } from './git-process.ts';

export interface GitObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly content: Buffer;
}

export class ObjectReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: { resolve(found: GitObject | undefined): void; reject(error: Error): void }[] = [];
  #buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
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
