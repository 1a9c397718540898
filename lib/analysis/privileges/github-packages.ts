import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import { memoByRepository } from '../memo.ts';
import { holdsToken, isHandedToken } from './handed-token.ts';
import { tokenPermissions } from './permissions.ts';

const REGISTRY = /\bghcr\.io\b|\bpkg\.github\.com\b/i;

const COMMENT = /^[ \t]*#[^\n]*/gm;

const GIT_PUSH = /\bgit\b[^\n]{0,200}?\bpush\b/g;

const MAY_PUBLISH =
  /container|deploy|docker|gradle|image|\bmvn|nuget|\boci\b|package|podman|publish|push|registry|release(?![\w.-])/i;

const PUBLISHES = /container|docker|image|package|publish|registry/i;

/**
 * True if something in the repository may publish to GitHub Packages with the token of a job: a file names the
 * registry, a step that is handed the token may publish, or a called workflow gets the token or the permission.
 */
export const usesGitHubPackages = memoByRepository(
  (repository): boolean =>
    repository.partial ||
    [...repository.workflows, ...repository.actions].some(({ source }) => namesRegistry(source)) ||
    repository.workflows.some(({ jobs }) => jobs.some((job) => handsOn(job) || job.steps.some(mayPublish))) ||
    repository.actions.some(({ steps }) => steps.some(mayPublish)),
);

function namesRegistry({ text }: SourceFile): boolean {
  return REGISTRY.test(text.replace(COMMENT, ''));
}

function handsOn(job: Job): boolean {
  if (job.uses === undefined) return false;
  if (holdsToken(job.with) || holdsToken(job.secrets)) return true;
  return job.uses.reference?.kind === 'repository' && tokenPermissions(job).level('packages') === 'write';
}

function mayPublish(step: Step): boolean {
  if (!isHandedToken(step)) return false;
  if (step.run !== undefined) return MAY_PUBLISH.test(step.run.value.replace(GIT_PUSH, ''));
  return step.uses?.reference?.kind !== 'repository' || PUBLISHES.test(actionOf(step)?.name ?? '');
}
