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
  for (const name of secretNamesIn(text)) if (name !== 'github_token' && namesKey(name)) names.add(name);
}

/** False for secrets that are named after an account or a place. */
export function namesKey(name: string): boolean {
  return !USER_NAME.test(name) && !NAMES_A_THING.test(name) && (OPENS.test(name) || !IDENTIFIES.test(name));
}

const NAMES_A_THING =
  /(?:^|_)(?:arn|bucket(?:_name)?|region|signing_identity|(?:host|server)_?name|(?:key_|keystore_)alias|addr|endpoint|host|domain|namespace|port|registry|role(?:_to_assume)?|workload_identity_provider|cache_version|turbo_(?:api|team))$/;

const IDENTIFIES = /(?:_(?:id|url)|(?:^|_)cognito_\w{1,60})$/;

/** Addresses that often contain a password or are one, and identifiers that are half of a key or a whole one. */
const OPENS =
  /(?:access_?key|session)_id$|(?:amqp|artifact|broker|cache|chat|clone|conn(?:ection)?|database|data|db|deploy\w{0,10}|discord|download|dsn|feed|git|hook|index|invite|mongo\w{0,10}|mq|mysql|node|pg|postgres\w{0,10}|proxy|publish|push|redis|remote|repo\w{0,10}|rpc|s3|sas|sentry|signed|slack|sql|storage|teams|upload)_?url$|cognito_(?:\w{0,40}_)?(?:key|pass(?:word)?|secret|token)(?:_|$)/;

const USER_NAME = /(?:^|_)(?:usr|user|login|e?mail)$|user_?name$/;
