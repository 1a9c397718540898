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

const MAX_DEPTH = 4;

/** Replaces each `${{ env.NAME }}` whose value the file states as plain text. */
export function withStatedVariables(text: string, at: Step | Job, depth = 0): string {
  if (depth >= MAX_DEPTH || !text.includes('${{')) return text;
  return text.replace(/\$\{\{\s*env\.([\w-]+)\s*\}\}/gi, (whole, name: string) => {
    const stated = environmentValue(name, at);
    if (stated === undefined) return whole;
    const value = withStatedVariables(stated.text.value, stated.at, depth + 1);
    return value.includes('${{') && !/^\$\{\{\s*(?:runner\.temp|github\.workspace)\s*\}\}/.test(value) ? whole : value;
  });
}
