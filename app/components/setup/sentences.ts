import { plural } from '../../messages.ts';
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
    next: 'Sign out and sign in again: this page goes on where it was.',
  }),
  'rate-limited': (_, again) => ({
    title: 'Too many requests in the last minute',
    next: `An account may ask 120 times a minute. ${again}`,
  }),
  'not-configured': () => ({
    title: 'Connecting repositories is switched off here',
    next: 'This installation has no database, or no app at the code host. Whoever runs it finds the variables in its documentation.',
  }),
  offline: () => ({ title: 'The connection broke', next: 'Check your network and try again.' }),
};

const LINK: Wordings = {
  ...SHARED,
  'not-found': (host) => ({
    title: 'This account is not yours to connect',
    next: `Only an account’s owner, or an admin of the organization at ${host}, may connect it. Sign out and sign in as one of them, or ask an admin to install the app. If it was uninstalled meanwhile, install it again.`,
  }),
  'validation-failed': (host) => ({
    title: 'The address of this page names no installation',
    next: `It was probably cut off. Install the app at ${host} once more: that leads back here.`,
  }),
  'scm-unreachable': (host, again) => ({
    title: 'The code host did not answer',
    next: `Nothing was connected: whether the account is yours could not be asked at ${host}. ${again}`,
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
  'not-found': (host) => `No longer seen by the app at ${host}.`,
  'scm-unreachable': (host) => `Could not be read at ${host}. Nothing was stored.`,
  'timed-out': () => 'Took too long. Nothing was stored.',
  'not-configured': () => 'Scans are switched off here.',
  unauthenticated: () => 'Your sign-in has ended.',
  offline: () => 'The connection broke.',
};

const FAILURE: Wording = (_, again) => ({ title: 'Something went wrong here', next: `The request was fine. ${again}` });

export function sentencesForLink(refused: Refused, host: string): Sentences {
  return choose(LINK, refused, host);
}

export function sentencesForList(refused: Refused, host: string): Sentences {
  return choose(LIST, refused, host);
}

export function reasonOfScan(refused: Refused, host: string): string {
  return SCAN[refused.code]?.(host) ?? 'Something went wrong here.';
}

function choose(wordings: Wordings, { code, wait }: Refused, host: string): Sentences {
  const again =
    wait === undefined
      ? 'Try again in a few minutes.'
      : `Try again in ${plural(wait, { one: '1 second', other: '# seconds' })}.`;
  return (wordings[code] ?? FAILURE)(host, again);
}
