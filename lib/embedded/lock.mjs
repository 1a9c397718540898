// Plain JavaScript, since the launcher needs a lock before TypeScript can be loaded.
import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** BSD's flock through open(2); Node does not name this flag. */
const O_EXLOCK = 0x20;

/**
 * Takes the exclusive lock `name` of a folder, waiting up to `waitMs`; null when another process has it. The operating
 * system holds it, so that it ends with its process however that ends, and no leftover file blocks the next start.
 * @param {string} folder made when missing
 * @param {string} name
 * @returns {Promise<(() => Promise<void>) | null>} what releases it
 */
export async function takeLock(folder, name, waitMs = 0) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = realpathSync(folder);
  const deadline = Date.now() + waitMs;
  for (;;) {
    const release = process.platform === 'darwin' ? lockFile(path, name) : await bindName(path, name);
    if (release || Date.now() >= deadline) return release;
    await setTimeout(50);
  }
}

/**
 * Linux: an abstract socket; Windows: a named pipe. One process at a time binds either.
 * @param {string} folder
 * @param {string} name
 * @returns {Promise<(() => Promise<void>) | null>}
 */
function bindName(folder, name) {
  const id = `chainbreak-${name}-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) resolve(null);
      else reject(error);
    });
    server.listen(process.platform === 'win32' ? `\\\\.\\pipe\\${id}` : `\0${id}`, () => {
      server.unref();
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}

function lockFile(folder, name) {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
    const file = openSync(join(folder, `${name}.lock`), flags, 0o600);
    return async () => closeSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}
