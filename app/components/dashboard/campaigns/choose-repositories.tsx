'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { Problem } from '../problem.tsx';
import { rowsOf } from '../request.ts';
import { PAGE_ROWS } from './use-campaigns.ts';

const MAX_REPOSITORIES = 500;
const READ_ROWS = 1_000;

export interface Candidate {
  readonly id: string;
  readonly full_name: string;
  readonly archived: boolean;
  readonly monitored: boolean;
  readonly suspended_at: string | null;
  readonly last_scan_id: string | null;
  readonly high: number | null;
}

export function useCandidates(): UseQueryResult<readonly Candidate[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'candidates'],
    queryFn: async () => {
      const all: Candidate[] = [];
      for (;;) {
        const rows = rowsOf(
          await db
            .from('repository_overview')
            .select('id, full_name, archived, monitored, suspended_at, last_scan_id, high')
            .eq('org_id', org.id)
            .order('full_name')
            .order('id')
            .range(all.length, all.length + READ_ROWS - 1),
        ) as unknown as Candidate[];
        all.push(...rows);
        if (rows.length < READ_ROWS) return all;
      }
    },
  });
}

const SHOWN = {
  all: { label: 'All', matches: () => true },
  high: { label: 'With high findings', matches: ({ high }) => (high ?? 0) > 0 },
  never: { label: 'Never scanned', matches: ({ last_scan_id: scan }) => scan === null },
  monitored: { label: 'Scanned on push', matches: ({ monitored }) => monitored },
  chosen: { label: 'Selected', matches: ({ id }, chosen) => chosen.has(id) },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly matches: (row: Candidate, chosen: ReadonlySet<string>) => boolean }>
>;

interface Props {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

export function ChooseRepositories({ chosen, onChoose }: Props) {
  const { data, error, refetch } = useCandidates();
  const [name, setName] = useState('');
  const [show, setShow] = useState<keyof typeof SHOWN>('all');
  const [page, setPage] = useState(1);
  if (error !== null) {
    return <Problem error={error} what="The repositories could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={9} />;
  const wanted = name.trim().toLowerCase();
  const matching = data.filter(
    (row) => row.full_name.toLowerCase().includes(wanted) && SHOWN[show].matches(row, chosen),
  );
  const free = matching.filter((row) => whyNot(row) === null && !chosen.has(row.id));
  const room = MAX_REPOSITORIES - chosen.size;
  const toggle = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    onChoose(next);
  };
  return (
    <>
      <div className="mb-4 grid gap-3 sm:grid-cols-2">
        <Field label="Name">
          <Input
            type="search"
            value={name}
            onChange={({ target }) => {
              setName(target.value);
              setPage(1);
            }}
          />
        </Field>
        <Field label="Show">
          <Select
            value={show}
            onChange={({ target }) => {
              setShow(target.value as keyof typeof SHOWN);
              setPage(1);
            }}
          >
            {Object.entries(SHOWN).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <div className="mb-3 flex flex-wrap items-center gap-3 text-sm">
        <p role="status">{`${formatNumber(chosen.size)} of at most ${formatNumber(MAX_REPOSITORIES)} selected`}</p>
        {free.length > 0 && (
          <Button
            disabled={room <= 0}
            onClick={() => onChoose(new Set([...chosen, ...free.slice(0, room).map(({ id }) => id)]))}
          >
            {free.length > room
              ? `Select the first ${formatNumber(room)}`
              : plural(free.length, { one: 'Select the one that matches', other: 'Select all # that match' })}
          </Button>
        )}
        {chosen.size > 0 && <Button onClick={() => onChoose(new Set())}>Clear the selection</Button>}
      </div>
      {matching.length === 0 ? (
        <EmptyState title="No repository matches" />
      ) : (
        <Table caption="Repositories">
          <thead>
            <tr>
              <HeaderCell>Repository</HeaderCell>
              <HeaderCell>High findings</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {matching.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((row) => {
              const reason = whyNot(row);
              const isChosen = chosen.has(row.id);
              return (
                <Row key={row.id}>
                  <HeaderCell scope="row" className="align-top">
                    <label className="flex min-h-6 cursor-pointer items-start gap-2.5 has-disabled:cursor-default">
                      <input
                        type="checkbox"
                        checked={isChosen}
                        disabled={reason !== null || (!isChosen && room <= 0)}
                        onChange={({ target }) => toggle(row.id, target.checked)}
                        className="mt-0.5 size-4 shrink-0 accent-accent"
                      />
                      <span className="min-w-0 wrap-anywhere">{visible(row.full_name)}</span>
                    </label>
                    {reason !== null && <span className="block text-xs font-normal text-muted">{reason}</span>}
                  </HeaderCell>
                  <Cell className="tabular-nums">
                    {row.last_scan_id === null ? (
                      <span className="text-muted">Not scanned yet</span>
                    ) : (
                      formatNumber(row.high ?? 0)
                    )}
                  </Cell>
                </Row>
              );
            })}
          </tbody>
        </Table>
      )}
      <Pagination page={page} pages={Math.ceil(matching.length / PAGE_ROWS)} onPage={setPage} />
    </>
  );
}

function whyNot({ archived, suspended_at: suspendedAt }: Candidate): string | null {
  if (archived) return 'Archived: nobody can open pull requests';
  return suspendedAt === null ? null : 'The app is suspended: it cannot be read';
}

export function fixable(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((row) => whyNot(row) === null);
}
