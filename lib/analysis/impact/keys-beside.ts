import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { isOnLastingMachine } from '../privileges/runners.ts';
import { opensLittle, secretNamesIn } from '../privileges/secret-names.ts';
import { identityUse } from '../publishing/identity-use.ts';
import { shareLeg } from '../reachability/matrix-legs.ts';

export function secretsBeside(step: Step, repository: Repository): readonly string[] {
  const job = jobOf(step);
  if (job === undefined) return [];
  return isOnLastingMachine(job, repository) ? credentialsOf(job).secrets : secretsInLegs(step);
}

const secretsInLegs = memoByNode((step: Step): readonly string[] => {
  const job = jobOf(step);
  if (job === undefined) return [];
  const { secrets } = credentialsOf(job);
  if (step.condition === undefined || secrets.length === 0 || secrets.includes('*')) return secrets;
  const using = job.steps.filter((other) => namesIn(other).size > 0 && shareLeg(step, other));
  const names = new Set([...namesAround(job), ...using.flatMap((other) => [...namesIn(other)])]);
  return secrets.filter((name) => names.has(name));
});

const namesIn = memoByNode(
  ({ mapping }: Step): ReadonlySet<string> => new Set(textsBelow(mapping).flatMap(secretNamesIn)),
);

const namesAround = memoByNode(({ mapping, workflow }: Job): ReadonlySet<string> => {
  const own = [...mapping.entries].flatMap(([key, { value }]) => (key === 'steps' ? [] : textsBelow(value)));
  const shared = workflow.env?.entries ?? [];
  return new Set([...own, ...shared.map(({ value }) => value)].flatMap(secretNamesIn));
});

/** True if a job has keys of worth and no identity, and only steps in other legs of its matrix use them. */
export function usesKeysElsewhere(step: Step, repository: Repository): boolean {
  const job = jobOf(step);
  if (job === undefined) return false;
  const { secrets, mintsOidc } = credentialsOf(job);
  const isOfWorth = (name: string): boolean => !opensLittle(name);
  if (!secrets.some(isOfWorth) || secretsBeside(step, repository).some(isOfWorth)) return false;
  return !mintsOidc || identityUse(job, repository) === 'none';
}
