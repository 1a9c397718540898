'use client';

import { useEffect, useRef, useState } from 'react';
import { type FieldError, isProblemCode, type ProblemCode } from '#lib/errors.ts';
import type { HardenRequest } from '#lib/services/hardening/harden.ts';
import type { HardenReply } from '#lib/services/hardening/workflow.ts';

type OwnRefusal = 'too-large' | 'not-text' | 'no-category' | 'offline';

export interface Refused {
  readonly code: ProblemCode | OwnRefusal;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly retryAt?: number;
  readonly waitSeconds?: number;
  readonly requestId?: string;
}

export interface Hardened {
  readonly before: string;
  readonly filename: string;
  readonly reply: HardenReply;
}

export type HardenState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly filename: string; readonly looksUp: boolean }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'done'; readonly hardened: Hardened };

const IDLE: HardenState = { kind: 'idle' };

export function useHarden(): {
  readonly state: HardenState;
  readonly send: (request: HardenRequest & { readonly filename: string }) => void;
  readonly refuse: (refused: Refused) => void;
  readonly cancel: () => void;
} {
  const [state, setState] = useState<HardenState>(IDLE);
  const controller = useRef<AbortController>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const replace = (next: HardenState) => {
    controller.current?.abort();
    setState(next);
  };
  return {
    state,
    send(request) {
      const { workflow: before, filename, categories } = request;
      replace({ kind: 'running', filename, looksUp: categories?.includes('CICD-SEC-3') ?? true });
      const current = new AbortController();
      controller.current = current;
      void ask(request, current.signal).then((answer) => {
        if (current.signal.aborted) return;
        setState(
          'refused' in answer
            ? { kind: 'refused', refused: answer.refused }
            : { kind: 'done', hardened: { before, filename, reply: answer.reply } },
        );
      });
    },
    refuse: (refused) => replace({ kind: 'refused', refused }),
    cancel: () => replace(IDLE),
  };
}

type Answer = { readonly reply: HardenReply } | { readonly refused: Refused };

async function ask(request: HardenRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch('/api/public/harden', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    const content: unknown = await response.json();
    return response.ok
      ? { reply: content as HardenReply }
      : { refused: refusedBy(response.headers, content as Readonly<Record<string, unknown>>) };
  } catch {
    return { refused: { code: 'offline' } };
  }
}

function refusedBy(headers: Headers, problem: Readonly<Record<string, unknown>>): Refused {
  const { code, detail, errors, request_id: requestId } = problem;
  const known = typeof code === 'string' && isProblemCode(code) ? code : 'internal';
  const wait = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return {
    code: known,
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors: errors as FieldError[] }),
    ...(wait >= 1 && { waitSeconds: wait, retryAt: Date.now() + wait * 1000 }),
    ...(known === 'internal' && typeof requestId === 'string' && { requestId }),
  };
}
