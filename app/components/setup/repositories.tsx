'use client';

import type { ReactNode } from 'react';
import type { CallApi } from '../session/call-api.ts';
import { Banner } from '../ui/banner.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { HeaderCell, Table } from '../ui/table.tsx';
import { RepositoryRow } from './repository-row.tsx';
import { ScanBar } from './scan-bar.tsx';
import { sentencesForList } from './sentences.ts';
import type { List } from './use-connection.ts';
import { useScans } from './use-scans.ts';

interface Props {
  readonly list: List;
  readonly call: CallApi;
  readonly host: string;
  readonly connectUrl: string | null;
  readonly notice: ReactNode;
  readonly onReload: () => void;
}

export function Repositories({ list, call, host, connectUrl, notice, onReload }: Props) {
  const { rows, run, start, stop } = useScans(call);
  if (list.kind === 'loading') {
    return (
      <p role="status" className="text-muted">
        Loading repositories from {host}.
      </p>
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
  if (list.repositories.length === 0) return <Nothing connected={list.connected} host={host} connectUrl={connectUrl} />;
  return (
    <>
      <ScanBar ids={list.repositories.map(({ id }) => id)} rows={rows} run={run} onStart={start} onStop={stop} />
      <Table caption="Connected repositories">
        <thead>
          <tr>
            <HeaderCell className="sm:w-2/5">Repository</HeaderCell>
            <HeaderCell>Open findings in the latest scan</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {list.repositories.map((repository) => (
            <RepositoryRow
              key={repository.id}
              repository={repository}
              state={rows.get(repository.id)}
              lastScan={list.lastScans === null ? null : list.lastScans.get(repository.id)}
              host={host}
            />
          ))}
        </tbody>
      </Table>
      {connectUrl !== null && (
        <p className="mt-4 text-sm text-muted">
          Missing a repository?{' '}
          <a className="link" href={connectUrl} rel="nofollow">
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
  host,
  connectUrl,
}: Pick<Props, 'host' | 'connectUrl'> & { readonly connected: boolean }) {
  return (
    <Banner
      tone="neutral"
      title={connected ? 'The app has no access to your repositories' : 'No account or organization is connected yet'}
    >
      {connectUrl === null ? (
        <p>This server has no GitHub App. The documentation lists the variables.</p>
      ) : (
        <>
          <p className="mb-3">
            {connected
              ? `Choose at ${host} which repositories it can read. You will return here.`
              : `Install the app at ${host} on the account whose repositories you want to scan. You will return here.`}
          </p>
          <a href={connectUrl} rel="nofollow" className={buttonClass('primary')}>
            {connected ? 'Choose repositories' : 'Install the app'}
          </a>
        </>
      )}
    </Banner>
  );
}
