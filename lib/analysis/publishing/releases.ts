import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByRepository, memoInRepository } from '../memo.ts';
import { startsOf } from '../reachability/callers.ts';
import { neededJobs } from '../reachability/needed-jobs.ts';
import { type Publish, publishesIn } from './publish.ts';

const MAX_ACTION_DEPTH = 5;
const MAX_RELATED = 30;
const MAX_EXPANDED = 2_000;

export const expandedSteps = memoInRepository((job: Job, repository): readonly Step[] => {
  const found: Step[] = [];
  let left = MAX_EXPANDED;
  const visit = (step: Step, depth: number): void => {
    left -= 1;
    const reference = step.uses?.reference;
    const action = reference?.kind === 'local' ? repository.actionAt(reference.path) : undefined;
    if (action === undefined || depth >= MAX_ACTION_DEPTH || left <= 0) found.push(step);
    else for (const inner of action.steps) visit(inner, depth + 1);
  };
  for (const step of job.steps) visit(step, 0);
  return found;
});

export interface Release extends Publish {
  readonly kind: 'package' | 'image' | 'release';
  readonly job: Job;
  readonly registry: string;
}

const REGISTRIES: readonly (readonly [RegExp, string])[] = [
  // What semantic-release publishes depends on its configuration.
  [/^(?:npm|pnpm?|yarn|bun|lerna|beachball|rush|changesets?|js-devtools|nx|wasm-pack)\b/i, 'npm'],
  [/^(?:twine|poetry|uv|hatch|flit|pdm|rye|maturin|pypa|pyo3|etils-actions|jrubics)\b/i, 'PyPI'],
  [/^(?:cargo|katyo|release-plz)\b/i, 'crates.io'],
  [/^(?:gem|bundle|rake|rubygems)\b/i, 'RubyGems.org'],
  [/^(?:dotnet|nuget)\b/, 'NuGet.org'],
  [/^(?:mvnw?|gradlew?|sbt)\b/, 'Maven'],
  [/^helm\b/, 'Helm'],
  [/^(?:vsce|ovsx|haaleo)\b/i, 'editor extensions'],
  [/^(?:deno|jsr)\b/, 'JSR'],
  [/^(?:dart|flutter)\b/, 'pub.dev'],
  [/^pod\b/, 'CocoaPods'],
  [/^(?:mix|gleam|rebar3)\b/, 'Hex.pm'],
  [/^(?:cabal|stack)\b/, 'Hackage'],
  [/^choco\b/, 'Chocolatey'],
  [/^conan\b/, 'Conan'],
  [/^luarocks\b/, 'LuaRocks'],
  [/^(?:snapcraft|snapcore)\b/i, 'the Snap Store'],
  [/^(?:anaconda|binstar|conda|pixi|rattler-build)\b/, 'a conda channel'],
  [/^copr-cli\b/, 'Copr'],
  [/^dput\b/, 'an archive of Debian packages'],
  [/^ansible-galaxy\b/, 'Ansible Galaxy'],
  [/^(?:charmcraft|canonical)\b/i, 'Charmhub'],
  [/^lein\b/, 'Clojars'],
  [/^(?:chrome-webstore-upload|publish-(?:browser-)?extension|web-ext|wxt)\b/, 'browser extensions'],
];

const FOR_TESTS = /test\.pypi\.org|testpypi|\blocalhost\b|127\.0\.0\.1|verdaccio|kind-registry/i;

const OF_A_COMPANY =
  /npm\.pkg\.github\.com|\.dkr\.ecr\.|\.azurecr\.io|-docker\.pkg\.dev|nuget\.pkg\.github\.com|maven\.pkg\.github\.com/i;

const PREVIEW_EVENTS: ReadonlySet<string> = new Set(['pull_request', 'pull_request_target', 'merge_group']);

/**
 * Returns what a workflow releases, in file order. Excludes previews, dry runs, test and company registries, and
 * releases without files.
 */
export const releasesIn = memoInRepository((workflow: Workflow, repository): readonly Release[] => {
  const triggers = startsOf(workflow, repository);
  const preview = triggers.length > 0 && triggers.every(({ event }) => PREVIEW_EVENTS.has(event));
  return preview ? [] : workflow.jobs.flatMap((job) => releasesOf(job, repository));
});

function releasesOf(job: Job, repository: Repository): Release[] {
  return expandedSteps(job, repository).flatMap((step) =>
    publishesIn(step).flatMap((publish): Release[] => {
      const { kind, name } = publish;
      if (kind !== 'package' && kind !== 'image' && kind !== 'release') return [];
      if (goesTo(OF_A_COMPANY, step, publish) || isForTests(step, publish)) return [];
      if (kind === 'release' && !holdsFiles(step, publish)) return [];
      const registry = kind === 'package' ? REGISTRIES.find(([pattern]) => pattern.test(name))?.[1] : kind;
      return registry === undefined ? [] : [{ ...publish, kind, job, registry }];
    }),
  );
}

