import { AppError } from '../errors.ts';

/** One refusal or failure of the code host, without anything of the request: it is logged. */
export class CodeHostFailure extends Error {
  readonly kind: 'limit' | 'refused' | 'server' | 'network' | 'timeout' | 'too-large' | 'unexpected';
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: CodeHostFailure['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'CodeHostFailure';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether a read may be sent once more: the trouble was on the way or momentary, not an answer to us. */
  get isPassing(): boolean {
    return this.kind === 'server' || this.kind === 'network' || this.kind === 'timeout';
  }
}

const SENTENCES: Readonly<Record<CodeHostFailure['kind'], string>> = {
  limit: 'The code host has limited our requests. Try again later.',
  refused: 'The code host refused our credentials.',
  server: 'The code host failed to answer. Try again later.',
  network: 'The code host could not be reached.',
  timeout: 'The code host took too long to answer. Try again later.',
  'too-large': 'The repository has more to scan than can be read at once.',
  unexpected: 'The code host gave an answer that was not understood.',
};

export function toAppError(failure: CodeHostFailure): AppError {
  const { retryAfterSeconds } = failure;
  return new AppError('scm-unreachable', SENTENCES[failure.kind], {
    cause: failure,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

export type Headers = Readonly<Record<string, string | number | undefined>>;

/** Without a hint, GitHub asks for a minute at least. */
const UNHINTED_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 3_600;

/** How long a limit lasts, from its headers; undefined when they tell of none. */
export function limitSeconds(headers: Headers, isLimit: boolean, now = Date.now()): number | undefined {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return bounded(after);
  if (String(headers['x-ratelimit-remaining']) === '0') {
    // The code host's clock, not ours, names the moment of the reset.
    const dated = Date.parse(String(headers['date'] ?? ''));
    const left = Number(headers['x-ratelimit-reset']) - (Number.isNaN(dated) ? now : dated) / 1000;
    return Number.isFinite(left) ? bounded(left) : UNHINTED_WAIT_SECONDS;
  }
  return isLimit ? UNHINTED_WAIT_SECONDS : undefined;
}

function bounded(seconds: number): number {
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(seconds)));
}
