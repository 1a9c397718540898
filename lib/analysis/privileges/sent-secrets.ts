import { type Step, sourceOf } from '#lib/workflow/model/model.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { secretNamesIn } from './secret-names.ts';

const CREDENTIALS = /\s(?:-H|-u|--header|--user)[= ]{0,5}("[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\s"']{1,300})/g;
const SECRET = /\bsecrets\.(\w{1,100})/g;
const VARIABLE = /\$\{?([A-Za-z_]\w{0,99})/g;

const MAX_COMMAND = 4_000;

/** Returns the secrets, in lower case, that a download sends over TLS to the host that serves it. */
export function secretsSentWith(
  { url = '', span }: { readonly url?: string | undefined; readonly span: Span },
  step: Step,
): ReadonlySet<string> {
  if (!url.startsWith('https://')) return new Set();
  const command = sourceOf(step).text.slice(span.start, span.end).slice(0, MAX_COMMAND);
  const sent = [url, ...Array.from(command.matchAll(CREDENTIALS), ([, given = '']) => given)];
  const named = (pattern: RegExp): string[] =>
    sent.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name));
  const variables = named(VARIABLE).flatMap((name) => step.env?.get(name) ?? []);
  return new Set([
    ...named(SECRET).map((name) => name.toLowerCase()),
    ...variables.flatMap(({ value }) => secretNamesIn(value)),
  ]);
}
