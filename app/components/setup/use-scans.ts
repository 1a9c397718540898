'use client';

import type { ScanReply } from '#lib/http/schemas/repositories.ts';
import type { CallApi } from '../session/call-api.ts';
import { type LoopControls, type LoopRow, useLoop } from '../session/use-loop.ts';

export type RowState = LoopRow<ScanReply>;
export type Scans = LoopControls<ScanReply>;

const AT_ONCE = 4;

interface Options {
  readonly orgId: string;
  readonly href: string;
  readonly onEnd?: () => void;
}

export function useScans(call: CallApi, { orgId, href, onEnd }: Options): Scans {
  return useLoop((id) => call<ScanReply>('/api/scan', { repo_id: id }), {
    atOnce: AT_ONCE,
    lasting: { name: `scans ${orgId}`, label: 'Scans', href },
    ...(onEnd !== undefined && { onEnd }),
  });
}
