import type { Status } from './filters.ts';

interface Text {
  readonly label: string;
  readonly verb: string;
  readonly shortVerb?: string;
  readonly meaning: string;
  readonly key: string;
  readonly needsEnd: boolean;
}

export const STATUS_TEXTS: Readonly<Record<Status, Text>> = {
  open: { label: 'Open', verb: 'Reopen', meaning: 'Needs a decision or a fix.', key: 'r', needsEnd: false },
  dismissed: {
    label: 'Dismissed',
    verb: 'Dismiss',
    meaning: 'Will not be fixed. It no longer counts in attack paths.',
    key: 'd',
    needsEnd: false,
  },
  false_positive: {
    label: 'False positive',
    verb: 'Mark as false positive',
    shortVerb: 'False positive',
    meaning: 'The scanner is wrong. It no longer counts in attack paths.',
    key: 'f',
    needsEnd: false,
  },
  accepted: {
    label: 'Accepted',
    verb: 'Accept the risk',
    meaning: 'The risk is accepted until that date. Attack paths still show it, marked as accepted.',
    key: 'a',
    needsEnd: true,
  },
  snoozed: {
    label: 'Snoozed',
    verb: 'Snooze',
    meaning: 'Opens again on that date. Until then it still counts in attack paths.',
    key: 's',
    needsEnd: true,
  },
};

interface Decided {
  readonly repo_id: string;
  readonly fingerprint: string;
  readonly from_status: Status;
}

interface Before {
  readonly to_status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
}

/**
 * Returns the status that a decision replaced, with the reason and end that the decision before it gave. Undefined opens
 * the finding: what needs an end cannot come back without one.
 */
export function statusBefore({ repo_id, fingerprint, from_status: status }: Decided, before: Before | undefined) {
  const known = before?.to_status === status ? before : undefined;
  if (STATUS_TEXTS[status].needsEnd && known?.expires_at == null) return undefined;
  return { repo_id, fingerprint, status, reason: known?.reason ?? null, expires_at: known?.expires_at ?? null };
}
