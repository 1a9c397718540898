import { actionOf, inputOf, isFalse, isTrue, originOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Trigger } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { givenInput, type PlacedStep, withInnerSteps } from '../reachability/composites.ts';
import { mayRun, outsiderEvents } from '../reachability/outsider-reach.ts';
import { executionsInside } from './workspace-execution.ts';

export interface CacheUse {
  readonly step: Step;
  readonly name: string;
  readonly span: Span;
  readonly how: 'asked' | 'default';
  readonly off: { readonly input: string; readonly value: string; readonly present: Text | undefined } | undefined;
  readonly saves: boolean;
}

interface Profile {
  readonly on?: string;
  readonly off?: readonly [input: string, value: string];
  readonly defaultSince?: number;
  readonly when?: readonly [input: string, pattern: RegExp];
  readonly saves?: false;
}

const REPLACEMENTS = [
  'buildjet/cache',
  'runs-on/cache',
  'tespkg/actions-cache',
  'ubicloud/cache',
  'useblacksmith/cache',
  'warpbuilds/cache',
] as const;

const ACTIONS: Readonly<Record<string, Profile>> = {
  ...Object.fromEntries(REPLACEMENTS.map((name) => [name, { off: ['lookup-only', 'true'] } satisfies Profile])),
  'actions-rust-lang/setup-rust-toolchain': { off: ['cache', 'false'] },
  'actions/cache': { off: ['lookup-only', 'true'] },
  'actions/cache/restore': { off: ['lookup-only', 'true'], saves: false },
  'actions/setup-dotnet': { on: 'cache' },
  'actions/setup-go': { off: ['cache', 'false'], defaultSince: 4, on: 'cache' },
  'actions/setup-java': { on: 'cache' },
  'actions/setup-node': { on: 'cache' },
  'actions/setup-python': { on: 'cache' },
  'astral-sh/setup-uv': { off: ['enable-cache', 'false'], defaultSince: 5, on: 'enable-cache' },
  'docker/bake-action': { when: ['set', /cache-from=\S{0,500}type=gha/] },
  'docker/build-push-action': { when: ['cache-from', /type=gha/] },
  'graalvm/setup-graalvm': { on: 'cache' },
  'gradle/actions/setup-gradle': { off: ['cache-disabled', 'true'] },
  'gradle/gradle-build-action': { off: ['cache-disabled', 'true'] },
  'hendrikmuhs/ccache-action': { off: ['restore', 'false'] },
  'jdx/mise-action': { off: ['cache', 'false'] },
  'mlugg/setup-zig': { off: ['use-cache', 'false'] },
  'oven-sh/setup-bun': { off: ['no-cache', 'true'] },
  'pnpm/action-setup': { on: 'cache' },
  'pyo3/maturin-action': { on: 'sccache' },
  'ruby/setup-ruby': { on: 'bundler-cache' },
  'subosito/flutter-action': { on: 'cache' },
  'swatinem/rust-cache': { off: ['lookup-only', 'true'] },
};

export const cacheUseOf = memoByNode((step: Step): CacheUse | undefined => findUse({ step, caller: undefined }));

/** Returns the caches that a job restores, also in local composite actions that it uses, which have no switch here. */
export const cacheUsesIn = memoInRepository((job: Job, repository): readonly CacheUse[] =>
  withInnerSteps(job.steps, repository).flatMap((placed) => {
    const { step, caller } = placed;
    if (caller === undefined) return cacheUseOf(step) ?? [];
    const use = findUse(placed);
    if (use === undefined) return [];
    const name = step.parent.kind === 'action' ? `${use.name}${originOf(step.parent)}` : use.name;
    return [{ ...use, name, step: caller, span: caller.uses?.span ?? caller.span, off: undefined }];
  }),
);

const BY_VARIABLE: Readonly<Record<string, string>> = { 'mozilla-actions/sccache-action': 'SCCACHE_GHA_ENABLED' };

