import { actionOf, innermostSteps, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import type { ForeignDownload } from '../checkouts/run-artifacts.ts';

const COMMENTS: ReadonlySet<string> = new Set([
  'actions-cool/maintain-one-comment',
  'jwalton/gh-find-current-pr',
  'marocchino/sticky-pull-request-comment',
  'mshick/add-pr-comment',
  'peter-evans/create-or-update-comment',
  'peter-evans/find-comment',
  'thollander/actions-comment-pull-request',
]);

const DOWNLOADS = ['actions/checkout', 'actions/download-artifact', 'dawidd6/action-download-artifact'] as const;

export function onlyComments({ step }: ForeignDownload, repository: Repository): boolean {
  const job = jobOf(step);
  if (job === undefined || job.outputs !== undefined) return false;
  return innermostSteps(job.steps.slice(step.index), repository).every(comments);
}

function comments(step: Step): boolean {
  if (step.run !== undefined) return printsAndComments(step);
  return runsAction(step, ...DOWNLOADS) || commentsByAction(step);
}

export function commentsByAction(step: Step): boolean {
  if (COMMENTS.has(actionOf(step)?.slug ?? '')) return true;
  return actionOf(step)?.slug === 'actions/github-script' && callsOnlyComments(inputOf(step, 'script')?.value ?? '');
}

const CALL =
  /\bgithub\.rest\.(?:issues\.(?:create|update|delete)Comment|[a-zA-Z]{1,20}\.(?:(?:get|list)[A-Z][a-zA-Z]{0,60}|get|list|downloadArtifact))\b/g;
const HARMLESS = /\bgithub\.paginate\(|\bgithub\.com\b|\.github\/|\brequire\(\s*['"](?:node:)?(?:fs|path)['"]\s*\)/g;
const BEYOND =
  /\bgithub\b|octokit|\brequire\b|\bimport\b|(?<![.\w])exec|spawn|\bfetch\b|\beval\b|\bFunction\(|\bprocess\.(?!env\.[A-Z])|exportVariable|addPath|\$\{\{/;

function callsOnlyComments(script: string): boolean {
  return !BEYOND.test(script.replace(OF_THE_HOST, '').replace(CALL, '').replace(HARMLESS, ''));
}

const OF_THE_HOST =
  /\$\{\{\s?github\.(?:event\.workflow_run\.(?:head_sha|html_url|id)|repository|run_id|server_url|sha|workspace)\s?\}\}/g;

const PRINTS: ReadonlySet<string> = new Set(
  (
    'awk base64 basename break cat continue cp cut date dirname echo exit false fold grep head jq local ls mkdir mv nl ' +
    'paste printf read return rm sed seq set shopt sort tail tee test touch tr true uniq unzip wc [ [['
  ).split(' '),
);

export function evaluatesText(script: string): boolean {
  return EVALUATES_TEXT.test(script);
}

const EVALUATES_TEXT =
  /\(\(|\[\[[^\n]{0,400}\s-(?:eq|ne|lt|le|gt|ge|v)\s|\b(?:declare|eval|let|unset)\b|-v\b|GITHUB_(?:ENV|PATH)/;

function printsAndComments(step: Step): boolean {
  const script = step.run?.value ?? '';
  const commands = commandsOf(step);
  if (shellOf(step) !== 'posix' || commands.length === 0 || EVALUATES_TEXT.test(script)) return false;
  if (script.replace(OF_THE_HOST, '').includes('${{')) return false;
  const own = new Set(Array.from(script.matchAll(/\b(\w{1,60})\s?\(\)/g), ([, name = '']) => name));
  return commands.every((command) => {
    const { program, words } = command;
    if (words.length === 0 || own.has(program)) return true;
    if (program === 'gh') return commentsWithGh(command);
    return prints(command);
  });
}

export function prints(command: ShellCommand): boolean {
  const { program, args } = command;
  if (program === 'find')
    return args.every(({ literal, value }) => literal && !/^-(?:exec|ok|delete|fprint)/.test(value));
  if (program === 'awk' || program === 'sed') return isFixedFilter(command);
  return PRINTS.has(program);
}

function isFixedFilter({ program, args }: ShellCommand): boolean {
  const files = args.filter(({ value }) => !value.startsWith('-')).slice(1);
  const starts = program === 'sed' ? /(?:^|[\d/;{}$])e\b/ : /\bsystem\b|\bgetline\b|(?<!\|)\|(?!\|)/;
  return args.every((word) => (word.literal ? !starts.test(word.value) : files.includes(word)));
}

function commentsWithGh({ args }: ShellCommand): boolean {
  const [group, verb] = args.map(({ value }) => value);
  if (args.some(({ literal, text }) => !literal && !text.startsWith('"'))) return false;
  return (group === 'pr' || group === 'issue') && /^(?:comment|list|view)$/.test(verb ?? '');
}