export function isForTests(step: Step, publish: Publish): boolean {
  return goesTo(FOR_TESTS, step, publish);
}

function goesTo(registries: RegExp, step: Step, { span }: Publish): boolean {
  if (step.run !== undefined) {
    const command = commandsOf(step).find((each) => each.span.start === span.start);
    if (registries.test(command?.text ?? '')) return true;
  }
  const given = [...(step.with?.entries ?? []), ...(step.env?.entries ?? [])];
  return given.some(({ value }) => registries.test(value.value));
}

/** Inputs that list the files of a release; unlisted actions always attach some. */
const FILE_INPUTS: Readonly<Record<string, readonly string[]>> = {
  'actions/create-release': [],
  'ncipollo/release-action': ['artifacts', 'artifact'],
  'python-semantic-release/python-semantic-release': [],
  'softprops/action-gh-release': ['files'],
};

const VALUED_OPTION =
  /^(?:-t|--title|-n|--notes|-F|--notes-file|--target|-R|--repo|--discussion-category|--notes-start-tag)$/;

function holdsFiles(step: Step, { span }: Publish): boolean {
  const action = actionOf(step);
  if (action !== undefined) {
    return FILE_INPUTS[action.slug]?.some((input) => (inputOf(step, input)?.value.trim() ?? '') !== '') ?? true;
  }
  const command = commandsOf(step).find((each) => each.span.start === span.start);
  return command === undefined || command.args[1]?.value !== 'create' || namesFiles(command);
}

function namesFiles({ args }: ShellCommand): boolean {
  let operands = 0;
  for (let index = 2; index < args.length; index += 1) {
    const word = args[index]?.value ?? '';
    if (VALUED_OPTION.test(word)) index += 1;
    else if (!word.startsWith('-')) {
      operands += 1;
      if (operands > 1 && !word.includes('${{') && /[/*]|\.\w{1,8}$/.test(word)) return true;
    }
  }
  return false;
}

/**
 * Returns the workflows that can belong to one release: itself, callers, callees, and those that follow a release or
 * run.
 */
export const releaseWorkflows = memoInRepository((workflow: Workflow, repository): readonly Workflow[] => {
  const found = new Set([workflow]);
  for (const other of found) {
    if (found.size > MAX_RELATED) break;
    for (const { uses } of other.jobs) {
      const called = uses?.reference?.kind === 'local' ? repository.workflowAt(uses.reference.path) : undefined;
      if (called !== undefined) found.add(called);
    }
    for (const caller of repository.callersOf(other)) found.add(caller.workflow);
  }
  for (const other of repository.workflows) {
    if (other.triggers.some(({ event }) => event === 'release' || event === 'workflow_run')) found.add(other);
  }
  return [...found];
});

const SIGNING =
  /\bactions\/attest\b|actions\/attest-|slsa-github-generator|slsa-framework\/|\bcosign\b|sigstore|\bgpg2?\s[\s\S]{0,200}?--(?:detach-sig|sign|clearsign|clear-sign)|\bgpg2? -[ac-rt-z]*[bs][a-z]* |tejolote|carabiner-dev|ghaction-import-gpg|minisign|signify|signtool|trusted-signing|artifact-signing|codesign|notarytool|jsign|azuresigntool|signpath|gitsign|\bnotation sign|in-toto|witness run|generate-build-provenance|--attest(?:ations?)?\b|pypi-attestations|\bssh-keygen -Y sign|\brsign\b/i;

export const signsSomething = memoInRepository((workflow: Workflow, repository): boolean =>
  workflow.jobs.some(
    (job) =>
      (job.uses !== undefined && SIGNING.test(job.uses.text.value)) ||
      expandedSteps(job, repository).some((step) => textsBelow(step.mapping).some(({ value }) => SIGNING.test(value))),
  ),
);

/**
 * Returns the jobs behind a repository's releases: those that publish, those they need, and the same of their callers
 * and callees.
 */
export const releaseJobs = memoByRepository((repository): ReadonlySet<Job> => {
  const found = new Set(
    repository.workflows.flatMap((workflow) => releasesIn(workflow, repository).map(({ job }) => job)),
  );
  const entered = new Set<Workflow>();
  for (const job of found) {
    for (const needed of neededJobs(job)) found.add(needed);
    const called = job.uses?.reference?.kind === 'local' ? repository.workflowAt(job.uses.reference.path) : undefined;
    for (const inner of called?.jobs ?? []) found.add(inner);
    if (entered.has(job.workflow)) continue;
    entered.add(job.workflow);
    for (const caller of repository.callersOf(job.workflow)) found.add(caller);
  }
  return found;
});
