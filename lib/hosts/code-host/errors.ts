import { AppError } from '#lib/errors.ts';
import type { NotAssessedReason } from '#lib/facts/facts.ts';
import { type Headers, limitSeconds } from '../retry-after.ts';

const SENTENCES = {
  limit: 'The code host limits our requests. Try again later.',
  refused: 'The code host refused our credentials.',
  forbidden: 'The code host refused our credentials: a permission is missing.',
  suspended: 'The installation is suspended at the code host.',
  uninstalled: 'The app is no longer installed there.',
  missing: 'The code host does not have the requested resource.',
  server: 'The code host failed to answer. Try again later.',
  network: 'The code host could not be reached.',
  timeout: 'The code host took too long to answer. Try again later.',
  'too-large': 'The response is too large to scan at once.',
  unsupported: 'The code host is too old for this.',
  invalid: 'The code host could not process the request.',
  unexpected: 'The code host’s response was not understood.',
} as const;

/** A failure of the code host. It is logged, so it holds nothing of the request. */
export class CodeHostFailure extends Error {
  readonly kind: keyof typeof SENTENCES;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: CodeHostFailure['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'CodeHostFailure';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get isPassing(): boolean {
    return this.kind === 'server' || this.kind === 'network' || this.kind === 'timeout';
  }
}

export function toAppError(error: unknown): unknown {
  if (!(error instanceof CodeHostFailure)) return error;
  const { kind, retryAfterSeconds } = error;
  return new AppError('scm-unreachable', SENTENCES[kind], { cause: error, retryAfterSeconds });
}

export function reasonOf({ kind }: CodeHostFailure): NotAssessedReason {
  if (kind === 'limit' || kind === 'too-large') return 'rate_limited';
  return ['refused', 'forbidden', 'suspended', 'uninstalled', 'missing'].includes(kind) ? 'no_permission' : 'offline';
}

export function toFailure(error: unknown): CodeHostFailure {
  if (error instanceof CodeHostFailure) return error;
  if (!(error instanceof Error)) return new CodeHostFailure('unexpected', 'Something that is no error was thrown.');
  const { status, response, cause } = error as {
    status?: number;
    response?: { headers: Headers; data?: unknown };
    cause?: unknown;
  };
  if (response === undefined || status === undefined) {
    if (cause instanceof CodeHostFailure) return cause;
    const timedOut = [error, cause].some((each) => each instanceof Error && /^(?:Timeout|Abort)Error$/.test(each.name));
    return timedOut
      ? new CodeHostFailure('timeout', 'No whole answer in time.')
      : new CodeHostFailure('network', `No answer: ${error.message}`);
  }
  const said = messageOf(response.data);
  const told = `HTTP ${status}: ${said.slice(0, 200)}`;
  if (status === 403 || status === 429) {
    const seconds = limitSeconds(response.headers, status === 429 || /rate limit|abuse detection/i.test(said));
    if (seconds !== undefined) return new CodeHostFailure('limit', told, seconds);
  }
  if (status === 403) return new CodeHostFailure(/suspended/i.test(said) ? 'suspended' : 'forbidden', told);
  if (status === 401) return new CodeHostFailure('refused', told);
  if (status === 404) return new CodeHostFailure('missing', told);
  if (status === 422) return new CodeHostFailure('invalid', told);
  return new CodeHostFailure(status >= 500 ? 'server' : 'unexpected', told);
}

function messageOf(data: unknown): string {
  const message = typeof data === 'object' && data !== null && 'message' in data ? data.message : '';
  return typeof message === 'string' ? message : '';
}
