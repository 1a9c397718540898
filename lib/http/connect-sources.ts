import { env } from '#lib/env.ts';

/** Pages whose scripts talk to the database: where people sign in. */
const WITH_DATABASE = ['/setup', '/auth/callback'];

/** Where the scripts of a page may connect to, as the sources of a content security policy. */
export function connectSources(path: string): readonly string[] {
  const { database } = env();
  const self = "'self'";
  // An address with a final slash is the same page.
  if (database === null || !WITH_DATABASE.includes(path.replace(/\/$/, ''))) return [self];
  return [self, new URL(database.url).origin];
}
