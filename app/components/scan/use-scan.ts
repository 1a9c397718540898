'use client';

import { useEffect, useRef, useState } from 'react';
import { isProblemCode } from '#lib/errors.ts';
import type { ScanEvent } from '#lib/http/scan-form.ts';
import type { ScanStep } from '#lib/services/public-scans/scan.ts';
import type { Refused } from './sentences.ts';

export type ScanState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly repo: string; readonly steps: readonly ScanStep[]; readonly opening: boolean }
  | { readonly kind: 'refused'; readonly refused: Refused };

const IDLE: ScanState = { kind: 'idle' };

export function useScan(): {
  readonly state: ScanState;
  readonly submit: (form: HTMLFormElement, button: HTMLElement | null) => void;
} {
  const [state, setState] = useState<ScanState>(IDLE);
  const running = useRef(false);
  useEffect(() => {
    const reset = ({ persisted }: PageTransitionEvent) => persisted && setState(IDLE);
    addEventListener('pageshow', reset);
    return () => removeEventListener('pageshow', reset);
  }, []);
  const run = async (repo: string) => {
    const steps: ScanStep[] = [];
    setState({ kind: 'running', repo, steps, opening: false });
    for await (const event of scan(repo)) {
      if (event.step === 'done') {
        setState({ kind: 'running', repo, steps: [...steps], opening: true });
        location.assign(event.location);
      } else if (event.step === 'failed') {
        setState({ kind: 'refused', refused: refusedBy(event.code, event.retry_after, event.request_id) });
      } else {
        steps.push(event);
        setState({ kind: 'running', repo, steps: [...steps], opening: false });
      }
    }
  };
  const submit = (form: HTMLFormElement, button: HTMLElement | null) => {
    if (running.current) return;
    running.current = true;
    const values = new FormData(form, button).getAll('repo').filter((value) => typeof value === 'string');
    run(values.findLast((value) => value.trim() !== '') ?? '')
      .catch(() => setState({ kind: 'refused', refused: { code: 'offline' } }))
      .finally(() => {
        running.current = false;
      });
  };
  return { state, submit };
}

async function* scan(repo: string): AsyncGenerator<ScanEvent> {
  const response = await fetch('/scan', {
    method: 'POST',
    headers: { accept: 'application/x-ndjson' },
    body: new URLSearchParams({ repo }),
  });
  if (!response.ok || response.body === null) {
    const problem = (await response.json()) as { readonly code?: unknown; readonly request_id?: unknown };
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
    const more = Number.isFinite(wait) ? { retry_after: wait } : {};
    yield { step: 'failed', code: String(problem.code), request_id: String(problem.request_id), ...more };
    return;
  }
  let ended = false;
  for await (const line of linesOf(response.body)) {
    const event = JSON.parse(line) as ScanEvent;
    ended = event.step === 'done' || event.step === 'failed';
    yield event;
  }
  if (!ended) throw new Error('The answer ended early.');
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function refusedBy(code: string, wait: number | undefined, requestId: string): Refused {
  const known = isProblemCode(code) ? code : 'internal';
  return { code: known, wait, requestId: known === 'internal' ? requestId : undefined };
}
