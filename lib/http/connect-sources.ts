import { env } from '#lib/env.ts';

const WITH_DATABASE = /^\/(?:setup|auth\/callback|signin|(?:invites|account|o)(?:\/.*)?)\/?$/;

export function connectSources(path: string): readonly string[] {
  const { database } = env();
  const self = "'self'";
  return database === null || !WITH_DATABASE.test(path) ? [self] : [self, new URL(database.url).origin];
}
