import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { removeKey } from '#lib/workflow/edits/keys.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { entryOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import { addPermissions } from './add-permission.ts';

export interface IdentityGrant {
  readonly edits: readonly TextEdit[];
  readonly note: string;
}

export function grantIdentity(job: Job, repository: Repository): IdentityGrant | undefined {
  if (tokenPermissions(job).level('id-token') === 'write') return { edits: [], note: '' };
  const grant = addPermissions(job, ['id-token'], repository);
  if (grant === undefined) return undefined;
  const note = ` No permissions block limits the job ${job.id} today: besides \`id-token: write\`, it gets the permissions that its steps appear to need.`;
  return { edits: grant.edits, note: grant.guessed ? note : '' };
}

export function removeFrom(parent: YamlMapping, key: string, names: readonly string[]): TextEdit[] | undefined {
  const block = entryOf(parent, key)?.value;
  if (block?.kind !== 'mapping' || names.length === 0) return undefined;
  const edits =
    names.length === block.entries.size ? [removeKey(parent, key)] : names.map((name) => removeKey(block, name));
  const made = edits.flatMap((edit) => edit ?? []);
  return made.length === edits.length ? made : undefined;
}

export function registration(job: Job, registry: string): string {
  const file = job.workflow.source.path.split('/').at(-1) ?? '';
  const name = job.environment?.name?.value;
  const environment = name === undefined || name.includes('${{') ? '' : ` and the environment \`${name}\``;
  return `Before merging, register \`${file}\` of this repository${environment} as a trusted publisher of each package at ${registry}; publishing fails until then. Delete the stored token there afterwards.`;
}

export const WITHOUT_GRANT =
  'The job’s current permissions are unknown, so a block of its own might remove some of them.';
