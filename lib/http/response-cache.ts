import { LRUCache } from 'lru-cache';
import type { WrittenReply } from './route/reply.ts';

const MAX_SIZE = 96 * 1024 * 1024;

interface CachedReply {
  readonly tag: string;
  readonly reply: WrittenReply;
}

export class ResponseCache extends LRUCache<string, CachedReply> {
  constructor() {
    super({ maxSize: MAX_SIZE, sizeCalculation: ({ reply }) => reply.bytes.byteLength });
  }
}
