import { z } from 'zod';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { AppError, type FieldError } from '#lib/errors.ts';
import type { Services } from '../context.ts';

export interface TriageRequest extends Omit<scans.Decision, 'expiresAt'> {
  readonly expiresAt: unknown;
}

const RFC3339 = z.iso.datetime({ offset: true });
const MAX_YEARS = 2;
const MAX_ERRORS = 20;

/** Sets the status of a finding and returns the open counts of the repository's last scan. */
export async function triageFinding(services: Services, userId: string, request: TriageRequest) {
  const expiry = expiryOf(request, new Date());
  if (!expiry.ok) throw invalid([{ path: 'expires_at', message: expiry.message }]);
  return scans.triage(services.adminDb(), userId, { ...request, expiresAt: expiry.at });
}

/** Sets the status of many findings in one transaction. Throws `validation-failed` before anything changes. */
export async function triageFindings(
  services: Services,
  user: organizations.Caller,
  org: string | undefined,
  requests: readonly TriageRequest[],
) {
  const now = new Date();
  const errors: FieldError[] = [];
  const decisions = requests.flatMap((request, index) => {
    const expiry = expiryOf(request, now);
    if (expiry.ok) return [{ ...request, expiresAt: expiry.at }];
    errors.push({ path: `changes.${index}.expires_at`, message: expiry.message });
    return [];
  });
  if (errors.length > 0) throw invalid(errors.slice(0, MAX_ERRORS));
  const { id: orgId } = await organizations.resolve(services.adminDb(), user, org ?? null);
  return scans.triageMany(services.adminDb(), user.id, orgId, decisions);
}

type Expiry = { readonly ok: true; readonly at: string | null } | { readonly ok: false; readonly message: string };

function expiryOf({ status, expiresAt }: Pick<TriageRequest, 'status' | 'expiresAt'>, now: Date): Expiry {
  return status === 'accepted' || status === 'snoozed' ? readExpiry(expiresAt, now) : { ok: true, at: null };
}

export function readExpiry(value: unknown, now: Date): Expiry {
  const text = RFC3339.safeParse(value);
  if (!text.success) return refused('a timestamp such as 2027-01-31T12:00:00Z is needed for this status');
  const time = new Date(text.data);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (Number.isNaN(time.getTime()) || time <= now) return refused('must lie in the future');
  if (time > latest) return refused(`may lie ${MAX_YEARS} years ahead at most`);
  return { ok: true, at: time.toISOString() };
}

function refused(message: string): Expiry {
  return { ok: false, message };
}

function invalid(errors: readonly FieldError[]): AppError {
  return new AppError('validation-failed', 'The request is not valid.', { errors });
}
