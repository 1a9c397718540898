import * as z from 'zod/mini';
import type { SettingsFacts, Source } from '../scanner/facts.ts';
import type { Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import { parseFullName } from './repository-name.ts';
import type { InstallationTokens } from './tokens.ts';

const WorkflowSettings = z.object({
  default_workflow_permissions: z.enum(['read', 'write']),
  can_approve_pull_request_reviews: z.boolean(),
});

/** What the settings of a repository say about its workflows, or why nobody knows. Never throws a CodeHostFailure. */
export async function readSettings(
  client: Client,
  tokens: InstallationTokens,
  fullName: string,
): Promise<Source<SettingsFacts>> {
  const at = parseFullName(fullName);
  if (at === undefined) return { missing: 'offline' };
  try {
    // The code host tells a missing permission and a missing repository alike.
    if (!(await tokens.mayRead('administration'))) return { missing: 'no_permission' };
    const answer = await client.read('/repos/{owner}/{repo}/actions/permissions/workflow', {
      owner: at.owner,
      repo: at.name,
    });
    const settings = WorkflowSettings.safeParse(answer);
    if (!settings.success) return { missing: 'offline' };
    return {
      value: {
        defaultWorkflowPermissions: settings.data.default_workflow_permissions,
        canApprovePullRequests: settings.data.can_approve_pull_request_reviews,
      },
    };
  } catch (error) {
    if (!(error instanceof CodeHostFailure)) throw error;
    if (error.kind === 'limit') return { missing: 'rate_limited' };
    return { missing: error.kind === 'forbidden' || error.kind === 'missing' ? 'no_permission' : 'offline' };
  }
}
