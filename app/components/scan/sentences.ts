import type { ProblemCode } from '#lib/errors.ts';
import type { ScanStep } from '#lib/services/public-scans/scan.ts';
import { plural, tryAgain } from '../../numbers.ts';

export type Refusal = ProblemCode | 'offline';

export interface Refused {
  readonly code: Refusal;
  readonly wait?: number | undefined;
  readonly requestId?: string | undefined;
  readonly detail?: string | undefined;
}

interface Sentences {
  readonly title: string;
  readonly next: string;
}

export function sentencesFor({ code, wait }: Refused, host: string): Sentences {
  const again = tryAgain(wait);
  if (code === 'not-configured' && wait !== undefined) return BUSY(host, again);
  if (code === 'scm-unreachable' && wait !== undefined) return LIMITED(host, again);
  return (SENTENCES[code] ?? FAILURE)(host, again);
}

type Wording = (host: string, again: string) => Sentences;

const NO_NAME: Wording = (host) => ({
  title: 'That doesn’t look like a repository',
  next: `Type owner/repo, or paste its URL at ${host}. Other hosts are not supported.`,
});

const BUSY: Wording = (_, again) => ({
  title: 'Too many scans at the moment',
  next: `All scanners are busy with other repositories. ${again}`,
});

const LIMITED: Wording = (host, again) => ({
  title: 'The code host limits our requests',
  next: `The repository could not be read: ${host} asks us to wait. Nothing was stored. ${again}`,
});

const FAILURE: Wording = (_, again) => ({
  title: 'Something went wrong',
  next: `The scan failed; your input was fine. ${again}`,
});

const SENTENCES: Readonly<Partial<Record<Refusal, Wording>>> = {
  'validation-failed': NO_NAME,
  'payload-too-large': NO_NAME,
  'not-found': (host) => ({
    title: `No public repository of this name at ${host}`,
    next: 'Check the spelling. If the repository is private, there are two ways to scan it:',
  }),
  'rate-limited': (_, again) => ({
    title: 'Too many scans in the last minute',
    next: `The limit is 5 scans per minute per IP address, and 30 for all visitors together. ${again}`,
  }),
  'scm-unreachable': (host, again) => ({
    title: 'The code host did not answer',
    next: `The repository could not be read: ${host} is down, or the repository is too large for one scan. Nothing was stored. ${again}`,
  }),
  'timed-out': () => ({
    title: 'The scan took too long',
    next: 'The files need more time or memory than a public scan may use. The command line has no such limit.',
  }),
  'not-configured': () => ({
    title: 'Scans are disabled on this server',
    next: 'It has no token for public repositories, or no database. The documentation lists the variables.',
  }),
  forbidden: () => ({
    title: 'The form was submitted from another site',
    next: 'Nothing was scanned. To scan, press the button here.',
  }),
  offline: () => ({
    title: 'The connection was lost',
    next: 'Check your network and try again. A running scan continues, and its result is cached for an hour.',
  }),
};

export function stepSentence(step: ScanStep, host: string, rules: number): string {
  switch (step.step) {
    case 'waiting':
      return 'This repository is already being scanned. Waiting for the result.';
    case 'reading':
      return `Reading the workflow files at ${host}.`;
    case 'scanning':
      return plural(step.workflow_files, {
        one: `Checking 1 workflow file with ${rules} rules.`,
        other: `Checking # workflow files with ${rules} rules.`,
      });
  }
}
