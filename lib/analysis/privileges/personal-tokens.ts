import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf, isFalse, runsAction } from '#lib/workflow/model/action-uses.ts';
import { majorOf } from '#lib/workflow/model/action-version.ts';
import { type Job, jobOf, type Step, type Text, type Variable } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { tokensInGitConfig } from './remotes.ts';
import { opensOnly, secretNamesIn } from './secret-names.ts';

const HOST_TOKEN =
  /^(?:(?:input_)?(?:gh|github|repo|repository|git|personal|pat|bot)[_-]?(?:access[_-]?)?token|(?:gh|github)[_-]?pat|pat)$/i;

const CODE_HOSTS_TOKEN = /^(?:input_)?(?:gh|github)[_-]?(?:access[_-]?)?(?:pat|token)$/i;

const ANY_TOKEN = /^(?:input_)?(?:token|access[_-]?token|auth[_-]?token)$/i;

const PERSONAL =
  /(?:^|_)(?:pat|(?:gh|github)_?token|access_?token|bot_?token|bot_?pat|personal_?token|machine_?token)(?:_|$)|(?:^|_)pat\d*$/i;

const APP_KEY = /(?:^|[_-])app[_-]?(?:private[_-]?)?(?:key|pem)$/i;

const OTHER_SERVICE =
  /(?:^|_)(?:algolia|amplitude|anthropic|apify|apple|argo\w*|artifactory|atlassian|auth0|aws|azure|bitbucket|buf|buildkite|cachix|cargo|chromatic|circleci|claude|clojars|cloudflare|cf|codacy|codecov|codeclimate|codspeed|confluence|coveralls|crates(?:_?io)?|crowdin|cypress|datadog|dd|deepsource|digitalocean|discord|docker\w*|dropbox|expo|facebook|figma|firebase|fly|fossa|gcloud|gcp|gem\w*|gemini|gitguardian|gitlab|gitee|gitter|google|grafana|harbor|hashicorp|heroku|hex|hf|huggingface|jfrog|jira|launchdarkly|linear|linkedin|localazy|lokalise|mapbox|maven|mastodon|matrix|netlify|newrelic|ngrok|node_auth|notion|npm\w*|nuget|nvd|nx(?:_cloud)?|openai|openvsx|ossrh|ovsx|packagecloud|pagerduty|percy|phrase|posthog|pulumi|pypi|quay|railway|readme|reddit|render|rubygems|safety|semgrep|sentry|slack|snyk|sonar\w*|sonatype|ssh|stripe|surge|telegram|terraform|testpypi|tfe|tf|trello|trivy|twine|twitter|vault|vercel|vsce|webhook|wrangler|x_api|youtrack|youtube|zulip)(?:_|$)/i;

/**
 * Returns the stored tokens of people, bots and apps of the code host that a step hands to an action. A variable of the
 * whole job counts in the first step whose action can be moved.
 */
export function personalTokensIn(step: Step): string[] {
  const action = actionOf(step);
  if (action === undefined) return [];
  const job = jobOf(step);
  const wide = job?.steps.find(isMovable) === step ? [job.env, job.workflow.env] : [];
  const given = [step.with, step.env, ...wide].flatMap((variables) => variables?.entries ?? []);
  return [...new Set(given.flatMap((variable) => tokensIn(variable, action.owner)))];
}

export interface TokensInReach {
  readonly stored: readonly string[];
  readonly ofApps: readonly string[];
}

export function tokensInReach(step: Step, repository: Repository): TokensInReach {
  if (actionOf(step) === undefined) return { stored: [], ofApps: [] };
  const given = [step.with, step.env].flatMap((variables) => variables?.entries ?? []);
  const left = tokensLeft(step.parent, repository).filter(({ first }) => first === step);
  return {
    stored: [...new Set([...personalTokensIn(step), ...left.flatMap(({ stored }) => stored)])].sort(),
    ofApps: [
      ...new Set([...given.flatMap(({ value }) => appTokensIn(value, step)), ...left.flatMap(({ ofApps }) => ofApps)]),
    ].sort(),
  };
}

const MAX_LEAVING = 20;

const tokensLeft = memoInRepository(
  ({ steps }: Step['parent'], repository): readonly (TokensInReach & { readonly first: Step })[] =>
    steps
      .map((step) => ({ step, ...tokensLeftBy(step, repository) }))
      .filter(({ stored, ofApps }) => stored.length + ofApps.length > 0)
      .slice(0, MAX_LEAVING)
      .flatMap(({ step, ...left }) => {
        const takers = steps.filter((later) => later.index > step.index && isMovable(later));
        const first = (left.stored.length === 0 ? takers.find(isUnversioned) : undefined) ?? takers[0];
        return first === undefined ? [] : [{ first, ...left }];
      }),
);

