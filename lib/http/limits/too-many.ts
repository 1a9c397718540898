import { AppError } from '#lib/errors.ts';

/** Returns the refusal of a request over its limit. */
export function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate-limited', 'Too many requests in a minute.', { retryAfterSeconds });
}
