import type { Job, Permissions } from './model.ts';
import { tokenPermissions } from './permissions.ts';
import type { Repository } from './repository.ts';
import type { Span } from './source.ts';

/** Where a job gets the right to ask for OIDC tokens. */
export interface TokenRight {
  readonly permissions: Permissions;
  /** `id-token: write`, or the whole block when it grants everything. */
  readonly span: Span;
  /** `job`: its own block. `workflow`: its file's. `caller`: that of a job which calls its workflow. */
  readonly from: 'job' | 'workflow' | 'caller';
}

const MAX_CALL_DEPTH = 10;

/** The right of a job to ask for OIDC tokens, when a block grants it. The repository's default never does. */
export function oidcRight(job: Job, repository: Repository, depth = 0): TokenRight | undefined {
  const { declared, level } = tokenPermissions(job);
  if (declared !== undefined) {
    if (level('id-token') !== 'write') return undefined;
    const span = declared.scopes.find(({ scope }) => scope === 'id-token')?.span ?? declared.span;
    return { permissions: declared, span, from: job.permissions === undefined ? 'workflow' : 'job' };
  }
  if (depth > MAX_CALL_DEPTH) return undefined;
  for (const caller of repository.callersOf(job.workflow)) {
    const right = oidcRight(caller, repository, depth + 1);
    if (right !== undefined) return { ...right, from: 'caller' };
  }
  return undefined;
}
