import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { removeKey } from '#lib/workflow/edits/keys.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { entryOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import { addPermissions } from './add-permission.ts';

/** The right of a job to an identity: the edits that give it, and a sentence about its other rights when they are guessed. */
export interface IdentityGrant {
  readonly edits: readonly TextEdit[];
  readonly note: string;
}

/** Undefined where the right cannot be given without touching others that the job has today. */
export function grantIdentity(job: Job, repository: Repository): IdentityGrant | undefined {
  if (tokenPermissions(job).level('id-token') === 'write') return { edits: [], note: '' };
  const grant = addPermissions(job, ['id-token'], repository);
  if (grant === undefined) return undefined;
  const note = ` No block says which rights the job ${job.id} has today: beside \`id-token: write\` it gets what its steps show a need of.`;
  return { edits: grant.edits, note: grant.guessed ? note : '' };
}

/** Removes keys from the block of a mapping's key, and the block with them when nothing else is in it. */
export function removeFrom(parent: YamlMapping, key: string, names: readonly string[]): TextEdit[] | undefined {
  const block = entryOf(parent, key)?.value;
  if (block?.kind !== 'mapping' || names.length === 0) return undefined;
  const edits =
    names.length === block.entries.size ? [removeKey(parent, key)] : names.map((name) => removeKey(block, name));
  const made = edits.flatMap((edit) => edit ?? []);
  return made.length === edits.length ? made : undefined;
}

/** What a person does at a registry before the change is merged. */
export function registration(job: Job, registry: string): string {
  const file = job.workflow.source.path.split('/').at(-1) ?? '';
  const name = job.environment?.name?.value;
  const environment = name === undefined || name.includes('${{') ? '' : ` and the environment \`${name}\``;
  return `Before this is merged, register \`${file}\` of this repository${environment} as a trusted publisher of each package at ${registry}: until then publishing fails. Delete the stored token there afterwards.`;
}

/** Of rights that are given to all jobs at once, or that nothing says. */
export const WITHOUT_GRANT =
  'Which rights the job has today does not show, so that a block of its own might take some of them away.';
