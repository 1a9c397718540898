import pMap from 'p-map';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import type { Repository } from '#lib/db/shapes/repositories.ts';
import { AppError } from '#lib/errors.ts';
import type { CodeHostApp } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';

const MAX_CONCURRENT = 4;

type Answer = repositories.Listing['listed'][number] | 'gone' | 'suspended';

/**
 * Reads all installations of the organization and stores their repositories at once. If one installation fails,
 * nothing is stored and nothing is marked as removed.
 */
export async function refreshRepositories(
  services: Services,
  user: organizations.Caller,
  orgId: string | null,
): Promise<{ readonly connected: boolean; readonly repositories: readonly Repository[] }> {
  const db = services.adminDb();
  const org = await organizations.resolve(db, user, orgId);
  if (services.env.scmApp === null) return { connected: false, repositories: [] };
  const app = services.codeHostApp();
  const installations = await repositories.listInstallations(db, user.id, org.id);
  if (installations.length === 0) return { connected: false, repositories: [] };
  const answers = await pMap(installations, async (id) => ({ id, answer: await ask(app, id) }), {
    concurrency: MAX_CONCURRENT,
  });
  const listed = answers.flatMap(({ answer }) => (typeof answer === 'string' ? [] : [answer]));
  const gone = answers.flatMap(({ id, answer }) => (answer === 'gone' ? [id] : []));
  const suspended = answers.flatMap(({ id, answer }) => (answer === 'suspended' ? [id] : []));
  await repositories.recordSuspensions(db, { suspended, active: listed.map((each) => each.installation_id) });
  const stored = await repositories.sync(db, user.id, org.id, { listed, gone });
  return listed.length === 0 ? { connected: false, repositories: [] } : { connected: true, repositories: stored };
}

async function ask(app: CodeHostApp, installationId: string): Promise<Answer> {
  try {
    const all = await app.listRepositories(installationId);
    return {
      installation_id: installationId,
      repositories: all.map(({ scmId, fullName, private: isPrivate, htmlUrl, defaultBranch, archived }) => ({
        scm_id: scmId,
        full_name: fullName,
        private: isPrivate,
        html_url: htmlUrl,
        default_branch: defaultBranch,
        archived,
      })),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The token of a removed or suspended installation fails like an outage; the app's own token tells them apart.
    const installation = await app.findInstallation(installationId);
    if (installation === null) return 'gone';
    if (installation.suspended) return 'suspended';
    throw error;
  }
}
