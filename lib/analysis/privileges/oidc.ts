import type { Job, Permissions, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByRepository } from '../memo.ts';
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
  return rightsOfCallers(repository).get(workflow);
}

/** Finds the nearest right above each called workflow in one pass, since a walk from each is quadratic. */
const rightsOfCallers = memoByRepository((repository): ReadonlyMap<Workflow, TokenRight> => {
  const rights = new Map<Workflow, TokenRight>();
  const calledBy = new Map<Workflow, Workflow[]>(repository.workflows.map((workflow) => [workflow, []]));
  for (const workflow of repository.workflows) {
    for (const caller of repository.callersOf(workflow)) {
      const { declared } = tokenPermissions(caller);
      const right = declared === undefined ? undefined : grantOf(caller, declared, 'caller');
      if (declared === undefined) calledBy.get(caller.workflow)?.push(workflow);
      else if (right !== undefined && !rights.has(workflow)) rights.set(workflow, right);
    }
  }
  for (let above = new Set(rights.keys()); above.size > 0; ) {
    const below = new Set(
      [...above].flatMap((workflow) => calledBy.get(workflow) ?? []).filter((each) => !rights.has(each)),
    );
    for (const workflow of below) {
      const nearest = repository
        .callersOf(workflow)
        .find((caller) => above.has(caller.workflow) && tokenPermissions(caller).declared === undefined);
      const right = nearest === undefined ? undefined : rights.get(nearest.workflow);
      if (right !== undefined) rights.set(workflow, right);
    }
    above = below;
  }
  return rights;
});

function grantOf(job: Job, declared: Permissions, from: TokenRight['from']): TokenRight | undefined {
  if (tokenPermissions(job).level('id-token') !== 'write') return undefined;
  const span = declared.scopes.find(({ scope }) => scope === 'id-token')?.span ?? declared.span;
  return { permissions: declared, span, from };
}
