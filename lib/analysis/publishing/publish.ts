import {
  PUBLISHING_ACTIONS,
  PUBLISHING_COMMANDS,
  PUBLISHING_MENTION,
  type PublishingCall,
  type PublishKind,
} from '#lib/data/curated/publishers.ts';
import { MOVED_ACTIONS } from '#lib/data/generated/moved-actions.ts';
import { actionOf, inputOf, isFalse, isTrue } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode } from '../memo.ts';
import { tokenPermissions } from '../privileges/permissions.ts';

export interface Publish {
  readonly kind: PublishKind;
  readonly name: string;
  readonly step: Step;
  readonly span: Span;
}

const CONDITIONAL: Readonly<Record<string, { readonly kind: PublishKind; readonly when: (step: Step) => boolean }>> = {
  // Without a command in `publish` it only proposes the next versions.
  'changesets/action': { kind: 'package', when: (step) => runsSomething(inputOf(step, 'publish')?.value ?? '') },
  'docker/bake-action': { kind: 'image', when: (step) => pushes(step) },
  'docker/build-push-action': { kind: 'image', when: (step) => pushes(step) },
  'goreleaser/goreleaser-action': {
    kind: 'release',
    when: (step) => {
      const args = inputOf(step, 'args')?.value ?? '';
      return (
        /\brelease\b|^\s*(?:continue|publish)\b/.test(args) &&
        !/--(?:snapshot|split|skip[= ]\S{0,100}publish)\b/.test(args)
      );
    },
  },
  'pyo3/maturin-action': {
    kind: 'package',
    when: (step) => /^(?:publish|upload)$/.test(inputOf(step, 'command')?.value.trim() ?? ''),
  },
  'release-plz/action': { kind: 'package', when: (step) => inputOf(step, 'command')?.value.trim() !== 'release-pr' },
  'tauri-apps/tauri-action': {
    kind: 'release',
    when: (step) => ['releaseId', 'tagName'].some((input) => (inputOf(step, input)?.value.trim() ?? '') !== ''),
  },
};

function runsSomething(script: string): boolean {
  const commands = script.split(/[\n;&]/).map((command) => command.trim());
  return commands.some((command) => command !== '' && !/^(?:echo|true|:)(?:\s|$)/.test(command));
}

function pushes(step: Step): boolean {
  const push = inputOf(step, 'push');
  if (push !== undefined) return !isFalse(push);
  return /type=registry|push=true/.test(inputOf(step, 'outputs')?.value ?? '');
}

export const publishesIn = memoByNode((step: Step): readonly Publish[] => {
  const mentioned = step.run !== undefined && PUBLISHING_MENTION.test(step.run.value);
  return mentioned ? commandsOf(step).flatMap((command) => ofCommand(command, step)) : ofAction(step);
});

const MOVED_TO: ReadonlyMap<string, string> = new Map(MOVED_ACTIONS.map(({ action, to }) => [action, to]));

function ofAction(step: Step): Publish[] {
  const action = actionOf(step);
  if (action === undefined || step.uses === undefined) return [];
  const moved = MOVED_TO.get(action.slug);
  const slug = moved?.toLowerCase() ?? action.slug;
  const conditional = CONDITIONAL[slug];
  const kind =
    conditional?.when(step) === true ? conditional.kind : (PUBLISHING_ACTIONS[action.name] ?? PUBLISHING_ACTIONS[slug]);
  const dry = isTrue(inputOf(step, 'dry-run')) || isTrue(inputOf(step, 'dry_run'));
  return kind === undefined || dry
    ? []
    : [{ kind, name: moved ?? `${action.owner}/${action.repo}`, step, span: step.uses.span }];
}

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);

const LAUNCHERS: Readonly<Record<string, RegExp>> = {
  bun: /^(?:x|run)$/,
  conda: /^run$/,
  hatch: /^run$/,
  mamba: /^run$/,
  micromamba: /^run$/,
  mise: /^(?:exec|x)$/,
  npm: /^(?:exec|x)$/,
  pdm: /^run$/,
  pipenv: /^run$/,
  pnpm: /^(?:exec|dlx|run)$/,
  poetry: /^run$/,
  rye: /^run$/,
  uv: /^(?:run|tool)$/,
  yarn: /^(?:dlx|exec|run)$/,
};

const BARE_LAUNCHERS: ReadonlySet<string> = new Set(['bun', 'pnpm', 'yarn']);
const PACKAGED_TOOL =
  /^(?:cdk|changeset|firebase|lerna|netlify|nx|ovsx|semantic-release|serverless|sls|sst|vercel|vsce|wrangler)$/;

const MAX_LAUNCHERS = 2;

const MAX_LINE = 4_000;

const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['bun', 'npm', 'pnpm', 'yarn']);
const PUBLISHING_SCRIPT =
  /^(?:[\w-]+[:_-])?(?:publish|release)(?:[:_-](?:all|beta|canary|ci|latest|next|nightly|npm|packages?|prod(?:uction)?|stable))?$/;
const ABOUT_RELEASES = /dry|notes|check|test|build|prepare|docs?|site|storybook|version|pre-?release/;
const REGISTRY_TOKEN = /\b(?:NODE_AUTH_TOKEN|NPM_TOKEN|NPM_AUTH_TOKEN|YARN_NPM_AUTH_TOKEN|NPM_CONFIG_TOKEN)\b/;

/**
 * Counts a package.json script named `publish` or `release` as publishing if the job holds what a registry asks for.
 */
