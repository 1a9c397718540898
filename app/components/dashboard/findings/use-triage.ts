'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Refused } from '../../scan/sentences.ts';
import { Loop, type LoopRun } from '../../session/loop.ts';
import { inLots, LOT } from '../../session/lots.ts';
import { useOrg, useUser } from '../context.tsx';
import type { Status } from './filters.ts';
import { type FindingRow, forgetFindings, keyOf, showDecided } from './use-findings.ts';

export interface Decision {
  readonly status: Status;
  readonly reason: string | null;
  readonly expiresAt: string | null;
}

export type Target = Pick<FindingRow, 'repo_id' | 'fingerprint' | 'status' | 'reason' | 'expires_at'> &
  Partial<Pick<FindingRow, 'title' | 'full_name'>>;

export type TriageRun =
  | {
      readonly kind: 'running';
      readonly run: LoopRun;
      readonly done: number;
      readonly total: number;
      readonly pause: () => void;
      readonly resume: () => void;
      readonly stop: () => void;
    }
  | ({ readonly kind: 'ended'; readonly retry: () => void } & TriageEnd);

interface TriageEnd {
  readonly what: 'decided' | 'undone';
  readonly status: Status;
  readonly applied: number;
  readonly changed: number;
  readonly changedNames: readonly string[];
  readonly gone: number;
  readonly refused: Refused | null;
  readonly canUndo: boolean;
  readonly rest: number;
}

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

const NOTHING = { applied: 0, changed: 0, changedNames: [] as readonly string[], gone: 0 };
const MOST_NAMES = 5;

interface Left {
  readonly changes: readonly Change[];
  readonly what: 'decided' | 'undone';
  readonly onApplied: (applied: readonly Change[]) => void;
  readonly before: typeof NOTHING;
}

export function useTriage(): {
  readonly run: TriageRun | null;
  readonly decide: (targets: readonly Target[], decision: Decision) => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly revert: (pairs: readonly Reverted[]) => Promise<void>;
  readonly dismiss: () => void;
} {
  const { id, call } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [loop] = useState(() => new Loop<BatchReply>());
  const { rows, run } = useSyncExternalStore(loop.subscribe, loop.getState, loop.getState);
  const [ended, setEnded] = useState<TriageEnd | null>(null);
  const [total, setTotal] = useState(0);
  const left = useRef<Left | null>(null);
  const last = useRef<readonly Change[]>([]);
  const names = useRef<ReadonlyMap<string, string>>(new Map());

  const send = useCallback(
    async (
      changes: readonly Change[],
      what: 'decided' | 'undone',
      onApplied: (applied: readonly Change[]) => void,
      before = NOTHING,
    ): Promise<void> => {
      const lots = inLots(changes);
      setTotal(changes.length);
      setEnded(null);
      const path = `/api/findings/status:batch?org=${org.id}`;
      await loop.start([...lots.keys()], (lot) => call<BatchReply>(path, { changes: lots.get(lot) }, 'PUT'), {
        atOnce: 1,
        endsOnFailure: true,
      });
      const applied: Change[] = [];
      const rest: Change[] = [];
      let { changed, gone } = before;
      const changedNames = [...before.changedNames];
      let refused: Refused | null = null;
      for (const [lot, sent] of lots) {
        const row = loop.getState().rows.get(lot);
        if (row?.kind !== 'done') {
          if (row?.kind === 'failed') refused = row.refused;
          rest.push(...sent);
          continue;
        }
        for (const [index, { outcome }] of row.value.results.entries()) {
          const change = sent[index];
          if (outcome === 'applied' && change !== undefined) applied.push(change);
          else if (outcome === 'changed-meanwhile' && change !== undefined) {
            changed += 1;
            const name = names.current.get(keyOf(change));
            if (name && changedNames.length < MOST_NAMES && !changedNames.includes(name)) changedNames.push(name);
          } else gone += 1;
        }
      }
      onApplied(applied);
      const soFar = { applied: before.applied + applied.length, changed, changedNames, gone };
      setEnded({
        what,
        status: changes[0]?.status ?? 'open',
        ...soFar,
        refused,
        canUndo: what === 'decided' && soFar.applied > 0,
        rest: rest.length,
      });
      left.current = { changes: rest, what, onApplied, before: soFar };
      void forgetFindings(client, id, org.id);
      if (refused?.code === 'forbidden') await client.invalidateQueries({ queryKey: [id, 'orgs'] });
    },
    [call, client, id, loop, org.id],
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
      names.current = new Map(
        targets.map((target) => [keyOf(target), [target.title, target.full_name].filter(Boolean).join(' in ')]),
      );
      last.current = [];
      const only = targets.length === 1 ? targets[0] : undefined;
      if (only !== undefined) showDecided(client, [id, org.id], only, { status, reason, expires_at: expiresAt });
      await send(changes, 'decided', (applied) => {
        if (only !== undefined && applied.length === 0) showDecided(client, [id, org.id], only, only);
        last.current = [...last.current, ...applied.map((change) => restore(change, befores.get(keyOf(change))))];
      });
    },
    [client, id, org.id, send],
  );

  const undo = useCallback(async () => {
    const changes = last.current;
    last.current = [];
    if (changes.length > 0) await send(changes, 'undone', () => {});
  }, [send]);

  const revert = useCallback(
    async (pairs: readonly Reverted[]) => {
      const changes = pairs.map(({ target, before }) => restore(target, before));
      if (changes.length > 0) await send(changes, 'undone', () => {});
    },
    [send],
  );

  const { pause, resume, stop } = loop;
  const retry = useCallback(() => {
    if (left.current === null) return;
    const { changes, what, onApplied, before } = left.current;
    void send(changes, what, onApplied, before);
  }, [send]);
  const shown = useMemo((): TriageRun | null => {
    if (run === null || run.state === 'ended') return ended && { kind: 'ended', retry, ...ended };
    const lots = run.ids.filter((lot) => rows.get(lot)?.kind === 'done').length;
    const done = Math.min(lots * LOT, total);
    return { kind: 'running', run, done, total, pause, resume, stop };
  }, [ended, pause, resume, retry, rows, run, stop, total]);
  return { run: shown, decide, undo, revert, dismiss: useCallback(() => setEnded(null), []) };
}

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
