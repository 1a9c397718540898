'use client';

import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type inferParserType, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { BrowserDb } from '#lib/db/browser.ts';
import { useOrg, useUser } from '../context.tsx';
import { STATUSES, type Status } from '../findings/filters.ts';
import { isUuid } from '../links.ts';
import { rowsOf } from '../request.ts';

/** `who=time` selects decisions that expired. */
export const ACTIVITY_FILTERS = {
  what: parseAsStringLiteral(['all', 'findings', 'rules'] as const).withDefault('all'),
  who: parseAsString.withDefault(''),
  status: parseAsStringLiteral(STATUSES),
  repo: parseAsString.withDefault(''),
};

export type ActivityFilters = inferParserType<typeof ACTIVITY_FILTERS>;

interface Base {
  readonly id: string;
  readonly repo_id: string | null;
  readonly actor: string | null;
  readonly created_at: string;
  readonly repository: { readonly full_name: string } | null;
}

export interface DecisionEvent extends Base {
  readonly kind: 'finding';
  readonly repo_id: string;
  readonly fingerprint: string;
  readonly from_status: Status;
  readonly to_status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
  readonly finding: { readonly title: string; readonly status: Status } | null;
}

export interface RuleEvent extends Base {
  readonly kind: 'rule';
  readonly rule_id: string;
  readonly from_value: RuleValue;
  readonly to_value: RuleValue;
}

export type RuleValue = 'enabled' | 'disabled' | 'inherit';
export type ActivityEvent = DecisionEvent | RuleEvent;

interface Position {
  readonly findings: number;
  readonly rules: number;
}

interface Page {
  readonly events: readonly ActivityEvent[];
  readonly next: Position | null;
}

const PAGE_ROWS = 50;
const MOST = 1_000;
const START: Position = { findings: 0, rules: 0 };

export function useActivity(filters: ActivityFilters): UseInfiniteQueryResult<readonly ActivityEvent[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useInfiniteQuery({
    queryKey: [id, org.id, 'activity', filters],
    initialPageParam: START,
    queryFn: ({ pageParam }) => readPage(db, org.id, filters, pageParam),
    getNextPageParam: ({ next }: Page) => next,
    select: ({ pages }) => onlyOnce(pages.flatMap(({ events }) => events)),
  });
}

async function readPage(db: BrowserDb, org: string, filters: ActivityFilters, from: Position): Promise<Page> {
  const [findings, rules] = await Promise.all([
    filters.what === 'rules' ? [] : readDecisions(db, org, filters, from),
    filters.what === 'findings' || filters.status !== null || filters.who === 'time'
      ? []
      : readRuleEvents(db, org, filters, from),
  ]);
  const merged = mergeNewestFirst(findings, rules);
  const events = merged.slice(0, PAGE_ROWS);
  const taken = events.filter(({ kind }) => kind === 'finding').length;
  const more = merged.length > PAGE_ROWS || findings.length === PAGE_ROWS || rules.length === PAGE_ROWS;
  return {
    events,
    next: more ? { findings: from.findings + taken, rules: from.rules + events.length - taken } : null,
  };
}

