import { jobOf, type Step } from '#lib/workflow/model/model.ts';

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

export function isHandedToken(step: Step): boolean {
  const job = jobOf(step);
  const given = [step.env, step.with, job?.env, job?.workflow.env].flatMap((variables) => variables?.entries ?? []);
  const texts = [...given.map(({ value }) => value.value), step.run?.value ?? ''];
  return texts.some((text) => GITHUB_TOKEN.test(text) || OTHER_GITHUB_TOKEN.test(text));
}
