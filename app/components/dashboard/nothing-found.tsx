'use client';

import Link from 'next/link';
import { plural } from '../../numbers.ts';
import { buttonClass } from '../ui/button.tsx';
import { useOrg } from './context.tsx';
import { EmptyState } from './empty-state.tsx';
import { orgLink } from './links.ts';
import { useScanCoverage } from './overview/use-overview.ts';

interface Props {
  readonly title: string;
  /** False if something could not be assessed; undefined if unknown. */
  readonly complete?: boolean;
}

export function NothingFound({ title, complete }: Props) {
  const org = useOrg();
  const { data } = useScanCoverage();
  if (data === undefined) return <EmptyState title={title} />;
  const { repositories, never } = data;
  if (repositories === 0) {
    return (
      <EmptyState title="No repository is connected">
        <p className="mb-4">Connect an account to see what an outsider could do with its workflows.</p>
        <a href="/setup" className={buttonClass('primary')}>
          Connect repositories
        </a>
      </EmptyState>
    );
  }
  if (repositories === never) {
    return (
      <EmptyState title="No repository has been scanned yet">
        <p className="mb-4">
          {plural(repositories, { one: '1 repository is connected.', other: '# repositories are connected.' })} A scan
          takes a few seconds each.
        </p>
        <Link href={orgLink(org.id, 'repositories')} prefetch={false} className={buttonClass('primary')}>
          Scan your repositories
        </Link>
      </EmptyState>
    );
  }
  const where = plural(repositories - never, {
    one: ' in the scanned repository',
    other: ' in # scanned repositories',
  });
  return (
    <EmptyState title={`${title}${where}`} tone={never === 0 && complete === true ? 'ok' : 'neutral'}>
      {never > 0 && (
        <p>
          <Link href={orgLink(org.id, 'repositories', { scanned: 'never' })} prefetch={false} className="link">
            {plural(never, { one: '1 repository was never scanned', other: '# repositories were never scanned' })}
          </Link>
          {', so nothing is known about '}
          {plural(never, { one: 'it', other: 'them' })}.
        </p>
      )}
      {complete === false && <p>Not everything could be searched for: see the coverage.</p>}
      {complete === undefined && <p>What could not be assessed is shown with each repository.</p>}
    </EmptyState>
  );
}
