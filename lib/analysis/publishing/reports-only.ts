import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { runsHere } from '../reachability/outsider-reach.ts';
import { type Publish, publishesIn } from './publish.ts';
import { isForTests } from './releases.ts';

export const DOCUMENTATION =
  /(?:^|[^a-z])(?:docs?|documentation|guides?|(?:md)?book|doxygen|javadoc|apidocs?|manuals?)(?![a-z])/i;

const MEASURING =
  /(?:^|[^a-z])(?:bench(?:mark\w*|base|es)?|perf|performance|coverage|allure|(?:tests?|junit|lint)[-_ ]?(?:results?|reports?))(?![a-z])/i;

/** Returns what a step publishes, without tests of publishing, if any event of its workflow lets it run here. */
export function releasing(step: Step, repository: Repository): Publish[] {
  const published = publishesIn(step).filter((publish) => !isForTests(step, publish));
  return published.length === 0 || runsHere(step, repository) ? published : [];
}

/**
 * True if all that a job publishes are deployments of documentation or measurements: its names say so, or the folders
 * that it copies.
 */
export function reportsOnly(job: Job, repository: Repository): boolean {
  const published = job.steps.flatMap((step) => releasing(step, repository));
  if (published.length === 0 || published.some(({ kind }) => kind !== 'deploy')) return false;
  const { source, name } = job.workflow;
  const names = [source.path.split('/').at(-1) ?? '', name?.value ?? '', job.id, job.name?.value ?? ''];
  return names.some((each) => DOCUMENTATION.test(each) || MEASURING.test(each)) || published.every(copiesDocumentation);
}

const DOCUMENTATION_FOLDER =
  /^(?:\.\/)?(?:[\w.-]+\/){0,9}_?(?:docs?|documentation|doxygen|javadoc|apidocs?|manuals?)(?:\/|$)/i;

const COPIED_INPUTS = /^(?:local[-_]?)?(?:path|dir|directory|folder|source)s?$|^(?:publish|source)[-_]?(?:dir|path)$/i;

const COPIES = /^(?:aws s3|gsutil|gcloud storage|netlify|rclone|rsync|scp|surge)\b/;

const RESULTS_FOLDER =
  /^(?:\.\/)?(?:[\w.-]+\/){0,9}(?:\.?benchmarks?|htmlcov|lcov-report|coverage|(?:allure|playwright)-(?:report|results)|test-?(?:reports?|results))(?:\/|$)/i;

function uploadsResults(step: Step): boolean {
  const steps = step.parent.steps.filter((each) => runsAction(each, 'actions/upload-pages-artifact'));
  const paths = steps.map((each) => inputOf(each, 'path')?.value.trim() ?? '');
  return paths.length > 0 && paths.every((path) => DOCUMENTATION_FOLDER.test(path) || RESULTS_FOLDER.test(path));
}

function copiesDocumentation({ name, step, span }: Publish): boolean {
  if (name === 'actions/deploy-pages') return uploadsResults(step);
  if (step.uses !== undefined) {
    const copied = step.with?.entries.filter((entry) => COPIED_INPUTS.test(entry.name)) ?? [];
    return copied.length > 0 && copied.every(({ value }) => DOCUMENTATION_FOLDER.test(value.value.trim()));
  }
  if (!COPIES.test(name)) return false;
  const command = commandsOf(step).find((each) => each.span.start === span.start);
  const words = command?.args.map(({ value }) => value.replace(/^--?[\w-]+=/, '')) ?? [];
  const copied = words.filter((word) => !word.includes('://'));
  return (
    words.some((word) => word.includes('/') && DOCUMENTATION_FOLDER.test(word)) ||
    copied.some((word) => RESULTS_FOLDER.test(word))
  );
}
