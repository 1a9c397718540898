'use client';

import type { ScanReply } from '#lib/http/schemas/repositories.ts';
import type { CallApi } from '../session/call-api.ts';
import { type LoopControls, type LoopRow, useLoop } from '../session/use-loop.ts';

export type RowState = LoopRow<ScanReply>;
export type Scans = LoopControls<ScanReply>;

const AT_ONCE = 4;

interface Options {
  readonly orgId: string;
  /** The page that shows the scans. */
  readonly href: string;
  /** Called when all scans of a run have ended. */
  readonly onEnd?: () => void;
}

/** Scans of an organization's repositories. They go on while the user visits other pages. */
export function useScans(call: CallApi, { orgId, href, onEnd }: Options): Scans {
  return useLoop((id) => call<ScanReply>('/api/scan', { repo_id: id }), {
    atOnce: AT_ONCE,
    lasting: { name: `scans ${orgId}`, label: 'Scans', href },
    ...(onEnd !== undefined && { onEnd }),
  });
}
