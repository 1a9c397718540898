export interface DemoUser {
  /** At the local code host, which the person administers this organization of. */
  readonly login: string;
  readonly accountId: number;
  readonly email: string;
  readonly organization: string;
  readonly installationId: number;
}

/** Who is who in the demo, alike at the local code host and in the database. */
export const DEMO = {
  app: { id: 4711, slug: 'chainbreak-local' },
  users: [
    { login: 'ada', accountId: 5001, email: 'ada@acme.example', organization: 'acme', installationId: 6001 },
    { login: 'grace', accountId: 5002, email: 'grace@globex.example', organization: 'globex', installationId: 6002 },
  ] satisfies DemoUser[],
  repositories: ['acme/storefront'],
} as const;
