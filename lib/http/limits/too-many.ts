import { AppError } from '#lib/errors.ts';

export function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate-limited', 'Too many requests in the last minute.', { retryAfterSeconds });
}
