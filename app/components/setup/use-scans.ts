'use client';

import pMap from 'p-map';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ScanReply } from '#lib/http/schemas/repositories.ts';
import type { Severity } from '../../messages.ts';
import type { Refused } from '../scan/sentences.ts';
import type { CallApi } from '../session/call-api.ts';

export type RowState =
  | { readonly kind: 'queued' | 'running' }
  | { readonly kind: 'done'; readonly counts: Readonly<Record<Severity, number>> }
  | { readonly kind: 'failed'; readonly refused: Refused };

export interface Run {
  readonly ids: readonly string[];
  readonly state: 'running' | 'stopping' | 'ended';
  readonly waitSeconds: number | null;
}

interface Scans {
  readonly rows: ReadonlyMap<string, RowState>;
  readonly run: Run | null;
  readonly start: (ids: readonly string[]) => void;
  readonly stop: () => void;
}

const AT_ONCE = 4;
const USUAL_WAIT_SECONDS = 5;

/** `onEnd` is called when all scans of a run have ended. */
export function useScans(call: CallApi, onEnd: () => void = () => {}): Scans {
  const [rows, setRows] = useState<ReadonlyMap<string, RowState>>(new Map());
  const [run, setRun] = useState<Run | null>(null);
  const controller = useRef<AbortController>(null);
  const stop = useCallback(() => {
    controller.current?.abort();
    setRun((before) => (before?.state === 'running' ? { ...before, state: 'stopping', waitSeconds: null } : before));
  }, []);
  useEffect(() => stop, [stop]);

  const scanAll = async (ids: readonly string[], signal: AbortSignal) => {
    const put = (id: string, state: RowState) => setRows((before) => new Map(before).set(id, state));
    let notBefore = 0;
    const scan = async (id: string) => {
      for (;;) {
        await pause(notBefore - performance.now(), signal);
        if (signal.aborted) return;
        setRun((before) => before && { ...before, waitSeconds: null });
        put(id, { kind: 'running' });
        const { ok, refused } = await call<ScanReply>('/api/scan', { repo_id: id });
        if (ok !== undefined) {
          const { high, medium, low, info } = ok.counts;
          put(id, { kind: 'done', counts: { HIGH: high, MEDIUM: medium, LOW: low, INFO: info } });
          return;
        }
        if (refused.code !== 'rate-limited') {
          put(id, { kind: 'failed', refused });
          return;
        }
        const waitSeconds = refused.wait ?? USUAL_WAIT_SECONDS;
        notBefore = Math.max(notBefore, performance.now() + waitSeconds * 1000);
        put(id, { kind: 'queued' });
        setRun((before) => before && { ...before, waitSeconds });
      }
    };
    await pMap(ids, scan, { concurrency: AT_ONCE });
  };

  const start = (ids: readonly string[]) => {
    if (run !== null && run.state !== 'ended') return;
    controller.current = new AbortController();
    setRun({ ids, state: 'running', waitSeconds: null });
    setRows((before) => new Map([...before, ...ids.map((id) => [id, { kind: 'queued' }] as const)]));
    void scanAll(ids, controller.current.signal).then(() => {
      setRun((before) => before && { ...before, state: 'ended', waitSeconds: null });
      setRows((before) => new Map([...before].filter(([, { kind }]) => kind !== 'queued')));
      onEnd();
    });
  };
  return { rows, run, start, stop };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
