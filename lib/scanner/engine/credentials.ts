/**
 * `pattern` has the flag `g` and no nested quantifiers, since the text is untrusted; redaction relies on it alone,
 * without `verify`. `limited`: a test key, an identifier, or a key that is often public.
 */
export interface CredentialFormat {
  readonly name: string;
  readonly pattern: RegExp;
  readonly worth: 'full' | 'limited';
  readonly verify?: (value: string) => boolean;
}

/** Formats published by vendors, gitleaks or TruffleHog. */
export const CREDENTIAL_FORMATS: readonly CredentialFormat[] = [
  { name: 'a GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g, worth: 'full', verify: hasChecksum },
  { name: 'a GitHub token', pattern: /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g, worth: 'full', verify: isLongerThan(60) },
  {
    name: 'a GitLab token',
    pattern:
      /\b(?:gl(?:pat|dt|rt|rtr|ptt|cbt|ft|ffct|imt|soat|oas|agent|wt)-|GR1348941)[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9]{2,9}){0,2}/g,
    worth: 'full',
  },
  {
    name: 'the id of an AWS key',
    pattern: /\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b/g,
    worth: 'limited',
    verify: isAwsKeyId,
  },
  {
    name: 'an AWS session token',
    pattern: /\b(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/]{80,2048}={0,2}/g,
    worth: 'full',
  },
  { name: 'an Amazon Bedrock key', pattern: /\bABSK[A-Za-z0-9+/]{100,300}={0,2}/g, worth: 'full' },
  { name: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g, worth: 'full', verify: hasChecksum },
  {
    name: 'a PyPI token',
    pattern: /\bpypi-[A-Za-z0-9_-]{50,1000}/g,
    worth: 'full',
    verify: (value) => value.startsWith('pypi-AgE'),
  },
  {
    name: 'a Slack token',
    pattern: /\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,300}/g,
    worth: 'full',
    verify: isLongerThan(30),
  },
  {
    name: 'a Slack webhook',
    pattern: /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,200}/g,
    worth: 'full',
    verify: (value) =>
      /^https:\/\/hooks\.slack\.com\/\w{1,20}\/(?:T[A-Z0-9]{7,20}\/B[A-Z0-9]{7,20}\/[A-Za-z0-9]{20,200}|[TE][A-Z0-9]{7,20}\/[^\n]{30,200})$/.test(
        value,
      ),
  },
  {
    name: 'a Discord webhook',
    pattern: /\bhttps:\/\/(?:canary\.|ptb\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[A-Za-z0-9_-]{40,200}/g,
    worth: 'full',
  },
  {
    name: 'a Discord bot token',
    pattern: /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])/g,
    worth: 'full',
    verify: (value) => /^\d{17,20}$/.test(Buffer.from(value.split('.')[0] ?? '', 'base64').toString('latin1')),
  },
  {
    name: 'a Microsoft Teams webhook',
    pattern:
      /\bhttps:\/\/[a-z0-9-]{1,63}\.webhook\.office\.com\/webhookb2\/[a-z0-9-]{36}@[a-z0-9-]{36}\/IncomingWebhook\/[A-Za-z0-9]{20,64}\/[A-Za-z0-9/-]{36,120}/g,
    worth: 'full',
  },
  {
    name: 'a Telegram bot token',
    pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,33}(?![A-Za-z0-9_-])/g,
    worth: 'full',
  },
  { name: 'an Anthropic key', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,300}/g, worth: 'full', verify: isLongerThan(80) },
  {
    name: 'an OpenAI key',
    pattern: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,300}/g,
    worth: 'full',
    // Each contains its maker's name in base64.
    verify: (value) => value.includes('T3BlbkFJ'),
  },
  { name: 'a Groq key', pattern: /\bgsk_[A-Za-z0-9]{40,60}\b/g, worth: 'full' },
  { name: 'an xAI key', pattern: /\bxai-[A-Za-z0-9]{70,90}\b/g, worth: 'full' },
  { name: 'a Perplexity key', pattern: /\bpplx-[A-Za-z0-9]{40,60}\b/g, worth: 'full' },
  { name: 'a Replicate token', pattern: /\br8_[A-Za-z0-9]{37}\b/g, worth: 'full' },
  { name: 'a LangSmith key', pattern: /\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b/g, worth: 'full' },
  { name: 'a Google API key', pattern: /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, worth: 'limited' },
  {
    name: 'a Google access token',
    pattern: /\bya29\.[A-Za-z0-9_-]{20,1024}/g,
    worth: 'full',
    verify: isLongerThan(60),
  },
  { name: 'a Google OAuth client secret', pattern: /\bGOCSPX-[A-Za-z0-9_-]{20,40}/g, worth: 'full' },
  { name: 'a Google refresh token', pattern: /(?<![A-Za-z0-9/])1\/\/0[A-Za-z0-9_-]{60,160}/g, worth: 'full' },
  {
    name: 'an Azure client secret',
    pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/g,
    worth: 'full',
  },
  { name: 'an Azure DevOps token', pattern: /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g, worth: 'full' },
  { name: 'a Stripe key', pattern: /\b[rs]k_live_[A-Za-z0-9]{16,255}\b/g, worth: 'full' },
  { name: 'a Stripe test key', pattern: /\b[rs]k_test_[A-Za-z0-9]{16,255}\b/g, worth: 'limited' },
  { name: 'a webhook secret', pattern: /\bwhsec_[A-Za-z0-9+/]{24,100}={0,2}/g, worth: 'full' },
  { name: 'a Square token', pattern: /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}/g, worth: 'full' },
  { name: 'a Square token', pattern: /\bEAAA[A-Za-z0-9_-]{56,64}(?![A-Za-z0-9_+/-])/g, worth: 'full' },
  { name: 'a Shopify token', pattern: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g, worth: 'full' },
  { name: 'a SendGrid key', pattern: /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}/g, worth: 'full' },
  { name: 'a Mailgun key', pattern: /(?<![A-Za-z0-9_-])(?:pub)?key-[a-f0-9]{32}\b/g, worth: 'full' },
  { name: 'a Brevo key', pattern: /\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/g, worth: 'full' },
  { name: 'a Twilio key', pattern: /\bSK[a-f0-9]{32}\b/g, worth: 'limited' },
  { name: 'a Docker Hub token', pattern: /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}/g, worth: 'full' },
  { name: 'a Hugging Face token', pattern: /\b(?:hf|api_org)_[A-Za-z0-9]{30,64}\b/g, worth: 'full' },
  { name: 'a DigitalOcean token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g, worth: 'full' },
  { name: 'a Databricks token', pattern: /\bdapi[a-f0-9]{32}(?:-\d)?\b/g, worth: 'full' },
  { name: 'a RubyGems key', pattern: /\brubygems_[a-f0-9]{48}\b/g, worth: 'full' },
  { name: 'a NuGet key', pattern: /\boy2[a-z0-9]{43}\b/g, worth: 'full' },
  { name: 'a crates.io token', pattern: /\bcio[A-Za-z0-9]{32}\b/g, worth: 'full' },
  { name: 'a Clojars token', pattern: /\bCLOJARS_[a-f0-9]{60}\b/g, worth: 'full' },
  { name: 'an Artifactory key', pattern: /\b(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b/g, worth: 'full' },
  { name: 'a HashiCorp Vault token', pattern: /\bhv[sbr]\.[A-Za-z0-9_-]{24,300}/g, worth: 'full' },
  {
    name: 'a HashiCorp Vault token',
    pattern: /(?<![\w.$/-])[sbr]\.[A-Za-z0-9]{24}(?![\w.(/-])/g,
    worth: 'full',
    verify: looksRandom,
  },
  { name: 'a Terraform token', pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}/g, worth: 'full' },
  { name: 'a Pulumi token', pattern: /\bpul-[a-f0-9]{40}\b/g, worth: 'full' },
  { name: 'a Doppler token', pattern: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}/g, worth: 'full' },
  { name: 'a 1Password token', pattern: /\bops_eyJ[A-Za-z0-9+/]{200,2048}={0,2}/g, worth: 'full' },
  { name: 'an age key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g, worth: 'full' },
  {
    name: 'an Atlassian token',
    pattern: /\b(?:AT(?:ATT|CTT)3x[A-Za-z0-9_=-]{20,300}|BBDC-[A-Za-z0-9+/]{40,50}|ATBB[A-Za-z0-9]{32}\b)/g,
    worth: 'full',
  },
  { name: 'a Linear token', pattern: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b/g, worth: 'full' },
  { name: 'a Notion token', pattern: /\bntn_[A-Za-z0-9]{40,60}\b/g, worth: 'full' },
  { name: 'a Figma token', pattern: /\bfig[dor]_[A-Za-z0-9_-]{40,64}/g, worth: 'full' },
  { name: 'an Airtable token', pattern: /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g, worth: 'full' },
  { name: 'a Contentful token', pattern: /\bCFPAT-[A-Za-z0-9_-]{40,50}/g, worth: 'full' },
  { name: 'a Postman key', pattern: /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g, worth: 'full' },
  { name: 'a Grafana token', pattern: /\bglsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}\b/g, worth: 'full' },
  { name: 'a Grafana token', pattern: /\bglc_eyJ[A-Za-z0-9+/]{30,400}={0,2}/g, worth: 'full' },
  { name: 'a New Relic key', pattern: /\bNR(?:AK|II|JS|RA|BR|IQ)-[A-Za-z0-9_-]{19,64}/g, worth: 'full' },
  { name: 'a Sentry token', pattern: /\bsntrys_eyJ[A-Za-z0-9+/=_]{40,600}/g, worth: 'full' },
  { name: 'a Sentry token', pattern: /\bsntry[aiu]_[a-f0-9]{64}\b/g, worth: 'full' },
  { name: 'a Dynatrace token', pattern: /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g, worth: 'full' },
  { name: 'a SonarQube token', pattern: /\bsq[apu]_[a-f0-9]{40}\b/g, worth: 'full' },
  { name: 'a Buildkite token', pattern: /\bbk[a-z]{2}_[a-f0-9]{40}\b/g, worth: 'full' },
  { name: 'an Infracost key', pattern: /\bico-[A-Za-z0-9]{32}\b/g, worth: 'limited' },
  { name: 'a Heroku key', pattern: /\bHRKU-AA[A-Za-z0-9_-]{58}(?![A-Za-z0-9_-])/g, worth: 'full' },
  { name: 'a Netlify token', pattern: /\bnfp_[A-Za-z0-9]{36}\b/g, worth: 'full' },
  { name: 'a Supabase key', pattern: /\b(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,64})/g, worth: 'full' },
  { name: 'a PlanetScale credential', pattern: /\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}/g, worth: 'full' },
  {
    name: 'a Fly.io token',
    pattern: /\b(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,1000}={0,3})/g,
    worth: 'full',
  },
  { name: 'a Prefect key', pattern: /\bpn[ub]_[A-Za-z0-9]{36}\b/g, worth: 'full' },
  { name: 'an Alibaba Cloud key id', pattern: /\bLTAI[A-Za-z0-9]{20}\b/g, worth: 'limited' },
  {
    name: 'a signed web token',
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2048}\.eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{5,2048}/g,
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

