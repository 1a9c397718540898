import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Answer } from './call-api.ts';
import { Loop, type LoopOptions } from './loop.ts';

const MINUTE_MS = 60_000;
const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

let sent: { readonly id: string; readonly at: number }[];
let answer: (id: string) => Promise<Answer<string>>;
let asksBeforeClosing: Set<unknown>;

beforeAll(() => void vi.useFakeTimers());

afterAll(() => void vi.useRealTimers());

beforeEach(() => {
  // Requests of the previous test count for a minute.
  vi.advanceTimersByTime(2 * MINUTE_MS);
  sent = [];
  answer = (id) => Promise.resolve({ ok: id });
  asksBeforeClosing = new Set();
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('addEventListener', (_name: string, listener: unknown) => asksBeforeClosing.add(listener));
  vi.stubGlobal('removeEventListener', (_name: string, listener: unknown) => asksBeforeClosing.delete(listener));
});

afterEach(() => void vi.unstubAllGlobals());

function start(loop: Loop<string>, list: readonly string[], options: Partial<LoopOptions> = {}): Promise<void> {
  const send = (id: string) => {
    sent.push({ id, at: performance.now() });
    return answer(id);
  };
  return loop.start(list, send, { atOnce: 4, ...options });
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('sends at most 90 requests within a minute, and says how long it waits', async () => {
  const loop = new Loop<string>();
  const ended = start(loop, ids(200));
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
  expect(sent).toHaveLength(90);
  expect(loop.getState().run?.wait).toEqual({ seconds: 60, why: 'pace' });
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  await ended;
  for (const [index, { at }] of sent.entries()) {
    const ninetieth = sent[index + 90];
    if (ninetieth !== undefined) expect(ninetieth.at - at).toBeGreaterThanOrEqual(MINUTE_MS);
  }
  expect(sent).toHaveLength(200);
});

it('counts what other loops of the page have sent', async () => {
  await start(new Loop<string>(), ids(60));
  const ended = start(new Loop<string>(), ids(60));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toHaveLength(90);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await ended;
});

it('waits as long as a refusal asks, and sends what was refused again', async () => {
  let refused = false;
  answer = (id) => {
    if (id !== 'id-1' || refused) return Promise.resolve({ ok: id });
    refused = true;
    return Promise.resolve({ refused: { code: 'rate-limited', wait: 7 } });
  };
  const loop = new Loop<string>();
  const ended = start(loop, ids(12), { atOnce: 1 });
  await vi.advanceTimersByTimeAsync(6_900);
  expect(sent.map(({ id }) => id)).toEqual(['id-0', 'id-1']);
  expect(loop.getState().run?.wait).toEqual({ seconds: 7, why: 'limit' });
  await vi.advanceTimersByTimeAsync(200);
  await ended;
  expect([...loop.getState().rows.values()].every(({ kind }) => kind === 'done')).toBe(true);
});

it('pauses: what was sent ends, and nothing else begins before it goes on', async () => {
  answer = (id) => later(1_000).then(() => ({ ok: id }));
  const loop = new Loop<string>();
  const ended = start(loop, ids(10), { atOnce: 2 });
  await vi.advanceTimersByTimeAsync(500);
  loop.pause();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(sent).toHaveLength(2);
  expect(loop.getState().run?.state).toBe('paused');
  loop.resume();
  await vi.advanceTimersByTimeAsync(5_000);
  await ended;
  expect(sent).toHaveLength(10);
});

it('when stopped leaves a rest, which a new page offers until it is scanned or forgotten', async () => {
  answer = (id) => later(1_000).then(() => ({ ok: id }));
  const loop = new Loop<string>('scans');
  const ended = start(loop, ids(6), { atOnce: 2 });
  await vi.advanceTimersByTimeAsync(1_500);
  expect(new Loop('scans').getState().unfinished).toEqual(ids(6).slice(2));
  loop.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
  expect(loop.getState().unfinished).toEqual(ids(6).slice(4));
  expect(new Loop('others').getState().unfinished).toEqual([]);
  const loadedAgain = new Loop<string>('scans');
  expect(loadedAgain.getState().unfinished).toEqual(ids(6).slice(4));
  loadedAgain.forgetUnfinished();
  expect(new Loop('scans').getState().unfinished).toEqual([]);
});

it('ends with the sign-in, and leaves the rest', async () => {
  answer = (id) => Promise.resolve(id === 'id-2' ? { refused: { code: 'unauthenticated' } } : { ok: id });
  const loop = new Loop<string>('scans');
  await start(loop, ids(5), { atOnce: 1 });
  expect(sent).toHaveLength(3);
  expect(loop.getState().unfinished).toEqual(['id-2', 'id-3', 'id-4']);
});

it('goes on after a failure, unless a failure ends it', async () => {
  answer = (id) => Promise.resolve(id === 'id-1' ? { refused: { code: 'timed-out' } } : { ok: id });
  const loop = new Loop<string>();
  await start(loop, ids(4), { atOnce: 1 });
  expect(loop.getState().rows.get('id-1')).toEqual({ kind: 'failed', refused: { code: 'timed-out' } });
  expect(loop.getState().rows.get('id-3')).toEqual({ kind: 'done', value: 'id-3' });
  const strict = new Loop<string>();
  await start(strict, ids(4), { atOnce: 1, endsOnFailure: true });
  expect(strict.getState().unfinished).toEqual(['id-2', 'id-3']);
});

it('is ended by the refusals that concern all of it, and by no other', async () => {
  const codes = { 'id-1': 'already-member', 'id-3': 'forbidden' } as const;
  answer = (id) => {
    const code = codes[id as keyof typeof codes];
    return Promise.resolve(code === undefined ? { ok: id } : { refused: { code } });
  };
  const loop = new Loop<string>();
  await start(loop, ids(6), { atOnce: 1, endsOnFailure: ({ code }) => code === 'forbidden' });
  expect(sent.map(({ id }) => id)).toEqual(['id-0', 'id-1', 'id-2', 'id-3']);
  expect(loop.getState().unfinished).toEqual(['id-4', 'id-5']);
});

it('waits for another loop of the browser, unless it sends a single request', async () => {
  let free: () => void = () => {};
  const held = new Promise<void>((resolve) => (free = resolve));
  const request = async (
    _name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: object | null) => Promise<unknown>,
  ) => (options.ifAvailable === true ? work(null) : held.then(() => work({})));
  vi.stubGlobal('navigator', { locks: { request } });
  await start(new Loop<string>(), ids(1));
  expect(sent).toHaveLength(1);
  const loop = new Loop<string>();
  const ended = start(loop, ids(2));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([sent.length, loop.getState().run?.state]).toEqual([1, 'waiting']);
  free();
  await ended;
  expect(sent).toHaveLength(3);
});

it('asks before the tab is closed, while it runs', async () => {
  answer = (id) => later(1_000).then(() => ({ ok: id }));
  const ended = start(new Loop<string>(), ids(1));
  expect(asksBeforeClosing.size).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
  expect(asksBeforeClosing.size).toBe(0);
});
