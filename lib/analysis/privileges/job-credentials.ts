import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Variables, Workflow } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { tokenPermissions } from './permissions.ts';
import { isPublished } from './published-values.ts';
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

/** A run gets at most 300 secrets, so a job that names more may read all of them. */
const MAX_SECRETS = 300;

function secretsIn(job: Job): ReadonlySet<string> {
  const names = new Set(sharedSecretsIn(job.workflow));
  if (job.secretsInherit !== undefined) names.add('*');
  const texts = [...textsBelow(job.mapping)];
  const published = publishedIn([job.env, job.container?.env, ...job.steps.map(({ env }) => env)]);
  addNames(texts.filter(isUsedBeside([...published, ...job.steps.flatMap(accountNamesIn)])), names);
  return names;
}

const sharedSecretsIn = memoByNode(({ env }: Workflow): ReadonlySet<string> => {
  const names = new Set<string>();
  const texts = (env?.entries ?? []).map(({ value }) => value);
  addNames(texts.filter(isUsedBeside(publishedIn([env]))), names);
  return names;
});

function addNames(texts: readonly Text[], names: Set<string>): void {
  for (const text of texts) {
    for (const name of secretNamesIn(text)) {
      if (name === 'github_token' || !namesKey(name)) continue;
      names.add(names.size < MAX_SECRETS ? name : '*');
    }
  }
}

function publishedIn(variables: readonly (Variables | undefined)[]): Text[] {
  return variables.flatMap((each) =>
    (each?.entries ?? []).flatMap(({ name, value }) => (isPublished(name.toLowerCase()) ? [value] : [])),
  );
}

function accountNamesIn(step: Step): Text[] {
  if (actionOf(step)?.owner.toLowerCase() !== 'google-github-actions') return [];
  return ['service_account', 'service_account_email'].flatMap((input) => step.with?.get(input)?.value ?? []);
}

/** An alias puts the same text in two places, so each of these texts counts once only. */
function isUsedBeside(published: readonly Text[]): (text: Text) => boolean {
  const left = new Map<number, number>();
  for (const { span } of published) left.set(span.start, (left.get(span.start) ?? 0) + 1);
  return ({ span }) => {
    const count = left.get(span.start) ?? 0;
    left.set(span.start, count - 1);
    return count <= 0;
  };
}

export function namesKey(name: string): boolean {
  if (isPublished(name)) return false;
  return !USER_NAME.test(name) && !NAMES_A_THING.test(name) && (OPENS.test(name) || !IDENTIFIES.test(name));
}

const NAMES_A_THING =
  /^(?:has|use)_|(?:^|_)(?:arn|branch|bucket|channel|debug|dir|folder|path|slug|version|(?:docker\w{0,3}|gh|github|npm|rhsm|sentry|sonar)_org|sentry_project|region|signing_identity|(?:host|server)name|(?:key_|keystore_)alias|addr|endpoint|host|domain|name|namespace|port|prompt|(?:cloud|gcloud|gcp|gke|google)_project|project_number|provider|registry|role(?:_to_assume)?|tenant|account_number|sign(?:ing)?_(?:account|(?:cert(?:ificate)?_)?profile)|cache_version|turbo_(?:api|team))$/;

const IDENTIFIES =
  /(?:_(?:id|url)|(?:^|_)cognito_\w{1,60}|(?:^|_)site_id(?:_(?!\w{0,60}(?:key|pass|secret|token))\w{1,60})?)$/;

/** Addresses that often contain a password or are one, and identifiers that are half of a key or a whole one. */
const OPENS =
  /(?:access_?key|session)_id$|(?:amqp|artifact|broker|cache|chat|clone|conn(?:ection)?|database|data|db|deploy\w{0,10}|discord|download|dsn|feed|git|hook|index|invite|mongo\w{0,10}|mq|mysql|node|pg|postgres\w{0,10}|proxy|publish|push|redis|remote|repo\w{0,10}|rpc|s3|sas|sentry|signed|slack|sql|storage|teams|upload)_?url$|cognito_(?:\w{0,40}_)?(?:key|pass(?:word)?|secret|token)(?:_|$)/;

const USER_NAME = /(?:^|_)(?:usr|user|login|e?mail)$|user_?name$/;
