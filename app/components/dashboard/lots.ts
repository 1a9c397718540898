import type { Refused } from '../scan/sentences.ts';
import { RequestError } from './request.ts';

const LOT = 500;
const USUAL_WAIT_SECONDS = 5;

interface Options<Item, Reply> {
  readonly send: (lot: readonly Item[]) => Promise<Reply>;
  readonly onProgress: (done: number, waitSeconds: number | null) => void;
  readonly onReply: (lot: readonly Item[], reply: Reply) => void;
}

/** Sends items in lots of 500, one after another; waits when the rate limit asks for it. Returns what ended it early. */
export async function sendInLots<Item, Reply>(
  items: readonly Item[],
  { send, onProgress, onReply }: Options<Item, Reply>,
): Promise<Refused | null> {
  for (let from = 0; from < items.length; ) {
    const lot = items.slice(from, from + LOT);
    onProgress(from, null);
    try {
      onReply(lot, await send(lot));
      from += LOT;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.refused.code !== 'rate-limited') return error.refused;
      const waitSeconds = error.refused.wait ?? USUAL_WAIT_SECONDS;
      onProgress(from, waitSeconds);
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
    }
  }
  return null;
}
