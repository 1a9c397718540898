'use client';

import { useParams } from 'next/navigation';
import { isActionName } from './action-name.ts';
import { ScoreRequest } from './score-request.tsx';

/** Offers to score the action in the address, which the page of a missing one has no other access to. */
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
