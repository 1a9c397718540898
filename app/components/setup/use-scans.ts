'use client';

import type { ScanReply } from '#lib/http/schemas/repositories.ts';
import type { CallApi } from '../session/call-api.ts';
import { type Loop, type LoopRow, type LoopRun, useLoop } from '../session/use-loop.ts';

export type RowState = LoopRow<ScanReply>;
export type Run = LoopRun;

const AT_ONCE = 4;

/** `onEnd` is called when all scans of a run have ended. */
export function useScans(call: CallApi, onEnd?: () => void): Loop<ScanReply> {
  return useLoop((id) => call<ScanReply>('/api/scan', { repo_id: id }), {
    atOnce: AT_ONCE,
    ...(onEnd !== undefined && { onEnd }),
  });
}
