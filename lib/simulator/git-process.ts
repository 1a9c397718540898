import { type ChildProcess, fork } from 'node:child_process';
import type { Command, Result } from './git-spawner.mjs';

export const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

interface Options {
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: Uint8Array;
}

interface Waiting {
  resolve(output: string): void;
  reject(error: Error): void;
}

let spawner: Spawner | undefined;
let commands = 0;

/**
 * Returns what git prints; fails with its errors when it fails. A small process starts it: this one may hold an embedded
 * database, and Node.js 20 copies the page tables of the process that starts another, which takes longer than git.
 */
export function runGit(args: readonly string[], { folder, env = ENVIRONMENT, input }: Options = {}): Promise<string> {
  spawner ??= new Spawner();
  commands += 1;
  return spawner.run({ id: commands, args: [...args], folder, env, input: input ?? new Uint8Array() });
}

class Spawner {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting & { readonly name: string | undefined }>();

  constructor() {
    this.#child = fork('lib/simulator/git-spawner.mjs', [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message) => this.#receive(message as Result));
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => this.#end());
    this.#rest();
  }

  run(command: Command): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(command.id, { resolve, reject, name: command.args[0] });
      this.#child.ref();
      this.#child.channel?.ref();
      this.#child.send(command, (error) => {
        if (error !== null) this.#end();
      });
    });
  }

  #receive({ id, output, failure }: Result): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#rest();
    if (failure === undefined) waiting?.resolve(output);
    else waiting?.reject(new Error(`git ${waiting.name} failed: ${failure}`));
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #end(): void {
    if (spawner === this) spawner = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(`git ${waiting.name} was not run.`));
    this.#waiting.clear();
  }
}
