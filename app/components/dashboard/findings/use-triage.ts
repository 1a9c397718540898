'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Refused } from '../../scan/sentences.ts';
import { useOrg, useUser } from '../context.tsx';
import { sendInLots } from '../lots.ts';
import type { Status } from './filters.ts';
import { type FindingRow, forgetFindings, keyOf } from './use-findings.ts';

export interface Decision {
  readonly status: Status;
  readonly reason: string | null;
  /** RFC 3339; for accepted and snoozed. */
  readonly expiresAt: string | null;
}

export type Target = Pick<FindingRow, 'repo_id' | 'fingerprint' | 'status' | 'reason' | 'expires_at'>;

export type TriageRun =
  | { readonly kind: 'running'; readonly done: number; readonly total: number; readonly waitSeconds: number | null }
  | {
      readonly kind: 'ended';
      readonly what: 'decided' | 'undone';
      readonly status: Status;
      readonly applied: number;
      /** Findings that somebody else changed first. */
      readonly changed: number;
      readonly gone: number;
      readonly refused: Refused | null;
      readonly canUndo: boolean;
    };

interface Change {
  readonly repo_id: string;
  readonly fingerprint: string;
  readonly status: Status;
  readonly reason: string | null;
  readonly expires_at?: string;
  readonly if_status: Status;
}

export interface Reverted {
  readonly target: Pick<Target, 'repo_id' | 'fingerprint' | 'status'>;
  readonly before: Target | undefined;
}

interface BatchReply {
  readonly applied: number;
  readonly results: readonly { readonly outcome: 'applied' | 'not-found' | 'changed-meanwhile' }[];
}

/** Decides on findings in lots, waits when the rate limit asks for it, and can take the last decision back. */
export function useTriage(): {
  readonly run: TriageRun | null;
  readonly decide: (targets: readonly Target[], decision: Decision) => Promise<void>;
  readonly undo: () => Promise<void>;
  /** Takes earlier decisions back: `target` as it is now, `before` as it was. */
  readonly revert: (pairs: readonly Reverted[]) => Promise<void>;
  readonly dismiss: () => void;
} {
  const { id, request } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [run, setRun] = useState<TriageRun | null>(null);
  const last = useRef<readonly Change[]>([]);

  const send = useCallback(
    async (changes: readonly Change[], what: 'decided' | 'undone') => {
      const applied: Change[] = [];
      const counts = { changed: 0, gone: 0 };
      const refused = await sendInLots(changes, {
        send: (lot) => request<BatchReply>(`/api/findings/status:batch?org=${org.id}`, { changes: lot }, 'PUT'),
        onProgress: (done, waitSeconds) => setRun({ kind: 'running', done, total: changes.length, waitSeconds }),
        onReply: (lot, { results }) => {
          for (const [index, { outcome }] of results.entries()) {
            const change = lot[index];
            if (outcome === 'applied' && change !== undefined) applied.push(change);
            else if (outcome === 'changed-meanwhile') counts.changed += 1;
            else counts.gone += 1;
          }
        },
      });
      const status = changes[0]?.status ?? 'open';
      setRun({
        kind: 'ended',
        what,
        status,
        applied: applied.length,
        ...counts,
        refused,
        canUndo: what === 'decided' && applied.length > 0,
      });
      // Not awaited: undo is offered by now, and takes what this returns.
      void forgetFindings(client, id, org.id);
      return applied;
    },
    [client, id, org.id, request],
  );

  const decide = useCallback(
    async (targets: readonly Target[], { status, reason, expiresAt }: Decision) => {
      const changes = targets.map((target) => ({
        repo_id: target.repo_id,
        fingerprint: target.fingerprint,
        status,
        reason,
        ...(expiresAt !== null && { expires_at: expiresAt }),
        if_status: target.status,
      }));
      const befores = new Map(targets.map((target) => [keyOf(target), target]));
      const applied = await send(changes, 'decided');
      last.current = applied.map((change) => restore(change, befores.get(keyOf(change))));
    },
    [send],
  );

  const undo = useCallback(async () => {
    const changes = last.current;
    last.current = [];
    if (changes.length > 0) await send(changes, 'undone');
  }, [send]);

  const revert = useCallback(
    async (pairs: readonly Reverted[]) => {
      const changes = pairs.map(({ target, before }) => restore(target, before));
      if (changes.length > 0) await send(changes, 'undone');
    },
    [send],
  );

  return { run, decide, undo, revert, dismiss: useCallback(() => setRun(null), []) };
}

/** What puts a finding back, unless somebody changed it since. An end that has passed means that it is open. */
function restore({ repo_id, fingerprint, status }: Reverted['target'], before: Target | undefined): Change {
  const over = before?.expires_at != null && Date.parse(before.expires_at) <= Date.now();
  if (before === undefined || before.status === 'open' || over) {
    return { repo_id, fingerprint, status: 'open', reason: null, if_status: status };
  }
  return {
    repo_id,
    fingerprint,
    status: before.status,
    reason: before.reason,
    // The database writes times in forms that the API refuses.
    ...(before.expires_at !== null && { expires_at: new Date(before.expires_at).toISOString() }),
    if_status: status,
  };
}
