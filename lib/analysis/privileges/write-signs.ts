import { innermostSteps, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, shellOf } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { memoInRepository } from '../memo.ts';
import { actionNeeds, documentedNeeds, ghNeeds, type LikelyNeeds } from './documented-permissions.ts';
import { QUIET_COMMANDS } from './foreign-code.ts';
import { gitUse } from './git-use.ts';
import { GITHUB_TOKEN, holdsToken, tokenNames } from './handed-token.ts';

export interface WriteSigns {
  readonly scopes: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly unknown: boolean;
  readonly likely: { readonly scopes: ReadonlySet<string>; readonly reads: ReadonlySet<string> } | undefined;
}

const GH_SCOPES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bgh release\b/, ['contents']],
  [/\bgh pr\b/, ['pull-requests', 'contents']],
  [/\bgh issue\b/, ['issues']],
  [/\bgh (?:workflow|run|cache)\b/, ['actions']],
  [/\bgit\b[^\n]{0,200}?\bpush\b/, ['contents']],
  [/\bghcr\.io\b|npm\.pkg\.github\.com|maven\.pkg\.github\.com|nuget\.pkg\.github\.com/, ['packages']],
  [/\bcosign (?:sign|attest)|--provenance\b|sigstore|ACTIONS_ID_TOKEN_REQUEST/, ['id-token']],
  [/\bnpm publish\b|pnpm publish\b|uv publish\b/, ['id-token']],
  [/\bgithub\.rest\.issues\b|\bissues\.(?:createComment|addLabels|update|create)\b/, ['issues', 'pull-requests']],
  [/\bgithub\.rest\.pulls\b|\bpulls\.(?:create|update|merge|requestReviewers)/, ['pull-requests']],
  [
    /\brepos\.(?:createRelease|updateRelease|uploadReleaseAsset|createOrUpdateFileContents)|\bgit\.(?:createRef|createCommit)/,
    ['contents'],
  ],
  [/\bpkg-pr-new\b/, ['pull-requests']],
  [/\bchecks\.(?:create|update)\b|\/check-runs\b/, ['checks']],
  [/\bcreateCommitStatus\b|\/statuses\//, ['statuses']],
  [/\bcreateDeployment|\/deployments\b/, ['deployments']],
  [/\bactions\.(?:createWorkflowDispatch|reRun|cancel|deleteArtifact|deleteActionsCache)/, ['actions']],
];

const ANY_SCOPE = new RegExp(GH_SCOPES.map(([{ source }]) => source).join('|'));

const CLIENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  actions: ['actions'],
  checks: ['checks'],
  codescanning: ['security-events'],
  git: ['contents'],
  issues: ['issues', 'pull-requests'],
  packages: ['packages'],
  pulls: ['pull-requests', 'contents'],
  reactions: ['issues', 'pull-requests', 'discussions'],
  repos: ['contents', 'deployments', 'pages', 'statuses'],
  search: [],
  users: [],
};

const OTHER_TOKEN = /\b(?:secrets|steps|needs)\./i;

const CLIENT_CALL = /\bgithub\.(?:rest\.)?([a-zA-Z]{1,20})\.[a-zA-Z]{1,60}\b/g;

function scriptScopes(step: Step): readonly string[] | undefined {
  const script = inputOf(step, 'script')?.value;
  if (script === undefined) return undefined;
  const token = inputOf(step, 'github-token')?.value;
  if (token !== undefined && OTHER_TOKEN.test(token) && !GITHUB_TOKEN.test(token))
    return GITHUB_TOKEN.test(script) ? undefined : [];
  const parts = [...script.matchAll(CLIENT_CALL)].map(([, part = '']) => ownValue(CLIENT_SCOPES, part.toLowerCase()));
  const rest = script
    .replace(CLIENT_CALL, '')
    .replace(/\bgithub\.(?:com|paginate)\b|\$\{\{[^}]{0,400}\}\}|\.github\b/g, '');
  if (/\bgithub\b|octokit|\brequire\b|\bimport\b|\bexec\b|\bfetch\b|process\.env\.\w*TOKEN/i.test(rest))
    return undefined;
  return parts.includes(undefined) ? undefined : parts.flatMap((scopes) => scopes ?? []);
}

