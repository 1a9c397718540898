'use client';

import { useParams } from 'next/navigation';
import { isActionName } from './action-name.ts';
import { ScoreRequest } from './score-request.tsx';

export function MissingAction({ canScore }: { readonly canScore: boolean }) {
  const { owner, name } = useParams();
  if (typeof owner !== 'string' || typeof name !== 'string' || !isActionName(owner, name)) return null;
  return (
    <>
      <p className="mb-6 wrap-anywhere">
        Nobody has asked for a score of{' '}
        <strong className="font-semibold">
          {owner}/{name}
        </strong>{' '}
        yet.
      </p>
      {canScore && <ScoreRequest owner={owner} name={name} />}
    </>
  );
}
