import { z } from 'zod';
import { Uuid } from '#lib/db/shapes/common.ts';
import { Triage, TriageResults, TriageStatus } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId } from './common.ts';

const MAX_CHANGES = 500;

const DECISION = {
  status: TriageStatus,
  reason: z.string().max(2000).nullish(),
  expires_at: z.unknown().optional().meta({
    description:
      'For `accepted` and `snoozed`: an RFC 3339 timestamp in the future, at most two years ahead. Ignored otherwise.',
  }),
  if_status: TriageStatus.optional().meta({ description: 'Triages only a finding that still has this status' }),
};

const TriageRequest = z.strictObject(DECISION).meta({ id: 'TriageRequest' });

export const triageFinding = defineOperation({
  id: 'triageFinding',
  verb: 'PUT',
  path: '/api/repositories/{repo_id}/findings/{fingerprint}/status',
  summary: 'Triage a finding',
  access: 'user',
  params: z.object({ repo_id: PathId, fingerprint: z.string().meta({ description: '64 hexadecimal digits' }) }),
  body: TriageRequest,
  reply: Triage,
  replyDescription: 'The triage, and the open findings of the repository’s last scan.',
  errors: ['invalid-json', 'validation-failed', 'not-found', 'changed-meanwhile'],
});

const TriageChange = z
  .strictObject({
    repo_id: Uuid,
    fingerprint: z.string().meta({ description: '64 hexadecimal digits' }),
    ...DECISION,
  })
  .meta({ id: 'TriageChange' });

const TriageChanges = z
  .strictObject({
    changes: z
      .array(TriageChange)
      .min(1, `1 to ${MAX_CHANGES} changes`)
      .max(MAX_CHANGES, `1 to ${MAX_CHANGES} changes`)
      .superRefine((changes, context) => {
        const seen = new Set<string>();
        for (const [index, { repo_id, fingerprint }] of changes.entries()) {
          const target = `${repo_id.toLowerCase()} ${fingerprint}`;
          if (seen.has(target)) {
            context.addIssue({ code: 'custom', path: [index], message: 'repeats the finding of an earlier change' });
          }
          seen.add(target);
        }
      }),
  })
  .meta({ id: 'TriageChanges' });

export const triageFindings = defineOperation({
  id: 'triageFindings',
  verb: 'PUT',
  path: '/api/findings/status:batch',
  summary: 'Triage many findings at once',
  description:
    'Checks the shape of all changes first, then applies in one transaction every change that can be applied. A repository of another organization is `not-found`.',
  access: 'user',
  query: OrgQuery,
  body: TriageChanges,
  reply: TriageResults,
  replyDescription: 'The outcome of each change, in the order of the request.',
  errors: ['invalid-json', 'validation-failed', 'forbidden'],
});

export function triageRequestOf({
  repo_id: repoId,
  fingerprint,
  status,
  reason,
  expires_at: expiresAt,
  if_status: ifStatus,
}: z.output<typeof TriageChange>) {
  return { repoId, fingerprint, status, reason: reason ?? null, expiresAt, ifStatus: ifStatus ?? null };
}
