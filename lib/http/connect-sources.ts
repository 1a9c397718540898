import { env } from '#lib/env.ts';

const WITH_DATABASE = ['/setup', '/auth/callback'];

export function connectSources(path: string): readonly string[] {
  const { database } = env();
  const self = "'self'";
  if (database === null || !WITH_DATABASE.includes(path.replace(/\/$/, ''))) return [self];
  return [self, new URL(database.url).origin];
}
