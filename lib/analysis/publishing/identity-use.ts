import { actionOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoInRepository } from '../memo.ts';
import { storedCloudKey } from '../privileges/cloud-sign-ins.ts';
import { actionNeeds } from '../privileges/documented-permissions.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { tokenPermissions } from '../privileges/permissions.ts';
import { registryPasswords } from '../privileges/registry-logins.ts';
import { opensLittle, secretNamesIn } from '../privileges/secret-names.ts';
import { signInsForCache } from './build-caches.ts';
import { isNamedAfterDelivery } from './delivery-names.ts';
import { isCalledAfterTests, type Publish, publishesIn } from './publish.ts';
import { expandedSteps } from './releases.ts';

const SIGNS =
  /oidc|id[-_]?token|role[-_]?(?:to[-_]?assume|arn)|workload[-_]?identity|audience|sigstore|cosign|attest|provenance|trusted[-_ ]?publish|federat|octo-sts|vault|depot|chainguard|(?:aws|iam)[-_]?role/i;

const SIGNS_TOKEN_WITH_KEY = /\bjwt\b/i;

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

/**
 * True if a step asks for an identity; if a job without another stored key delivers something, which it then can only
 * do with the identity; or if another job of the workflow asks outside an environment, since services trust a
 * workflow’s file. A right that comes with all others is no sign of use, nor are tests, stores of build caches, Pages
 * sites and actions that request an identity for their own service.
 */
export function mayUseIdentity(job: Job, repository: Repository): boolean {
  if (job.uses !== undefined) return calledJobMayUse(job, repository);
  const steps = expandedSteps(job, repository);
  const asking = steps.filter((step) => asksForIdentity(step) && !isForPages(step));
  const forCache = asking.length === 0 ? undefined : signInsForCache(job, steps);
  if (asking.some((step) => forCache?.has(step) !== true)) return true;
  if (grantsEverything(job)) return false;
  if (asking.length > 0) return otherJobAsks(job, repository);
  const published = steps.flatMap(publishesIn);
  if (published.length > 0 && published.every(({ kind }) => kind === 'release')) return false;
  const delivered = published.filter((publish) => !deploysPages(publish));
  const named = published.length === 0 && !steps.some(pushesPages) && !mayDeployPages(job) && isNamedAfterDelivery(job);
  const shared = otherJobAsks(job, repository);
  if (isCalledAfterTests(job) && !shared) return false;
  if (steps.some((step) => signsInWithKey(step) || OWN_SERVICE.has(actionOf(step)?.slug ?? ''))) return false;
  if (shared) return true;
  const forAll = job.permissions === undefined && job.workflow.jobs.length > 1;
  return !forAll && (delivered.length > 0 || named) && !holdsOtherKey(job, repository);
}

/** True if a job may deploy to Pages, which is all that its identity then opens unless {@link mayUseIdentity} holds. */
export function mayDeployPages(job: Job): boolean {
  return tokenPermissions(job).level('pages') === 'write' && !grantsEverything(job);
}

function isForPages(step: Step): boolean {
  return runsAction(step, 'actions/deploy-pages');
}

/** Deploy a Pages site with the job’s token or a stored key. */
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
        .filter((step) => asksForIdentity(step) && !isForPages(step))
        .map((step) => actionOf(step)?.owner.toLowerCase() ?? ''),
    ),
);

function calledJobMayUse(job: Job, repository: Repository): boolean {
  if (grantsEverything(job)) return false;
  const reference = job.uses?.reference;
  const called = reference?.kind === 'local' ? repository.workflowAt(reference.path) : undefined;
  if (called !== undefined) {
    return called.jobs.some(
      (inner) =>
        inner.uses !== undefined ||
        expandedSteps(inner, repository).some((step) => asksForIdentity(step) && !isForPages(step)),
    );
  }
  const file = reference?.kind === 'repository' ? (reference.path.split('/').at(-1) ?? '') : '';
  const given = (job.with?.entries ?? []).map(({ name, value }) => `${name}: ${value.value}`);
  return isNamedAfterDelivery(file) || [job.uses?.text.value ?? '', ...given].some((text) => SIGNS.test(text));
}

function holdsOtherKey(job: Job, repository: Repository): boolean {
  return registryPasswords(job, repository).size > 0 || credentialsOf(job).secrets.some((name) => !opensLittle(name));
}

function otherJobAsks(job: Job, repository: Repository): boolean {
  const asking = askingJobs(job.workflow, repository);
  return asking.size > (asking.has(job) ? 1 : 0);
}

const askingJobs = memoInRepository(
  ({ jobs }: Workflow, repository): ReadonlySet<Job> =>
    new Set(jobs.filter((job) => job.environment === undefined && asksBesidesCache(job, repository))),
);

function asksBesidesCache(job: Job, repository: Repository): boolean {
  const steps = expandedSteps(job, repository);
  const asking = steps.filter((step) => asksForIdentity(step) && !isForPages(step));
  if (asking.length === 0) return false;
  const forCache = signInsForCache(job, steps);
  return asking.some((step) => !forCache.has(step));
}

function publishesWithSecret(step: Step): boolean {
  return publishesIn(step).length > 0 && holdsStoredKey(step);
}

function holdsStoredKey({ mapping }: Step): boolean {
  return textsBelow(mapping).some((text) => secretNamesIn(text).some(isStored));
}

function isStored(name: string): boolean {
  return name !== '*' && name !== 'github_token';
}

function asksForIdentity(step: Step): boolean {
  if (OWN_SERVICE.has(actionOf(step)?.slug ?? '')) return false;
  const needs = actionNeeds(step);
  if (needs?.writes?.includes('id-token') === true) return !signsInWithKey(step);
  const job = jobOf(step);
  // npm and PyPI prefer the identity to a token, if somebody granted it for them; PyPI's programs take a given password.
  const published = publishesIn(step).filter(({ kind, name }) => kind === 'package' && !takesPassword(name, step));
  if (published.length > 0 && (job === undefined || !grantsEverything(job))) return true;
  const text = sourceOf(step).text.slice(step.span.start, step.span.end).replace(COMMENT, '').replace(SWITCHED_OFF, '');
  if (SIGNS_TOKEN_WITH_KEY.test(text.replace(MADE_BEFORE, '')) && !holdsStoredKey(step)) return true;
  return SIGNS.test(BUILDS_IMAGES.has(actionOf(step)?.slug ?? '') ? text.replace(UNSIGNED, '') : text);
}

function takesPassword(name: string, step: Step): boolean {
  return /^(?:flit|hatch|poetry|twine)\b/.test(name) && publishesWithSecret(step);
}

function grantsEverything(job: Job): boolean {
  return tokenPermissions(job).declared?.all === 'write-all';
}

function signsInWithKey(step: Step): boolean {
  return storedCloudKey(step)?.withoutIdentity === true;
}
