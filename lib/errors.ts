export const PROBLEM_CODES = [
  'invalid-json',
  'validation-failed',
  'unauthenticated',
  'bad-signature',
  'forbidden',
  'not-found',
  'method-not-allowed',
  'last-admin',
  'personal-org',
  'already-member',
  'already-invited',
  'already-running',
  'already-finished',
  'changed-meanwhile',
  'payload-too-large',
  'unsupported-media-type',
  'not-a-workflow',
  'rate-limited',
  'internal',
  'scm-unreachable',
  'chat-refused',
  'not-configured',
  'timed-out',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

export function isProblemCode(code: string): code is ProblemCode {
  return (PROBLEM_CODES as readonly string[]).includes(code);
}

/** Failures reported to the caller; every other error is a bug. */
export type ErrorCode = ProblemCode | 'usage' | 'unreadable';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

/** An expected failure. `message` is for users, `cause` for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly errors: readonly FieldError[] | undefined;
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.errors = options.errors;
  }
}

const DATABASE_RETRY_SECONDS = 5;

/** The database cannot be reached: `internal` inside the service, a 503 with `Retry-After` for clients. */
export class DatabaseUnavailable extends AppError {
  constructor(message: string, cause: unknown) {
    super('internal', message, { cause, retryAfterSeconds: DATABASE_RETRY_SECONDS });
    this.name = 'DatabaseUnavailable';
  }
}
