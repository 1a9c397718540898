'use client';

import type { Organization } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { sentencesForLink } from './sentences.ts';
import type { Link } from './use-connection.ts';

interface Props {
  readonly link: Link;
  readonly org: Organization | null;
  readonly host: string;
  readonly onRetry: () => void;
  readonly onGiveUp: () => void;
}

export function LinkResult({ link, org, host, onRetry, onGiveUp }: Props) {
  switch (link.kind) {
    case 'none':
    case 'asking':
      return null;
    case 'linking':
      return (
        <p role="status" className="mb-6 text-muted">
          Checking with {host} that the account is yours.
        </p>
      );
    case 'linked':
      return (
        <Banner tone="ok" title={`${visible(link.account)} is connected`} role="status" className="mb-6">
          <p>
            {org === null || org.personal
              ? 'Only you see its repositories, which are listed below.'
              : `All members of ${visible(org.name)} see its repositories, which are listed below.`}{' '}
            Scans read the head of the default branch.
          </p>
        </Banner>
      );
    case 'refused': {
      const { title, next } = sentencesForLink(link.refused, host);
      return (
        <Banner tone="warning" title={title} role="alert" className="mb-6">
          <p className="mb-3">{next}</p>
          {link.refused.requestId !== undefined && (
            <p className="mb-3 text-muted">
              If this keeps happening, report this id: <code className="break-all">{link.refused.requestId}</code>
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <Button onClick={onRetry}>Try again</Button>
            <Button onClick={onGiveUp}>Continue without it</Button>
          </div>
        </Banner>
      );
    }
  }
}
