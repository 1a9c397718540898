import { type Job, jobOf, type Step, type Variables } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';

export const GITHUB_TOKEN = /\bgithub\.token\b|\bsecrets\.github_token\b|tojson\(\s*(?:github|secrets)\s*\)/i;

export function tokenNames(step: Step): string[] {
  const job = jobOf(step);
  return [step.env, job?.env, job?.workflow.env].flatMap((variables) =>
    (variables?.entries ?? []).flatMap(({ name, value }) =>
      GITHUB_TOKEN.test(value.value) && /^\w+$/.test(name) ? [name] : [],
    ),
  );
}

export function holdsToken(variables: Step['env']): boolean {
  return variables?.entries.some(({ value }) => GITHUB_TOKEN.test(value.value)) ?? false;
}

const OTHER_GITHUB_TOKEN = /\bsecrets\.(?:\w{0,60}_)?(?:(?:gh|github)_?(?:\w{0,60}_)?(?:token|pat)|pat)\b/i;

export const isHandedToken = memoByNode((step: Step): boolean => {
  const job = jobOf(step);
  return (
    (job !== undefined && handsTokenToAll(job)) ||
    handsToken(step.env) ||
    handsToken(step.with) ||
    (step.run !== undefined && namesToken(step.run.value))
  );
});

const handsTokenToAll = memoByNode((job: Job): boolean => handsToken(job.env) || handsToken(job.workflow.env));

function handsToken(variables: Variables | undefined): boolean {
  return variables?.entries.some(({ value }) => namesToken(value.value)) === true;
}

function namesToken(text: string): boolean {
  return GITHUB_TOKEN.test(text) || OTHER_GITHUB_TOKEN.test(text);
}
