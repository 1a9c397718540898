export type Headers = Readonly<Record<string, string | number | undefined>>;

/** GitHub asks for at least a minute if a response has no hint. */
const UNHINTED_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 3_600;

export function limitSeconds(headers: Headers, isLimit: boolean, now = Date.now()): number | undefined {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return bounded(after);
  if (String(headers['x-ratelimit-remaining']) === '0') {
    // The reset time refers to the server's clock.
    const dated = Date.parse(String(headers['date'] ?? ''));
    const left = Number(headers['x-ratelimit-reset']) - (Number.isNaN(dated) ? now : dated) / 1000;
    return Number.isFinite(left) ? bounded(left) : UNHINTED_WAIT_SECONDS;
  }
  return isLimit ? UNHINTED_WAIT_SECONDS : undefined;
}

function bounded(seconds: number): number {
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(seconds)));
}