const BEGINNINGS_OF_WORDS = [
  /gh[pousr]_\w|github_pat_|gl(?:pat|dt|rt|rtr|ptt|cbt|ft|ffct|imt|soat|oas|agent|wt)-\w|GR1348941/,
  /A(?:KIA|SIA|IDA|ROA)[A-Z0-9]{4}|IQoJb3Jp|FwoGZXIv|ABSK\w{8}|npm_\w{8}|pypi-\w{8}|x(?:ox[abeoprs]|app)-/,
  /hooks\.slack|sk-[\w-]{20}|gsk_|xai-\w{8}|pplx-\w{8}|r8_\w{8}|lsv2_|AIza|ya29\.|GOCSPX-|[rs]k_(?:live|test)_/,
  /whsec_|sq0(?:atp|csp)-|EAAA[\w-]{8}|shp(?:at|ca|pa|ss)_|SG\.[\w-]{16}|xkeysib-|SK[a-f0-9]{8}|dckr_/,
  /(?:hf|api_org)_\w{8}|do[opr]_v1_|dapi[a-f0-9]{8}|rubygems_[a-f0-9]|oy2\w{8}|cio\w{8}|CLOJARS_[a-f0-9]|AKCp\w{8}/,
  /cmVmd\w{8}|hv[sbr]\.[\w-]{8}|[sbr]\.[A-Za-z0-9]{24}|pul-[a-f0-9]{8}|dp\.[a-z]{2,5}\.\w{8}|ops_eyJ/,
  /AT(?:ATT|CTT)3x|BBDC-|ATBB\w{8}|lin_(?:api|oauth)_|ntn_\w{8}|fig[dor]_\w{8}|pat\w{14}\.|CFPAT-|PMAK-|glsa_/,
  /glc_eyJ|NR(?:AK|II|JS|RA|BR|IQ)-|sntry[aisu]_|dt0[a-z]\d|sq[apu]_[a-f0-9]{8}|bk[a-z]{2}_[a-f0-9]{8}|ico-\w{8}/,
  /HRKU-|nfp_\w{8}|sb(?:p|_secret)_\w{8}|pscale_|f(?:o1|m[12][ar]?)_\w{8}|pn[ub]_\w{8}|LTAI\w{8}|eyJ/,
  /Z2(?:h[wvzdc]|l0aHV|xwYX)|bnBtX|eG94|QUtJQ|LS0tLS1/,
];
const BEGINNINGS = [
  /\/webhooks\/\d|\.webhook\.office|\.[\w-]{6}\.[\w-]{27}|\d:AA[\w-]{8}|1\/\/0[\w-]{8}|\dQ~|AZDO|key-[a-f0-9]{8}/,
  /\.atlasv1\.|AGE-SECRET-KEY-1|PRIVATE KEY/,
];

