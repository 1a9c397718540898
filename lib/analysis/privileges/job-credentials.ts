import type { Job } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { tokenPermissions } from './permissions.ts';
import { secretNamesIn } from './secret-names.ts';

/** What whoever runs code in a job could take or do. */
export interface JobCredentials {
  /**
   * Names of the secrets the job reads, in lower case, without GITHUB_TOKEN and what opens nothing by itself: names of
   * users. `*` for all of them.
   */
  readonly secrets: readonly string[];
  /** The job's token has some write scope by its declaration, or nothing limits it. */
  readonly mayWrite: boolean;
  /** A declared block grants some write. */
  readonly grantsWrite: boolean;
  readonly mintsOidc: boolean;
  /** True when there is anything of the above to take for certain: a secret, a granted write or OIDC. */
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
