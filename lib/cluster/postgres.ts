import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#lib/launcher/ports.ts';

export interface PostgresServer {
  readonly url: string;
  readonly start: () => Promise<void>;
  readonly crash: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

const run = promisify(execFile);

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-postgres-'));
  const asOwner = await ownerOf(folder);
  const data = join(folder, 'data');
  const port = await freePort(undefined);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=200`;
  const control = (...words: readonly string[]) => asOwner(join(programs, 'pg_ctl'), ['-D', data, '-w', ...words]);
  const start = () => control('-l', join(folder, 'log'), '-o', settings, 'start');
  const crash = () => control('-m', 'immediate', 'stop');
  const remove = async () => {
    await crash().catch(() => {});
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await asOwner(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, crash, remove };
}

type RunAsOwner = (program: string, words: readonly string[]) => Promise<void>;

/** PostgreSQL refuses to run as root, so the account of the package owns the folder then. */
async function ownerOf(folder: string): Promise<RunAsOwner> {
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  if (process.getuid?.() !== 0) return async (program, words) => void (await run(program, [...words], options));
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (kind) => Number((await run('id', [kind, 'postgres'])).stdout)),
  );
  chownSync(folder, uid ?? statSync(folder).uid, gid ?? statSync(folder).gid);
  return async (program, words) => void (await run('runuser', ['-u', 'postgres', '--', program, ...words], options));
}
