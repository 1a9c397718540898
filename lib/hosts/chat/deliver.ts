import { setTimeout as delay } from 'node:timers/promises';
import type { ChatMessage } from './message.ts';
import { type ChatTarget, webhookPath } from './webhook.ts';

export type Delivery =
  | { readonly delivered: true }
  | {
      readonly delivered: false;
      readonly reason: 'not-a-webhook' | 'refused' | 'redirected' | 'timed-out' | 'unreachable';
      readonly status: number | null;
      readonly code: string | null;
      readonly dead: boolean;
    };

type Failure = Extract<Delivery, { delivered: false }>;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** https://docs.slack.dev/changelog/2016/05/17/changes-to-errors-for-incoming-webhooks, and codes seen since. */
const DEAD: ReadonlySet<string> = new Set([
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_team',
  'team_disabled',
]);
const REFUSALS: ReadonlySet<string> = new Set([
  ...DEAD,
  'action_prohibited',
  'invalid_blocks',
  'invalid_payload',
  'no_text',
  'posting_to_general_channel_denied',
  'rollup_error',
  'too_many_attachments',
  'user_not_found',
]);

/**
 * Posts to an incoming webhook, with a limited number of attempts. Retries only 429, 5xx and failed connections, since
 * a request that timed out may have arrived. Follows no redirects and never throws.
 */
export async function deliver(
  target: ChatTarget,
  address: string,
  message: ChatMessage,
  attempts: number,
): Promise<Delivery> {
  const path = webhookPath(address, target);
  if (path === undefined) return failure('not-a-webhook');
  const url = `${target.webhookOrigin ?? `https://${target.webhookHost}`}${path}`;
  const body = JSON.stringify(message);
  for (let attempt = 1, pause = FIRST_PAUSE_MS; ; attempt += 1, pause *= 2) {
    const { delivery, retryAfterMs } = await post(url, body);
    const wait = Math.max(pause, retryAfterMs ?? 0);
    if (delivery.delivered || attempt >= attempts || !mayPass(delivery) || wait > LONGEST_PAUSE_MS) return delivery;
    await delay(wait);
  }
}

function failure(reason: Failure['reason'], more: Partial<Failure> = {}): Failure {
  return { delivered: false, reason, status: null, code: null, dead: false, ...more };
}

function mayPass({ reason, status, dead }: Failure): boolean {
  if (reason === 'unreachable') return true;
  return reason === 'refused' && !dead && status !== null && (status === 429 || status >= 500);
}

async function post(url: string, body: string): Promise<{ delivery: Delivery; retryAfterMs?: number }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body,
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    const answer = await readStart(response);
    if (response.ok) return { delivery: { delivered: true } };
    if (status >= 300 && status < 400) return { delivery: failure('redirected', { status }) };
    const code = REFUSALS.has(answer) ? answer : null;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      delivery: failure('refused', { status, code, dead: DEAD.has(answer) }),
      ...(Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1000 } : {}),
    };
  } catch {
    // The error may contain the webhook URL.
    return { delivery: failure(signal.aborted ? 'timed-out' : 'unreachable') };
  }
}

async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8').trim();
}