export const writeSigns = memoInRepository(findSigns);

function findSigns(job: Job, repository: Repository): WriteSigns {
  const scopes = new Set<string>();
  const reads = new Set<string>();
  const documented: LikelyNeeds[] = [];
  let unknown = job.uses !== undefined;
  // Pulling an image with the token needs read access to packages.
  if ([job.container, ...job.services].some((container) => GITHUB_TOKEN.test(container?.password?.value ?? ''))) {
    unknown = true;
  }
  const outerToken = holdsToken(job.env) || holdsToken(job.workflow.env);
  const visit = (step: Step): void => {
    if (step.uses?.reference?.kind === 'local') {
      unknown = true;
      return;
    }
    if (runsAction(step, 'actions/github-script')) {
      const written = scriptScopes(step);
      if (written === undefined) unknown = true;
      for (const scope of written ?? []) scopes.add(scope);
      return;
    }
    const commands = step.run !== undefined && (outerToken || holdsToken(step.env)) ? commandNeeds(step) : undefined;
    if (commands !== undefined) {
      for (const scope of commands.writes) scopes.add(scope);
      for (const scope of commands.reads) reads.add(scope);
      return;
    }
    const text = [step.run?.value, ...(step.with?.entries.map(({ value }) => value.value) ?? [])].join('\n');
    for (const [pattern, found] of ANY_SCOPE.test(text) ? GH_SCOPES : []) {
      if (pattern.test(text)) for (const scope of found) scopes.add(scope);
    }
    if (step.uses !== undefined) {
      const needs = actionNeeds(step);
      for (const scope of needs?.writes ?? []) scopes.add(scope);
      for (const scope of needs?.reads ?? []) reads.add(scope);
      // With a token it downloads artifacts of other runs, which needs a permission of its own.
      const fetchesOthers =
        runsAction(step, 'actions/download-artifact') && inputOf(step, 'github-token') !== undefined;
      const likely = needs === undefined ? documentedNeeds(step) : undefined;
      if (likely !== undefined) documented.push(likely);
      else if (needs === undefined || fetchesOthers) unknown = true;
      return;
    }
    if (outerToken || holdsToken(step.env) || GITHUB_TOKEN.test(text) || gitUse(step, repository) === 'uses') {
      unknown = true;
    }
  };
  for (const step of innermostSteps(job.steps, repository)) visit(step);
  for (const scope of scopes) reads.delete(scope);
  if (documented.length === 0 || unknown) return { scopes, reads, unknown, likely: undefined };
  const writes = new Set([...scopes, ...documented.flatMap((needs) => needs.writes)]);
  const read = [...reads, ...documented.flatMap((needs) => needs.reads)].filter((scope) => !writes.has(scope));
  return { scopes, reads, unknown: true, likely: { scopes: writes, reads: new Set(read) } };
}

const CARRIERS: ReadonlySet<string> = new Set(
  'curl wget docker find sudo xargs env install yq apt apt-get brew'.split(' '),
);

function commandNeeds(step: Step): { readonly writes: string[]; readonly reads: string[] } | undefined {
  const script = step.run?.value ?? '';
  // A script that names the token can send it anywhere; `gh` reads it from the environment.
  const named = tokenNames(step).some((name) => new RegExp(`\\b${name}\\b`).test(script));
  if (shellOf(step) !== 'posix' || named || GITHUB_TOKEN.test(script)) return undefined;
  const writes: string[] = [];
  const reads: string[] = [];
  const commands = commandsOf(step);
  if (commands.length === 0) return undefined;
  for (const command of commands) {
    const { program, words } = command;
    if (program === 'gh') {
      const needs = ghNeeds(command);
      if (needs === undefined) return undefined;
      writes.push(...(needs.writes ?? []));
      reads.push(...(needs.reads ?? []));
    } else if (words.length > 0 && (!QUIET_COMMANDS.has(program) || CARRIERS.has(program))) return undefined;
  }
  return { writes, reads: reads.filter((scope) => !writes.includes(scope)) };
}
