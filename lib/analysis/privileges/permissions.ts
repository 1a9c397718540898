import type { Job, PermissionLevel, Permissions } from '#lib/workflow/model/model.ts';

/** What the token of a job may do, as far as the file says. */
export interface TokenPermissions {
  /** The block that decides: the job's, else the workflow's; undefined means the repository's default applies. */
  readonly declared: Permissions | undefined;
  /** The level of one scope; `default` when no block says. */
  readonly level: (scope: string) => PermissionLevel | 'default';
  /** True when a block grants some write, or no block limits the token. */
  readonly mayWrite: boolean;
  /** True when a block grants some write. */
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
