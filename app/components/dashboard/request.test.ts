import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Refused } from '../scan/sentences.ts';
import type { Answer } from '../session/call-api.ts';
import { isAwaited, RequestError, requestWith } from './request.ts';

const LOST = { code: 'offline' } as const;
const GONE = { code: 'not-found' } as const;

function requestRefused(...refusals: readonly Refused[]) {
  const sent: unknown[] = [];
  const left = [...refusals];
  const request = requestWith(<T>(path: string, _body?: unknown, method?: string): Promise<Answer<T>> => {
    sent.push([method, path]);
    const refused = left.shift();
    return Promise.resolve(refused === undefined ? { ok: 'done' as T } : { refused });
  });
  return { request, sent };
}

async function settle<T>(answer: Promise<T>): Promise<T | Refused> {
  const settled = answer.catch((error: unknown) => (error as RequestError).refused);
  await vi.runAllTimersAsync();
  return settled;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { onLine: true });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a request of a page', () => {
  it('is sent again when the rate limit lets it through within five seconds, and is refused for longer waits', async () => {
    const soon = requestRefused({ code: 'rate-limited', wait: 5 });
    expect(await settle(soon.request('/a', {}, 'POST'))).toBe('done');
    const late = requestRefused({ code: 'rate-limited', wait: 6 });
    expect(await settle(late.request('/a'))).toEqual({ code: 'rate-limited', wait: 6 });
    const unknown = requestRefused({ code: 'rate-limited' });
    expect(await settle(unknown.request('/a'))).toEqual({ code: 'rate-limited' });
    expect([soon.sent.length, late.sent.length, unknown.sent.length]).toEqual([2, 1, 1]);
  });

  it('without an answer is sent once more if it may arrive twice', async () => {
    const put = requestRefused(LOST);
    expect(await settle(put.request('/a', {}, 'PUT'))).toBe('done');
    const twice = requestRefused(LOST, LOST);
    expect(await settle(twice.request('/a', {}, 'PUT'))).toEqual(LOST);
    for (const method of ['POST', 'PATCH'] as const) {
      const once = requestRefused(LOST);
      expect(await settle(once.request('/a', {}, method))).toEqual(LOST);
      expect(once.sent).toHaveLength(1);
    }
  });

  it('without an answer is not sent again while the browser is offline', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    const { request, sent } = requestRefused(LOST);
    expect(await settle(request('/a', {}, 'PUT'))).toEqual(LOST);
    expect(sent).toHaveLength(1);
  });

  it('has deleted what is gone when the answer was lost', async () => {
    const lost = requestRefused(LOST, GONE);
    expect(await settle(lost.request('/a', undefined, 'DELETE'))).toBeNull();
    const gone = requestRefused(GONE);
    expect(await settle(gone.request('/a', undefined, 'DELETE'))).toEqual(GONE);
  });
});

describe('what a page waits for', () => {
  const query = (isPending: boolean, errorUpdateCount: number) => ({ isPending, errorUpdateCount });

  it('is the first answer or failure of each query, and no query that is asked again after a failure', () => {
    expect(isAwaited([query(false, 0), query(true, 0)])).toBe(true);
    expect(isAwaited([query(false, 0), query(false, 1)])).toBe(false);
    expect(isAwaited([query(true, 1)])).toBe(false);
    expect(isAwaited([])).toBe(false);
  });
});
