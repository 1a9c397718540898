'use client';

import {
  AlertIcon,
  CheckIcon,
  ClockIcon,
  GitMergeIcon,
  GitPullRequestClosedIcon,
  GitPullRequestIcon,
  StopIcon,
  SyncIcon,
} from '@primer/octicons-react';
import { clsx } from 'clsx';
import { useState } from 'react';
import type { CampaignRepo, FixPullRequest } from '#lib/db/shapes/campaigns.ts';
import type { Remediation } from '#lib/http/schemas/campaigns.ts';
import { visible } from '#lib/report/visible.ts';
import type { LoopRow } from '../../session/use-loop.ts';
import { Button } from '../../ui/button.tsx';
import { ExternalLink } from '../../ui/external-link.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg, useUser } from '../context.tsx';
import { reasonOf } from '../problem.tsx';
import { PAGE_ROWS } from './use-campaigns.ts';

const TAKEOVER_MS = 15 * 60_000;

interface Props {
  readonly repos: readonly CampaignRepo[];
  readonly loopRows: ReadonlyMap<string, LoopRow<Remediation>>;
  readonly readAt: number;
  readonly busy: boolean;
  readonly onRetry: (repoId: string) => void;
}

export function CampaignRows({ repos, loopRows, readAt, busy, onRetry }: Props) {
  const { role } = useOrg();
  const [page, setPage] = useState(1);
  return (
    <section aria-labelledby="rows">
      <h2 id="rows" className="mb-3 font-semibold">
        Repositories
      </h2>
      <Table caption="Repositories of the campaign">
        <thead>
          <tr>
            <HeaderCell>Repository</HeaderCell>
            <HeaderCell>State</HeaderCell>
            <HeaderCell className="max-md:hidden">Pull requests</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {repos.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((row) => {
            const loopRow = loopRows.get(row.repo_id);
            const results = (
              <>
                <PullRequests pulls={row.pull_requests} status={row.status} />
                {loopRow?.kind === 'done' && <Skipped skipped={loopRow.value.skipped} />}
              </>
            );
            const mayRetry = row.status === 'failed' || isStale(row, readAt);
            return (
              <Row key={row.repo_id}>
                <HeaderCell scope="row" className="align-top wrap-anywhere md:min-w-40">
                  {visible(row.full_name)}
                </HeaderCell>
                <Cell className="max-md:w-full md:min-w-40">
                  <State row={row} loopRow={loopRow} />
                  {role === 'admin' && mayRetry && loopRow?.kind !== 'running' && (
                    <Button className="mt-2" disabled={busy} onClick={() => onRetry(row.repo_id)}>
                      Retry <span className="sr-only">{visible(row.full_name)}</span>
                    </Button>
                  )}
                  <div className="mt-2 md:hidden">{results}</div>
                </Cell>
                <Cell className="min-w-56 max-md:hidden">{results}</Cell>
              </Row>
            );
          })}
        </tbody>
      </Table>
      <Pagination page={page} pages={Math.ceil(repos.length / PAGE_ROWS)} onPage={setPage} />
    </section>
  );
}

function isStale({ status, started_at: startedAt }: CampaignRepo, now: number): boolean {
  return status === 'running' && startedAt !== null && now - Date.parse(startedAt) >= TAKEOVER_MS;
}

const LOOKS = {
  pending: { icon: ClockIcon, color: 'text-muted' },
  running: { icon: SyncIcon, color: 'text-accent' },
  succeeded: { icon: CheckIcon, color: 'text-ok' },
  partial: { icon: AlertIcon, color: 'text-medium' },
  failed: { icon: StopIcon, color: 'text-critical' },
} as const;

function State({ row, loopRow }: { readonly row: CampaignRepo; readonly loopRow: LoopRow<Remediation> | undefined }) {
  const { look, word, text } = describe(row, loopRow);
  const { icon, color } = LOOKS[look];
  return (
    <>
      <span className={clsx('inline-flex items-center gap-2 font-medium', color)}>
        <Icon of={icon} className="shrink-0" />
        {word}
      </span>
      {text !== null && <p className="mt-1 max-w-[50ch] text-xs wrap-anywhere text-muted">{visible(text)}</p>}
    </>
  );
}

interface Described {
  readonly look: keyof typeof LOOKS;
  readonly word: string;
  readonly text: string | null;
}

function describe({ status, error }: CampaignRepo, loopRow: LoopRow<Remediation> | undefined): Described {
  if (loopRow?.kind === 'running') return { look: 'running', word: 'Running', text: null };
  if (loopRow?.kind === 'queued') return { look: 'pending', word: 'Queued', text: null };
  const refused = loopRow?.kind === 'failed' ? loopRow.refused : null;
  switch (status) {
    case 'running':
      return {
        look: 'running',
        word: refused?.code === 'already-running' ? 'Being fixed elsewhere' : 'Running',
        text: null,
      };
    case 'succeeded':
      return error === null
        ? { look: 'succeeded', word: 'Succeeded', text: null }
        : { look: 'partial', word: 'Partial', text: error };
    case 'failed':
      return { look: 'failed', word: 'Failed', text: error };
    case 'pending':
      return refused === null
        ? { look: 'pending', word: 'Pending', text: null }
        : { look: 'failed', word: 'Not started', text: reasonOf(refused) };
  }
}

const PULL_STATES = {
  open: { icon: GitPullRequestIcon, word: 'Open' },
  merged: { icon: GitMergeIcon, word: 'Merged' },
  closed: { icon: GitPullRequestClosedIcon, word: 'Closed' },
} as const;

interface PullRequestsProps {
  readonly pulls: readonly FixPullRequest[];
  readonly status: CampaignRepo['status'];
}

function PullRequests({ pulls, status }: PullRequestsProps) {
  const { hostUrl } = useUser();
  if (pulls.length === 0) {
    const canFollow = status === 'pending' || status === 'running';
    return <span className="text-muted">{canFollow ? 'None yet' : 'No pull request'}</span>;
  }
  return (
    <ul className="space-y-1">
      {pulls.map(({ file, number, url, state, reused }) => {
        const { icon, word } = PULL_STATES[state];
        const name = `#${number} ${visible(file)}`;
        return (
          <li key={number} className="flex items-start gap-2">
            <Icon of={icon} className="mt-[3px] shrink-0 text-muted" />
            <span className="min-w-0 wrap-anywhere">
              {URL.canParse(url) && new URL(url).origin === new URL(hostUrl).origin ? (
                <ExternalLink href={url}>{name}</ExternalLink>
              ) : (
                name
              )}
              <span className="block text-xs text-muted">{reused ? `${word}, was there before` : word}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Skipped({ skipped }: { readonly skipped: Remediation['skipped'] }) {
  if (skipped.length === 0) return null;
  return (
    <div className="mt-2 text-xs">
      <p className="font-semibold">Skipped files</p>
      <ul className="mt-1 space-y-1">
        {skipped.map(({ file, reason }) => (
          <li key={file}>
            <code className="wrap-anywhere">{visible(file)}</code>
            <span className="block text-muted">{visible(reason)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
