import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#lib/errors.ts';
import { freePort } from '#lib/launcher/ports.ts';

export interface RedisServer {
  readonly port: number;
  readonly start: () => Promise<void>;
  readonly crash: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

const START_MS = 20_000;

export async function startRedis(program: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-redis-'));
  const port = await freePort(undefined);
  let child: ChildProcess | undefined;
  const start = async () => {
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    child = spawn(program, words, { stdio: 'ignore' });
    const deadline = Date.now() + START_MS;
    while (!(await answers(port))) {
      if (Date.now() > deadline) throw new AppError('internal', 'Redis did not start.');
      await delay(30);
    }
  };
  const crash = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const remove = async () => {
    await crash();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { port, start, crash, remove };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(String(data).startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
