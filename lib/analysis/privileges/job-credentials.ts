import type { Job, Text } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { tokenPermissions } from './permissions.ts';
import { secretNamesIn } from './secret-names.ts';

export interface JobCredentials {
  readonly secrets: readonly string[];
  readonly mayWrite: boolean;
  readonly grantsWrite: boolean;
  readonly mintsOidc: boolean;
  readonly any: boolean;
}

export const credentialsOf = memoByNode((job: Job): JobCredentials => {
  const secrets = [...secretsIn(job)];
  const { grantsWrite, mayWrite, level } = tokenPermissions(job);
  const mintsOidc = level('id-token') === 'write';
  return { secrets, mayWrite, grantsWrite, mintsOidc, any: secrets.length > 0 || grantsWrite || mintsOidc };
});

function secretsIn(job: Job): ReadonlySet<string> {
  const names = new Set<string>();
  if (job.secretsInherit !== undefined) names.add('*');
  for (const { value } of job.workflow.env?.entries ?? []) addNames(value, names);
  for (const text of textsBelow(job.mapping)) addNames(text, names);
  return names;
}

function addNames(text: Text, names: Set<string>): void {
  for (const name of secretNamesIn(text))
    if (name !== 'github_token' && !USER_NAME.test(name) && !NAMES_A_THING.test(name)) names.add(name);
}

const NAMES_A_THING =
  /(?:^|_)(?:arn|bucket(?:_name)?|region|(?:account|client|tenant|subscription|project|organi[sz]ation|org|zone|team|distribution|installation|app)_id|signing_identity|(?:host|server)_?name|addr|host|domain|port|registry|workload_identity_provider)$/;

const USER_NAME = /(?:^|_)(?:usr|user|user_?name|login|e?mail)$/;
