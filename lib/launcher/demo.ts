import { DEMO_ORGANIZATIONS } from '#lib/simulator/demo.ts';

export interface DemoUser {
  readonly login: string;
  readonly accountId: number;
  readonly email: string;
  readonly organization: string;
  readonly installationId: number;
}

export const DEMO = {
  app: { id: 4711, slug: 'chainbreak-local' },
  users: DEMO_ORGANIZATIONS.map(
    ({ login: organization, installationId, admin: { id: accountId, login, email } }): DemoUser => ({
      login,
      accountId,
      email,
      organization,
      installationId,
    }),
  ),
} as const;
