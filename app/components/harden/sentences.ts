import { formatNumber, plural } from '../../messages.ts';
import type { Refused } from './use-harden.ts';

interface Sentences {
  readonly title: string;
  readonly next: string;
}

const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

type Wording = (refused: Refused, maxBytes: number) => Sentences;

const FAILURE: Wording = (refused) => ({
  title: 'Something went wrong here',
  next: `The hardener failed; nothing was stored. ${when(refused)}`,
});

const TOO_LARGE: Wording = (_, maxBytes) => ({
  title: 'The file is too large',
  next: `A workflow may have ${formatNumber(maxBytes / 1024)} KiB. Run "chainbreak fix" on your machine, or move jobs to a reusable workflow.`,
});

const WORDINGS: Readonly<Partial<Record<Refused['code'], Wording>>> = {
  'too-large': TOO_LARGE,
  'payload-too-large': TOO_LARGE,
  'not-text': () => ({
    title: 'This file is not text',
    next: 'A workflow is a YAML file in UTF-8. Open the one under .github/workflows.',
  }),
  'no-category': () => ({
    title: 'No category is chosen',
    next: 'Choose at least one: only fixes of chosen categories are made.',
  }),
  'validation-failed': ({ errors }) =>
    errors?.some(({ path }) => path === 'filename') === true
      ? {
          title: 'The file name cannot be used',
          next: 'Letters, digits and . _ - / are allowed. It begins with no slash and leads to no folder above.',
        }
      : {
          title: 'The text was not accepted',
          next: 'Paste the whole workflow file and harden it again.',
        },
  'not-a-workflow': () => ({
    title: 'This could not be read as a workflow',
    next: 'Mend the place and harden it again. Nothing was changed.',
  }),
  'rate-limited': (refused) => ({
    title: 'Too many requests in the last minute',
    next: `One address may ask five times a minute, all visitors together thirty times. What you typed stays here. ${when(refused)}`,
  }),
  'timed-out': () => ({
    title: 'It took too long',
    next: 'Try again in a moment, or choose fewer categories.',
  }),
  'not-configured': () => ({
    title: 'The hardener is switched off here',
    next: 'Whoever runs this installation finds the variables in its documentation.',
  }),
  offline: () => ({
    title: 'The connection broke',
    next: 'Check your network and harden it again. What you typed stays here.',
  }),
};

export function sentencesFor(refused: Refused, maxBytes: number): Sentences {
  return (WORDINGS[refused.code] ?? FAILURE)(refused, maxBytes);
}

function when({ waitSeconds, retryAt }: Refused): string {
  if (waitSeconds === undefined || retryAt === undefined) return 'Try again in a few minutes.';
  const at = CLOCK.format(retryAt);
  return plural(waitSeconds, {
    one: `Try again in 1 second, at ${at}.`,
    other: `Try again in # seconds, at ${at}.`,
  });
}

/** Parses the place that a refusal names, from 1. */
export function placeIn(detail: string | undefined): { readonly line: number; readonly column: number } | null {
  const [, line, column] = /^Line (\d+), column (\d+): /.exec(detail ?? '') ?? [];
  return line === undefined || column === undefined ? null : { line: Number(line), column: Number(column) };
}
