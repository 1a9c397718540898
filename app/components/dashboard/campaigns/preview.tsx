'use client';

import { type ComponentType, useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import type { FixPreview } from '#lib/services/fixes/preview.ts';
import { plural } from '../../../numbers.ts';
import { RunBar } from '../../session/run-bar.tsx';
import type { LoopControls, LoopRow } from '../../session/use-loop.ts';
import { reasonOfScan } from '../../setup/sentences.ts';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { useLazy } from '../../ui/use-lazy.ts';
import { useUser } from '../context.tsx';
import type { FileFixes } from '../fixes/file-fixes.tsx';
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
            <Repository name={visible(name)} row={rows.get(id)} Fixes={Fixes} />
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
  return [
    plural(files.filter(({ changed }) => changed).length, { one: '1 file changes', other: '# files change' }),
    plural(files.flatMap(({ fixes }) => fixes).length, { one: '1 fix', other: '# fixes' }),
    plural(files.flatMap(({ refused }) => refused).length, {
      one: '1 finding without a safe fix',
      other: '# findings without a safe fix',
    }),
  ].join(', ');
}

interface RepositoryProps {
  readonly name: string;
  readonly row: LoopRow<FixPreview> | undefined;
  readonly Fixes: Fixes | null;
}

function Repository({ name, row, Fixes }: RepositoryProps) {
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
            <Fixes key={file.file} file={file} />
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
