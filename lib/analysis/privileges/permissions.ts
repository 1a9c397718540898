import type { Job, PermissionLevel, Permissions } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

export interface TokenPermissions {
  readonly declared: Permissions | undefined;
  readonly level: (scope: string) => PermissionLevel | 'default';
  readonly mayWrite: boolean;
  readonly grantsWrite: boolean;
}

export function tokenPermissions(job: Job): TokenPermissions {
  const declared = job.permissions ?? job.workflow.permissions;
  const grantsWrite =
    declared !== undefined && (declared.all === 'write-all' || declared.scopes.some(({ level }) => level === 'write'));
  return {
    declared,
    grantsWrite,
    mayWrite: declared === undefined || grantsWrite,
    level: (scope) => {
      if (declared === undefined) return 'default';
      if (declared.all !== undefined) return declared.all === 'write-all' ? 'write' : 'read';
      return declared.scopes.find((granted) => granted.scope === scope)?.level ?? 'none';
    },
  };
}

/** True if the job's token may write; a called workflow without permissions of its own has those of its callers. */
export function tokenMayWrite(job: Job, repository: Repository, depth = 0): boolean {
  const { declared, mayWrite } = tokenPermissions(job);
  if (!mayWrite || declared !== undefined || depth >= MAX_CALL_DEPTH) return mayWrite;
  if (job.workflow.triggers.some(({ event }) => event !== 'workflow_call')) return mayWrite;
  const callers = repository.callersOf(job.workflow);
  return callers.length === 0 || callers.some((caller) => tokenMayWrite(caller, repository, depth + 1));
}

/** Callers are followed this far, as each level can multiply them. */
const MAX_CALL_DEPTH = 3;
