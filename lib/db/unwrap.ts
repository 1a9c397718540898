import { AppError } from '../errors.ts';

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly details?: string | null;
  readonly hint?: string | null;
}

type Result<T> = { readonly data: T; readonly error: null } | { readonly data: unknown; readonly error: Failure };

/** The data of a database call; a failed one is an internal error with the database's own words as its cause. */
export function unwrap<T>(result: Result<T>): T {
  if (result.error) throw new AppError('internal', 'The database refused a call.', { cause: result.error });
  return result.data;
}
