import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export interface WriteLimits {
  readonly gapMs: number;
  readonly perMinute: number;
  readonly perHour: number;
}

export type ReservedWrite = { readonly wait_ms: number } | { readonly exhausted_seconds: number };

export async function reserve(
  db: AdminDb,
  installationId: string,
  { gapMs, perMinute, perHour }: WriteLimits,
  maxWaitMs: number,
): Promise<ReservedWrite> {
  return call(db, 'reserve_code_host_write', {
    p_installation_id: installationId,
    p_gap_ms: gapMs,
    p_per_minute: perMinute,
    p_per_hour: perHour,
    p_max_wait_ms: Math.ceil(maxWaitMs),
  });
}

export async function pause(db: AdminDb, installationId: string, seconds: number): Promise<void> {
  await call(db, 'pause_code_host_writes', { p_installation_id: installationId, p_seconds: Math.ceil(seconds) });
}
