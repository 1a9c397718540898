import { LRUCache } from 'lru-cache';

type Draw = () => Promise<ArrayBuffer>;

/** A picture has some 30 kB. */
const MAX_PICTURES = 200;

const pictures = new LRUCache<string, ArrayBuffer, Draw>({
  max: MAX_PICTURES,
  fetchMethod: (_key, _stale, { context: draw }) => draw(),
});

/**
 * A picture that never changes, drawn once however many ask: drawing costs a third of a second of the processor, and
 * nothing limits who may ask.
 */
export async function keptPicture(key: string, draw: Draw): Promise<ArrayBuffer> {
  return pictures.forceFetch(key, { context: draw });
}
