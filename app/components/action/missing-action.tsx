'use client';

import { useParams } from 'next/navigation';
import { ScoreRequest } from './score-request.tsx';

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Offers to score the action in the address, which the page of a missing one has no other access to. */
export function MissingAction({ canScore }: { readonly canScore: boolean }) {
  const { owner, name } = useParams();
  if (typeof owner !== 'string' || typeof name !== 'string') return null;
  if (!OWNER.test(owner) || !NAME.test(name) || /^\.{1,2}$/.test(name)) return null;
  return (
    <>
      <p className="mb-6 break-all">
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
