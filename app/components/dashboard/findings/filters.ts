import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs';
import { SEVERITIES } from '../../../messages.ts';

export const STATUSES = ['open', 'dismissed', 'false_positive', 'accepted', 'snoozed'] as const;
export type Status = (typeof STATUSES)[number];

const MAX_TEXT = 200;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FINGERPRINT = /^[0-9a-f]{64}$/;

/** A finding's name in addresses: `{repository id}.{fingerprint}`. */
export interface FindingKey {
  readonly repoId: string;
  readonly fingerprint: string;
}

export function isFindingKey({ repoId, fingerprint }: FindingKey): boolean {
  return UUID.test(repoId) && FINGERPRINT.test(fingerprint);
}

const parseAsFinding = createParser<FindingKey>({
  parse(text) {
    const [repoId = '', fingerprint = ''] = text.split('.');
    const key = { repoId, fingerprint };
    return isFindingKey(key) ? key : null;
  },
  serialize: ({ repoId, fingerprint }) => `${repoId}.${fingerprint}`,
  eq: (a, b) => a.repoId === b.repoId && a.fingerprint === b.fingerprint,
});

const parseAsId = createParser<string>({
  parse: (text) => (UUID.test(text) ? text : null),
  serialize: (id) => id,
});

/** What the address of the list holds. `status=any` shows all. */
export const FILTERS = {
  status: parseAsStringLiteral([...STATUSES, 'any'] as const).withDefault('open'),
  sev: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)).withDefault([]),
  rule: parseAsString,
  repo: parseAsId,
  fix: parseAsBoolean,
  q: parseAsString.withDefault(''),
};

export const VIEW = {
  group: parseAsStringLiteral(['rule', 'repository', 'none'] as const).withDefault('rule'),
  sort: parseAsStringLiteral(['severity', 'newest', 'repository'] as const).withDefault('severity'),
  page: parseAsInteger.withDefault(1),
  f: parseAsFinding,
};

export type Filters = inferParserType<typeof FILTERS>;
export type View = inferParserType<typeof VIEW>;

export const NO_FILTERS = { status: null, sev: null, rule: null, repo: null, fix: null, q: null } as const;

export function isFiltered({ status, sev, rule, repo, fix, q }: Filters): boolean {
  return status !== 'open' || sev.length > 0 || rule !== null || repo !== null || fix !== null || q.trim() !== '';
}

/** Returns the filters as `read_finding_groups` takes them. */
export function groupFilters({ status, sev, rule, repo, fix, q }: Filters): string {
  const text = searched(q);
  return JSON.stringify({
    ...(status !== 'any' && { status: [status] }),
    ...(sev.length > 0 && { severity: sev }),
    ...(rule !== null && { rule_id: [rule] }),
    ...(repo !== null && { repo_id: [repo] }),
    ...(fix !== null && { fixable: fix }),
    ...(text !== '' && { q: text }),
  });
}

interface Filterable<Query> {
  eq(column: string, value: string | boolean): Query;
  in(column: string, values: readonly string[]): Query;
  or(filters: string): Query;
}

/** Adds the filters to a read of `current_findings`. */
export function filtered<Query extends Filterable<Query>>(
  all: Query,
  { status, sev, rule, repo, fix, q }: Filters,
): Query {
  let query = all;
  if (status !== 'any') query = query.eq('status', status);
  if (sev.length > 0) query = query.in('severity', sev);
  if (rule !== null) query = query.eq('rule_id', rule);
  if (repo !== null) query = query.eq('repo_id', repo);
  if (fix !== null) query = query.eq('fixable', fix);
  const text = searched(q);
  return text === '' ? query : query.or(`title.ilike.${pattern(text)},file.ilike.${pattern(text)}`);
}

function searched(q: string): string {
  return q.trim().slice(0, MAX_TEXT);
}

/** A quoted value of PostgREST's syntax, around a pattern that matches `text` anywhere and literally. */
function pattern(text: string): string {
  const literal = text.replace(/[\\%_]/g, (character) => `\\${character}`);
  return `"%${literal.replace(/["\\]/g, (character) => `\\${character}`)}%"`;
}
