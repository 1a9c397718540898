import type { Octokit } from '@octokit/core';
import * as z from 'zod/mini';
import type { Client } from '../code-host/client.ts';
import { parseFullName } from '../code-host/repository-name.ts';
import type { ActionAdvisory } from '../data/action-advisories.ts';
import type { ActionRuntimes } from '../data/action-runtimes.ts';
import type { ArchivedAction } from '../data/archived-actions.ts';
import { parseAction } from '../workflow/parse-action.ts';
import { createSource } from '../workflow/source.ts';
import { compareVersions, parseVersion } from '../workflow/versions.ts';

/** A table as it should be, and what became of its rows. */
export interface Refreshed<Row> {
  readonly rows: readonly Row[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What a person has to look at. */
  readonly notes: readonly string[];
}

/**
 * Advisories that a workflow cannot meet: about workflows internal to a repository, about programs that no workflow
 * calls, or without a range that says anything.
 */
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

/** Every reviewed advisory about actions: https://docs.github.com/rest/security-advisories/global-advisories */
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

/** What somebody wrote about an advisory stays: its summary and the use that it is about. */
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
      // The last repaired release repairs all of the ranges.
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

/** One line, bounded, with a final stop. */
function sentence(text: string): string {
  const line = text
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .trimEnd();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

/** What the code host says of a repository; undefined for one that is not there. */
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

/** Rows of repositories that are not there any more stay: somebody’s workflow still names them. */
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
    else if (state.fullName.toLowerCase() !== action) notes.push(`${action} is ${state.fullName} now`);
    if (state?.archived === true && !rows.has(action)) {
      rows.set(action, { action, successor: null });
      added.push(action);
    } else if (state?.archived === false && rows.delete(action)) removed.push(action);
  }
  return { rows: [...rows.values()].sort((a, b) => compare(a.action, b.action)), added, changed: [], removed, notes };
}

const Tags = z.record(
  z.string(),
  z.nullable(z.object({ refs: z.nullable(z.object({ nodes: z.array(z.nullable(z.object({ name: z.string() }))) })) })),
);
const Definitions = z.record(
  z.string(),
  z.record(z.string(), z.nullable(z.object({ text: z.optional(z.nullable(z.string())) }))),
);
/** Major versions of one action that are kept. */
const MAX_MAJORS = 12;

/** With what the newest release of each major version of an action runs, from its definition at that tag. */
export async function readRuntimes(client: Client, names: readonly string[]): Promise<ActionRuntimes[]> {
  const found: ActionRuntimes[] = [];
  for (const batch of batches(names, 10)) {
    const tagFields = batch.map(
      (_, index) =>
        `r${index}: repository(owner: $o${index}, name: $n${index}) { refs(refPrefix: "refs/tags/", first: 100, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) { nodes { name } } }`,
    );
    const tags = await ask(client, 'Tags', batch, tagFields, Tags);
    const majors = batch.map((_, index) =>
      newestOfMajors((tags[`r${index}`]?.refs?.nodes ?? []).flatMap((node) => (node === null ? [] : [node.name]))),
    );
    const used = [...batch.keys()].filter((index) => (majors[index] ?? []).length > 0);
    if (used.length === 0) continue;
    const variables: Record<string, string> = {};
    const fields = used.map((index, at) => {
      const files = (majors[index] ?? []).flatMap(([, tag], number) => {
        variables[`y${at}_${number}`] = `refs/tags/${tag}:action.yml`;
        variables[`a${at}_${number}`] = `refs/tags/${tag}:action.yaml`;
        return ['y', 'a'].map(
          (kind) => `${kind}${number}: object(expression: $${kind}${at}_${number}) { ... on Blob { text } }`,
        );
      });
      return `r${at}: repository(owner: $o${at}, name: $n${at}) { ${files.join('\n')} }`;
    });
    const asked = used.map((index) => batch[index] as string);
    const data = await ask(client, 'Definitions', asked, fields, Definitions, variables);
    for (const [at, action] of asked.entries()) {
      const runtimes = (majors[used[at] as number] ?? []).flatMap(([major], number): [number, string][] => {
        const files = data[`r${at}`];
        const using = runtimeOf(files?.[`y${number}`]?.text ?? files?.[`a${number}`]?.text ?? '');
        return using === undefined ? [] : [[major, using]];
      });
      if (runtimes.length > 0) found.push({ action, runtimes: Object.fromEntries(runtimes) });
    }
  }
  return found.sort((a, b) => compare(a.action, b.action));
}

/** Each major version with its newest release, lowest first. A moving tag such as `v4` counts when there is no other. */
export function newestOfMajors(tags: readonly string[]): [major: number, tag: string][] {
  const newest = new Map<number, string>();
  for (const tag of tags) {
    const version = parseVersion(tag);
    const [major] = version?.numbers ?? [];
    if (version === undefined || major === undefined || version.prerelease !== undefined || major > 1_000) continue;
    const before = newest.get(major);
    const known = before === undefined ? undefined : parseVersion(before);
    if (known === undefined || compareVersions(version, known) > 0) newest.set(major, tag);
  }
  return [...newest].sort(([a], [b]) => a - b).slice(-MAX_MAJORS);
}

/** `node20`, `composite`, `docker`; undefined for a text that is no definition. */
export function runtimeOf(text: string): string | undefined {
  const using = parseAction(createSource('action.yml', text)).definition?.using?.value.toLowerCase();
  return using !== undefined && /^[a-z0-9]{1,20}$/.test(using) ? using : undefined;
}

/** What was read replaces what was known; an action that could not be read keeps its row. */
export function mergeRuntimes(
  before: readonly ActionRuntimes[],
  read: readonly ActionRuntimes[],
): Refreshed<ActionRuntimes> {
  const rows = new Map(before.map((row) => [row.action, row]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const row of read) {
    const old = rows.get(row.action);
    rows.set(row.action, row);
    if (old === undefined) added.push(row.action);
    else if (JSON.stringify(old) !== JSON.stringify(row)) changed.push(row.action);
  }
  return {
    rows: [...rows.values()].sort((a, b) => compare(a.action, b.action)),
    added,
    changed,
    removed: [],
    notes: [],
  };
}

/** Replaces the rows of the array that a file exports under a name; all else in the file stays. */
export function withRows(text: string, name: string, rows: readonly unknown[]): string {
  const start = text.indexOf(`export const ${name} = [`);
  const end = text.indexOf('\n] as const', start);
  if (start === -1 || end === -1) throw new Error(`There is no array ${name}.`);
  const begin = start + `export const ${name} = [`.length;
  return `${text.slice(0, begin)}\n${rows.map((row) => `${JSON.stringify(row)},`).join('\n')}${text.slice(end)}`;
}

async function ask<T>(
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

function batches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
