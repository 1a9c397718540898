import { LRUCache } from 'lru-cache';

type Draw = () => Promise<ArrayBuffer>;

const MAX_PICTURES = 200;

const pictures = new LRUCache<string, ArrayBuffer, Draw>({
  max: MAX_PICTURES,
  fetchMethod: (_key, _stale, { context: draw }) => draw(),
});

export async function keptPicture(key: string, draw: Draw): Promise<ArrayBuffer> {
  return pictures.forceFetch(key, { context: draw });
}
