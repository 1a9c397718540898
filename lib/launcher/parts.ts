import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { AppError } from '#lib/errors.ts';

export interface Part {
  readonly name: string;
  readonly id: string;
  readonly script: string;
  readonly arguments?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Responds 2xx once the part is healthy; a part without it must exit with status 0. */
  readonly health?: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
}

export interface PartsOptions {
  readonly logFolder: string;
  readonly secrets: readonly string[];
  readonly healthyWithinMs?: number;
  readonly stopWithinMs?: number;
}

interface Running {
  readonly part: Part;
  readonly child: ChildProcess;
  readonly lastLines: string[];
  readonly logged: Promise<void>;
  end?: string;
}

const LEASH = 'lib/launcher/leash.mjs';
const LINES_KEPT = 15;

export class Parts {
  readonly #options: PartsOptions;
  readonly #running: Running[] = [];
  #stopping: Promise<void> | undefined;
  #fail: (error: AppError) => void = () => {};
  readonly failure: Promise<never>;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.failure = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.failure.catch(() => {});
    mkdirSync(options.logFolder, { recursive: true, mode: 0o700 });
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  async start(part: Part): Promise<void> {
    const running = this.#fork(part);
    this.#running.push(running);
    const deadline = Date.now() + (this.#options.healthyWithinMs ?? 60_000);
    while (!(await isHealthy(part))) {
      if (running.end !== undefined) throw ended(running);
      if (Date.now() > deadline) throw new AppError('internal', `${part.name} did not become healthy.${tail(running)}`);
      await Promise.race([setTimeout(50), this.failure]);
    }
    if (running.end !== undefined) throw ended(running);
  }

  async run(part: Part): Promise<void> {
    const running = this.#fork(part);
    this.#running.push(running);
    await running.logged;
    this.#running.splice(this.#running.indexOf(running), 1);
    if (running.child.exitCode !== 0) throw ended(running);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  kill(): void {
    for (const { child } of this.#running) child.kill('SIGKILL');
  }

  async #stopAll(): Promise<void> {
    for (const { child } of [...this.#running].reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const ended = new AbortController();
      await Promise.race([exited, setTimeout(this.#options.stopWithinMs ?? 6000, null, { signal: ended.signal })]);
      ended.abort();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exited;
      }
    }
  }

  #fork(part: Part): Running {
    const child = fork(part.script, [...(part.arguments ?? [])], {
      env: { NODE_ENV: 'production', ...part.env, LEASH: '1' },
      execArgv: ['--import', pathToFileURL(LEASH).href],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C must reach only the launcher, which stops its parts in order.
      detached: process.platform !== 'win32',
    });
    const log = createWriteStream(join(this.#options.logFolder, `${part.id}.log`), { mode: 0o600 });
    const logged = new Promise<void>((resolve) => child.once('close', () => log.end(() => resolve())));
    const running: Running = { part, child, lastLines: [], logged };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#record(running, log, line));
    }
    child.once('error', (error) => {
      running.end = `could not be started (${error.message})`;
    });
    child.once('close', async (code, signal) => {
      await logged;
      running.end = signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
      if (this.#stopping === undefined && part.health !== undefined) this.#fail(ended(running));
    });
    return running;
  }

  #record(running: Running, log: WriteStream, line: string): void {
    let safe = line;
    for (const secret of this.#options.secrets) safe = safe.replaceAll(secret, '[secret]');
    log.write(`${safe}\n`);
    running.lastLines.push(safe.slice(0, 500));
    if (running.lastLines.length > LINES_KEPT) running.lastLines.shift();
  }
}

async function isHealthy({ health }: Part): Promise<boolean> {
  if (health === undefined) return true;
  try {
    const response = await fetch(health.url, { headers: { ...health.headers }, signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function ended(running: Running): AppError {
  return new AppError('internal', `${running.part.name} ${running.end}.${tail(running)}`);
}

function tail({ lastLines }: Running): string {
  return lastLines.length === 0 ? '' : ` Its last output:\n${lastLines.map((line) => `  ${line}`).join('\n')}`;
}
