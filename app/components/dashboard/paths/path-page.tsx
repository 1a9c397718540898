'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { useQueryState } from 'nuqs';
import { useState } from 'react';
import type { RepositoryPaths } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { RuleText } from '../../domain/rule-text.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminOnly } from '../admin-only.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { NotThere } from '../not-there.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { useRepositoryName } from '../repositories/use-repository.ts';
import { useScan } from '../repositories/use-scan.ts';
import { usePageTitle } from '../use-page-title.ts';
import { PathGraph } from './path-graph.tsx';
import { PathNeighbours } from './path-neighbours.tsx';
import { PathSteps } from './path-steps.tsx';
import { keyFinding, useRepositoryPaths } from './use-paths.ts';

interface Props {
  readonly repoId: string;
  readonly combination: string;
}

type Path = RepositoryPaths['combos'][number];

export function PathPage({ repoId, combination }: Props) {
  const org = useOrg();
  const [fingerprint] = useQueryState('f');
  const repository = useRepositoryName(repoId);
  const found = useRepositoryPaths(repoId);
  const { data: name } = repository;
  const error = repository.error ?? found.error;
  const refetch = () => void Promise.all([repository, found].map((query) => query.refetch()));
  return (
    <>
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'paths')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Attack paths
        </Link>
      </p>
      {name === null ? (
        <NotThere what="repository">It belongs to another organization, or the app never had access to it.</NotThere>
      ) : (
        <>
          {error !== null && <Problem error={error} what="The attack path could not be read" onRetry={refetch} />}
          {name === undefined || found.data === undefined ? (
            error === null && <Skeleton lines={9} />
          ) : (
            <OfRepository
              paths={found.data.combos}
              path={pathAt(found.data.combos, combination, fingerprint)}
              repoId={repoId}
              repository={name}
            />
          )}
        </>
      )}
    </>
  );
}

function pathAt(paths: readonly Path[], combination: string, fingerprint: string | null): Path | undefined {
  return paths.find(
    ({ id, components }) =>
      id === combination &&
      (fingerprint === null || components.some(({ finding }) => finding.fingerprint === fingerprint)),
  );
}

function OfRepository({ path, ...rest }: Omit<FoundProps, 'path'> & { readonly path: Path | undefined }) {
  return path === undefined ? <Gone {...rest} /> : <Found path={path} {...rest} />;
}

interface FoundProps {
  readonly path: Path;
  readonly paths: readonly Path[];
  readonly repoId: string;
  readonly repository: string;
}

function Found({ path, paths, repoId, repository }: FoundProps) {
  const org = useOrg();
  usePageTitle(`${path.title} in ${visible(repository)}`);
  return (
    <>
      <DashboardHeader
        title={path.title}
        above={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <SeverityChip severity={path.severity} />
            <span className="min-w-0 wrap-anywhere">
              <Link href={orgLink(org.id, `repositories/${repoId}`)} prefetch={false} className="link">
                {visible(repository)}
              </Link>
              {path.file !== null && <code>{` ${visible(path.file)}`}</code>}
            </span>
          </span>
        }
        actions={
          <>
            <ScanAgain repoId={repoId} />
            <AdminOnly what="open fix pull requests">
              <Link
                href={orgLink(org.id, 'campaigns/new', { repo: repoId, step: 'preview' })}
                prefetch={false}
                className={buttonClass('primary')}
              >
                Fix this repository
              </Link>
            </AdminOnly>
          </>
        }
      >
        <p>
          <RuleText text={path.impact} />
        </p>
      </DashboardHeader>
      <PathGraph path={path} findings={orgLink(org.id, `findings/${repoId}`)} />
      <PathSteps path={path} repoId={repoId} />
      {path.mitigated_by.length > 0 && (
        <section aria-labelledby="mitigated" className="mt-8">
          <h2 id="mitigated" className="mb-2 font-semibold">
            Why it is less severe here
          </h2>
          <ul className="list-disc ps-5 text-sm">
            {path.mitigated_by.map((reason) => (
              <li key={reason}>
                <RuleText text={reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="mt-8 text-sm">
        <a className="link" href={`/attack-paths/${path.id}`}>
          About this kind of attack path
        </a>
      </p>
      <PathNeighbours path={path} paths={paths} repoId={repoId} />
    </>
  );
}

function ScanAgain({ repoId }: { readonly repoId: string }) {
  const { scan, pending, error } = useScan();
  const [done, setDone] = useState(false);
  return (
    <div>
      <Button disabled={pending} onClick={() => void scan(repoId).then((scanned) => setDone(scanned))}>
        {pending ? 'Scanning' : 'Scan again'}
      </Button>
      <p role="status" className="mt-1 text-xs text-muted">
        {done && !pending && 'Scanned just now'}
      </p>
      {error !== null && <Problem error={error} what="The scan failed" />}
    </div>
  );
}

function Gone({ paths, repoId, repository }: Omit<FoundProps, 'path'>) {
  const org = useOrg();
  return (
    <>
      <DashboardHeader title="This attack path is gone" above={visible(repository)} />
      <Banner tone="neutral" title="Its findings were fixed, dismissed, or changed since the address was copied">
        {paths.length === 0 ? (
          <p>The repository has no attack path now.</p>
        ) : (
          <>
            <p>The repository has these now:</p>
            <ul className="mt-2 list-disc ps-5">
              {paths.map((path) => (
                <li key={`${path.id} ${keyFinding(path)}`}>
                  <Link
                    href={orgLink(org.id, `paths/${repoId}/${path.id}`, { f: keyFinding(path) })}
                    prefetch={false}
                    className="link"
                  >
                    {path.title}
                  </Link>
                  {path.file !== null && <code>{` ${visible(path.file)}`}</code>}
                </li>
              ))}
            </ul>
          </>
        )}
      </Banner>
    </>
  );
}
