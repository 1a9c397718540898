import type { Octokit } from '@octokit/core';
import * as z from 'zod/mini';
import type { ActionAdvisory } from '#lib/data/generated/action-advisories.ts';
import type { ArchivedAction } from '#lib/data/generated/archived-actions.ts';
import type { MovedAction } from '#lib/data/generated/moved-actions.ts';
import type { Client } from '#lib/hosts/code-host/client.ts';
import { parseFullName } from '#lib/hosts/code-host/repository-name.ts';
import { compareVersions, parseVersion } from '#lib/workflow/model/versions.ts';

export interface Refreshed<Row> {
  readonly rows: readonly Row[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly notes: readonly string[];
}

/** Advisories that no workflow can meet: internal workflows, programs that no workflow runs, or no usable range. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'GHSA-2c6m-6gqh-6qg3',
  'GHSA-99jg-r3f4-rpxj',
  'GHSA-phf6-hm3h-x8qp',
  'GHSA-f67f-hcr6-94mf',
  'GHSA-r4fj-r33x-8v88',
  'GHSA-6p2j-742g-835f',
  'GHSA-c3xh-98xp-6qhf',
  'GHSA-hw6r-g8gj-2987',
  'GHSA-qmg3-hpqr-gqvc',
]);

const AdvisoryRecord = z.object({
  ghsa_id: z.string().check(z.regex(/^GHSA(?:-[0-9a-z]{4}){3}$/)),
  cve_id: z.nullable(z.string()),
  summary: z.string(),
  severity: z.string(),
  withdrawn_at: z.nullable(z.string()),
  vulnerabilities: z.nullable(
    z.array(
      z.object({
        package: z.nullable(z.object({ ecosystem: z.string(), name: z.nullable(z.string()) })),
        vulnerable_version_range: z.nullable(z.string()),
        first_patched_version: z.nullable(z.string()),
      }),
    ),
  ),
});
export type AdvisoryRecord = z.infer<typeof AdvisoryRecord>;

const SEVERITIES: Readonly<Record<string, ActionAdvisory['severity']>> = {
  critical: 'CRITICAL',
  high: 'HIGH',
  medium: 'MODERATE',
  low: 'LOW',
};
const MAX_PAGES = 20;

export async function readAdvisories(octokit: Octokit): Promise<AdvisoryRecord[]> {
  const found: AdvisoryRecord[] = [];
  let after: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await octokit.request('GET /advisories', {
      ecosystem: 'actions',
      type: 'reviewed',
      per_page: 100,
      ...(after === undefined ? {} : { after }),
    });
    for (const each of answer.data as unknown[]) {
      const record = AdvisoryRecord.safeParse(each);
      if (record.success) found.push(record.data);
    }
    const [, next] = /<([^>]*)>; rel="next"/.exec(answer.headers.link ?? '') ?? [];
    after = next === undefined ? undefined : (new URL(next).searchParams.get('after') ?? undefined);
    if (after === undefined) return found;
  }
  throw new Error(`There are more than ${MAX_PAGES} pages of advisories.`);
}

export function mergeAdvisories(
  before: readonly ActionAdvisory[],
  records: readonly AdvisoryRecord[],
): Refreshed<ActionAdvisory> {
  const keyOf = ({ ghsa, action }: Pick<ActionAdvisory, 'ghsa' | 'action'>): string => `${action} ${ghsa}`;
  const withdrawn = new Set(records.flatMap(({ ghsa_id, withdrawn_at }) => (withdrawn_at === null ? [] : [ghsa_id])));
  const rows = new Map(before.filter(({ ghsa }) => !withdrawn.has(ghsa)).map((row) => [keyOf(row), row]));
  const added: string[] = [];
  const changed: string[] = [];
  const notes: string[] = [];
  for (const record of records) {
    const { ghsa_id: ghsa, cve_id: cve, withdrawn_at, summary } = record;
    const severity = SEVERITIES[record.severity];
    if (withdrawn_at !== null || LEFT_OUT.has(ghsa)) continue;
    const byAction = new Map<string, { ranges: string[]; fixed: string | null }>();
    for (const each of record.vulnerabilities ?? []) {
      const action = each.package?.ecosystem === 'actions' ? each.package.name?.toLowerCase() : undefined;
      if (action === undefined || action === null) continue;
      const range = each.vulnerable_version_range?.trim() ?? '';
      const isUsable = range.split(',').every((one) => /^\s*(?:<=|>=|<|>|=)\s*\S+\s*$/.test(one));
      if (severity === undefined || !isUsable || !/^[a-z0-9_-]+(?:\/[a-z0-9._-]+)+$/.test(action)) {
        notes.push(`${ghsa} about ${JSON.stringify(action)} cannot be read: ${JSON.stringify(range)}`);
        continue;
      }
      const known = byAction.get(action) ?? { ranges: [], fixed: each.first_patched_version };
      known.ranges.push(range);
      known.fixed = laterOf(known.fixed, each.first_patched_version);
      byAction.set(action, known);
    }
    for (const [action, { ranges, fixed }] of byAction) {
      const key = keyOf({ ghsa, action });
      const old = rows.get(key);
      const [range = ''] = ranges;
      const row: ActionAdvisory = {
        ghsa,
        cve,
        action,
        severity: severity ?? 'LOW',
        vulnerable: ranges.length === 1 ? range : ranges,
        fixed,
        summary: old?.summary ?? sentence(summary),
        ...(old?.sink === undefined ? {} : { sink: old.sink }),
      };
      rows.set(key, row);
      if (old === undefined) added.push(key);
      else if (JSON.stringify(old) !== JSON.stringify(row)) changed.push(key);
    }
  }
  const removed = before.filter(({ ghsa }) => withdrawn.has(ghsa)).map(keyOf);
  const sorted = [...rows.values()].sort((a, b) => compare(a.action, b.action) || compare(a.ghsa, b.ghsa));
  return { rows: sorted, added: added.sort(compare), changed: changed.sort(compare), removed, notes };
}

function laterOf(a: string | null, b: string | null): string | null {
  const [left, right] = [a, b].map((text) => (text === null ? undefined : parseVersion(text)));
  if (left === undefined || right === undefined) return null;
  return compareVersions(left, right) >= 0 ? a : b;
}

function sentence(text: string): string {
  const line = text
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .trimEnd();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

export interface RepositoryState {
  readonly fullName: string;
  readonly archived: boolean;
}

const States = z.record(z.string(), z.nullable(z.object({ nameWithOwner: z.string(), isArchived: z.boolean() })));
const BATCH = 40;

export async function readStates(
  client: Client,
  names: readonly string[],
): Promise<ReadonlyMap<string, RepositoryState | undefined>> {
  const states = new Map<string, RepositoryState | undefined>();
  for (const batch of batches(names, BATCH)) {
    const fields = batch.map(
      (_, index) => `r${index}: repository(owner: $o${index}, name: $n${index}) { nameWithOwner isArchived }`,
    );
    const data = await ask(client, 'States', batch, fields, States);
    for (const [index, name] of batch.entries()) {
      const found = data[`r${index}`];
      states.set(name, found == null ? undefined : { fullName: found.nameWithOwner, archived: found.isArchived });
    }
  }
  return states;
}

/** Rows of deleted repositories stay, since workflows still use them. */
export function mergeArchived(
  before: readonly ArchivedAction[],
  states: ReadonlyMap<string, RepositoryState | undefined>,
): Refreshed<ArchivedAction> {
  const rows = new Map(before.map((row) => [row.action, row]));
  const added: string[] = [];
  const removed: string[] = [];
  const notes: string[] = [];
  for (const [action, state] of states) {
    if (state === undefined) notes.push(`${action} is not there any more`);
    if (state?.archived === true && !rows.has(action)) {
      rows.set(action, { action, successor: null });
      added.push(action);
    } else if (state?.archived === false && rows.delete(action)) removed.push(action);
  }
  return { rows: [...rows.values()].sort((a, b) => compare(a.action, b.action)), added, changed: [], removed, notes };
}

/**
 * A repository that answers under another name was renamed. One that answers under the old name again can be a
 * takeover, which a person has to check.
 */
export function mergeMoved(
  before: readonly MovedAction[],
  states: ReadonlyMap<string, RepositoryState | undefined>,
): Refreshed<MovedAction> {
  const rows = new Map(before.map((row) => [row.action, row]));
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const notes: string[] = [];
  for (const [action, state] of states) {
    const old = rows.get(action);
    const to = state?.fullName;
    if (to === undefined) {
      if (old !== undefined) notes.push(`${action} no longer leads to ${old.to}: whoever takes the name is run`);
    } else if (to.toLowerCase() === action) {
      if (old === undefined) continue;
      rows.delete(action);
      removed.push(action);
      notes.push(`${action} is a repository of its own again, no longer ${old.to}: see who made it`);
    } else if (/^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/.test(to) && old?.to !== to) {
      rows.set(action, { action, to });
      (old === undefined ? added : changed).push(`${action}: ${to}`);
    }
  }
  return { rows: [...rows.values()].sort((a, b) => compare(a.action, b.action)), added, changed, removed, notes };
}

export function withRows(text: string, name: string, rows: readonly unknown[]): string {
  const start = text.indexOf(`export const ${name} = [`);
  const end = text.indexOf('\n] as const', start);
  if (start === -1 || end === -1) throw new Error(`There is no array ${name}.`);
  const begin = start + `export const ${name} = [`.length;
  return `${text.slice(0, begin)}\n${rows.map((row) => `${JSON.stringify(row)},`).join('\n')}${text.slice(end)}`;
}

export async function ask<T>(
  client: Client,
  operation: string,
  names: readonly string[],
  fields: readonly string[],
  shape: z.ZodMiniType<T>,
  others: Readonly<Record<string, string>> = {},
): Promise<T> {
  const variables: Record<string, string> = { ...others };
  for (const [index, fullName] of names.entries()) {
    const { owner = '', name = '' } = parseFullName(fullName) ?? {};
    variables[`o${index}`] = owner;
    variables[`n${index}`] = name;
  }
  const types = Object.keys(variables).map((name) => `$${name}: String!`);
  const { data, errors } = await client.query(
    `query ${operation}(${types.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables,
  );
  const serious = errors.filter(({ type }) => type !== 'NOT_FOUND');
  if (serious.length > 0) throw new Error(`The code host failed to answer: ${JSON.stringify(serious).slice(0, 300)}`);
  const parsed = shape.safeParse(data);
  if (!parsed.success) throw new Error('The code host answered in another shape.');
  return parsed.data;
}

export function batches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
