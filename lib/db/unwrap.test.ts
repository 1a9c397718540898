import { expect, it } from 'vitest';
import { AppError, DatabaseUnavailable } from '#lib/errors.ts';
import { unwrap } from './unwrap.ts';

const thrownBy = (status: number, error: { readonly message: string; readonly code?: string }): unknown => {
  try {
    return unwrap({ status, data: null, error });
  } catch (thrown) {
    return thrown;
  }
};

it.each([
  [0, 'TypeError: fetch failed', undefined],
  [502, 'Bad Gateway', undefined],
  [503, 'Database connection error. Retrying the connection.', 'PGRST001'],
  [500, 'terminating connection due to administrator command', '57P01'],
  [500, 'sorry, too many clients already', '53300'],
  [500, 'PostgresError: the database system is starting up', 'SUP'],
  [500, 'Error: write CONNECTION_CLOSED 127.0.0.1:5432', 'SUP'],
  [500, 'Error: connect ECONNREFUSED 127.0.0.1:5432', 'SUP'],
])('status %s with %j means that the database is unavailable', (status, message, code) => {
  const error = code === undefined ? { message } : { message, code };
  expect(thrownBy(status, error)).toBeInstanceOf(DatabaseUnavailable);
});

it.each([
  [500, 'Error: something else', 'SUP'],
  [400, 'column "x" does not exist', '42703'],
])('status %s with %j is a bug', (status, message, code) => {
  const thrown = thrownBy(status, { message, code });
  expect(thrown).toMatchObject({ code: 'internal', retryAfterSeconds: undefined });
  expect(thrown).not.toBeInstanceOf(DatabaseUnavailable);
});

it('a refusal keeps its code and text', () => {
  const thrown = thrownBy(404, { message: 'not-found', code: 'PT404' });
  expect([thrown instanceof AppError && thrown.code, thrown instanceof DatabaseUnavailable]).toEqual([
    'not-found',
    false,
  ]);
});
