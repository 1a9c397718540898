import { LRUCache } from 'lru-cache';
import type { WrittenReply } from './route/reply.ts';

/** Bytes in all. The paths of a thousand repositories are some eight million. */
const MAX_SIZE = 96 * 1024 * 1024;

interface KeptReply {
  /** What the database says anew for every request, once it knows that the caller may read this. */
  readonly tag: string;
  readonly reply: WrittenReply;
}

/** Answers of this process that are costly to write and seldom change, by what they are about. */
export class KeptReplies extends LRUCache<string, KeptReply> {
  constructor() {
    super({ maxSize: MAX_SIZE, sizeCalculation: ({ reply }) => reply.bytes.byteLength });
  }
}
