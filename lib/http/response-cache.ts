import { LRUCache } from 'lru-cache';
import type { WrittenReply } from './route/reply.ts';

const MAX_SIZE = 96 * 1024 * 1024;

interface KeptReply {
  readonly tag: string;
  readonly reply: WrittenReply;
}

export class KeptReplies extends LRUCache<string, KeptReply> {
  constructor() {
    super({ maxSize: MAX_SIZE, sizeCalculation: ({ reply }) => reply.bytes.byteLength });
  }
}
