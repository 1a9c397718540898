import type { Job, PermissionLevel, Permissions, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoInRepository } from '../memo.ts';

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
export function tokenMayWrite(job: Job, repository: Repository): boolean {
  const { declared, mayWrite } = tokenPermissions(job);
  return mayWrite && (declared !== undefined || callersMayWrite(job.workflow, repository));
}

const callersMayWrite = memoInRepository((called: Workflow, repository): boolean => {
  const seen = new Set([called]);
  for (const workflow of seen) {
    const callers = repository.callersOf(workflow);
    if (callers.length === 0 || workflow.triggers.some(({ event }) => event !== 'workflow_call')) return true;
    for (const caller of callers) {
      const { declared, grantsWrite } = tokenPermissions(caller);
      if (grantsWrite) return true;
      if (declared === undefined) seen.add(caller.workflow);
    }
  }
  return false;
});
