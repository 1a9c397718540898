'use client';

import { useParams } from 'next/navigation';
import { RescanForm } from '../scan/rescan-form.tsx';

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

export function MissingReport({ host, rules }: { readonly host: string; readonly rules: number }) {
  const { owner, repo } = useParams();
  if (typeof owner !== 'string' || typeof repo !== 'string' || !OWNER.test(owner) || !NAME.test(repo))
    return (
      <p>
        This is not the name of a repository.{' '}
        <a href="/" className="link">
          Scan a repository
        </a>
      </p>
    );
  return (
    <>
      <p className="mb-4 break-words">
        <strong className="font-semibold">
          {owner}/{repo}
        </strong>{' '}
        has no report here. If it is public, you can scan it.
      </p>
      <RescanForm repo={`${owner}/${repo}`} host={host} rules={rules} label="Scan it" variant="primary" />
    </>
  );
}
