import type { Job, PermissionLevel, Permissions } from '#lib/workflow/model/model.ts';

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
