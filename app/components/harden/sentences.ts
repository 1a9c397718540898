import { formatNumber, plural } from '../../numbers.ts';
import type { Refused } from './use-harden.ts';

interface Sentences {
  readonly title: string;
  readonly next: string;
}

const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

type Wording = (refused: Refused, maxBytes: number) => Sentences;

const FAILURE: Wording = (refused) => ({
  title: 'Something went wrong',
  next: `Hardening failed; nothing was stored. ${when(refused)}`,
});

const BUSY: Wording = (refused) => ({
  title: 'Too many requests at the moment',
  next: `All threads are busy. Your text is still here. ${when(refused)}`,
});

const TOO_LARGE: Wording = (_, maxBytes) => ({
  title: 'The file is too large',
  next: `The limit is ${formatNumber(maxBytes / 1024)} KiB. Run "chainbreak fix" locally, or move jobs to a reusable workflow.`,
});

const WORDINGS: Readonly<Partial<Record<Refused['code'], Wording>>> = {
  'too-large': TOO_LARGE,
  'payload-too-large': TOO_LARGE,
  'not-text': () => ({
    title: 'This is not a text file',
    next: 'A workflow is a UTF-8 YAML file. Open one from .github/workflows.',
  }),
  'no-category': () => ({
    title: 'No category selected',
    next: 'Select at least one: only the selected categories are fixed.',
  }),
  'validation-failed': ({ errors }) =>
    errors?.some(({ path }) => path === 'filename') === true
      ? {
          title: 'Invalid file name',
          next: 'Letters, digits and . _ - / are allowed. It must be relative and must not contain "..".',
        }
      : {
          title: 'This text was rejected',
          next: 'Paste the whole workflow file and try again.',
        },
  'not-a-workflow': () => ({
    title: 'This is not a valid workflow',
    next: 'Fix the YAML error and try again. Nothing was changed.',
  }),
  'rate-limited': (refused) => ({
    title: 'Too many requests in the last minute',
    next: `The limit is 5 requests per minute per IP address, and 30 for all visitors together. Your text is still here. ${when(refused)}`,
  }),
  'timed-out': () => ({
    title: 'The request timed out',
    next: 'Try again in a moment, or select fewer categories.',
  }),
  'not-configured': () => ({
    title: 'Hardening is disabled on this server',
    next: 'The operator can enable it; the documentation lists the variables.',
  }),
  offline: () => ({
    title: 'The connection was lost',
    next: 'Check your network and try again. Your text is still here.',
  }),
};

export function sentencesFor(refused: Refused, maxBytes: number): Sentences {
  const isBusy = refused.code === 'not-configured' && refused.waitSeconds !== undefined;
  return (isBusy ? BUSY : (WORDINGS[refused.code] ?? FAILURE))(refused, maxBytes);
}

function when({ waitSeconds, retryAt }: Refused): string {
  if (waitSeconds === undefined || retryAt === undefined) return 'Try again in a few minutes.';
  const at = CLOCK.format(retryAt);
  return plural(waitSeconds, {
    one: `Try again in 1 second, at ${at}.`,
    other: `Try again in # seconds, at ${at}.`,
  });
}

export function placeIn(detail: string | undefined): { readonly line: number; readonly column: number } | null {
  const [, line, column] = /^Line (\d+), column (\d+): /.exec(detail ?? '') ?? [];
  return line === undefined || column === undefined ? null : { line: Number(line), column: Number(column) };
}
