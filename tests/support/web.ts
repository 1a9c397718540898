import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { takeLock } from '#lib/embedded/lock.mjs';
import { isBuildStale, stampBuild } from '#lib/launcher/build.ts';
import { quietPort } from './quiet-port.ts';

export interface Web {
  readonly url: string;
  readonly pid: number;
  readonly output: () => string;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

const BUILD_WAIT_MS = 240_000;

function surroundings(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NEXT_TELEMETRY_DISABLED: '1' };
}

export async function buildWeb(): Promise<void> {
  const release = await takeLock('.', 'build', BUILD_WAIT_MS);
  if (release === null) throw new Error('Somebody else has been building for four minutes.');
  try {
    if (!isBuildStale()) return;
    const env = { ...surroundings(), NODE_ENV: 'production', BUILD_WITHOUT_TYPES: '1' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
      encoding: 'utf8',
      env,
    });
    if (status !== 0) throw new Error(`next build failed:\n${stdout}\n${stderr}`);
    stampBuild();
  } finally {
    await release();
  }
}

/**
 * Starts an instance; what it prints is also appended to `log`. Without a `PORT` it picks another one if the first is
 * taken.
 */
export async function startWeb(variables: Readonly<Record<string, string>>, log: string[] = []): Promise<Web> {
  if (variables['PORT']) return startAt(Number(variables['PORT']), variables, log);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startAt(await quietPort(), variables, log);
    } catch (error) {
      if (attempt === 3 || !String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

async function startAt(port: number, variables: Readonly<Record<string, string>>, log: string[]): Promise<Web> {
  const env = { ...surroundings(), NODE_ENV: 'production', HOST: '127.0.0.1', ...variables, PORT: String(port) };
  const child = fork('lib/http/serve.mjs', { env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  const print = (data: unknown) => {
    output += String(data);
    log.push(String(data));
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', print);
  await ready(child, () => output);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, output: () => output, stop, kill };
}

let bare: Promise<Web> | undefined;

export async function bareWeb(): Promise<Web> {
  bare ??= startWeb({ WEB_URL: 'https://chainbreak.example' });
  return { ...(await bare), stop: () => Promise.resolve() };
}

function ready(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The framework sends messages of its own.
    child.on('message', (message) => typeof message === 'object' && 'ready' in message && resolve());
    child.once('exit', (code) => reject(new Error(`The web app ended with ${code}:\n${output()}`)));
  });
}
