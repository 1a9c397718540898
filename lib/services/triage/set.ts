import { z } from 'zod';
import * as scans from '#lib/db/queries/scans.ts';
import type { TriageStatus } from '#lib/db/shapes/scans.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';

export interface TriageRequest {
  readonly repoId: string;
  readonly fingerprint: string;
  readonly status: TriageStatus;
  readonly reason: string | null;
  readonly expiresAt: unknown;
}

const RFC3339 = z.iso.datetime({ offset: true });
const MAX_YEARS = 2;

/** Sets the status of a finding and returns the open counts of the repository's last scan. */
export async function triageFinding(services: Services, userId: string, request: TriageRequest) {
  const { repoId, fingerprint, status, reason } = request;
  const expiresAt = status === 'accepted' || status === 'snoozed' ? readExpiry(request.expiresAt, new Date()) : null;
  return scans.triage(services.adminDb(), userId, { repoId, fingerprint, status, reason, expiresAt });
}

/** Returns a future time at most two years ahead, in UTC. Exported for its test. */
export function readExpiry(value: unknown, now: Date): string {
  const text = RFC3339.safeParse(value);
  if (!text.success) throw invalid('a timestamp such as 2027-01-31T12:00:00Z is needed for this status');
  const time = new Date(text.data);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (Number.isNaN(time.getTime()) || time <= now) throw invalid('must lie in the future');
  if (time > latest) throw invalid(`may lie ${MAX_YEARS} years ahead at most`);
  return time.toISOString();
}

function invalid(message: string): AppError {
  return new AppError('validation-failed', 'The request is not valid.', { errors: [{ path: 'expires_at', message }] });
}
