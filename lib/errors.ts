/** Answers of the API, in the order of its reference. Each has a page that explains it. */
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

/** Failures that the caller learns about; everything else is a bug. */
export type ErrorCode = ProblemCode | 'usage' | 'unreadable';

/** What is wrong with one field of the input: `repo`, `changes.3.value`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** When trying again makes sense. */
  readonly retryAfterSeconds?: number | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

/** An expected failure. `message` is for the person in front of the program; `cause` is for the log. */
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
