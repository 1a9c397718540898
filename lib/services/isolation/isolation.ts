import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Env } from '#lib/env.ts';
import type { Services } from '../context.ts';
import { type Lane, RUN_MS } from './limits.ts';
import { perform, valueOf } from './perform.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';
import { Threads } from './threads.ts';

/** Shared by all routes, which the framework bundles separately, and by `serve.mjs`, which closes it. */
const SHARED = Symbol.for('chainbreak.threads');

interface Shared {
  readonly key: string;
  readonly threads: Threads | null;
  readonly close: () => Promise<void>;
}

export async function isolated<Name extends TaskName>(
  { env, log }: Pick<Services, 'env' | 'log'>,
  lane: Lane,
  name: Name,
  ...input: TaskInput<Name>
): Promise<TaskResult<Name>> {
  const threads = threadsFor(env, log);
  const call = { name, input };
  return valueOf(threads === null ? perform(call) : await threads.run(lane, call, RUN_MS[lane]));
}

export async function closeThreads(): Promise<void> {
  const shared = Reflect.get(globalThis, SHARED) as Shared | undefined;
  Reflect.deleteProperty(globalThis, SHARED);
  await shared?.close();
}

function threadsFor({ worker, scanThreads, onVercel }: Env, log: Services['log']): Threads | null {
  const count = onVercel ? 0 : (scanThreads ?? (availableParallelism() > 2 ? 2 : 1));
  const key = `${count} ${worker}`;
  const shared = Reflect.get(globalThis, SHARED) as Shared | undefined;
  if (shared?.key === key) return shared.threads;
  void shared?.close();
  const threads = worker === null || count === 0 ? null : start(resolve(worker), count, log);
  Reflect.set(globalThis, SHARED, { key, threads, close: async () => threads?.close() } satisfies Shared);
  return threads;
}

function start(program: string, threads: number, log: Services['log']): Threads | null {
  if (!existsSync(program)) {
    log.error('files are checked without threads: the worker was not built', { program });
    return null;
  }
  return new Threads({ program, threads, onFailure: (error) => log.error('a thread ended', { error }) });
}
