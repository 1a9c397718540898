'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { plural } from '../../../numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { useWorstPaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { OLD_SCAN_DAYS, useScanCoverage } from './use-overview.ts';

export function Coverage() {
  const org = useOrg();
  const { data, error, refetch } = useScanCoverage();
  const { data: paths } = useWorstPaths();
  const blinded = paths?.coverage.filter((each) => each.blinded_repos + each.partial_repos > 0).length;
  return (
    <section aria-labelledby="coverage" className="min-w-0">
      <h2 id="coverage" className="mb-2 font-semibold">
        Coverage
      </h2>
      {error !== null && <Problem error={error} what="The coverage could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <ul className="space-y-1 text-sm">
          <li>{plural(data.repositories, { one: '1 repository', other: '# repositories' })}</li>
          <Line
            count={data.never}
            none="All were scanned"
            some={plural(data.never, { one: '1 never scanned', other: '# never scanned' })}
            href={orgLink(org.id, 'repositories', { scanned: 'never' })}
          />
          <Line
            count={data.old}
            none={`No last scan is older than ${OLD_SCAN_DAYS} days`}
            some={plural(data.old, {
              one: `1 scanned more than ${OLD_SCAN_DAYS} days ago`,
              other: `# scanned more than ${OLD_SCAN_DAYS} days ago`,
            })}
            href={orgLink(org.id, 'repositories', { sort: 'last-scan' })}
          />
          {blinded !== undefined && data.repositories > data.never && (
            <Line
              count={blinded}
              none="Every kind of attack path was searched for in all scanned repositories"
              some={plural(blinded, {
                one: '1 kind of attack path could not be fully searched for',
                other: '# kinds of attack paths could not be fully searched for',
              })}
              href={orgLink(org.id, 'paths')}
            />
          )}
        </ul>
      )}
    </section>
  );
}

interface LineProps {
  readonly count: number;
  readonly none: ReactNode;
  readonly some: ReactNode;
  readonly href: string;
}

function Line({ count, none, some, href }: LineProps) {
  return (
    <li>
      {count === 0 ? (
        <span className="text-muted">{none}</span>
      ) : (
        <Link href={href} prefetch={false} className="link">
          {some}
        </Link>
      )}
    </li>
  );
}
