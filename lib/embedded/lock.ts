import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../errors.ts';

/** BSD's flock through open(2); Node does not name these flags. */
const O_EXLOCK = 0x20;

export interface Lock {
  readonly release: () => Promise<void>;
}

/**
 * Takes the exclusive lock `name` of a folder, waiting up to `waitMs`. The operating system holds it, so that it ends
 * with its process however that ends, and no leftover file can block the next start.
 */
export async function acquireLock(folder: string, name: string, waitMs = 0): Promise<Lock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryLock(realpathSync(folder), name);
    if (lock) return lock;
    if (Date.now() >= deadline) throw new AppError('usage', `${folder} is in use by another process of this program.`);
    await setTimeout(50);
  }
}

async function tryLock(folder: string, name: string): Promise<Lock | null> {
  return process.platform === 'darwin' ? lockFile(folder, name) : bindName(folder, name);
}

/** Linux: an abstract socket; Windows: a named pipe. Both names are bound by one process at a time. */
function bindName(folder: string, name: string): Promise<Lock | null> {
  const id = `chainbreak-${name}-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen(process.platform === 'win32' ? `\\\\.\\pipe\\${id}` : `\0${id}`, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

async function lockFile(folder: string, name: string): Promise<Lock | null> {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
    const file = openSync(join(folder, `${name}.lock`), flags, 0o600);
    return { release: async () => closeSync(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}