function publishingScript({ program, args, span }: ShellCommand, step: Step): Publish | undefined {
  const job = jobOf(step);
  if (job === undefined || !SCRIPT_RUNNERS.has(program)) return undefined;
  const words = args.map(({ value }) => value).filter((word) => !word.startsWith('-'));
  const name = (words[0] === 'run' ? words[1] : program === 'npm' ? undefined : words[0]) ?? '';
  if (!PUBLISHING_SCRIPT.test(name) || ABOUT_RELEASES.test(name) || (name === 'publish' && words[0] !== 'run'))
    return undefined;
  const { text } = job.workflow.source;
  const held =
    tokenPermissions(job).level('id-token') === 'write' ||
    REGISTRY_TOKEN.test(text.slice(job.span.start, job.span.end));
  return held ? { kind: 'package', name: `${program} run ${name}`, step, span } : undefined;
}

function ofCommand(command: ShellCommand, step: Step): Publish[] {
  const { program, args, span } = command;
  const script = publishingScript(command, step);
  if (script !== undefined && !args.some(({ value }) => value === '--dry-run')) return [script];
  const called = calledIn(
    program,
    args.map(({ value }) => value),
  );
  const { name } = called;
  const calls = ownValue(PUBLISHING_COMMANDS, name);
  if (calls === undefined) return [];
  const line = lineOf(called.words);
  if (/(?:^|\s)--(?:dry-run|simulate)\b/.test(line)) return [];
  const words = withoutOptions(called.words);
  const short = words.length === called.words.length ? undefined : lineOf(words);
  for (const { call, kind, where } of calls) {
    const match = call.exec(line) ?? (short === undefined ? null : call.exec(short));
    if (match === null || (kind === 'deploy' && !goesOut(step, where))) continue;
    return [{ kind, name: `${name} ${match.groups?.['verb'] ?? words[0] ?? ''}`.trim(), step, span }];
  }
  return [];
}

function lineOf(words: readonly string[]): string {
  return words.join(' ').slice(0, MAX_LINE);
}

const VALUED_OPTION =
  /^(?:-[CFHRptuw]|--(?:config|context|cwd|dir|directory|filter|from|host|name|package|prefix|project|python|registry|repo|repository|site|spec|token|url|with|workspace))$/;

function withoutOptions(words: readonly string[], valued = VALUED_OPTION): readonly string[] {
  let at = 0;
  while (/^[-+]/.test(words[at] ?? '')) at += valued.test(words[at] as string) ? 2 : 1;
  return words.slice(at);
}

const ENVIRONMENT_OPTION = /^(?:-n|-p|--name|--prefix|--cwd)$/;

function calledIn(
  program: string,
  words: readonly string[],
  depth = 0,
): { readonly name: string; readonly words: readonly string[] } {
  if (/^(?:python(?:\d(?:\.\d{1,2})?)?|py)$/.test(program) && words[0] === '-m')
    return { name: words[1] ?? '', words: words.slice(2) };
  if (depth > MAX_LAUNCHERS) return { name: program, words };
  const launcher = ownValue(LAUNCHERS, program);
  if (!RUNNERS.has(program) && launcher?.test(words[0] ?? '') !== true) {
    const bare = BARE_LAUNCHERS.has(program) && PACKAGED_TOOL.test(words[0] ?? '');
    return bare ? { name: words[0] ?? '', words: words.slice(1) } : { name: program, words };
  }
  const rest = launcher === undefined ? words : words.slice(1);
  const valued = /^(?:conda|(?:micro)?mamba)$/.test(program) ? ENVIRONMENT_OPTION : VALUED_OPTION;
  const inner = withoutOptions(rest[0] === 'run' ? rest.slice(1) : rest, valued);
  const name = (inner[0] ?? '').replace(/(?<=.)@[\w.^~-]+$/, '').replace(/^.*\//, '');
  return calledIn(name, inner.slice(1), depth + 1);
}

const SIGN_IN =
  /kube_?config|get-credentials|aks-set-context|k8s-set-context|get-gke-credentials|use-context|set-context|cluster kubeconfig|--token\b/i;
const STARTED_HERE =
  /\bkind (?:create|load|export|get)\b|kind-action|setup-kind|minikube|\bk3[ds]\b|microk8s|kubeadm|envtest/i;

const LOCAL_CLOUD = /localstack|tflocal|cdklocal|samlocal|awslocal/i;

const TEST = /\be2e\b|[-_/ ]e2e|\btests?\b|[-_/]tests?(?![a-z])|integration/i;

interface Target {
  readonly localCloud: boolean;
  readonly test: boolean;
  readonly cluster: boolean;
}

function goesOut(step: Step, where: PublishingCall['where']): boolean {
  const target = targetOf(jobOf(step) ?? step);
  if (target.localCloud) return false;
  return where === undefined || (!target.test && (where === 'infrastructure' || target.cluster));
}

export function isCalledAfterTests(place: Job | Step): boolean {
  const { path } = sourceOf(place);
  const names = place.kind === 'job' ? [path, place.id, place.name?.value ?? ''] : [path];
  return names.some((name) => TEST.test(name));
}

const targetOf = memoByNode((place: Job | Step): Target => {
  const { text: whole } = sourceOf(place);
  const text = whole.slice(place.span.start, place.span.end);
  return {
    localCloud: LOCAL_CLOUD.test(text),
    test: isCalledAfterTests(place),
    cluster: SIGN_IN.test(text) && !STARTED_HERE.test(text),
  };
});
