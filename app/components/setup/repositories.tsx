'use client';

import { type ReactNode, useState } from 'react';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import type { CallApi } from '../session/call-api.ts';
import { Banner } from '../ui/banner.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { HeaderCell, Table } from '../ui/table.tsx';
import { useWide } from '../ui/use-wide.ts';
import { installLink } from './install-link.ts';
import { RepositoryRow } from './repository-row.tsx';
import { ScanBar } from './scan-bar.tsx';
import { sentencesForList } from './sentences.ts';
import type { List } from './use-connection.ts';
import { useScans } from './use-scans.ts';

const PAGE_ROWS = 50;

interface Props {
  readonly list: List;
  readonly org: Organization | null;
  readonly call: CallApi;
  readonly host: string;
  readonly connectUrl: string | null;
  readonly notice: ReactNode;
  readonly onReload: () => void;
}

export function Repositories({ list, org, ...rest }: Props) {
  const { host, onReload } = rest;
  if (list.kind === 'loading' || (list.kind === 'loaded' && org === null)) {
    return (
      <>
        <p role="status" className="mb-4 text-sm text-muted">
          Loading repositories from {host}.
        </p>
        <Skeleton lines={12} />
      </>
    );
  }
  if (list.kind === 'refused') {
    const { title, next } = sentencesForList(list.refused, host);
    return (
      <Banner tone="failure" title={title} role="alert">
        <p className="mb-3">{next}</p>
        <Button onClick={onReload}>Try again</Button>
      </Banner>
    );
  }
  return org === null ? null : <Listed list={list} org={org} {...rest} />;
}

interface ListedProps extends Omit<Props, 'list' | 'onReload'> {
  readonly list: Extract<List, { kind: 'loaded' }>;
  readonly org: Organization;
}

function Listed({ list, org, call, host, connectUrl, notice }: ListedProps) {
  const scans = useScans(call, { orgId: org.id, href: '/setup' });
  const [page, setPage] = useState(1);
  const wide = useWide();
  const [installAt] = useState(() => (connectUrl === null ? null : installLink(connectUrl, org.id)));
  const suspended = list.suspended.length > 0 && <Suspended accounts={list.suspended} host={host} />;
  if (list.repositories.length === 0) {
    return suspended || <Nothing connected={list.connected} org={org} host={host} installAt={installAt} />;
  }
  const hasScan = list.repositories.some(({ id }) => scans.rows.get(id)?.kind === 'done' || list.lastScans?.has(id));
  const overview = (
    <a href={`/o/${org.id}`} className={buttonClass(hasScan ? 'primary' : 'secondary')}>
      Open the overview
    </a>
  );
  return (
    <>
      {suspended}
      <ScanBar ids={list.repositories.map(({ id }) => id)} scans={scans}>
        {hasScan && overview}
      </ScanBar>
      <Table caption="Connected repositories">
        <thead>
          <tr>
            <HeaderCell className="md:w-1/4">Repository</HeaderCell>
            {wide && <HeaderCell>Open findings</HeaderCell>}
            <HeaderCell className="max-md:hidden">Last scan</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {list.repositories.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((repository) => (
            <RepositoryRow
              key={repository.id}
              repository={repository}
              state={scans.rows.get(repository.id)}
              lastScan={list.lastScans === null ? null : list.lastScans.get(repository.id)}
              host={host}
              wide={wide}
            />
          ))}
        </tbody>
      </Table>
      <Pagination page={page} pages={Math.ceil(list.repositories.length / PAGE_ROWS)} onPage={setPage} />
      {installAt !== null && org.role === 'admin' && (
        <p className="mt-4 text-sm text-muted">
          Missing a repository?{' '}
          <a className="link" href={installAt} rel="nofollow">
            Choose what the app can access at {host}
          </a>
          , or install it on another account.
        </p>
      )}
      {notice}
    </>
  );
}

function Nothing({
  connected,
  org,
  host,
  installAt,
}: {
  readonly connected: boolean;
  readonly org: Organization;
  readonly host: string;
  readonly installAt: string | null;
}) {
  return (
    <Banner
      tone="neutral"
      title={connected ? 'The app has no access to your repositories' : 'No account or organization is connected yet'}
    >
      {installAt === null ? (
        <p>This server has no GitHub App. The documentation lists the variables.</p>
      ) : org.role !== 'admin' ? (
        <p>{`Only an admin of ${visible(org.name)} may connect accounts.`}</p>
      ) : (
        <>
          <p className="mb-3">
            {connected
              ? `Choose at ${host} which repositories it can read. You will return here.`
              : `Install the app at ${host} on the account whose repositories you want to scan. You will return here.`}
          </p>
          <a href={installAt} rel="nofollow" className={buttonClass('primary')}>
            {connected ? 'Choose repositories' : 'Install the app'}
          </a>
        </>
      )}
    </Banner>
  );
}

function Suspended({ accounts, host }: { readonly accounts: readonly string[]; readonly host: string }) {
  return (
    <Banner tone="warning" title={`The app is suspended for ${accounts.map(visible).join(', ')}`} className="mb-6">
      <p>{`Nothing is scanned there until its owner resumes the app in the settings of ${host}. What was found stays.`}</p>
    </Banner>
  );
}
