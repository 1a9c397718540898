/** What can go wrong in a way that the caller is told; everything else is a bug. */
export type ErrorCode = 'usage' | 'unreadable' | 'not-found' | 'scm-unreachable' | 'internal';

/** An expected failure. `message` is for the person in front of the program; `cause` is for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** When trying again may help; undefined when nobody knows. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options?: { readonly cause?: unknown; readonly retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}
