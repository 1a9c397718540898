import { ACTION_NEEDS, type ActionNeeds } from '#lib/data/action-needs.ts';
import { type CommandNeeds, GH_COMMANDS } from '#lib/data/gh-commands.ts';
import { actionOf, innermostSteps, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import { memoInRepository } from '../memo.ts';
import { documentedNeeds, type LikelyNeeds } from './documented-permissions.ts';
import { isNoOp } from './no-op-steps.ts';

export function actionNeeds(step: Step): ActionNeeds | undefined {
  const action = actionOf(step);
  return action === undefined ? undefined : (ACTION_NEEDS[action.name] ?? ACTION_NEEDS[action.slug]);
}

/** `may` means that the step runs code outside this repository's files. */
export type Use = 'uses' | 'may' | 'no';

const REMOTE_GIT: ReadonlySet<string> = new Set([
  'push',
  'pull',
  'fetch',
  'submodule',
  'clone',
  'ls-remote',
  'lfs',
  'remote',
]);

const GIT_IN_TEXT = /\bgit\b[^\n]{0,200}?\b(?:push|pull|fetch|submodule|ls-remote|lfs|send-pack)\b/;

const PUSHING_TOOL =
  /\b(?:semantic-release|release-it|release-plz|cargo[ -]release|changesets?(?: |:)(?:tag|publish|version)|lerna (?:version|publish)|nx release|auto shipit|gh-deploy|gh-pages|ghp-import|mike deploy|release:(?:prepare|perform)|ci-release|goreleaser|chart-releaser|docs:deploy|git-auto-commit|jgit:|dulwich|git-cliff|cz bump|bump2version|bump-my-version|standard-version|gh (?:pr (?:checkout|create)|repo (?:sync|clone))|hub (?:push|pull))\b/;

/** Commands that neither run repository code nor touch git; anything else may hide a push. */
const QUIET_COMMANDS: ReadonlySet<string> = new Set(
  (
    'apt apt-get awk aws az base64 basename bc break brew cat cd chmod chown cmp column comm continue cp curl ' +
    'cut date declare df diff dirname do docker du echo env exit export expr false find fold free gcloud getent ' +
    'grep groupadd gsutil gunzip gzip head hostname id install join jq kill let ln local ls lscpu mapfile md5sum ' +
    'mkdir mktemp mv nl nproc paste popd printenv printf ps pushd pwd read readarray readlink readonly realpath ' +
    'return rev rm rmdir rustup sed seq set sha1sum sha256sum sha512sum shasum shift shopt sleep sort ' +
    'source-date split stat strings sudo sync sysctl tac tail tar tee test timedatectl touch tr tree true type ' +
    'ulimit umask uname uniq unset unzip wc wget which xargs xz yq zcat zip [ [['
  ).split(' '),
);

const BUILD_COMMANDS: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun) (?:ci|install|i|add|test|t|audit|run (?:build|test|lint|check|typecheck|type-check|format|fmt|compile|coverage|tsc)(?:$|[ :]))/,
  /^(?:yarn|ninja|make -j\d*)$/,
  /^npx (?:--no-install )?(?:tsc|eslint|prettier|vitest|jest|biome)\b/,
  /^go (?:build|test|vet|mod|install|get|version|env|fmt)\b/,
  /^cargo (?:\+\S+ )?(?:build|test|check|clippy|fmt|doc|bench|nextest|audit|deny|install|miri|tarpaulin|llvm-cov|hack|fetch|metadata)\b/,
  /^(?:pip3?|pipx) (?:install|list|check|freeze|show|download|wheel)\b/,
  /^(?:uv|poetry|pdm|conda|mamba) (?:sync|pip|venv|lock|build|python|tool install|install|check|create|update|info|list|self)\b/,
  /^(?:(?:uv|poetry|pdm|hatch) run |bundle exec )?(?:pytest|ruff|mypy|black|flake8|pylint|isort|coverage|pyright|rspec|rubocop)\b/,
  /^python3? -m (?:pip|pytest|build|unittest|venv|mypy|compileall|twine)\b/,
  /^(?:dotnet (?:build|test|restore|format|pack)|bundle install|composer (?:install|update|validate)|swift (?:build|test)|zig (?:build|test|fmt)|bazel(?:isk)? (?:build|test|query)|deno (?:test|lint|fmt|check|cache|install)|mix (?:test|compile|deps|format|credo))\b/,
  /^(?:mvn|mvnw|gradle|gradlew)(?: -\S+)* (?:clean )?(?:test|verify|compile|package|check|build|assemble)(?: -\S+)*$/,
  /^(?:cmake|ctest|meson|terraform|kubectl|helm|shellcheck|actionlint|hadolint|rustc|gcc|clang|cc|tsc|eslint)\b/,
];

