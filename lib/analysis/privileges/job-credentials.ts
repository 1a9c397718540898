import type { Job } from '#lib/workflow/model/model.ts';
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
  const secrets = [...new Set(secretsIn(job))];
  const { grantsWrite, mayWrite, level } = tokenPermissions(job);
  const mintsOidc = level('id-token') === 'write';
  return { secrets, mayWrite, grantsWrite, mintsOidc, any: secrets.length > 0 || grantsWrite || mintsOidc };
});

function* secretsIn(job: Job): Generator<string> {
  if (job.secretsInherit !== undefined) yield '*';
  const workflowEnv = job.workflow.env?.entries.map(({ value }) => value) ?? [];
  for (const text of [...workflowEnv, ...textsBelow(job.mapping)]) {
    for (const name of secretNamesIn(text)) if (name !== 'github_token' && !USER_NAME.test(name)) yield name;
  }
}

const USER_NAME = /(?:^|_)(?:usr|user|user_?name|login|e?mail)$/;
