import type { ProblemCode } from '#lib/errors.ts';
import { tryAgain } from '../../numbers.ts';

interface Sentences {
  readonly title: string;
  readonly next: string;
}

type Wording = (host: string, again: string) => Sentences;

const NO_NAME: Wording = (host) => ({
  title: 'That doesn’t look like an action',
  next: `Type owner/name, or paste its URL at ${host}.`,
});

const FAILURE: Wording = (_, again) => ({
  title: 'Something went wrong',
  next: `The action was not scored; your input was fine. ${again}`,
});

const BUSY: Wording = (_, again) => ({ title: 'Too many requests at the moment', next: again });

const SENTENCES: Readonly<Partial<Record<ProblemCode, Wording>>> = {
  'validation-failed': NO_NAME,
  'payload-too-large': NO_NAME,
  'not-found': (host) => ({
    title: `No public repository of this name at ${host}`,
    next: 'Check the spelling. Private actions are not scored.',
  }),
  'rate-limited': (_, again) => ({
    title: 'Too many requests in the last minute',
    next: `The limit is 5 scores per minute per IP address, and 30 for all visitors together. ${again}`,
  }),
  'not-configured': () => ({
    title: 'Scores cannot be requested on this server',
    next: 'It has no token for public repositories, or no database.',
  }),
  forbidden: () => ({
    title: 'The form was submitted from another site',
    next: 'Nothing was scored. Use the button here.',
  }),
};

export function refusalOf(code: ProblemCode, host: string, wait: number | undefined): Sentences {
  const again = tryAgain(wait);
  return (code === 'not-configured' && wait !== undefined ? BUSY : (SENTENCES[code] ?? FAILURE))(host, again);
}