function findUse(placed: PlacedStep): CacheUse | undefined {
  const { step } = placed;
  const action = actionOf(step);
  if (action === undefined || step.uses === undefined) return undefined;
  const variable = BY_VARIABLE[action.slug];
  if (variable !== undefined) {
    const value = environmentValue(variable, placed.caller ?? step)?.text;
    if (value === undefined || !/^["']?(?:true|on|1)["']?$/i.test(value.value.trim())) return undefined;
    const common = { step, name: action.name, span: step.uses.span, saves: true };
    return leavesReleasesOut(step.condition) ? undefined : { ...common, how: 'asked', off: undefined };
  }
  const profile = ACTIONS[action.name] ?? (action.path === '' ? ACTIONS[action.slug] : undefined);
  if (profile === undefined || leavesReleasesOut(step.condition)) return undefined;
  const common = { step, name: action.name, span: step.uses.span, saves: profile.saves !== false };
  if (profile.when !== undefined) {
    const [input, pattern] = profile.when;
    const text = givenInput(placed, input);
    return text !== undefined && pattern.test(text.value) && !leavesReleasesOut(text)
      ? { ...common, how: 'asked', off: undefined }
      : undefined;
  }
  const { off, on, defaultSince } = profile;
  const byDefault = off !== undefined && (defaultSince === undefined || majorOf(step, action.ref) >= defaultSince);
  if (byDefault) {
    const [input, value] = off;
    const present = givenInput(placed, input);
    const stopped = value === 'true' ? isTrue(present) : isFalse(present);
    if (stopped || leavesReleasesOut(present)) return undefined;
    // `lookup-only` exists only in actions whose sole purpose is caching.
    const how = present === undefined && input !== 'lookup-only' ? 'default' : 'asked';
    return { ...common, how, off: { input, value, present } };
  }
  const present = on === undefined ? undefined : givenInput(placed, on);
  if (present === undefined || present.value.trim() === '' || isFalse(present) || leavesReleasesOut(present)) {
    return undefined;
  }
  // An empty package manager disables it; a switch needs `false`.
  const value = isTrue(present) ? 'false' : "''";
  return { ...common, how: 'asked', off: { input: on as string, value, present } };
}

function majorOf(step: Step, ref: string): number {
  const text = isFullSha(ref) ? (step.uses?.comment ?? '') : ref;
  const major = /^(?:tag[ =:]+)?v?(\d+)(?:\.|$|\s)/.exec(text)?.[1];
  return major === undefined ? Number.POSITIVE_INFINITY : Number(major);
}

function leavesReleasesOut(text: Text | undefined): boolean {
  if (text === undefined) return false;
  return /github\.(?:ref|ref_type|ref_name|event_name|event\.release)\b/.test(text.value);
}

export function cacheReadingOff(job: Job): boolean {
  return /^(?:none|write-only)$/.test(cacheModeOf(job) ?? '');
}

export function cacheWritingOff(job: Job): boolean {
  return /^(?:none|read)$/.test(cacheModeOf(job) ?? '');
}

export function cacheModeOf(job: Job): string | undefined {
  const mode = valueOf(job.mapping, 'cache-mode') ?? valueOf(job.workflow.root, 'cache-mode');
  return mode?.kind === 'scalar' ? mode.text.trim() : undefined;
}

/**
 * Events whose runs can write the cache that later runs of the branch read. Since June 2026 other events on the default
 * branch only read; runs on a merge commit have their own scope:
 * https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching
 */
const WRITERS: ReadonlySet<string> = new Set([
  'delete',
  'page_build',
  'push',
  'registry_package',
  'repository_dispatch',
  'schedule',
  'workflow_dispatch',
]);

export function writesSharedCaches(event: string): boolean {
  return WRITERS.has(event);
}

export function savesCache(job: Job, repository: Repository): boolean {
  return (
    cacheUsesIn(job, repository).some(({ saves }) => saves) ||
    withInnerSteps(job.steps, repository).some(({ step }) => runsAction(step, 'actions/cache/save'))
  );
}

export function mayRestoreCaches(job: Job, repository: Repository): boolean {
  if (cacheReadingOff(job)) return false;
  if (job.uses !== undefined) return job.uses.reference?.kind === 'repository';
  return withInnerSteps(job.steps, repository).some(({ step }) => mayRestore(step));
}

/** True if only tags start a job: no run of another ref can restore the caches that it saves. */
export function keepsCachesToTags({ workflow: { triggers } }: Job): boolean {
  return triggers.length > 0 && triggers.every(isOfTags);
}

export function isOfTags({ event, tags, branches, settings }: Trigger): boolean {
  if (event === 'release') return true;
  const ofBranches = branches !== undefined || valueOf(settings, 'branches-ignore') !== undefined;
  return event === 'push' && tags !== undefined && !ofBranches;
}

const RESTORING_TEXT = /actions\/cache|ACTIONS_CACHE_|SCCACHE_GHA|type=gha/;
const RESTORES_BY_ITSELF: ReadonlySet<string> = new Set([
  'bahmutov/npm-install',
  'cypress-io/github-action',
  'golangci/golangci-lint-action',
  'moonrepo/setup-toolchain',
  'pre-commit/action',
  'prefix-dev/setup-pixi',
  'r-lib/actions',
  'ramsey/composer-install',
]);

function mayRestore(step: Step): boolean {
  const action = actionOf(step);
  if (action === undefined) return RESTORING_TEXT.test(step.run?.value ?? '');
  const off = (ACTIONS[action.name] ?? ACTIONS[action.slug])?.off;
  if (off !== undefined) return !(off[1] === 'true' ? isTrue : isFalse)(inputOf(step, off[0]));
  if (cacheUseOf(step) !== undefined || RESTORES_BY_ITSELF.has(action.slug) || /cach/.test(action.name)) return true;
  if (action.slug === 'actions/setup-node' && majorOf(step, action.ref) >= NODE_CACHES_SINCE) return true;
  const inputs = step.with?.entries ?? [];
  return inputs.some(({ name, value }) => (/cach/i.test(name) && !isFalse(value)) || RESTORING_TEXT.test(value.value));
}

const NODE_CACHES_SINCE = 5;

export function cacheTextsOf(step: Step, caller?: Step): { readonly input: string; readonly text: Text }[] {
  if (!runsAction(step, 'actions/cache', ...REPLACEMENTS)) return [];
  return ['key', 'restore-keys', 'path'].flatMap((input) => {
    const text = givenInput({ step, caller }, input);
    return text === undefined ? [] : [{ input, text }];
  });
}

function isPullRequestFetch(step: Step): boolean {
  return (
    /refs\/pull\//.test(inputOf(step, 'ref')?.value ?? '') ||
    (/\bgh\b/.test(step.run?.value ?? '') &&
      commandsOf(step).some(
        ({ program, args }) => program === 'gh' && args[0]?.value === 'pr' && args[1]?.value === 'checkout',
      ))
  );
}

/**
 * Returns the event on which a job that outsiders cannot start runs pull request code and can write the caches of its
 * branch.
 */
export function cacheWritingEvent(job: Job, repository: Repository): string | undefined {
  const fetches = job.steps.filter(isPullRequestFetch);
  const [first] = fetches;
  if (first === undefined || outsiderEvents(job, repository).length > 0) return undefined;
  const runs = job.steps
    .slice(first.index)
    .some((step) => executionsInside(step, '', []).some((found) => found.runs === 'certain'));
  if (!runs) return undefined;
  return job.workflow.triggers.find(
    ({ event }) => writesSharedCaches(event) && fetches.some((step) => mayRun(step, { event })),
  )?.event;
}
