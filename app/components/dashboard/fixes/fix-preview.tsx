'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { FixPreview as Preview } from '#lib/services/fixes/preview.ts';
import { plural } from '../../../numbers.ts';
import { CopyButton } from '../../domain/copy-button.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminOnly } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { Problem } from '../problem.tsx';
import { FileFixes } from './file-fixes.tsx';

interface Props {
  readonly repoId: string;
  readonly file: string;
  readonly ruleId: string;
}

const WITH_REVIEW = 'Include fixes that can change what a run does';

/** Asks the code host, so it starts with a press. */
export function FixPreview(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-labelledby="fix">
      <h2 id="fix" className="font-semibold">
        Fix
      </h2>
      {isOpen ? (
        <Opened {...props} />
      ) : (
        <Button className="mt-2 min-h-9 px-3" onClick={() => setIsOpen(true)}>
          Preview the fix
        </Button>
      )}
    </section>
  );
}

function Opened({ repoId, file, ruleId }: Props) {
  const { id, request } = useUser();
  const org = useOrg();
  const [withReview, setWithReview] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: [id, org.id, 'fix-preview', repoId, file, ruleId, withReview],
    queryFn: () =>
      request<Preview>(`/api/repositories/${repoId}/fix-preview`, {
        file,
        rule_ids: [ruleId],
        include_review: withReview,
      }),
    retry: false,
  });
  return (
    <div className="mt-1 space-y-3" aria-busy={data === undefined && error === null}>
      <label className="flex min-h-6 cursor-pointer items-start gap-2">
        <input
          type="checkbox"
          checked={withReview}
          onChange={({ target }) => setWithReview(target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>
          {WITH_REVIEW}
          <span className="block text-muted">
            Pull requests leave them out: copy them as a patch, and check what changes.
          </span>
        </span>
      </label>
      {error !== null && <Problem error={error} what="The fix could not be made" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={6} />}
      {data !== undefined && <Result preview={data} repoId={repoId} />}
    </div>
  );
}

function Result({
  preview: { commit_sha: commit, files },
  repoId,
}: {
  readonly preview: Preview;
  readonly repoId: string;
}) {
  const org = useOrg();
  const changed = files.filter((file) => file.changed);
  const fixes = changed.reduce((sum, file) => sum + file.fixes.length, 0);
  return (
    <>
      <p role="status" className="text-muted">
        {summaryOf(files, fixes)}
        {commit !== null && (
          <>
            {' At commit '}
            <code>{commit.slice(0, 7)}</code> of the default branch.
          </>
        )}
      </p>
      {files.map((file) => (
        <FileFixes key={file.file} file={file} forReview={`Tick “${WITH_REVIEW}” above to see them here.`} />
      ))}
      {changed.length > 0 && (
        <div className="flex flex-wrap items-start gap-2">
          <CopyButton label="Copy as patch" text={changed.map(({ diff }) => diff).join('')} />
          <AdminOnly what="open fix pull requests">
            <Link
              href={orgLink(org.id, 'campaigns/new', { repo: repoId, step: 'preview' })}
              prefetch={false}
              className={buttonClass('secondary')}
            >
              Fix in a pull request
            </Link>
          </AdminOnly>
          <p className="basis-full text-muted">
            A pull request brings all safe fixes of a file, not this one alone. You see them before it is opened.
          </p>
        </div>
      )}
    </>
  );
}

function summaryOf(files: Preview['files'], fixes: number): string {
  if (files.length === 0) {
    return 'Nothing to fix: the file changed since the scan, its rule is off, or its findings are triaged.';
  }
  if (fixes === 0) return 'There is no safe fix.';
  return plural(fixes, {
    one: '1 finding of this rule is fixed in the file.',
    other: '# findings of this rule are fixed in the file.',
  });
}
