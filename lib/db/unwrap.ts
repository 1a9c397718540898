import { AppError, PROBLEM_CODES, type ProblemCode } from '#lib/errors.ts';

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly details?: string | null;
  readonly hint?: string | null;
}

type Result<T> = { readonly data: T; readonly error: null } | { readonly data: unknown; readonly error: Failure };

/**
 * Returns the data of a call. Refusals of `internal.refuse` become an `AppError` with its text, other errors
 * `internal`.
 */
export function unwrap<T>(result: Result<T>): T {
  if (!result.error) return result.data;
  const { error } = result;
  if (/^PT4\d\d$/.test(error.code ?? '') && isProblemCode(error.message)) {
    throw new AppError(error.message, error.details ?? 'The request cannot be carried out.');
  }
  throw new AppError('internal', 'The database refused a call.', { cause: error });
}

function isProblemCode(text: string): text is ProblemCode {
  return (PROBLEM_CODES as readonly string[]).includes(text);
}