/** With one assertion before all words, the search compares letters first. */
const ANY_BEGINNING = new RegExp(
  `\\b(?:${BEGINNINGS_OF_WORDS.map(({ source }) => source).join('|')})|${BEGINNINGS.map(({ source }) => source).join('|')}`,
);

export function mayHoldCredential(text: string): boolean {
  return ANY_BEGINNING.test(text);
}

export interface FoundCredential {
  readonly format: CredentialFormat;
  readonly start: number;
  readonly end: number;
}

const MAX_FOUND = 200;

export function findCredentials(text: string, encoded = true): FoundCredential[] {
  if (!mayHoldCredential(text)) return [];
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

export function isPlaceholder(value: string): boolean {
  return (
    new Set(value).size < 8 ||
    /example|sample|dummy|fake|placeholder|redacted|change.?me|your|x{4}|\*{3}|\.{3}|012345|123456|abcdef|([^\s-])\1{5}/i.test(
      value,
    )
  );
}

export function looksGenerated(value: string): boolean {
  const letters = /[A-Za-z]/.test(value);
  const digits = (value.match(/\d/g) ?? []).length;
  return letters && digits >= 3 && !/^[a-z]+(?:[._/-][a-z0-9]+)*$/.test(value);
}

export function looksRandom(value: string): boolean {
  const count = (pattern: RegExp): number => value.match(pattern)?.length ?? 0;
  const least = value.length / 12;
  return count(/[A-Z]/g) >= least && count(/[a-z]/g) >= least && count(/\d/g) >= Math.min(3, least);
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
