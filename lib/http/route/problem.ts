import { AppError, DatabaseUnavailable, type FieldError, isProblemCode, type ProblemCode } from '#lib/errors.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-json': {
    status: 400,
    title: 'The body is not JSON',
    explanation: 'The request body could not be read as JSON in UTF-8. Check it with a JSON tool and send it again.',
  },
  'validation-failed': {
    status: 400,
    title: 'The request is not valid',
    explanation:
      'A field is missing, unknown or invalid. The list "errors" in the response names each field and what is expected.',
  },
  unauthenticated: {
    status: 401,
    title: 'Sign-in needed',
    explanation:
      'The request needs an access token in the header "Authorization: Bearer …". The token is missing, malformed, expired, or was not signed for this service. Sign in again to get a new one.',
  },
  'bad-signature': {
    status: 401,
    title: 'Invalid signature',
    explanation:
      'A webhook delivery needs the header "X-Hub-Signature-256": the HMAC-SHA256 of the raw body under the webhook’s secret. Check that both sides use the same secret and that no proxy changes the body.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    explanation:
      'You are signed in but not a member of this organization, or the action requires an admin. Ask an admin of the organization.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    explanation: 'Nothing you can access is at this URL. Missing and inaccessible resources get the same response.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    explanation: 'This URL does not support the request’s method. The header "Allow" lists the supported ones.',
  },
  'last-admin': {
    status: 409,
    title: 'The last admin must stay',
    explanation: 'An organization needs at least one admin. Make another member an admin first.',
  },
  'personal-org': {
    status: 409,
    title: 'Not possible in a personal organization',
    explanation:
      'A personal organization has exactly one member, who cannot leave it. Create a team organization to work together.',
  },
  'already-member': {
    status: 409,
    title: 'Already a member',
    explanation: 'This person is already a member of the organization. Change their role in the list of members.',
  },
  'already-invited': {
    status: 409,
    title: 'Already invited',
    explanation: 'There is already an open invite for this address. Revoke it before sending another one.',
  },
  'already-running': {
    status: 409,
    title: 'Already running',
    explanation: 'The same task is running. Wait until it ends; if it died, it can be started again after 15 minutes.',
  },
  'already-finished': {
    status: 409,
    title: 'Already finished',
    explanation: 'This was already done. Doing it again would change nothing.',
  },
  'changed-meanwhile': {
    status: 409,
    title: 'Changed meanwhile',
    explanation:
      'Someone else changed this since you read it, so nothing was changed. Read it again and decide on its current state.',
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation: 'A request body is limited to 1 MiB, a webhook delivery to 25 MB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    explanation: 'Send the body as JSON in UTF-8, with the header "Content-Type: application/json".',
  },
  'not-a-workflow': {
    status: 422,
    title: 'Not a workflow',
    explanation: 'The text could not be read as a workflow file. It needs at least the keys "on" and "jobs".',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    explanation: 'The rate limit per minute is used up. Wait for the number of seconds in the header "Retry-After".',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    explanation:
      'The service failed; the request was fine. Try again later. If this keeps happening, report the value of "request_id", by which the log has the details.',
  },
  'scm-unreachable': {
    status: 502,
    title: 'The code host did not answer',
    explanation:
      'The code host is unreachable, failed, or rate-limits us. Nothing was stored. Try again later, after the seconds in the header "Retry-After" if present.',
  },
  'chat-refused': {
    status: 502,
    title: 'The chat service refused the message',
    explanation: 'The incoming webhook did not accept the message. Check in Slack that it still exists.',
  },
  'not-configured': {
    status: 503,
    title: 'Not available on this server',
    explanation:
      'This server lacks the configuration for this feature; the documentation lists the variables. With the header "Retry-After" the server is overloaded, still computing, or cannot reach its database: try again after that number of seconds.',
  },
  'timed-out': {
    status: 504,
    title: 'Timed out',
    explanation:
      'Checking the files took more time or memory than one request may use, or looking up the versions of the actions took too long. Nothing was stored. For the hardener, try again, or leave out the category CICD-SEC-3; the command line can check a repository of any size.',
  },
};

export function methodNotAllowed(): AppError {
  return new AppError('method-not-allowed', 'This URL does not support the method of the request.');
}

const INTERNAL_DETAIL = 'The service failed to process this request.';

export function problemCodeOf(error: unknown): ProblemCode {
  if (error instanceof DatabaseUnavailable) return 'not-configured';
  return error instanceof AppError && isProblemCode(error.code) ? error.code : 'internal';
}

export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) return undefined;
  return Math.max(1, Math.ceil(error.retryAfterSeconds));
}

/** Returns the response to a failure. Unexpected ones have a fixed text; the reason is logged. */
export function problemResponse(
  error: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const code = problemCodeOf(error);
  const expected = error instanceof AppError && code !== 'internal';
  const { status, title } = PROBLEMS[code];
  const problem: Problem = {
    type: `/problems/${code}`,
    title,
    status,
    detail: expected ? error.message.toWellFormed() : INTERNAL_DETAIL,
    code,
    request_id: requestId,
    ...(expected && error.errors !== undefined ? { errors: error.errors } : {}),
  };
  const response = new Response(JSON.stringify(problem), { status, headers });
  response.headers.set('content-type', PROBLEM_MEDIA_TYPE);
  response.headers.set('cache-control', 'no-store');
  const retryAfter = retryAfterOf(error);
  if (expected && retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  if (code === 'unauthenticated') response.headers.set('www-authenticate', 'Bearer');
  return response;
}