/** Tells if a step contacts the remote with the stored credential. */
export const gitUse = memoInRepository((step: Step, repository): Use => {
  const uses = innermostSteps([step], repository).map(ownGitUse);
  return uses.includes('uses') ? 'uses' : uses.includes('may') ? 'may' : 'no';
});

function ownGitUse(step: Step): Use {
  if (step.uses?.reference?.kind === 'local') return 'may';
  if (step.uses !== undefined) {
    const script = inputOf(step, 'script') ?? inputOf(step, 'command') ?? inputOf(step, 'run') ?? inputOf(step, 'cmd');
    if (script !== undefined && usesRemoteGit(script.value)) return 'uses';
    if (actionOf(step)?.slug === 'actions/github-script')
      return /\bexec\b|child_process|\$`/.test(script?.value ?? '') ? 'may' : 'no';
    const needs = actionNeeds(step);
    if (needs?.git === true) return 'uses';
    return needs === undefined ? 'may' : 'no';
  }
  if (step.run === undefined) return 'no';
  if (usesRemoteGit(step.run.value)) return 'uses';
  if (shellOf(step) !== 'posix') return 'may';
  const commands = commandsOf(step);
  if (
    commands.some((command) => command.program === 'git' && command.args.some(({ value }) => REMOTE_GIT.has(value)))
  ) {
    return 'uses';
  }
  return commands.every(isOrdinary) ? 'no' : 'may';
}

function usesRemoteGit(text: string): boolean {
  return text.includes('extraheader') || (text.includes('git') && GIT_IN_TEXT.test(text)) || PUSHING_TOOL.test(text);
}

function isOrdinary(command: ShellCommand): boolean {
  const { program, words } = command;
  if (words.length === 0) return true;
  if (program === 'git') return true;
  if (program === 'gh') return ghNeeds(command) !== undefined;
  if (QUIET_COMMANDS.has(program)) {
    const runsOther = program === 'xargs' || program === 'find' || program === 'docker';
    return !runsOther || (program === 'docker' && !/^(?:run|exec|compose)$/.test(command.args[0]?.value ?? ''));
  }
  const line = `${program} ${command.args.map(({ value }) => value).join(' ')}`.trim();
  return BUILD_COMMANDS.some((pattern) => pattern.test(line));
}

/**
 * True if a step runs code that was not written for this job: anything but a first-party action that prepares or moves
 * files.
 */
export function runsForeignCode(step: Step): boolean {
  if (isNoOp(step)) return false;
  if (step.run !== undefined)
    return commandsOf(step).length === 0 || commandsOf(step).some((command) => !isInert(command));
  const { reference } = step.uses ?? {};
  if (reference === undefined) return false;
  if (reference.kind !== 'repository') return true;
  const owner = reference.owner.toLowerCase();
  return actionNeeds(step)?.runsCode === true || (owner !== 'actions' && owner !== 'github');
}

/** True if a command runs no code but its own program's. */
export function isInert(command: ShellCommand): boolean {
  const { program, words } = command;
  if (words.length === 0 || program === 'git' || program === 'gh') return true;
  return runsItself(program === 'xargs' ? programOfXargs(command) : program);
}

function runsItself(program: string): boolean {
  return QUIET_COMMANDS.has(program) && !/^(?:apt|apt-get|brew|docker|install|xargs|find|sudo)$/.test(program);
}

function programOfXargs({ args }: ShellCommand): string {
  const words = args.map(({ value }) => value);
  const index = words.findIndex((word, at) => !word.startsWith('-') && !/^-[adEILnPs]$/.test(words[at - 1] ?? ''));
  return index < 0 ? 'echo' : (words[index] ?? '');
}

export function isQuiet({ program, words }: ShellCommand): boolean {
  return words.length === 0 || QUIET_COMMANDS.has(program);
}

/** Like {@link runsForeignCode} without third-party actions, which can read the job's token anyway. */
export function runsWorkspaceCode(step: Step): boolean {
  const thirdParty = step.uses?.reference?.kind === 'repository' && actionNeeds(step)?.runsCode !== true;
  return !thirdParty && runsForeignCode(step);
}

const GITHUB_TOKEN = /\bgithub\.token\b|\bsecrets\.github_token\b|tojson\(\s*(?:github|secrets)\s*\)/i;

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

/**
 * Returns the scopes that an `actions/github-script` script can write; undefined if it does not only use named methods.
 */
function scriptScopes(step: Step): readonly string[] | undefined {
  const script = inputOf(step, 'script')?.value;
  if (script === undefined) return undefined;
  const token = inputOf(step, 'github-token')?.value;
  if (token !== undefined && OTHER_TOKEN.test(token) && !GITHUB_TOKEN.test(token))
    return GITHUB_TOKEN.test(script) ? undefined : [];
  const parts = [...script.matchAll(CLIENT_CALL)].map(([, part = '']) => CLIENT_SCOPES[part.toLowerCase()]);
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
    for (const [pattern, found] of GH_SCOPES) if (pattern.test(text)) for (const scope of found) scopes.add(scope);
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

function ghNeeds({ args }: ShellCommand): CommandNeeds | undefined {
  const [group = '', command = ''] = args.map(({ value }) => value);
  return Object.hasOwn(GH_COMMANDS, `${group} ${command}`) ? GH_COMMANDS[`${group} ${command}`] : undefined;
}

const CARRIERS: ReadonlySet<string> = new Set(
  'curl wget docker find sudo xargs env install yq apt apt-get brew'.split(' '),
);

/** Returns the needs of a script in which every command is a known `gh` command or sends nothing; else undefined. */
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

function tokenNames(step: Step): string[] {
  const job = jobOf(step);
  return [step.env, job?.env, job?.workflow.env].flatMap((variables) =>
    (variables?.entries ?? []).flatMap(({ name, value }) =>
      GITHUB_TOKEN.test(value.value) && /^\w+$/.test(name) ? [name] : [],
    ),
  );
}

function holdsToken(variables: Step['env']): boolean {
  return variables?.entries.some(({ value }) => GITHUB_TOKEN.test(value.value)) ?? false;
}

const OTHER_GITHUB_TOKEN = /\bsecrets\.(?:\w{0,60}_)?(?:(?:gh|github)_?(?:\w{0,60}_)?(?:token|pat)|pat)\b/i;

export function isHandedToken(step: Step): boolean {
  const job = jobOf(step);
  const given = [step.env, step.with, job?.env, job?.workflow.env].flatMap((variables) => variables?.entries ?? []);
  const texts = [...given.map(({ value }) => value.value), step.run?.value ?? ''];
  return texts.some((text) => GITHUB_TOKEN.test(text) || OTHER_GITHUB_TOKEN.test(text));
}

export function stepsAfter(step: Step): readonly Step[] {
  return (jobOf(step)?.steps ?? step.parent.steps).slice(step.index + 1);
}
