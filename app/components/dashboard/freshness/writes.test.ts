import { describe, expect, it } from 'vitest';
import type { Answer, CallApi } from '../../session/call-api.ts';
import { noticeWrites } from './writes.ts';

function held(): { readonly call: CallApi; readonly answer: (answer: Answer<unknown>) => void } {
  let answer: (answer: Answer<unknown>) => void = () => {};
  const call = (() => new Promise((resolve) => (answer = resolve))) as unknown as CallApi;
  return { call, answer: (given) => answer(given) };
}

describe('noticed writes', () => {
  it('are under way until they are answered or refused, and announced then', async () => {
    const { call: send, answer } = held();
    const { call, writes } = noticeWrites(send);
    let ended = 0;
    const stop = writes.subscribe(() => (ended += 1));
    const write = call('/api/scan', {});
    expect(writes.areUnderWay()).toBe(true);
    answer({ ok: null });
    await write;
    expect([writes.areUnderWay(), ended]).toEqual([false, 1]);

    const refused = call('/api/invites/x', undefined, 'DELETE');
    answer({ refused: { code: 'forbidden' } });
    await refused;
    expect([writes.areUnderWay(), ended]).toEqual([false, 2]);
    stop();
  });

  it('are not reads', async () => {
    const { call: send, answer } = held();
    const { call, writes } = noticeWrites(send);
    let ended = 0;
    writes.subscribe(() => (ended += 1));
    const read = call('/api/orgs');
    expect(writes.areUnderWay()).toBe(false);
    answer({ ok: [] });
    await read;
    expect(ended).toBe(0);
  });
});
