import type { Span } from '#lib/workflow/text/source.ts';
import { isReferenceAlone, lineAfter, lineBefore, literalsAt, type Trust } from './credential-values.ts';
import { looksGenerated, looksRandom } from './credentials.ts';

/** No text without one of the lower-case `hints` can match. `pattern` has the flag `g` and ends before the value. */
interface Place {
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly trust: Trust | ((match: RegExpMatchArray, before: string, after: string) => Trust | undefined);
}

const ANY_HINT =
  /pass|pwd|\bpw\b|secret|token|auth|bearer|basic|credential|webhook|key|sig[=n]|\blogin\b|\bmysql|\bmariadb|\b7z|-[a-z]{0,8}u[ =]|-user|zip |sqlcmd|redis-cli|securestring/i;

const CONTAINER = /\b(?:docker|podman|nerdctl|chown|install|runuser|su)\b/;
const WITH_PASSWORD: Readonly<Record<string, RegExp>> = {
  p: /\b(?:login|twine upload|sshpass|keychain)\b/,
  P: /\b(?:login|zip|unzip|sqlcmd|security import)\b/,
  k: /\bset-key-partition-list\b/,
  a: /\bredis-cli\b/,
};
const WITH_ATTACHED: Readonly<Record<string, RegExp>> = {
  p: /\b(?:login|sshpass|7z[ar]?|mysql\w{0,12}|mariadb[\w-]{0,12})[ \t]/,
  P: /\b(?:zip|unzip|sqlcmd)\b/,
};

const KEY_HINTS = ['pass', 'secret', 'token', 'key', 'auth', 'credential', 'webhook', 'pwd', 'pw', 'signature'];

