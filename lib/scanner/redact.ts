/**
 * Credential formats whose prefix tells them from ordinary text. The value groups keep enough to recognise a kind and
 * nothing to use. Published by the vendors in their own documentation.
 */
const CREDENTIALS: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}\b/g,
  /\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bpypi-[A-Za-z0-9_-]{50,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]+/g,
  /\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\bdckr_pat_[A-Za-z0-9_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,8192}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];

/** `user:password@host` in a URL, and literals after a telling key. An expression or variable is no credential. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@$]{1,80}:)([^\s/@${}]{3,200})(@)/gi;
const KEY_VALUE =
  /((?:password|passwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)([A-Za-z0-9+/_=!@#%^&*.-]{12,200})/gi;

export const REDACTED = '[redacted]';

/**
 * Replaces what looks like a credential. Every text that leaves the engine passes here: snippets, descriptions and
 * lines drawn on a terminal.
 */
export function redact(text: string): string {
  let result = text;
  for (const pattern of CREDENTIALS) result = result.replace(pattern, REDACTED);
  result = result.replace(URL_PASSWORD, `$1${REDACTED}$3`);
  return result.replace(KEY_VALUE, (whole, key: string, value: string) =>
    looksRandom(value) ? `${key}${REDACTED}` : whole,
  );
}

/** Words and paths have few digits; a generated value mixes letters and digits without separators. */
function looksRandom(value: string): boolean {
  const letters = /[A-Za-z]/.test(value);
  const digits = (value.match(/\d/g) ?? []).length;
  return letters && digits >= 3 && !/^[a-z]+(?:[._/-][a-z0-9]+)*$/.test(value);
}
