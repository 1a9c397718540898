import { LRUCache } from 'lru-cache';
import type { WrittenReply } from './route/reply.ts';

/** In bytes. The paths of a thousand repositories take eight million. */
const MAX_SIZE = 96 * 1024 * 1024;

interface KeptReply {
  /** Computed by the database on every request, after authorizing the caller. */
  readonly tag: string;
  readonly reply: WrittenReply;
}

export class KeptReplies extends LRUCache<string, KeptReply> {
  constructor() {
    super({ maxSize: MAX_SIZE, sizeCalculation: ({ reply }) => reply.bytes.byteLength });
  }
}
