'use client';

import pMap from 'p-map';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Refused } from '../scan/sentences.ts';
import type { Answer } from './call-api.ts';

export type LoopRow<T> =
  | { readonly kind: 'queued' | 'running' }
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly refused: Refused };

export interface LoopRun {
  readonly ids: readonly string[];
  readonly state: 'running' | 'stopping' | 'ended';
  readonly waitSeconds: number | null;
}

export interface Loop<T> {
  readonly rows: ReadonlyMap<string, LoopRow<T>>;
  readonly run: LoopRun | null;
  readonly start: (ids: readonly string[]) => void;
  readonly stop: () => void;
}

interface Options {
  readonly atOnce: number;
  /** Requests within a minute; all that the server allows without it. */
  readonly perMinute?: number;
  /** Called when all requests of a run have ended. */
  readonly onEnd?: () => void;
}

const USUAL_WAIT_SECONDS = 5;
const MINUTE_MS = 60_000;

/** Sends one request for each id, a few at once, and waits when the rate limit asks for it. */
export function useLoop<T>(
  send: (id: string) => Promise<Answer<T>>,
  { atOnce, perMinute = Number.POSITIVE_INFINITY, onEnd = () => {} }: Options,
): Loop<T> {
  const [rows, setRows] = useState<ReadonlyMap<string, LoopRow<T>>>(new Map());
  const [run, setRun] = useState<LoopRun | null>(null);
  const controller = useRef<AbortController>(null);
  const sentAt = useRef<number[]>([]);
  const stop = useCallback(() => {
    controller.current?.abort();
    setRun((before) => (before?.state === 'running' ? { ...before, state: 'stopping', waitSeconds: null } : before));
  }, []);
  useEffect(() => stop, [stop]);

  const sendAll = async (ids: readonly string[], signal: AbortSignal) => {
    const put = (id: string, row: LoopRow<T>) => setRows((before) => new Map(before).set(id, row));
    let notBefore = 0;
    const turn = async () => {
      for (;;) {
        const now = performance.now();
        sentAt.current = sentAt.current.filter((at) => at > now - MINUTE_MS);
        const oldest = sentAt.current.length < perMinute ? undefined : sentAt.current[0];
        const until = Math.max(notBefore, oldest === undefined ? 0 : oldest + MINUTE_MS);
        if (until <= now || signal.aborted) break;
        await pause(until - now, signal);
      }
      sentAt.current.push(performance.now());
    };
    const one = async (id: string) => {
      for (;;) {
        await turn();
        if (signal.aborted) return;
        setRun((before) => before && { ...before, waitSeconds: null });
        put(id, { kind: 'running' });
        const { ok, refused } = await send(id);
        if (refused === undefined) {
          put(id, { kind: 'done', value: ok });
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
    await pMap(ids, one, { concurrency: atOnce });
  };

  const start = (ids: readonly string[]) => {
    if (run !== null && run.state !== 'ended') return;
    controller.current = new AbortController();
    setRun({ ids, state: 'running', waitSeconds: null });
    setRows((before) => new Map([...before, ...ids.map((id) => [id, { kind: 'queued' }] as const)]));
    void sendAll(ids, controller.current.signal).then(() => {
      setRun((before) => before && { ...before, state: 'ended', waitSeconds: null });
      setRows((before) => new Map([...before].filter(([, { kind }]) => kind !== 'queued')));
      onEnd();
    });
  };
  return { rows, run, start, stop };
}

/** Asks before the tab is closed while `busy`. */
export function useAskBeforeClosing(busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [busy]);
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
