'use client';

import { tryAgain } from '../../numbers.ts';
import type { Refused } from '../scan/sentences.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { refusedBy } from './request.ts';

interface Props {
  readonly error: unknown;
  readonly what: string;
  readonly onRetry?: () => void;
}

export function Problem({ error, what, onRetry }: Props) {
  const refused = refusedBy(error);
  return (
    <Banner tone="failure" title={what} role="alert">
      <p>{reasonOf(refused)}</p>
      {refused.requestId !== undefined && (
        <p className="mt-2 text-muted">
          If this keeps happening, report this id: <code className="break-all">{refused.requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <Button className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Banner>
  );
}

const REASONS: Readonly<Partial<Record<Refused['code'], string>>> = {
  offline: 'The connection was lost. Check your network and try again.',
  unauthenticated: 'Your sign-in has ended.',
  forbidden: 'You are no longer allowed to do this. Ask an admin of the organization.',
  'not-found': 'It is gone, or it belongs to an organization that you are not in.',
  'scm-unreachable': 'The code host did not answer. Nothing was stored.',
  'timed-out': 'It took too long. Nothing was stored.',
  'not-configured': 'This feature is off on this server.',
  'changed-meanwhile': 'Someone else changed it in the meantime.',
};

export function reasonOf({ code, wait, detail }: Refused): string {
  if (code === 'rate-limited') {
    return `You sent more than 120 requests within a minute. ${tryAgain(wait ?? 1)}`;
  }
  if (code === 'not-configured' && wait !== undefined) {
    return `The service is busy or restarting. ${tryAgain(wait)}`;
  }
  return REASONS[code] ?? detail ?? 'This is our fault, not yours. Try again in a few minutes.';
}
