/** What can go wrong in a way that the caller is told; everything else is a bug. */
export type ErrorCode = 'usage' | 'unreadable' | 'internal';

/** An expected failure. `message` is for the person in front of the program; `cause` is for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}
