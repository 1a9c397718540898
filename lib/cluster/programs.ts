import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AppError } from '#lib/errors.ts';

export interface Programs {
  readonly postgres: string;
  readonly redis: string;
}

const DEBIAN = '/usr/lib/postgresql';
const OLDEST_POSTGRES = 15;

export function findPrograms(): Programs {
  const postgres = findPostgres();
  const redis = onPath('redis-server');
  if (postgres !== null && redis !== null) return { postgres, redis };
  const missing = [
    ...(postgres === null ? [`PostgreSQL ${OLDEST_POSTGRES} or newer`] : []),
    ...(redis === null ? ['Redis'] : []),
  ];
  throw new AppError(
    'usage',
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed. ` +
      'On Debian and Ubuntu: apt-get install postgresql redis-server',
  );
}

function findPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = Math.max(...versions.filter((version) => existsSync(join(DEBIAN, String(version), 'bin/initdb'))));
  if (newest >= OLDEST_POSTGRES) return join(DEBIAN, String(newest), 'bin');
  const initdb = onPath('initdb');
  return initdb === null ? null : join(initdb, '..');
}

function onPath(program: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}
