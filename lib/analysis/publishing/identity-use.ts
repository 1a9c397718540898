import { actionOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { storedCloudKey } from '../privileges/cloud-sign-ins.ts';
import { actionNeeds } from '../privileges/documented-permissions.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { tokenPermissions } from '../privileges/permissions.ts';
import { codeHostTokens } from '../privileges/personal-tokens.ts';
import { registryPasswords } from '../privileges/registry-logins.ts';
import { opensLittle, secretNamesIn } from '../privileges/secret-names.ts';
import { writeSigns } from '../privileges/write-signs.ts';
import { runsHere } from '../reachability/outsider-reach.ts';
import { signInsForCache } from './build-caches.ts';
import { isNamedAfterDelivery } from './delivery-names.ts';
import { signsInToExample } from './example-accounts.ts';
import { isCalledAfterTests, type Publish, publishesIn } from './publish.ts';
import { expandedSteps } from './releases.ts';

const SIGNS =
  /oidc|id[-_]?token|role[-_]?(?:to[-_]?assume|arn)|workload[-_]?identity|audience|sigstore|cosign|attest|provenance|trusted[-_ ]?publish|federat|octo-sts|vault|depot|chainguard|(?:aws|iam)[-_]?role/i;

const SIGNS_TOKEN_WITH_KEY = /\bjwt\b/i;

const SIGNS_ARTIFACTS = /sigstore|cosign|attest|provenance/gi;

const MADE_BEFORE = /\bsteps\.[\w-]{1,100}\.outputs\.[\w-]{1,100}/g;

const COMMENT = /^[ \t]*#[^\n]*/gm;

const SWITCHED_OFF = /\b(?:provenance|attest(?:ations?)?|sign)['"]?\s{0,9}[:=]\s{0,9}['"]?(?:false|none)\b/gi;

/** Builders of images attach attestations that nothing signs. */
const BUILDS_IMAGES: ReadonlySet<string> = new Set(['docker/bake-action', 'docker/build-push-action']);

const UNSIGNED = /\b(?:provenance|attests?)\b/gi;

const OWN_SERVICE: ReadonlySet<string> = new Set([
  'anthropics/claude-code-action',
  'anthropics/claude-code-base-action',
  'codecov/codecov-action',
  'codspeedhq/action',
  'coverallsapp/github-action',
  'determinatesystems/flakehub-cache-action',
  'determinatesystems/magic-nix-cache-action',
]);

export type IdentityUse = 'opens' | 'signs' | 'none';

/**
 * Returns what the OIDC identity of a job is for:
 *
 * - `opens`: a step signs in with it. Without such a step, the job delivers something and holds no other stored key, or
 *   another job of the workflow signs in, without an environment or in the same one: services trust the workflow’s file.
 * - `signs`: it only signs artifacts.
 * - `none`: no use is visible. `write-all`, tests, build caches, Pages and actions that use the identity for their own
 *   service are no use.
 */
export const identityUse = memoInRepository((job: Job, repository): IdentityUse => {
  if (job.uses !== undefined) return purposeOfCalledJob(job, repository);
  const steps = expandedSteps(job, repository);
  const opening = steps.filter((step) => purposeHere(step, repository) === 'opens' && !isForPages(step));
  const forCache = opening.length === 0 ? undefined : signInsForCache(job, steps);
  if (opening.some((step) => forCache?.has(step) !== true)) return 'opens';
  const signs = steps.some((step) => purposeHere(step, repository) === 'signs');
  return !grantsEverything(job) && seemsToUse(job, repository, { steps, cached: opening.length > 0, signs })
    ? 'opens'
    : signs
      ? 'signs'
      : 'none';
});

interface Signs {
  readonly steps: readonly Step[];
  readonly cached: boolean;
  readonly signs: boolean;
}

function seemsToUse(job: Job, repository: Repository, { steps, cached, signs }: Signs): boolean {
  if (cached) return otherJobAsks(job, repository);
  const published = steps
    .filter((step) => runsHere(step, repository))
    .flatMap(publishesIn)
    .filter(({ kind }) => kind !== 'attest' && kind !== 'sign');
  if (published.length > 0 && published.every(({ kind }) => kind === 'release')) return false;
  const delivered = published.filter((publish) => !deploysPages(publish));
  const named =
    !signs && published.length === 0 && !steps.some(pushesPages) && !mayDeployPages(job) && seemsToDeliver(job);
  const shared = otherJobAsks(job, repository);
  if (isCalledAfterTests(job) && !shared) return false;
  if (steps.some(signsInElsewhere)) return false;
  if (shared) return true;
  const forAll = job.permissions === undefined && job.workflow.jobs.length > 1;
  return !forAll && (delivered.length > 0 || named) && !holdsOtherKey(job, repository);
}

function seemsToDeliver(job: Job): boolean {
  const passesOn = job.steps.some((step) => runsAction(step, 'actions/upload-artifact'));
  return passesOn ? [job.id, job.name?.value ?? ''].some(isNamedAfterDelivery) : isNamedAfterDelivery(job);
}

/** True if a job may deploy to Pages, which is all that its identity then opens unless {@link identityUse} says more. */
export function mayDeployPages(job: Job): boolean {
  return tokenPermissions(job).level('pages') === 'write' && !grantsEverything(job);
}

function isForPages(step: Step): boolean {
  return runsAction(step, 'actions/deploy-pages');
}

const PAGES =
  /^(?:actions\/deploy-pages|crazy-max\/ghaction-github-pages|jamesives\/github-pages-deploy-action|mike \w{1,20}|mkdocs gh-deploy|peaceiris\/actions-gh-pages)$/i;

function deploysPages({ name }: Publish): boolean {
  return PAGES.test(name);
}

function pushesPages({ run }: Step): boolean {
  return (
    run?.value
      .split('\n')
      .some((line) => /\bgit\b/.test(line) && /\bpush\b/.test(line) && /\bgh-pages\b/.test(line)) === true
  );
}

/** Returns the accounts whose actions ask for the identity of a job; empty for its scripts. */
export const identityAskers = memoInRepository(
  (job: Job, repository): ReadonlySet<string> =>
    new Set(
      expandedSteps(job, repository)
        .filter((step) => purposeHere(step, repository) === 'opens' && !isForPages(step))
        .map((step) => actionOf(step)?.owner.toLowerCase() ?? ''),
    ),
);

function purposeOfCalledJob(job: Job, repository: Repository): IdentityUse {
  if (grantsEverything(job)) return 'none';
  const reference = job.uses?.reference;
  const called = reference?.kind === 'local' ? repository.workflowAt(reference.path) : undefined;
  if (called !== undefined) return purposeInCalled(called, repository);
  const file = reference?.kind === 'repository' ? (reference.path.split('/').at(-1) ?? '') : '';
  if (isNamedAfterDelivery(file)) return 'opens';
  const given = (job.with?.entries ?? []).map(({ name, value }) => `${name}: ${value.value}`);
  return purposeNamedIn([job.uses?.text.value ?? '', ...given].join('\n')) ?? 'none';
}

const purposeInCalled = memoInRepository(({ jobs }: Workflow, repository): IdentityUse => {
  const uses = jobs.flatMap((inner) =>
    inner.uses !== undefined
      ? ['opens']
      : expandedSteps(inner, repository).flatMap((step) =>
          isForPages(step) ? [] : (purposeHere(step, repository) ?? []),
        ),
  );
  return uses.includes('opens') ? 'opens' : uses.includes('signs') ? 'signs' : 'none';
});

function holdsOtherKey(job: Job, repository: Repository): boolean {
  return (
    registryPasswords(job, repository).size > 0 ||
    credentialsOf(job).secrets.some((name) => !opensLittle(name)) ||
    (tokenPermissions(job).level('packages') === 'write' && writeSigns(job, repository).scopes.has('packages'))
  );
}

function otherJobAsks(job: Job, repository: Repository): boolean {
  const asking = askingJobs(job.workflow, repository);
  return [undefined, environmentOf(job)].some((environment) => {
    const jobs = asking.get(environment);
    return jobs !== undefined && jobs.size > (jobs.has(job) ? 1 : 0);
  });
}

function environmentOf({ environment }: Job): string | undefined {
  return environment === undefined ? undefined : (environment.name?.value.trim() ?? '');
}

const askingJobs = memoInRepository(
  ({ jobs }: Workflow, repository): ReadonlyMap<string | undefined, ReadonlySet<Job>> => {
    const asking = new Map<string | undefined, Set<Job>>();
    for (const job of jobs) {
      if (!asksBesidesCache(job, repository) && !asksInCalled(job, repository)) continue;
      const environment = environmentOf(job);
      asking.set(environment, (asking.get(environment) ?? new Set()).add(job));
    }
    return asking;
  },
);

function asksInCalled({ uses }: Job, repository: Repository): boolean {
  const called = uses?.reference?.kind === 'local' ? repository.workflowAt(uses.reference.path) : undefined;
  return called !== undefined && asksOutsideEnvironments(called, repository);
}

const asksOutsideEnvironments = memoInRepository(({ jobs }: Workflow, repository): boolean =>
  jobs.some((inner) => inner.environment === undefined && asksBesidesCache(inner, repository)),
);

function asksBesidesCache(job: Job, repository: Repository): boolean {
  const steps = expandedSteps(job, repository);
  const asking = steps.filter((step) => purposeHere(step, repository) === 'opens' && !isForPages(step));
  if (asking.length === 0) return false;
  const forCache = signInsForCache(job, steps);
  return asking.some((step) => !forCache.has(step));
}

function holdsStoredKey({ mapping }: Step): boolean {
  return textsBelow(mapping).some((text) => secretNamesIn(text).some(isStored));
}

function isStored(name: string): boolean {
  return name !== '*' && name !== 'github_token';
}

function purposeHere(step: Step, repository: Repository): 'opens' | 'signs' | undefined {
  const purpose = asksFor(step);
  return purpose !== undefined && runsHere(step, repository) && !signsInToExample(step) ? purpose : undefined;
}

const asksFor = memoByNode((step: Step): 'opens' | 'signs' | undefined => {
  if (OWN_SERVICE.has(actionOf(step)?.slug ?? '')) return undefined;
  const needs = actionNeeds(step);
  const published = publishesIn(step);
  if (needs?.writes?.includes('id-token') === true && !runsAction(step, 'goreleaser/goreleaser-action')) {
    const signs = published.length > 0 && published.every(({ kind }) => kind === 'attest' || kind === 'sign');
    return signsInWithKey(step) ? undefined : signs ? 'signs' : 'opens';
  }
  const job = jobOf(step);
  if (published.some(acceptsIdentity) && (job === undefined || !grantsEverything(job) || asksForProvenance(step)))
    return 'opens';
  const text = textOf(step);
  if (SIGNS_TOKEN_WITH_KEY.test(text.replace(MADE_BEFORE, '')) && !holdsStoredKey(step)) return 'opens';
  return purposeNamedIn(BUILDS_IMAGES.has(actionOf(step)?.slug ?? '') ? text.replace(UNSIGNED, '') : text);
});

function purposeNamedIn(text: string): 'opens' | 'signs' | undefined {
  if (!SIGNS.test(text)) return undefined;
  return SIGNS.test(text.replace(SIGNS_ARTIFACTS, '')) ? 'opens' : 'signs';
}

function textOf(step: Step): string {
  return sourceOf(step).text.slice(step.span.start, step.span.end).replace(COMMENT, '').replace(SWITCHED_OFF, '');
}

const ACCEPTED =
  /^(?:actions|bun|changesets?|cycjimmy|dart|deno|flutter|hatch|js-devtools|jsr|lerna|maturin|npm|nx|pdm|pnpm|poetry|pyo3|pypa|release-plz|rubygems|semantic-release|twine|uv|wasm-pack|yarn)\b/i;

const PREFERS_PASSWORD = /^(?:flit|hatch|poetry|twine)\b/;

const GIVES_PASSWORD = /\btwine\s[^\n]{0,300}\s(?:-p|--password)[ =]|\bTWINE_PASSWORD\b/;

const FOR_NPM = /^(?:bun|changesets?|cycjimmy|js-devtools|lerna|npm|nx|pnpm|semantic-release|wasm-pack|yarn)\b/i;

/** True if a registry may accept the identity for what a step publishes; a password that the step holds comes first. */
export function acceptsIdentity({ kind, name, step }: Publish): boolean {
  if (kind !== 'package' || !ACCEPTED.test(name)) return false;
  if (FOR_NPM.test(name)) return !holdsNpmKey(step) && (!mayHoldNpmKey(step) || asksForProvenance(step));
  if (!PREFERS_PASSWORD.test(name)) return true;
  return !holdsStoredKey(step) && !GIVES_PASSWORD.test(textOf(step));
}

const NPM_KEY = /npm|node_?auth|_authtoken/i;

function holdsNpmKey(step: Step): boolean {
  const job = jobOf(step);
  const variables = [step.env, job?.env, job?.workflow.env].flatMap((env) => env?.entries ?? []);
  const token = step.with?.get('token');
  return (
    textsBelow(step.mapping)
      .flatMap(secretNamesIn)
      .some((name) => isStored(name) && NPM_KEY.test(name)) ||
    variables.some(({ name, value }) => NPM_KEY.test(name) && secretNamesIn(value).some(isStored)) ||
    (token !== undefined && secretNamesIn(token.value).some(isStored))
  );
}

function mayHoldNpmKey(step: Step): boolean {
  const job = jobOf(step);
  const elsewhere = job === undefined ? undefined : codeHostTokens(job);
  return textsBelow(step.mapping)
    .flatMap(secretNamesIn)
    .some((name) => isStored(name) && !opensLittle(name) && elsewhere?.has(name) !== true);
}

function asksForProvenance(step: Step): boolean {
  const job = jobOf(step);
  return PROVENANCE.test(textOf(step)) || (job !== undefined && [job, job.workflow].some(setsProvenance));
}

const PROVENANCE = /provenance/i;

const setsProvenance = memoByNode(({ env }: Job | Workflow): boolean =>
  (env?.entries ?? []).some(({ name, value }) => PROVENANCE.test(`${name}: ${value.value}`.replace(SWITCHED_OFF, ''))),
);

function grantsEverything(job: Job): boolean {
  return tokenPermissions(job).declared?.all === 'write-all';
}

function signsInElsewhere(step: Step): boolean {
  return signsInWithKey(step) || OWN_SERVICE.has(actionOf(step)?.slug ?? '') || signsInToExample(step);
}

function signsInWithKey(step: Step): boolean {
  return storedCloudKey(step)?.withoutIdentity === true;
}
