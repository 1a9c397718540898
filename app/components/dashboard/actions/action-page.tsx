'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { parseAsInteger, useQueryState } from 'nuqs';
import type { ActionDetail } from '#lib/db/shapes/actions.ts';
import { visible } from '#lib/report/visible.ts';
import { BAND_LABELS } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { isActionName } from '../../action/action-name.ts';
import { ScoreRing } from '../../action/score-ring.tsx';
import { Time } from '../../domain/time.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { FileLink } from '../repositories/file-link.tsx';
import { type ActionUse, PAGE_ROWS, useAction, useScoreRequest, useUses } from './use-actions.ts';

interface Props {
  readonly owner: string;
  readonly name: string;
}

export function ActionPage({ owner, name }: Props) {
  const org = useOrg();
  return (
    <>
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'actions')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Actions
        </Link>
      </p>
      {isActionName(owner, name) ? (
        <Found owner={owner} name={name} />
      ) : (
        <>
          <DashboardHeader title="Action" />
          <EmptyState title="This address names no action" />
        </>
      )}
    </>
  );
}

function Found({ owner, name }: Props) {
  const { data, error, refetch } = useAction(owner, name);
  return (
    <>
      <DashboardHeader
        title={
          <>
            {owner}/<wbr />
            {name}
          </>
        }
      >
        {data != null && data.repository.description !== null && <p>{visible(data.repository.description)}</p>}
      </DashboardHeader>
      {error !== null && <Problem error={error} what="The score could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={5} />}
      {data !== undefined &&
        (data?.latest == null ? (
          <NotScored owner={owner} name={name} pending={data?.status === 'pending'} />
        ) : (
          <Score owner={owner} name={name} latest={data.latest} staleSince={data.stale_since} />
        ))}
      <Uses owner={owner} name={name} />
    </>
  );
}

interface ScoreProps extends Props {
  readonly latest: NonNullable<ActionDetail['latest']>;
  readonly staleSince: string | null;
}

function Score({ owner, name, latest, staleSince }: ScoreProps) {
  const { score, score_floor: floor, band, provisional, hard_block: blocks, sha, scored_at: scoredAt } = latest;
  const meaning = provisional ? 'Too little is known for a good band.' : BAND_LABELS[band].meaning;
  return (
    <>
      {blocks.length > 0 && (
        <Banner tone="failure" title="Do not run this version" className="mb-4">
          It is blocked whatever its score: use another version, or another action. Its page says why.
        </Banner>
      )}
      {staleSince !== null && (
        <Banner tone="warning" title="This score is not current" className="mb-4">
          Scoring it again has failed since <Time at={staleSince} />. The last score stays until it works.
        </Banner>
      )}
      <Panel className="flex flex-wrap items-center gap-x-8 gap-y-4">
        <ScoreRing score={score} floor={floor} band={provisional ? null : band} />
        <div className="min-w-0 flex-1 basis-60 text-sm">
          <h2 className="text-lg font-semibold">{provisional ? 'Provisional' : BAND_LABELS[band].label}</h2>
          {blocks.length === 0 && <p className="mt-1">{meaning}</p>}
          <p className="mt-3 text-muted">
            Commit <code>{sha.slice(0, 7)}</code>, scored on <Time at={scoredAt} />
          </p>
          <p className="mt-3">
            <a href={`/actions/${owner}/${name}`} className="link">
              What lowers the score, its history, and the line that pins it
            </a>
          </p>
        </div>
      </Panel>
    </>
  );
}

function NotScored({ owner, name, pending }: Props & { readonly pending: boolean }) {
  const { mutate, isPending, data, error } = useScoreRequest(owner, name);
  const queued = pending || data?.status === 'pending';
  return (
    <>
      {error !== null && <Problem error={error} what="The action could not be scored" />}
      <Banner tone="neutral" title={queued ? 'Waiting to be scored' : 'No score yet'}>
        <p className="mb-3">
          {queued
            ? 'It is in the queue: the next daily run scores it, or you can try now.'
            : 'Nobody has checked yet what it does and who maintains it.'}
        </p>
        <Button variant="primary" disabled={isPending} onClick={() => mutate()}>
          {isPending ? 'Reading and scoring' : queued ? 'Try now' : 'Request a score'}
        </Button>
        <p role="status" className="mt-2 text-muted empty:mt-0">
          {isPending && 'This takes up to ten seconds. No code of the action is run.'}
        </p>
      </Banner>
    </>
  );
}

function Uses({ owner, name }: Props) {
  const [page, setPage] = useQueryState('page', parseAsInteger.withDefault(1).withOptions({ history: 'push' }));
  const shown = Math.max(1, page);
  const { data, error, refetch } = useUses(owner, name, shown);
  return (
    <section aria-labelledby="uses" className="mt-8">
      <h2 id="uses" className="mb-3 font-semibold">
        {data === undefined ? 'Uses' : plural(data.total, { one: '1 use', other: '# uses' })}
      </h2>
      {error !== null && <Problem error={error} what="The uses could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.total === 0 && <EmptyState title="No repository of this organization uses it" />}
      {data !== undefined && data.rows.length > 0 && (
        <>
          <Table caption="Where it is used">
            <thead>
              <tr>
                <HeaderCell>Repository and file</HeaderCell>
                <HeaderCell>Version</HeaderCell>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((use) => (
                <Use key={use.id} use={use} />
              ))}
            </tbody>
          </Table>
          <Pagination page={shown} pages={Math.ceil(data.total / PAGE_ROWS)} onPage={(next) => void setPage(next)} />
        </>
      )}
    </section>
  );
}

const COMMIT = /^[0-9a-f]{40,64}$/;

function Use({ use: { repo_id: repoId, repository, scan, file, line, path, ref } }: { readonly use: ActionUse }) {
  const org = useOrg();
  const pinned = COMMIT.test(ref);
  return (
    <Row>
      <HeaderCell scope="row" className="align-top font-normal">
        <span className="block min-h-6">
          <Link
            href={orgLink(org.id, `repositories/${repoId}`)}
            prefetch={false}
            className="link font-medium wrap-anywhere"
          >
            {visible(repository.full_name)}
          </Link>
        </span>
        <span className="block min-h-6 text-xs">
          <FileLink repository={repository} commit={scan?.commit_sha ?? null} file={file} line={line} />
        </span>
      </HeaderCell>
      <Cell>
        <code className={pinned ? 'whitespace-nowrap' : 'wrap-anywhere'}>
          {pinned ? ref.slice(0, 12) : visible(ref)}
        </code>
        <span className="block text-xs text-muted">
          {pinned ? 'Pinned' : 'Can move'}
          {path !== '' && `, folder ${visible(path)}`}
        </span>
      </Cell>
    </Row>
  );
}
