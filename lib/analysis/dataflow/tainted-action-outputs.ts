import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import type { TextKind } from './event-payload-fields.ts';

/** Outputs that hold an outsider's text; file and branch names can contain shell syntax. */
export const TAINTED_OUTPUTS: Readonly<
  Record<
    string,
    {
      readonly outputs: RegExp;
      readonly text: TextKind;
      readonly json?: RegExp;
      readonly unless?: (step: Step) => boolean;
    }
  >
> = {
  'tj-actions/changed-files': { outputs: /files$/, text: 'ref' },
  'tj-actions/branch-names': { outputs: /branch/, text: 'ref' },
  'jitterbit/get-changed-files': { outputs: /.*/, text: 'ref' },
  'dorny/paths-filter': { outputs: /_files$/, text: 'ref' },
  'trilom/file-changes-action': { outputs: /files/, text: 'ref' },
  'xt0rted/pull-request-comment-branch': { outputs: /_ref$/, text: 'ref' },
  'eficode/resolve-pr-refs': { outputs: /_ref$/, text: 'ref' },
  'potiuk/get-workflow-origin': { outputs: /branch/i, text: 'ref' },
  'alessbell/pull-request-comment-branch': { outputs: /_ref$/, text: 'ref' },
  'khan/pull-request-comment-trigger': { outputs: /body/, text: 'free' },
  '8bitjonny/gh-get-current-pr': { outputs: /title|body|^pr$/, text: 'free', json: /^pr$/ },
  'jwalton/gh-find-current-pr': { outputs: /^(?:title|body)$/, text: 'free' },
  'nv-gha-runners/get-pr-info': { outputs: /^pr-info$/, text: 'free', json: /^pr-info$/ },
  'octokit/graphql-action': {
    outputs: /^data$/,
    text: 'free',
    json: /^data$/,
    unless: (step) => !/\b(?:title|body|bodyText|headRefName|message)\b/.test(inputOf(step, 'query')?.value ?? ''),
  },
  'octokit/request-action': {
    outputs: /^data$/,
    text: 'free',
    json: /^data$/,
    unless: (step) =>
      !/^\s*(?:GET\s+)?\/\S*\/(?:pulls|issues|comments|commits)(?:[/?\s]|$)/i.test(inputOf(step, 'route')?.value ?? ''),
  },
  'peter-evans/find-comment': {
    outputs: /^comment-body$/,
    text: 'free',
    unless: (step) => inputOf(step, 'comment-author')?.value.trim().endsWith('[bot]') === true,
  },
  'stefanbuck/github-issue-parser': { outputs: /^(?:issueparser_|jsonstring$)/, text: 'free' },
  'xt0rted/slash-command-action': {
    outputs: /^command-arguments$/,
    text: 'free',
    unless: (step) => !/\b(?:none|read)\b/.test(inputOf(step, 'permission-level')?.value ?? ''),
  },
};

const RETURNS_OTHERS = /^(?:actions|docker|github)\//;

const READS_FILES =
  /(?:^|[-_/])(?:read(?:er)?|pars(?:e|er|ing)|get|extract|load|yq|jq)(?:[-_]|$)|ya?ml|json|toml|properties|dotenv/;

const FILE =
  /^(?:\$\{\{ ?github\.workspace ?\}\}\/|\.\/)?([\w.-][\w./-]{0,199}\.(?:cfg|env|ini|json|md|properties|toml|txt|version|xml|ya?ml))$/i;

export function filesRead(step: Step): string[] {
  const slug = actionOf(step)?.slug ?? '';
  if (RETURNS_OTHERS.test(slug) || !READS_FILES.test(slug.split('/')[1] ?? '')) return [];
  return (step.with?.entries ?? []).flatMap(({ value }) => FILE.exec(value.value.trim())?.[1] ?? []);
}

const TAKES_TEXT =
  /(?:^|-)(?:issues?|discussions?|comments?|pull-request|pr)(?:-|$)(?:[a-z]{1,20}-){0,3}(?:body|content|extract(?:or)?|forms?|pars(?:e|er|ing)|process(?:or)?|read(?:er)?)(?:-|$)/;

const NUMBER = /^\$\{\{ ?github\.event\.(?:issue|pull_request|discussion|comment)\.(?:number|id|node_id) ?\}\}$/;

const NO_TEXT = /(?:^|[-_])(?:count|id|labels?|number|result|state|status|success|url)$/;

export function returnsText(step: Step, output: string): boolean {
  const slug = actionOf(step)?.slug ?? '';
  if (RETURNS_OTHERS.test(slug) || !TAKES_TEXT.test(slug.split('/')[1] ?? '') || NO_TEXT.test(output)) return false;
  return (step.with?.entries ?? []).some(({ value }) => NUMBER.test(value.value.trim()));
}
