import { ANY_FORMAT, CREDENTIAL_FORMATS, looksGenerated } from './credentials.ts';

/** `user:password@host` in URLs, and literals after a telling key. Expressions and variables are not credentials. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@$]{1,80}:)([^\s/@${}]{3,200})(@)/gi;
const KEY_VALUE =
  /((?:password|passwd|secret|token|auth|credential|webhook|api[_-]?key|private[_-]?key|access[_-]?key)s?["']?\s*[:=]\s*["']?)([A-Za-z0-9+/_=!@#%^&*.-]{12,200})/gi;
/** Hides any literal after the key, since passwords have no format. */
const PASSWORD_VALUE =
  /((?:password|passwd)["']?:[ \t]+)("?\$\{\{\s*'[^'\n]{1,200}'\s*\}\}"?|[|>][-+\d]{0,2}[ \t]*\n[^\n]{1,200}|"[^"\n$][^"\n]{0,199}"|'[^'\n$][^'\n]{0,199}'|[^\s"'$<>&*|,{}#[\]][^\n,{}]{0,200})/gi;

export const REDACTED = '[redacted]';

/** Replaces what looks like a credential. Every text that leaves the engine passes through here. */
export function redact(text: string): string {
  let result = text;
  if (ANY_FORMAT.test(text)) {
    for (const { pattern } of CREDENTIAL_FORMATS) result = result.replace(pattern, REDACTED);
  }
  if (result.includes('://')) result = result.replace(URL_PASSWORD, `$1${REDACTED}$3`);
  result = result.replace(PASSWORD_VALUE, `$1${REDACTED}`);
  return result.replace(KEY_VALUE, (whole, key: string, value: string) =>
    looksGenerated(value) ? `${key}${REDACTED}` : whole,
  );
}
