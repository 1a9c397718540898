import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { usesGitHubPackages } from './github-packages.ts';
import { tokenPermissions } from './permissions.ts';

const TALK: ReadonlySet<string> = new Set([
  'attestations',
  'checks',
  'deployments',
  'discussions',
  'id-token',
  'issues',
  'pages',
  'pull-requests',
  'security-events',
  'statuses',
]);

/**
 * True if a block grants the job’s token more than changing alerts, conversations, marks on commits, a Pages site, and
 * packages in a repository that publishes none.
 */
export function writesMoreThanTalk(job: Job, repository: Repository): boolean {
  const { grantsWrite, declared } = tokenPermissions(job);
  const written = declared?.scopes.filter(({ level }) => level === 'write') ?? [];
  const little = (scope: string): boolean =>
    TALK.has(scope) || (scope === 'packages' && !usesGitHubPackages(repository));
  return grantsWrite && (written.length === 0 || written.some(({ scope }) => !little(scope)));
}
