import { env } from '#lib/env.ts';

const WITH_DATABASE = ['/setup', '/auth/callback'];

/** Returns the `connect-src` of a page's content security policy. */
export function connectSources(path: string): readonly string[] {
  const { database } = env();
  const self = "'self'";
  if (database === null || !WITH_DATABASE.includes(path.replace(/\/$/, ''))) return [self];
  return [self, new URL(database.url).origin];
}
