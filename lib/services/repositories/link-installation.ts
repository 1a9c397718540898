import * as identities from '#lib/db/queries/identities.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import { AppError } from '#lib/errors.ts';
import type { CodeHostApp, Installation } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';

export interface LinkRequest {
  readonly installationId: string;
  readonly orgId: string | null;
  readonly code: string | null;
}

/**
 * Links an installation after proving that the caller owns its account, since installation ids are not secret. Throws
 * `not-found` for unknown and foreign installations alike.
 */
export async function linkInstallation(
  services: Services,
  user: organizations.Caller,
  { installationId, orgId, code }: LinkRequest,
): Promise<Installation> {
  const app = services.codeHostApp();
  const db = services.adminDb();
  const org = await organizations.resolve(db, user, orgId);
  if (org.role !== 'admin') throw new AppError('forbidden', 'Only an admin of the organization may do this.');
  const [installation, accounts] = await Promise.all([
    app.findInstallation(installationId),
    identities.listScmAccounts(db, user.id),
  ]);
  if (installation === null || !(await isOwner(app, installation, accounts, code))) {
    throw new AppError('not-found', 'None of your accounts has an installation with this number.');
  }
  await repositories.linkInstallation(db, user.id, org.id, {
    installation_id: installation.id,
    account: installation.account,
    account_type: installation.accountType,
  });
  return installation;
}

async function isOwner(
  app: CodeHostApp,
  installation: Installation,
  accounts: readonly string[],
  code: string | null,
): Promise<boolean> {
  const { id, account, accountId, accountType } = installation;
  if (accounts.includes(accountId)) return true;
  if (accountType === 'Organization') {
    for (const person of accounts) {
      if (await app.isOrganizationAdmin(id, account, person)) return true;
    }
  }
  if (code === null) return false;
  const authorization = await app.readAuthorization(code, accountType === 'Organization' ? account : null);
  if (authorization === null) return false;
  const { person, administers } = authorization;
  // A code planted in this user's browser must not link another user's account.
  if (accounts.length > 0 && !accounts.includes(person.id)) return false;
  return person.id === accountId || administers;
}
