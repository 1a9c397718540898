'use client';

import { visible } from '#lib/report/visible.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { placeIn, sentencesFor } from './sentences.ts';
import type { Refused } from './use-harden.ts';

interface Props {
  readonly refused: Refused;
  readonly maxBytes: number;
  readonly looksUp: boolean;
  readonly onShow: (line: number, column: number) => void;
  readonly onLeaveOut: () => void;
}

const MILD: ReadonlySet<Refused['code']> = new Set([
  'too-large',
  'payload-too-large',
  'not-text',
  'no-category',
  'validation-failed',
  'not-a-workflow',
  'rate-limited',
  'timed-out',
]);

export function HardenProblem({ refused, maxBytes, looksUp, onShow, onLeaveOut }: Props) {
  const { code, detail, errors, requestId } = refused;
  const { title, next } = sentencesFor(refused, maxBytes);
  const place = code === 'not-a-workflow' ? placeIn(detail) : null;
  const explanation = code === 'validation-failed' ? errors?.map(({ message }) => message).join(' ') : detail;
  const helps = code === 'validation-failed' || code === 'not-a-workflow' || code === 'timed-out';
  return (
    <Banner tone={MILD.has(code) ? 'warning' : 'failure'} title={title} role="alert">
      {helps && explanation !== undefined && <p className="mb-1">{visible(explanation)}</p>}
      {!(code === 'timed-out' && looksUp) && <p>{next}</p>}
      {place !== null && (
        <Button className="mt-3" onClick={() => onShow(place.line, place.column)}>
          {`Go to line ${place.line}`}
        </Button>
      )}
      {code === 'timed-out' && looksUp && (
        <Button className="mt-3" onClick={onLeaveOut}>
          Harden without CICD-SEC-3
        </Button>
      )}
      {requestId !== undefined && (
        <p className="mt-1 text-muted">
          If this keeps happening, report this id: <code className="break-all">{requestId}</code>
        </p>
      )}
    </Banner>
  );
}