function onlyOnce(events: readonly ActivityEvent[]): readonly ActivityEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** Keeps the order of each list. Times from the database sort correctly as text. */
export function mergeNewestFirst<One extends Dated, Other extends Dated>(
  ones: readonly One[],
  others: readonly Other[],
): (One | Other)[] {
  const merged: (One | Other)[] = [];
  let next = 0;
  for (const one of ones) {
    for (let other = others[next]; other !== undefined && other.created_at > one.created_at; other = others[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(one);
  }
  return [...merged, ...others.slice(next)];
}

interface Dated {
  readonly created_at: string;
}

interface Narrowable<Query> {
  eq(column: string, value: string): Query;
  is(column: string, value: null): Query;
}

function narrowed<Query extends Narrowable<Query>>(all: Query, { who, repo }: ActivityFilters): Query {
  let query = all;
  if (who === 'time') query = query.is('actor', null);
  else if (isUuid(who)) query = query.eq('actor', who);
  return isUuid(repo) ? query.eq('repo_id', repo) : query;
}

async function readDecisions(
  db: BrowserDb,
  org: string,
  filters: ActivityFilters,
  from: Position,
): Promise<DecisionEvent[]> {
  let query = narrowed(
    db
      .from('triage_events')
      .select(
        `id, repo_id, fingerprint, from_status, to_status, reason, expires_at, actor, created_at,
         repository:repositories!triage_events_repo_id_org_id_fkey(full_name)`,
      )
      .eq('org_id', org),
    filters,
  );
  if (filters.status !== null) query = query.eq('to_status', filters.status);
  const rows = rowsOf(
    await query
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .range(from.findings, from.findings + PAGE_ROWS - 1),
  ) as unknown as Omit<DecisionEvent, 'kind' | 'finding'>[];
  const found = await readFindings(db, org, rows);
  return rows.map((row) => ({ kind: 'finding', ...row, finding: found.get(keyOf(row)) ?? null }));
}

interface Key {
  readonly repo_id: string;
  readonly fingerprint: string;
}

function keyOf({ repo_id, fingerprint }: Key): string {
  return `${repo_id}.${fingerprint}`;
}

async function readFindings(
  db: BrowserDb,
  org: string,
  keys: readonly Key[],
): Promise<ReadonlyMap<string, NonNullable<DecisionEvent['finding']>>> {
  if (keys.length === 0) return new Map();
  const rows = rowsOf(
    await db
      .from('finding_ledger')
      .select('repo_id, fingerprint, title, status')
      .eq('org_id', org)
      .in('repo_id', [...new Set(keys.map(({ repo_id }) => repo_id))])
      .in('fingerprint', [...new Set(keys.map(({ fingerprint }) => fingerprint))])
      .limit(MOST),
  ) as unknown as (Key & NonNullable<DecisionEvent['finding']>)[];
  return new Map(rows.map((row) => [keyOf(row), row]));
}

async function readRuleEvents(
  db: BrowserDb,
  org: string,
  filters: ActivityFilters,
  from: Position,
): Promise<RuleEvent[]> {
  const query = narrowed(
    db
      .from('rule_events')
      .select(
        `id, repo_id, rule_id, from_value, to_value, actor, created_at,
         repository:repositories!rule_events_repo_id_org_id_fkey(full_name)`,
      )
      .eq('org_id', org),
    filters,
  );
  const rows = rowsOf(
    await query
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .range(from.rules, from.rules + PAGE_ROWS - 1),
  ) as unknown as Omit<RuleEvent, 'kind'>[];
  return rows.map((row) => ({ kind: 'rule', ...row }));
}

interface Before {
  readonly to_status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
}

const KEYS_A_REQUEST = 20;

export async function readBefore(
  db: BrowserDb,
  org: string,
  events: readonly DecisionEvent[],
): Promise<ReadonlyMap<string, Before>> {
  const found = new Map<string, Before>();
  for (let from = 0; from < events.length; from += KEYS_A_REQUEST) {
    const lot = events.slice(from, from + KEYS_A_REQUEST);
    const rows = rowsOf(
      await db
        .from('triage_events')
        .select('id, repo_id, fingerprint, to_status, reason, expires_at')
        .eq('org_id', org)
        .in(
          'fingerprint',
          lot.map(({ fingerprint }) => fingerprint),
        )
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(MOST),
    );
    for (const event of lot) {
      const history = rows.filter((row) => keyOf(row) === keyOf(event));
      const before = history[history.findIndex(({ id }) => id === event.id) + 1];
      if (before?.to_status === event.from_status) found.set(event.id, { ...before, to_status: event.from_status });
    }
  }
  return found;
}
