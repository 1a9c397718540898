import { type Job, jobOf, type Step, type Text } from '../model/model.ts';

export function environmentValue(
  name: string,
  at: Step | Job,
): { readonly text: Text; readonly at: Step | Job } | undefined {
  const job = at.kind === 'job' ? at : jobOf(at);
  const own = at.kind === 'step' ? at.env?.get(name) : undefined;
  if (own !== undefined) return { text: own.value, at };
  if (job === undefined) return undefined;
  const inherited = job.env?.get(name) ?? job.workflow.env?.get(name);
  return inherited === undefined ? undefined : { text: inherited.value, at: job };
}