function tokensLeftBy(step: Step, repository: Repository): TokensInReach {
  if (step.run !== undefined) return { stored: tokensInGitConfig(step, repository), ofApps: [] };
  if (!runsAction(step, 'actions/checkout') || isFalse(inputOf(step, 'persist-credentials')))
    return { stored: [], ofApps: [] };
  const token = step.with?.get('token');
  return {
    stored: [...(token === undefined ? [] : tokensIn(token, 'actions')), ...deployKeysIn(step)],
    ofApps: token === undefined ? [] : appTokensIn(token.value, step),
  };
}

function deployKeysIn(step: Step): string[] {
  const key = inputOf(step, 'ssh-key');
  return key === undefined || inputOf(step, 'repository') !== undefined ? [] : secretNamesIn(key);
}

const APP_TOKEN = /(?:^|[-/])(?:app(?:lication)?-token|app-installation-token|octoken)/;

function appTokensIn(text: Text, { parent }: Step): string[] {
  if (!text.value.includes('steps.')) return [];
  return expressionsIn(text)
    .flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)))
    .filter((path) => {
      const [context, id = '', outputs, name = ''] = path.split('.');
      const step =
        context === 'steps' && outputs === 'outputs' && name.endsWith('token')
          ? parent.steps.find((each) => each.id?.value.toLowerCase() === id)
          : undefined;
      return step !== undefined && APP_TOKEN.test(actionOf(step)?.slug ?? '') && writesCode(step);
    });
}

function writesCode({ with: inputs }: Step): boolean {
  const limits = (inputs?.entries ?? []).filter(({ name }) => /^permission-/i.test(name));
  return (
    limits.length === 0 || limits.some(({ name, value }) => value.value.trim() !== 'read' && !CONVERSES.test(name))
  );
}

const CONVERSES = /^permission-(?:checks|discussions|issues|pull-requests|statuses|metadata)$/i;

export function personalTokensPassed({ uses, secrets, with: inputs }: Job): string[] {
  const reference = uses?.reference;
  if (reference?.kind !== 'repository') return [];
  const given = [inputs, secrets].flatMap((variables) => variables?.entries ?? []);
  return [...new Set(given.flatMap((variable) => tokensIn(variable, reference.owner)))];
}

export const storedTokensIn = memoByNode((step: Step): readonly string[] => {
  const job = jobOf(step);
  const given = [step.with, step.env, job?.env, job?.workflow.env].flatMap((variables) => variables?.entries ?? []);
  return [...new Set(given.flatMap((variable) => tokensIn(variable, actionOf(step)?.owner ?? '')))];
});

export const codeHostTokens = memoByNode(
  ({ env, secrets, steps, workflow, with: inputs }: Job): ReadonlySet<string> => {
    const given = [env, workflow.env, inputs, secrets, ...steps.flatMap((step) => [step.env, step.with])];
    const tokens = given.flatMap((variables) =>
      (variables?.entries ?? []).filter(({ name }) => CODE_HOSTS_TOKEN.test(name)),
    );
    const forCheckout = steps.flatMap((step) =>
      runsAction(step, 'actions/checkout') ? (step.with?.get('token') ?? []) : [],
    );
    const names = [...tokens, ...forCheckout].flatMap(({ value }) => secretNamesIn(value));
    return new Set(names.filter((name) => name !== 'github_token'));
  },
);

function isMovable(step: Step): boolean {
  const action = actionOf(step);
  return action !== undefined && !isFullSha(action.ref) && !/^(?:actions|github)$/i.test(action.owner);
}

function isUnversioned(step: Step): boolean {
  return majorOf(actionOf(step)?.ref ?? '') === undefined;
}

function tokensIn({ name, value }: Variable, vendor: string): string[] {
  return secretNamesIn(value).filter((secret) => {
    if (secret === 'github_token' || secret === '*') return false;
    if (opensOnly(secret, vendor) && !CODE_HOSTS_TOKEN.test(name)) return false;
    if (
      (APP_KEY.test(secret) && !OTHER_SERVICE.test(secret)) ||
      (/^(?:app[_-])?private[_-]key$/i.test(name) && /app/i.test(secret))
    )
      return true;
    if (OTHER_SERVICE.test(secret) || /read_?only/.test(secret)) return false;
    return HOST_TOKEN.test(name) || ANY_TOKEN.test(name) || PERSONAL.test(secret);
  });
}
