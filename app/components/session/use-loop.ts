'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Answer } from './call-api.ts';
import { Loop, type LoopOptions, type LoopState } from './loop.ts';

export type { LoopRow } from './loop.ts';

export interface LoopControls<T> extends LoopState<T> {
  readonly start: (ids: readonly string[]) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly stop: () => void;
  readonly forgetUnfinished: () => void;
}

export interface Lasting {
  readonly name: string;
  readonly label: string;
  readonly href: string;
}

interface Options extends LoopOptions {
  readonly lasting: Lasting | null;
  readonly onEnd?: () => void;
}

interface LastingLoop extends Lasting {
  readonly loop: Loop<unknown>;
}

const lastingLoops = new Map<string, LastingLoop>();
const watchers = new Set<() => void>();
let version = 0;

function lastingLoop<T>(lasting: Lasting): Loop<T> {
  const found = lastingLoops.get(lasting.name);
  if (found !== undefined) return found.loop as Loop<T>;
  const loop = new Loop<T>(lasting.name);
  lastingLoops.set(lasting.name, { ...lasting, loop });
  loop.subscribe(() => {
    version += 1;
    for (const watcher of watchers) watcher();
  });
  return loop;
}

export function useLoop<T>(
  send: (id: string) => Promise<Answer<T>>,
  { lasting, onEnd = () => {}, ...options }: Options,
): LoopControls<T> {
  const [own] = useState(() => new Loop<T>());
  const loop = lasting === null ? own : lastingLoop<T>(lasting);
  const state = useSyncExternalStore(loop.subscribe, loop.getState, loop.getState);
  useEffect(() => own.stop, [own]);
  const { pause, resume, stop, forgetUnfinished } = loop;
  const start = (ids: readonly string[]) => void loop.start(ids, send, options).then(onEnd);
  return { ...state, start, pause, resume, stop, forgetUnfinished };
}

export interface RunningLoop extends Lasting {
  readonly finished: number;
  readonly total: number;
}

export function useRunningLoops(): readonly RunningLoop[] {
  useSyncExternalStore(watchLoops, currentVersion, currentVersion);
  return [...lastingLoops.values()].flatMap(({ loop, ...lasting }) => {
    const { rows, run } = loop.getState();
    if (run === null || run.state === 'ended') return [];
    const finished = run.ids.filter((id) => ['done', 'failed'].includes(rows.get(id)?.kind ?? '')).length;
    return [{ ...lasting, finished, total: run.ids.length }];
  });
}

function watchLoops(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function currentVersion(): number {
  return version;
}

export function endLoops(): void {
  for (const { loop } of lastingLoops.values()) {
    loop.stop();
    loop.forgetUnfinished();
  }
  lastingLoops.clear();
}

export function useAskBeforeClosing(busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [busy]);
}
