'use client';

import Link from 'next/link';
import { type ComponentType, useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import type { FixPreview } from '#lib/services/fixes/preview.ts';
import { plural } from '../../../numbers.ts';
import { isForReview } from '../../domain/refusal.ts';
import { RunBar } from '../../session/run-bar.tsx';
import type { LoopControls, LoopRow } from '../../session/use-loop.ts';
import { reasonOfScan } from '../../setup/sentences.ts';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { useLazy } from '../../ui/use-lazy.ts';
import { useOrg, useUser } from '../context.tsx';
import type { FileFixes } from '../fixes/file-fixes.tsx';
import { orgLink } from '../links.ts';
import type { Candidate } from './choose-repositories.tsx';
import { PAGE_ROWS } from './use-campaigns.ts';

interface Props {
  readonly repositories: readonly Candidate[];
  readonly loop: LoopControls<FixPreview>;
}

type Fixes = ComponentType<Parameters<typeof FileFixes>[0]>;

const readFixes = () => import('../fixes/file-fixes.tsx').then((loaded): Fixes => loaded.FileFixes);

export function Preview({ repositories, loop }: Props) {
  const { rows, run, start } = loop;
  const [page, setPage] = useState(1);
  const [Fixes] = useLazy(readFixes);
  const rest = repositories.filter(({ id }) => rows.get(id) === undefined).map(({ id }) => id);
  const failed = repositories.filter(({ id }) => rows.get(id)?.kind === 'failed').map(({ id }) => id);
  return (
    <>
      <RunBar label="Previewed repositories" rows={rows} run={run} controls={loop} />
      {run?.state === 'ended' && rest.length + failed.length > 0 && (
        <div className="mb-4 flex flex-wrap gap-2">
          {rest.length > 0 && (
            <Button onClick={() => start(rest)}>
              {plural(rest.length, { one: 'Preview the other one', other: 'Preview the other #' })}
            </Button>
          )}
          {failed.length > 0 && (
            <Button onClick={() => start(failed)}>
              {plural(failed.length, { one: 'Retry the one that failed', other: 'Retry the # that failed' })}
            </Button>
          )}
        </div>
      )}
      <p className="mb-3 text-sm">{summaryOf([...rows.values()])}</p>
      <ul className="space-y-2">
        {repositories.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map(({ id, full_name: name }) => (
          <li key={id}>
            <Repository id={id} name={visible(name)} row={rows.get(id)} Fixes={Fixes} />
          </li>
        ))}
      </ul>
      <Pagination page={page} pages={Math.ceil(repositories.length / PAGE_ROWS)} onPage={setPage} />
    </>
  );
}

export function changedIn(rows: ReadonlyMap<string, LoopRow<FixPreview>>): string[] {
  return [...rows].flatMap(([id, row]) =>
    row.kind === 'done' && row.value.files.some(({ changed }) => changed) ? id : [],
  );
}

function summaryOf(rows: readonly LoopRow<FixPreview>[]): string {
  const files = rows.flatMap((row) => (row.kind === 'done' ? row.value.files : []));
  const refused = files.flatMap((file) => file.refused);
  const leftOut = refused.filter(isForReview).length;
  return [
    plural(files.filter(({ changed }) => changed).length, { one: '1 file changes', other: '# files change' }),
    plural(files.flatMap(({ fixes }) => fixes).length, { one: '1 fix', other: '# fixes' }),
    ...(leftOut > 0 ? [plural(leftOut, { one: '1 fix left out', other: '# fixes left out' })] : []),
    plural(refused.length - leftOut, { one: '1 finding without a safe fix', other: '# findings without a safe fix' }),
  ].join(', ');
}

function HowToGetThem({ repoId }: { readonly repoId: string }) {
  const org = useOrg();
  return (
    <>
      A campaign never proposes these. To get one,{' '}
      <Link href={orgLink(org.id, 'findings', { repo: repoId, group: 'none' })} prefetch={false} className="link">
        open its finding
      </Link>
      , press “Preview the fix”, include it, and copy it as a patch. On your machine,{' '}
      <code>chainbreak fix --unsafe</code> applies them all.
    </>
  );
}

interface RepositoryProps {
  readonly id: string;
  readonly name: string;
  readonly row: LoopRow<FixPreview> | undefined;
  readonly Fixes: Fixes | null;
}

function Repository({ id, name, row, Fixes }: RepositoryProps) {
  const { host } = useUser();
  const [open, setOpen] = useState(false);
  const files = row?.kind === 'done' ? changedFirst(row.value.files) : [];
  const state =
    row === undefined
      ? 'not previewed'
      : row.kind === 'done'
        ? stateOf(row.value)
        : row.kind === 'failed'
          ? `failed: ${reasonOfScan(row.refused, host)}`
          : row.kind;
  if (files.length === 0) {
    return (
      <p className="rounded-panel border border-line px-4 py-2.5 text-sm wrap-anywhere">
        {name} <span className={row?.kind === 'failed' ? 'text-critical' : 'text-muted'}>{state}</span>
      </p>
    );
  }
  return (
    <details className="rounded-panel border border-line" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer rounded-panel px-4 py-2.5 text-sm font-medium wrap-anywhere hover:bg-subtle">
        {name} <span className="font-normal text-muted">{state}</span>
      </summary>
      {open && Fixes !== null && (
        <div className="space-y-6 border-t border-line p-4">
          {files.map((file) => (
            <Fixes key={file.file} file={file} forReview={<HowToGetThem repoId={id} />} />
          ))}
        </div>
      )}
    </details>
  );
}

function changedFirst(files: FixPreview['files']): FixPreview['files'] {
  return [...files.filter(({ changed }) => changed), ...files.filter(({ changed }) => !changed)];
}

function stateOf({ files }: FixPreview): string {
  if (files.length === 0) return 'nothing to fix';
  const changed = files.filter((file) => file.changed).length;
  if (changed === 0) return 'no safe fix';
  const fixes = files.reduce((sum, file) => sum + file.fixes.length, 0);
  return `${plural(changed, { one: '1 file', other: '# files' })}, ${plural(fixes, { one: '1 fix', other: '# fixes' })}`;
}
