import type { ProblemCode } from '#lib/errors.ts';
import type { ScanStep } from '#lib/services/public-scans/scan.ts';
import { plural } from '../../messages.ts';

/** `offline`: the browser got no answer. */
export type Refusal = ProblemCode | 'offline';

export interface Refused {
  readonly code: Refusal;
  /** Seconds to wait before trying again. */
  readonly wait?: number | undefined;
  /** Request id, shown for failures so that the log line can be found. */
  readonly requestId?: string | undefined;
}

interface Sentences {
  readonly title: string;
  readonly next: string;
}

export function sentencesFor({ code, wait }: Refused, host: string): Sentences {
  const again =
    wait === undefined
      ? 'Try again in a few minutes.'
      : `Try again in ${plural(wait, { one: '1 second', other: '# seconds' })}.`;
  return (SENTENCES[code] ?? FAILURE)(host, again);
}

type Wording = (host: string, again: string) => Sentences;

const NO_NAME: Wording = (host) => ({
  title: 'This names no repository',
  next: `Type owner/repo, or paste the address of a repository at ${host}. Other hosts are not read.`,
});

const FAILURE: Wording = (_, again) => ({
  title: 'Something went wrong here',
  next: `The scan failed; what you typed was fine. ${again}`,
});

const SENTENCES: Readonly<Partial<Record<Refusal, Wording>>> = {
  'validation-failed': NO_NAME,
  'payload-too-large': NO_NAME,
  'not-found': (host) => ({
    title: `There is no public repository of this name at ${host}`,
    next: 'Check the spelling. A private repository looks the same from here: scan it on your machine with the command line.',
  }),
  'rate-limited': (_, again) => ({
    title: 'Too many scans in the last minute',
    next: `One address may ask for five scans a minute, all visitors together for thirty. ${again}`,
  }),
  'scm-unreachable': (host, again) => ({
    title: 'The code host did not answer',
    next: `The scan could not read the repository: ${host} is down, or asks us to slow down. Nothing was stored. ${again}`,
  }),
  'not-configured': () => ({
    title: 'Scans are switched off here',
    next: 'This installation has no token for public repositories, or no database. Whoever runs it finds the variables in its documentation.',
  }),
  forbidden: () => ({
    title: 'The form came from another site',
    next: 'Nothing was scanned. If it was you who wanted the scan, press the button here.',
  }),
  offline: () => ({
    title: 'The connection broke',
    next: 'Check your network and try again. A scan that began goes on and is kept for an hour.',
  }),
};

export function stepSentence(step: ScanStep, host: string, rules: number): string {
  switch (step.step) {
    case 'waiting':
      return 'Somebody else’s scan of this repository is running: waiting for its result.';
    case 'reading':
      return `Reading the workflow files at ${host}.`;
    case 'scanning':
      return plural(step.workflow_files, {
        one: `Checking 1 workflow file with ${rules} rules.`,
        other: `Checking # workflow files with ${rules} rules.`,
      });
  }
}
