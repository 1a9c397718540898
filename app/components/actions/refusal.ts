import type { ProblemCode } from '#lib/errors.ts';
import { plural } from '../../messages.ts';

interface Sentences {
  readonly title: string;
  readonly next: string;
}

/** Says why a score that a visitor asked for was refused. */
export function refusalOf(code: ProblemCode, host: string, wait: number | undefined): Sentences {
  const again =
    wait === undefined
      ? 'Try again in a few minutes.'
      : `Try again in ${plural(wait, { one: '1 second', other: '# seconds' })}.`;
  switch (code) {
    case 'validation-failed':
    case 'payload-too-large':
      return { title: 'That doesn’t look like an action', next: `Type owner/name, or paste a ${host} URL.` };
    case 'not-found':
      return {
        title: `No public repository of this name at ${host}`,
        next: 'Check the spelling. Private actions are not scored.',
      };
    case 'rate-limited':
      return {
        title: 'Too many requests in the last minute',
        next: `The limit is 5 scores per minute per IP address, and 30 for all visitors together. ${again}`,
      };
    case 'not-configured':
      return wait === undefined
        ? {
            title: 'Scores cannot be requested on this server',
            next: 'It has no token for public repositories, or no database.',
          }
        : { title: 'Too many requests at the moment', next: again };
    case 'forbidden':
      return {
        title: 'The form was submitted from another site',
        next: 'Nothing was scored. Use the button here.',
      };
    default:
      return { title: 'Something went wrong', next: `The action was not scored; your input was fine. ${again}` };
  }
}
