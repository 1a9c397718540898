'use client';

import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { total } from '../charts/steps.ts';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { allPaths, keyFinding, useWorstPaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { useNewCounts, useSince } from './use-overview.ts';

export function SinceLastLook({ since }: { readonly since: string }) {
  const org = useOrg();
  const { data, error, refetch } = useSince(since);
  const counts = useNewCounts(since);
  const { data: paths } = useWorstPaths();
  const failed = error ?? counts.error;
  if (failed !== null) {
    return <Problem error={failed} what="What is new could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined || counts.data === undefined) return <Skeleton lines={3} className="mb-8" />;
  const added = total(counts.data);
  const newPaths =
    paths === undefined
      ? []
      : allPaths(paths).filter(({ repoId, path }) =>
          path.components.some(({ finding }) => data.newFindingKeys.has(`${repoId}.${finding.fingerprint}`)),
        );
  return (
    <Panel className="mb-8">
      <section aria-labelledby="since">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="since" className="font-semibold">
            Since you last looked
          </h2>
          <p className="text-sm text-muted">
            <Time at={since} relative />
          </p>
        </div>
        <p className="mt-2 flex flex-wrap items-center gap-2 text-sm">
          <span>
            {plural(added, { one: '1 new finding', other: '# new findings' })},{' '}
            {plural(newPaths.length, { one: '1 new attack path', other: '# new attack paths' })},{' '}
            {plural(data.pushScans, { one: '1 scan by push', other: '# scans by push' })}
          </span>
          {SEVERITIES.map(
            (severity) =>
              counts.data[severity] > 0 && (
                <SeverityChip key={severity} severity={severity} count={counts.data[severity]} />
              ),
          )}
        </p>
        {newPaths.length + data.findings.length > 0 && (
          <ul className="mt-3 space-y-1.5 text-sm">
            {newPaths.slice(0, SHOWN_PATHS).map(({ repoId, repository, path }) => (
              <li key={`${repoId} ${path.id} ${keyFinding(path)}`} className="flex flex-wrap items-center gap-x-2">
                <SeverityChip severity={path.severity} />
                <span className="text-muted">Attack path:</span>
                <Link
                  href={orgLink(org.id, `paths/${repoId}/${path.id}`, { f: keyFinding(path) })}
                  prefetch={false}
                  className="link"
                >
                  {path.title}
                </Link>
                <span className="wrap-anywhere text-muted">{visible(repository)}</span>
              </li>
            ))}
            {data.findings.map(({ repo_id: repoId, fingerprint, full_name: name, severity, title, file, line }) => (
              <li key={`${repoId} ${fingerprint}`} className="flex flex-wrap items-center gap-x-2">
                <SeverityChip severity={severity} />
                <Link href={orgLink(org.id, `findings/${repoId}/${fingerprint}`)} prefetch={false} className="link">
                  {visible(title)}
                </Link>
                <span className="min-w-0 wrap-anywhere text-muted">
                  {visible(name)}
                  {file !== null && <code>{` ${visible(file)}${line === null ? '' : `:${line}`}`}</code>}
                </span>
              </li>
            ))}
          </ul>
        )}
        {added > data.findings.length && (
          <p className="mt-3 text-sm">
            <Link
              href={orgLink(org.id, 'findings', { group: 'none', sort: 'newest' })}
              prefetch={false}
              className="link"
            >
              All findings, newest first
            </Link>
          </p>
        )}
      </section>
    </Panel>
  );
}

const SHOWN_PATHS = 3;
