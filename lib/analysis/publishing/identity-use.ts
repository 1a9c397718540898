import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoInRepository } from '../memo.ts';
import { storedCloudKey } from '../privileges/cloud-sign-ins.ts';
import { actionNeeds } from '../privileges/documented-permissions.ts';
import { tokenPermissions } from '../privileges/permissions.ts';
import { registryPasswords } from '../privileges/registry-logins.ts';
import { secretNamesIn } from '../privileges/secret-names.ts';
import { isCalledAfterTests, publishesIn } from './publish.ts';
import { expandedSteps } from './releases.ts';

const SIGNS =
  /oidc|id[-_]?token|role[-_]?(?:to[-_]?assume|arn)|workload[-_]?identity|audience|sigstore|cosign|attest|provenance|trusted[-_ ]?publish|federat|\bjwt\b|octo-sts|vault|depot|chainguard|(?:aws|iam)[-_]?role/i;

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
]);

/** Names of jobs whose scripts may deliver something in ways that are not known. */
const DELIVERY =
  /(?:^|[^a-z])(?:pre)?(?:releas|publish|deploy|deliver|promot|upload|ship|stag|nightl|provision|terraform|infra|sign)|(?:^|[^a-z])(?:cd|prod(?:uction)?)(?![a-z])/i;

/**
 * False if no step seems to request an identity, and the job publishes or signs in with a stored secret or its own
 * token, an action of it requests one for its own service, or the right comes with all others, or is granted to tests or
 * to a whole workflow in which nothing requests one or delivers anything: then nothing else seems to trust the job.
 */
export function mayUseIdentity(job: Job, repository: Repository): boolean {
  const steps = expandedSteps(job, repository);
  if (steps.some(asksForIdentity)) return true;
  const published = steps.flatMap(publishesIn);
  if (published.length > 0 && published.every(({ kind }) => kind === 'release')) return false;
  if (grantsEverything(job)) return false;
  const forAll =
    job.permissions === undefined && (job.workflow.jobs.length > 1 || !delivers(job, published.length > 0));
  if ((forAll || isCalledAfterTests(job)) && !someJobAsks(job.workflow, repository)) return false;
  const onlyImages = published.length > 0 && published.every(({ kind }) => kind === 'image');
  if (onlyImages && registryPasswords(job, repository).size > 0) return false;
  return !steps.some(
    (step) => publishesWithSecret(step) || signsInWithKey(step) || OWN_SERVICE.has(actionOf(step)?.slug ?? ''),
  );
}

function delivers(job: Job, publishes: boolean): boolean {
  const { source, name } = job.workflow;
  const names = [source.path.split('/').at(-1) ?? '', name?.value ?? '', job.id, job.name?.value ?? ''];
  return publishes || names.some((each) => DELIVERY.test(each));
}

/** Services trust a workflow’s file, whichever of its jobs asks. */
const someJobAsks = memoInRepository((workflow: Workflow, repository): boolean =>
  workflow.jobs.some((job) => job.uses !== undefined || expandedSteps(job, repository).some(asksForIdentity)),
);

function publishesWithSecret(step: Step): boolean {
  return publishesIn(step).length > 0 && textsBelow(step.mapping).some((text) => secretNamesIn(text).some(isStored));
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
  const text = sourceOf(step).text.slice(step.span.start, step.span.end).replace(SWITCHED_OFF, '');
  return SIGNS.test(BUILDS_IMAGES.has(actionOf(step)?.slug ?? '') ? text.replace(UNSIGNED, '') : text);
}

function takesPassword(name: string, step: Step): boolean {
  return /^(?:flit|hatch|poetry|twine)\b/.test(name) && publishesWithSecret(step);
}

function grantsEverything(job: Job): boolean {
  return tokenPermissions(job).declared?.all === 'write-all';
}

function signsInWithKey(step: Step): boolean {
  return storedCloudKey(step)?.only === true;
}