const PLACES: readonly Place[] = [
  {
    // `KEY=value`, `key: value`, `"key": "value"`, `key := value`, `key => value`
    hints: KEY_HINTS,
    pattern:
      /(?:(password|passwd|passphrase|passwort|(?<=[_-])(?:pass|pwd|pw))|(secret|token|(?:api|access|account|private|secret|signing|signature|encryption|decryption|master|license|subscription|deploy|ssh)[_-]?key|authtoken|sharedaccesskey|(?<![a-z])(?:pass|pwd))|(?:password|passwd|secret|token|auth|credential|webhook|signature|(?:api|access|private|app|service|function|client|write|admin|team|session|storage)[_-]?key)s?)["'\\]{0,3}[ \t]{0,4}(?::=|=>|[:=](?![:=~]))[ \t]{0,4}/gi,
    trust: ([whole, password, secret]) => {
      // Job names such as `all-pass` end like this.
      if (password === 'pass' && /: {1,4}$/.test(whole)) return 'secret';
      return password !== undefined ? 'password' : secret !== undefined ? 'secret' : 'generated';
    },
  },
  {
    hints: ['pass', 'secret', 'token', 'key', 'pwd'],
    pattern:
      /(?<![\w-])--?[a-z0-9_-]{0,40}?(?<!by|com|sur)(?:(password|passwd|passphrase|pass|pwd)|secret|token|api-?key|(?:access|account|private|secret|signing|encryption|master)[_-]?key)(?:[ \t]{1,4}|=)(?!pass:)/gi,
    trust: ([, password]) => (password === undefined ? 'secret' : 'password'),
  },
  {
    hints: ['authorization'],
    pattern:
      /\bauthorization["'\\]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}["'`\\]{0,2}(?:(?:bearer|basic|token|api-?key|digest|bot|negotiate|splunk|genie-?key|sso-key)[ \t]{1,4}|(?!bearer|basic|token))/gi,
    trust: ([match]) => (/[a-z][ \t]+$/i.test(match) ? 'password' : 'secret'),
  },
  { hints: ['bearer', 'basic'], pattern: /\b(?:bearer|basic)[ \t]{1,4}/gi, trust: 'generated' },
  {
    hints: ['u ', 'u=', 'user'],
    pattern:
      /(?<![\w-])(?:-[a-zA-Z]{0,8}u|--(?:proxy-)?user)[ \t=]{1,3}["']?([^\s=:"'`$<>{}/\\%+-][^\s=:"'`$<>{}/\\%]{0,80}):(?=\S)/g,
    trust: ([, user = ''], before) =>
      /^\d+$/.test(user) || CONTAINER.test(commandIn(before)) ? undefined : 'password',
  },
  {
    hints: [' -p', ' -k', ' -a'],
    pattern: /(?<=[ \t])-([aPpk])([ \t=]{0,3})(?![\s=-]|\d{1,5}(?:[\s:]|$))/g,
    trust: ([, option = '', gap], before) => {
      const commands = gap === '' ? WITH_ATTACHED[option] : WITH_PASSWORD[option];
      return commands?.test(commandIn(before)) === true ? 'password' : undefined;
    },
  },
  { hints: ['pass:'], pattern: /[ \t]-pass(?:in|out)?[ \t]{1,3}["']?pass:/g, trust: 'password' },
  {
    hints: ['convertto-securestring'],
    pattern: /\bConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?(?=["'])/gi,
    trust: 'password',
  },
  {
    hints: ['machine'],
    pattern: /password[ \t]{1,4}/g,
    trust: (_, before) => (/\bmachine[ \t]/.test(before) ? 'password' : undefined),
  },
  {
    hints: ['password '],
    pattern: /^[ \t]{0,40}password[ \t]{1,4}(?=\S{1,200}[ \t]{0,4}$)/gm,
    trust: 'secret',
  },
  {
    hints: ['env ', 'arg '],
    pattern: /\b(?:ENV|ARG)[ \t]{1,4}\w{0,60}(?:PASSWORD|PASSWD|PASSPHRASE)[ \t]{1,4}/g,
    trust: 'password',
  },
  {
    hints: ['env ', 'arg '],
    pattern: /\b(?:ENV|ARG)[ \t]{1,4}\w{0,60}(?:SECRET|TOKEN|_KEY)[ \t]{1,4}/g,
    trust: 'secret',
  },
  { hints: [':_'], pattern: /:_(?:authToken|auth|password)[ \t]{1,4}/g, trust: 'secret' },
  { hints: ['<pass'], pattern: /<(?:password|passphrase|passwd)>(?=[^<\s]{1,200}<\/)/gi, trust: 'password' },
  {
    hints: ['<privatekey', '<token', '<secret', '<apikey'],
    pattern: /<(?:privateKey|token|secret|apiKey)>(?=[^<\s]{1,200}<\/)/gi,
    trust: 'secret',
  },
  {
    // Signatures of Azure, which grant access by themselves.
    hints: ['sig=', 'sharedaccesssignature='],
    pattern: /(?:[?&;]sig|\bSharedAccessSignature)=/gi,
    trust: 'generated',
  },
  {
    hints: ['--password-stdin', '--with-token'],
    pattern: /\b(?:echo|printf)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4}|["']?%s["']?[ \t]{1,4})?/g,
    trust: (_match, _before, after) => {
      const [, second = ''] = after.split('|');
      return /--(?:password-stdin|with-token)\b/.test(second) ? 'password' : undefined;
    },
  },
];

const URL_PASSWORD =
  /:\/\/(?:[^\s:/@"'`<>$]|\$(?!\{\{)|\$\{\{[^}$\n]{1,80}\}\}){0,80}:([^\s/@"'`]{1,200}(?:@[^\s/@"'`.:?#]{0,60}(?=@))?)@(?!sha\d{3}:)/g;
const URL_TOKEN = /:\/\/([A-Za-z0-9_-]{20,200})@(?!sha\d{3}:)/g;
const KEY_LINE = /[ \t#"']{0,60}([A-Za-z0-9+/]{2,80}={0,2})(?:\\n)?["']?[ \t]{0,4}(?=[\r\n]|$)/y;

export function findByPlace(text: string): Span[] {
  const spans: Span[] = [];
  const small = ANY_HINT.test(text) ? text.toLowerCase() : '';
  for (const { hints, pattern, trust } of small === '' ? [] : PLACES) {
    if (!hints.some((hint) => small.includes(hint))) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const trusted =
        typeof trust === 'string'
          ? trust
          : trust(match, lineBefore(text, match.index), lineAfter(text, pattern.lastIndex));
      if (trusted === undefined) continue;
      const literals = literalsAt(text, match.index, match.index + match[0].length, trusted);
      spans.push(...literals);
      pattern.lastIndex = Math.max(pattern.lastIndex, literals.at(-1)?.end ?? 0);
    }
  }
  if (text.includes('://')) {
    for (const match of text.matchAll(URL_PASSWORD)) {
      const [whole, password = ''] = match;
      const start = match.index + whole.length - 1 - password.length;
      if (!isReferenceAlone(password)) spans.push({ start, end: start + password.length });
    }
    for (const match of text.matchAll(URL_TOKEN)) {
      const [, token = ''] = match;
      if (looksGenerated(token)) spans.push({ start: match.index + 3, end: match.index + 3 + token.length });
    }
  }
  spans.push(...findKeyLines(text));
  return spans;
}

function commandIn(before: string): string {
  return before.slice(Math.max(before.lastIndexOf('|'), before.lastIndexOf(';'), before.lastIndexOf('&')) + 1);
}

function findKeyLines(text: string): Span[] {
  const spans: Span[] = [];
  let isInside = false;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    if (isInside || next - start >= 60) {
      KEY_LINE.lastIndex = start;
      const [before = '', body = ''] = (next - start < 300 && KEY_LINE.exec(text)) || [];
      const isKey: boolean = body.length >= 60 ? looksRandom(body) : isInside && body !== '';
      const from = start + before.indexOf(body);
      if (isKey) spans.push({ start: from, end: from + body.length });
      isInside = isKey && body.length >= 60;
    }
    start = next;
  }
  return spans;
}
