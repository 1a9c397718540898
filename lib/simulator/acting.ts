import { type Caller, type Credentials, isOf } from './credentials.ts';
import type { Account, Repository } from './model.ts';
import { Refused } from './refused.ts';
import type { Places } from './representations.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Acting {
  readonly caller: Caller;
  readonly world: World;
  readonly credentials: Credentials;
  readonly webhooks: Webhooks;
  readonly places: Places;
}

export const NOT_ACCESSIBLE = 'Resource not accessible by integration';
export const ARCHIVED = 'Repository was archived so is read-only.';

export function writerOf({ caller, world, credentials }: Acting, repository: Repository, permission: string): Account {
  switch (caller.kind) {
    case 'installation': {
      const may = isOf(caller, repository, world) && caller.permissions[permission] === 'write';
      if (!may) throw new Refused(403, NOT_ACCESSIBLE, { permission: `${permission}=write` });
      if (repository.archived) throw new Refused(403, ARCHIVED);
      return world.bot(credentials.app.slug);
    }
    case 'user': {
      const access = world.access(repository, caller.account.id);
      if (access !== 'write' && access !== 'admin') throw new Refused(404, 'Not Found');
      if (repository.archived) throw new Refused(403, ARCHIVED);
      return caller.account;
    }
    case 'app':
    case 'anonymous':
      throw new Refused(401, 'Requires authentication');
  }
}

export function assertMayRead({ caller, world }: Acting, repository: Repository, permission: string): void {
  if (caller.kind !== 'installation' || repository.visibility === 'public') return;
  if (isOf(caller, repository, world) && caller.permissions[permission] !== undefined) return;
  throw new Refused(403, NOT_ACCESSIBLE, { permission: `${permission}=read` });
}

export function assertMayChange({ caller }: Acting, paths: readonly string[]): void {
  if (caller.kind !== 'installation' || caller.permissions['workflows'] === 'write') return;
  const workflow = paths.find((path) => path.startsWith('.github/workflows/'));
  if (workflow !== undefined) throw new Refused(403, noWorkflows(workflow), { permission: 'workflows=write' });
}

export function noWorkflows(path: string): string {
  return `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
}

export function emailOf({ id, login, email, type }: Account): string {
  return type === 'Bot' ? `${id}+${login}@users.noreply.github.com` : (email ?? `${login}@example.com`);
}
