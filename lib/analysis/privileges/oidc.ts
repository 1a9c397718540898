import type { Job, Permissions, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { tokenPermissions } from './permissions.ts';

/** Where a job gets the right to ask for OIDC tokens. */
export interface TokenRight {
  readonly permissions: Permissions;
  /** `id-token: write`, or the whole block when it grants everything. */
  readonly span: Span;
  /** `job`: its own block. `workflow`: its file's. `caller`: that of a job which calls its workflow. */
  readonly from: 'job' | 'workflow' | 'caller';
}

/** The right of a job to ask for OIDC tokens, when a block grants it. The repository's default never does. */
export function oidcRight(job: Job, repository: Repository): TokenRight | undefined {
  const { declared } = tokenPermissions(job);
  if (declared === undefined) return rightOfCallers(job.workflow, repository);
  return grantOf(job, declared, job.permissions === undefined ? 'workflow' : 'job');
}

/** The first right that a caller hands down; each workflow is gone through once, however many ways lead to it. */
function rightOfCallers(workflow: Workflow, repository: Repository): TokenRight | undefined {
  const called = new Set([workflow]);
  // What is added is visited too.
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
