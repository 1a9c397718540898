import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsNumberLiteral,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs';
import { CATEGORY_LABELS, SEVERITIES } from '../../../messages.ts';
import { isUuid } from '../links.ts';

export const STATUSES = ['open', 'dismissed', 'false_positive', 'accepted', 'snoozed'] as const;
export type Status = (typeof STATUSES)[number];

export const CATEGORIES: readonly string[] = Object.keys(CATEGORY_LABELS);
export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export const AGES = [1, 7, 30, 90, 365] as const;
export type Age = (typeof AGES)[number];

const DAY_MS = 86_400_000;
const MAX_TEXT = 200;
const FINGERPRINT = /^[0-9a-f]{64}$/;

export interface FindingKey {
  readonly repoId: string;
  readonly fingerprint: string;
}

export function isFindingKey({ repoId, fingerprint }: FindingKey): boolean {
  return isUuid(repoId) && FINGERPRINT.test(fingerprint);
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
  parse: (text) => (isUuid(text) ? text : null),
  serialize: (id) => id,
});

/**
 * What the address of the list holds. `status=any` shows all. `seen`: `present` in the last scan of its repository;
 * `fixed`: that scan looked for it in vain; `missed`: that scan did not look for it.
 */
export const FILTERS = {
  status: parseAsStringLiteral([...STATUSES, 'any'] as const).withDefault('open'),
  sev: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)).withDefault([]),
  rule: parseAsString,
  repo: parseAsId,
  cat: parseAsStringLiteral(CATEGORIES),
  conf: parseAsStringLiteral(CONFIDENCES),
  fix: parseAsBoolean,
  age: parseAsNumberLiteral(AGES),
  seen: parseAsStringLiteral(['present', 'missed', 'fixed'] as const).withDefault('present'),
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

export type SetFilters = (change: { readonly [Name in keyof Filters]?: Filters[Name] | null }) => void;

export const UNFILTERED = Object.fromEntries(
  Object.entries(FILTERS).map(([name, parser]) => [name, 'defaultValue' in parser ? parser.defaultValue : null]),
) as Filters;

export const NO_FILTERS = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, null])) as Readonly<
  Record<keyof Filters, null>
>;

export function isFiltered({ status, sev, rule, repo, cat, conf, fix, age, seen, q }: Filters): boolean {
  return (
    status !== 'open' ||
    seen !== 'present' ||
    sev.length > 0 ||
    [rule, repo, cat, conf, fix, age].some((value) => value !== null) ||
    q.trim() !== ''
  );
}

export function groupFilters({ status, sev, rule, repo, cat, conf, fix, age, q }: Filters): string {
  const text = searched(q);
  return JSON.stringify({
    ...(status !== 'any' && { status: [status] }),
    ...(sev.length > 0 && { severity: sev }),
    ...(rule !== null && { rule_id: [rule] }),
    ...(repo !== null && { repo_id: [repo] }),
    ...(cat !== null && { category: [cat] }),
    ...(conf !== null && { confidence: [conf] }),
    ...(fix !== null && { fixable: fix }),
    ...(age !== null && { since: daysAgo(age) }),
    ...(text !== '' && { q: text }),
  });
}

interface Filterable<Query> {
  eq(column: string, value: string | boolean): Query;
  is(column: string, value: null): Query;
  not(column: string, operator: 'is', value: null): Query;
  gte(column: string, value: string): Query;
  in(column: string, values: readonly string[]): Query;
  like(column: string, pattern: string): Query;
}

export function filtered<Query extends Filterable<Query>>(
  all: Query,
  { status, sev, rule, repo, cat, conf, fix, age, seen, q }: Filters,
): Query {
  let query = all;
  if (seen !== 'present') query = query.eq('present', false);
  if (seen === 'missed') query = query.is('resolved_at', null);
  if (seen === 'fixed') query = query.not('resolved_at', 'is', null);
  if (status !== 'any') query = query.eq('status', status);
  if (sev.length > 0) query = query.in('severity', sev);
  if (rule !== null) query = query.eq('rule_id', rule);
  if (repo !== null) query = query.eq('repo_id', repo);
  if (cat !== null) query = query.eq('category', cat);
  if (conf !== null) query = query.eq('confidence', conf);
  if (fix !== null) query = query.eq('fixable', fix);
  if (age !== null) query = query.gte('first_seen_at', daysAgo(age));
  const text = searched(q);
  return text === '' ? query : query.like('search_text', pattern(text));
}

/** Whole days: the same filters are the same question for a day. */
function daysAgo(days: number): string {
  return new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS).toISOString();
}

function searched(q: string): string {
  return q.trim().slice(0, MAX_TEXT);
}

/**
 * A pattern that matches `text` anywhere and literally, in small letters as far as they are ASCII, as the column is.
 * PostgreSQL guesses that each letter leaves a fifth of the rows, and each `%` five times as many: with one for each
 * letter it expects many and reads them in order, instead of looking up the repository of each.
 */
function pattern(text: string): string {
  const small = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const literal = small.replace(/[\\%_]/g, (character) => `\\${character}`);
  return `%${literal}${'%'.repeat(text.length)}`;
}
