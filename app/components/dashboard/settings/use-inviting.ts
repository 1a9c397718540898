'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invite, Role } from '#lib/db/shapes/organizations.ts';
import type { Refused } from '../../scan/sentences.ts';
import { useOrg, useUser } from '../context.tsx';

export type InviteResult =
  | { readonly kind: 'waiting' | 'sending' }
  | { readonly kind: 'invited'; readonly inviteId: string }
  | { readonly kind: 'refused'; readonly refused: Refused };

export interface Inviting {
  readonly results: ReadonlyMap<string, InviteResult>;
  readonly running: boolean;
  /** While the rate limit makes it wait. */
  readonly waitSeconds: number | null;
  readonly start: (addresses: readonly string[], role: Role) => Promise<void>;
}

const USUAL_WAIT_SECONDS = 5;
const ENDS_ALL: ReadonlySet<Refused['code']> = new Set(['forbidden', 'unauthenticated', 'personal-org', 'offline']);

/** Invites addresses one after the other. What concerns all of them ends the loop. */
export function useInviting(): Inviting {
  const { id, call } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [results, setResults] = useState<ReadonlyMap<string, InviteResult>>(new Map());
  const [running, setRunning] = useState(false);
  const [waitSeconds, setWaitSeconds] = useState<number | null>(null);

  const start = async (addresses: readonly string[], role: Role) => {
    const set = (address: string, result: InviteResult) => setResults((before) => new Map(before).set(address, result));
    setRunning(true);
    setResults(new Map(addresses.map((address) => [address, { kind: 'waiting' }])));
    let ended: Refused | null = null;
    for (const address of addresses) {
      if (ended !== null) {
        set(address, { kind: 'refused', refused: ended });
        continue;
      }
      set(address, { kind: 'sending' });
      let answer = await call<Invite>(`/api/orgs/${org.id}/invites`, { email: address, role });
      while (answer.refused?.code === 'rate-limited') {
        const seconds = answer.refused.wait ?? USUAL_WAIT_SECONDS;
        setWaitSeconds(seconds);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
        setWaitSeconds(null);
        answer = await call<Invite>(`/api/orgs/${org.id}/invites`, { email: address, role });
      }
      if (answer.refused === undefined) set(address, { kind: 'invited', inviteId: answer.ok.invite_id });
      else {
        set(address, { kind: 'refused', refused: answer.refused });
        if (ENDS_ALL.has(answer.refused.code)) ended = answer.refused;
      }
    }
    setRunning(false);
    await client.invalidateQueries({ queryKey: [id, org.id, 'open-invites'] });
    if (ended?.code === 'forbidden') await client.invalidateQueries({ queryKey: [id, 'orgs'] });
  };
  return { results, running, waitSeconds, start };
}
