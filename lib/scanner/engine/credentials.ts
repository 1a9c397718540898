export interface CredentialFormat {
  readonly name: string;
  /** Has the flag `g` and no nested quantifiers, since the text is untrusted. */
  readonly pattern: RegExp;
  /** `limited`: a test key, an identifier, or a key that is often public. */
  readonly worth: 'full' | 'limited';
  /** True if a match is a real credential; redaction relies on the pattern alone. */
  readonly verify?: (value: string) => boolean;
}

/** Formats published by the vendors. */
export const CREDENTIAL_FORMATS: readonly CredentialFormat[] = [
  { name: 'a GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g, worth: 'full', verify: hasChecksum },
  { name: 'a GitHub token', pattern: /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g, worth: 'full', verify: isLongerThan(60) },
  { name: 'a GitLab token', pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g, worth: 'full' },
  {
    name: 'the id of an AWS key',
    pattern: /\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b/g,
    worth: 'limited',
    verify: isAwsKeyId,
  },
  { name: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g, worth: 'full', verify: hasChecksum },
  {
    name: 'a PyPI token',
    pattern: /\bpypi-[A-Za-z0-9_-]{50,}/g,
    worth: 'full',
    verify: (value) => value.startsWith('pypi-AgE'),
  },
  { name: 'a Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g, worth: 'full', verify: isLongerThan(30) },
  {
    name: 'a Slack webhook',
    pattern: /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]+/g,
    worth: 'full',
    verify: (value) => /\/(?:T[A-Z0-9]{7,}\/B[A-Z0-9]{7,}\/[A-Za-z0-9]{20,}|[TE][A-Z0-9]{7,}\/[^\n]{30,})$/.test(value),
  },
  {
    name: 'a Discord webhook',
    pattern: /\bhttps:\/\/(?:canary\.|ptb\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[A-Za-z0-9_-]{40,}/g,
    worth: 'full',
  },
  { name: 'an Anthropic key', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,}/g, worth: 'full', verify: isLongerThan(80) },
  {
    name: 'an OpenAI key',
    pattern: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/g,
    worth: 'full',
    // Each contains its maker's name in base64.
    verify: (value) => value.includes('T3BlbkFJ'),
  },
  { name: 'a Google API key', pattern: /\bAIza[A-Za-z0-9_-]{35}\b/g, worth: 'limited' },
  { name: 'a Google access token', pattern: /\bya29\.[A-Za-z0-9_-]{20,}/g, worth: 'full', verify: isLongerThan(60) },
  { name: 'a Stripe key', pattern: /\b[rs]k_live_[A-Za-z0-9]{16,}\b/g, worth: 'full' },
  { name: 'a Stripe test key', pattern: /\b[rs]k_test_[A-Za-z0-9]{16,}\b/g, worth: 'limited' },
  { name: 'a SendGrid key', pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g, worth: 'full' },
  { name: 'a Docker Hub token', pattern: /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/g, worth: 'full' },
  { name: 'a Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{30,}\b/g, worth: 'full' },
  { name: 'a DigitalOcean token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g, worth: 'full' },
  { name: 'a Databricks token', pattern: /\bdapi[a-f0-9]{32}\b/g, worth: 'full' },
  { name: 'a RubyGems key', pattern: /\brubygems_[a-f0-9]{48}\b/g, worth: 'full' },
  { name: 'a NuGet key', pattern: /\boy2[a-z0-9]{43}\b/g, worth: 'full' },
  { name: 'a crates.io token', pattern: /\bcio[A-Za-z0-9]{32}\b/g, worth: 'full' },
  { name: 'a HashiCorp Vault token', pattern: /\bhv[sb]\.[A-Za-z0-9_-]{24,}/g, worth: 'full' },
  { name: 'a Pulumi token', pattern: /\bpul-[a-f0-9]{40}\b/g, worth: 'full' },
  {
    name: 'a signed web token',
    pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
    worth: 'limited',
  },
  {
    name: 'a private key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]{0,8192}(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/g,
    worth: 'full',
    // A script that only searches for the marker contains no key.
    verify: (value) => value.replace(/-----[^-]*-----|\s|\\n/g, '').length >= 60,
  },
  {
    name: 'a credential in base64',
    // Base64 of `ghp_`, `github_pat_`, `glpat-`, `npm_`, `xoxb-`, `AKIA` and `-----BEGIN`.
    pattern:
      /\b(?:Z2h[wvzdc][Xl]|Z2l0aHViX3BhdF|Z2xwYXQt|bnBtX|eG94[Yc]|QUtJQ|LS0tLS1CRUdJTi)[A-Za-z0-9+/]{20,8192}={0,2}/g,
    worth: 'full',
    verify: (value) => {
      const decoded = Buffer.from(value, 'base64').toString('latin1');
      return /^[\x20-\x7e\s]+$/.test(decoded) && findCredentials(decoded, false).length > 0;
    },
  },
];

/** Cheap pre-filter: a text without a match contains none of the formats. */
export const ANY_FORMAT =
  /gh[pousr]_|github_pat_|glpat-|A(?:KIA|SIA|IDA|ROA)[A-Z0-9]|npm_|pypi-|xox[abeoprs]-|hooks\.slack|webhooks\/|sk-|AIza|ya29\.|[rs]k_(?:live|test)_|SG\.|dckr_|hf_|do[opr]_v1_|dapi|rubygems_|oy2|cio|hv[sb]\.|pul-|eyJ|PRIVATE KEY|Z2|bnBtX|eG94|QUtJQ|LS0tLS1/;

export interface FoundCredential {
  readonly format: CredentialFormat;
  readonly start: number;
  readonly end: number;
}

const MAX_FOUND = 200;

/** Returns the credentials in a text in order, without placeholders and failed checks. */
export function findCredentials(text: string, encoded = true): FoundCredential[] {
  if (!ANY_FORMAT.test(text)) return [];
  const found: FoundCredential[] = [];
  for (const format of CREDENTIAL_FORMATS) {
    if (!encoded && format.name.endsWith('base64')) continue;
    for (const match of text.matchAll(format.pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (isPlaceholder(match[0]) || format.verify?.(match[0]) === false) continue;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      found.push({ format, start, end });
      if (found.length >= MAX_FOUND) break;
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** True for text that people write in place of a credential. */
export function isPlaceholder(value: string): boolean {
  return (
    new Set(value).size < 8 ||
    /example|sample|dummy|fake|placeholder|redacted|change.?me|your|x{4}|\*{3}|\.{3}|012345|123456|abcdef|([^\s-])\1{5}/i.test(
      value,
    )
  );
}

/** True for generated values, which mix letters and digits without separators, unlike words and paths. */
export function looksGenerated(value: string): boolean {
  const letters = /[A-Za-z]/.test(value);
  const digits = (value.match(/\d/g) ?? []).length;
  return letters && digits >= 3 && !/^[a-z]+(?:[._/-][a-z0-9]+)*$/.test(value);
}

function isLongerThan(length: number): (value: string) => boolean {
  return (value) => value.length > length;
}

function isAwsKeyId(value: string): boolean {
  return /^(?:AKIA|ASIA)/.test(value) && (value.match(/\d/g) ?? []).length >= 1;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * 36-character tokens end with a CRC-32 in base 62; longer ones have other forms.
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
 */
function hasChecksum(value: string): boolean {
  const body = value.slice(value.indexOf('_') + 1);
  if (body.length !== 36) return body.length > 36;
  let rest = crc32(body.slice(0, 30));
  let expected = '';
  for (let index = 0; index < 6; index += 1) {
    expected = `${BASE62[rest % 62]}${expected}`;
    rest = Math.floor(rest / 62);
  }
  return body.endsWith(expected);
}

function crc32(text: string): number {
  let crc = -1;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
