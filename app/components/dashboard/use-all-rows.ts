'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { BrowserDb } from '#lib/db/browser.ts';
import { useOrg, useUser } from './context.tsx';
import { allRows, type DatabaseAnswer } from './request.ts';

interface Ranged<Row> {
  range(from: number, to: number): PromiseLike<DatabaseAnswer<readonly Row[] | null>>;
}

export function useAllRows<Row>(
  key: readonly string[],
  query: (db: BrowserDb, orgId: string) => Ranged<Row>,
): UseQueryResult<readonly Row[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, ...key],
    queryFn: () => allRows((from, to) => query(db, org.id).range(from, to)),
  });
}
