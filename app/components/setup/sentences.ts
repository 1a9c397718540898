import { tryAgain } from '../../numbers.ts';
import type { Refusal, Refused } from '../scan/sentences.ts';

export interface Sentences {
  readonly title: string;
  readonly next: string;
}

type Wording = (host: string, again: string) => Sentences;
type Wordings = Readonly<Partial<Record<Refusal, Wording>>>;

const SHARED: Wordings = {
  unauthenticated: () => ({
    title: 'Your sign-in has ended',
    next: 'Sign out and in again; this page continues where it was.',
  }),
  'rate-limited': (_, again) => ({
    title: 'Too many requests in the last minute',
    next: `The limit is 120 requests per minute per account. ${again}`,
  }),
  'not-configured': () => ({
    title: 'Connecting repositories is disabled on this server',
    next: 'It has no database or no GitHub App. The documentation lists the variables.',
  }),
  offline: () => ({ title: 'The connection was lost', next: 'Check your network and try again.' }),
};

const LINK: Wordings = {
  ...SHARED,
  'not-found': (host) => ({
    title: 'You cannot connect this account',
    next: `Only the account’s owner, or an admin of the organization at ${host}, can connect it. Sign in as one of them, or ask an admin to install the app. If it was uninstalled, install it again.`,
  }),
  'validation-failed': (host) => ({
    title: 'The URL of this page names no installation',
    next: `It was probably cut off. Install the app at ${host} again. You will return here.`,
  }),
  'scm-unreachable': (host, again) => ({
    title: 'The code host did not answer',
    next: `Nothing was connected: ${host} could not confirm that the account is yours. ${again}`,
  }),
};

const LIST: Wordings = {
  ...SHARED,
  'scm-unreachable': (host, again) => ({
    title: 'The code host did not answer',
    next: `The repositories could not be listed at ${host}. Nothing was changed. ${again}`,
  }),
};

const SCAN: Readonly<Partial<Record<Refusal, (host: string) => string>>> = {
  'not-found': (host) => `The app no longer has access to it at ${host}.`,
  'scm-unreachable': (host) => `Could not be read at ${host}. Nothing was stored.`,
  'timed-out': () => 'Timed out. Nothing was stored.',
  'not-configured': () => 'Scans are disabled on this server.',
  unauthenticated: () => 'Your sign-in has ended.',
  offline: () => 'The connection was lost.',
};

const FAILURE: Wording = (_, again) => ({
  title: 'Something went wrong',
  next: `This is our fault, not yours. ${again}`,
});

export function sentencesForLink(refused: Refused, host: string): Sentences {
  return choose(LINK, refused, host);
}

export function sentencesForList(refused: Refused, host: string): Sentences {
  return choose(LIST, refused, host);
}

export function reasonOfTeam(refused: Refused): string {
  return choose(SHARED, refused, '').next;
}

export function reasonOfScan(refused: Refused, host: string): string {
  if (refused.code === 'not-configured' && refused.wait !== undefined)
    return 'The service is busy or restarting. Try again later.';
  return SCAN[refused.code]?.(host) ?? 'Something went wrong.';
}

function choose(wordings: Wordings, { code, wait }: Refused, host: string): Sentences {
  const again = tryAgain(wait);
  return (wordings[code] ?? FAILURE)(host, again);
}
