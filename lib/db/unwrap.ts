import { AppError, DatabaseUnavailable, PROBLEM_CODES, type ProblemCode } from '#lib/errors.ts';

/** The local PostgREST has one code for all that it does not know, with the message of the driver or of PostgreSQL. */
const WITHOUT_CONNECTION =
  /CONNECTION_(?:CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|AggregateError|terminating connection|database system is/;

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly details?: string | null;
  readonly hint?: string | null;
}

type Result<T> = { readonly status?: number } & (
  | { readonly data: T; readonly error: null }
  | { readonly data: unknown; readonly error: Failure }
);

/**
 * Returns the data of a call. Refusals of `internal.refuse` become an `AppError` with its text, failures to reach the
 * database `DatabaseUnavailable`, and other errors `internal`.
 */
export function unwrap<T>(result: Result<T>): T {
  if (!result.error) return result.data;
  const { error } = result;
  if (/^PT4\d\d$/.test(error.code ?? '') && isProblemCode(error.message)) {
    throw new AppError(error.message, error.details ?? 'The request cannot be carried out.');
  }
  if (result.status === 0) throw new DatabaseUnavailable('The database did not answer.', reasonOf(error));
  if (isUnavailable(result.status, error)) throw new DatabaseUnavailable('The database does not accept calls.', error);
  throw new AppError('internal', 'The database refused a call.', { cause: error });
}

/**
 * True for errors of gateways, for PostgREST without a connection (PGRST000 to 003), and for PostgreSQL errors about lost
 * connections (08), too many connections (53300), and a server that stops or starts (57P01 to 03).
 */
function isUnavailable(status: number | undefined, { code = '', message }: Failure): boolean {
  if (status === 502 || status === 503 || status === 504) return true;
  return (
    /^(?:PGRST00[0-3]|08\w{3}|53300|57P0[123])$/.test(code) || (code === 'SUP' && WITHOUT_CONNECTION.test(message))
  );
}

export function wasCutOff({ status, error }: Result<unknown>): boolean {
  return status === 0 && error !== null && !/^(?:Timeout|Abort)Error\b/.test(error.message);
}

/** The client puts the reason for a lost connection into the details, before a stack. */
function reasonOf({ message, details }: Failure): { readonly message: string } {
  const reason = /^Caused by: (.{1,300})$/m.exec(details ?? '')?.[1];
  return { message: reason === undefined ? message : `${message}: ${reason}` };
}

function isProblemCode(text: string): text is ProblemCode {
  return (PROBLEM_CODES as readonly string[]).includes(text);
}
