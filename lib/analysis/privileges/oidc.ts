import type { Job, Permissions, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { tokenPermissions } from './permissions.ts';

export interface TokenRight {
  readonly permissions: Permissions;
  readonly span: Span;
  readonly from: 'job' | 'workflow' | 'caller';
}

/** Returns the block that lets a job request OIDC tokens; the repository's default never does. */
export function oidcRight(job: Job, repository: Repository): TokenRight | undefined {
  const { declared } = tokenPermissions(job);
  if (declared === undefined) return rightOfCallers(job.workflow, repository);
  return grantOf(job, declared, job.permissions === undefined ? 'workflow' : 'job');
}

function rightOfCallers(workflow: Workflow, repository: Repository): TokenRight | undefined {
  const called = new Set([workflow]);
  // Also visits workflows added during the loop.
  for (const each of called) {
    for (const caller of repository.callersOf(each)) {
      const { declared } = tokenPermissions(caller);
      const right = declared === undefined ? undefined : grantOf(caller, declared, 'caller');
      if (right !== undefined) return right;
      if (declared === undefined) called.add(caller.workflow);
    }
  }
  return undefined;
}

function grantOf(job: Job, declared: Permissions, from: TokenRight['from']): TokenRight | undefined {
  if (tokenPermissions(job).level('id-token') !== 'write') return undefined;
  const span = declared.scopes.find(({ scope }) => scope === 'id-token')?.span ?? declared.span;
  return { permissions: declared, span, from };
}
