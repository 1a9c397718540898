import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, type Attempt, findLeaks, request, showsExactly } from '../../support/attempts.ts';
import type { Table } from '../../support/catalog.ts';
import { FULL } from '../../support/effort.ts';
import type { Row } from '../../support/seed.ts';
import { type Actor, startTenants, visibleRows } from '../../support/tenants.ts';

const tenants = await startTenants();
const { database, catalog } = tenants;
const actors = tenants.actors.filter(({ name }) => ["beta's admin", 'a former member of alpha'].includes(name));

afterAll(() => database.stop());

const SCHEMAS = [
  'internal',
  'auth',
  'embedded_start',
  'supabase_migrations',
  'pg_catalog',
  'information_schema',
  'storage',
];

const keyOf = (table: Table) => table.primaryKey[0] ?? '';

const isClosed = ({ status, rows }: Answer) => (status >= 300 && rows === null ? null : `answered ${status}`);

function showsAtMost(expected: readonly Row[] | null, key: readonly string[]): Attempt['judge'] {
  const keyOfRow = (row: Row) => JSON.stringify(key.map((column) => row[column]));
  const allowed = new Set(expected?.map(keyOfRow));
  return ({ status, rows }) => {
    if (status >= 500) return `answered ${status}`;
    const beyond = rows?.filter((row) => !allowed.has(keyOfRow(row))) ?? [];
    return beyond.length === 0 ? null : `showed ${beyond.map(keyOfRow).join()}`;
  };
}

function foreignRow(actor: Actor, table: Table): Row {
  const visible = new Set(visibleRows(tenants, actor, table.name));
  const row = tenants.rows.get(table.name)?.find((each) => !visible.has(each));
  if (row === undefined) throw new Error(`${actor.name} sees all of ${table.name}.`);
  return row;
}

const typesBefore = new Map(
  catalog.tables.map((table, at) => [
    table,
    new Set(catalog.tables.slice(0, at).flatMap(({ columns }) => columns.map(({ type }) => type))),
  ]),
);

function filtered(table: Table): Table['columns'] {
  if (FULL) return table.columns;
  return table.columns.filter(
    ({ type }, at) =>
      at === 0 ||
      (!typesBefore.get(table)?.has(type) && table.columns.findIndex((column) => column.type === type) === at),
  );
}

function someOf(table: Table, queries: readonly Attempt[]): readonly Attempt[] {
  const first = catalog.tables.indexOf(table);
  return FULL ? queries : queries.filter((_query, at) => (first + at) % 4 === 0);
}

function filters(actor: Actor, table: Table): readonly Attempt[] {
  const visible = visibleRows(tenants, actor, table.name);
  if (visible === null) return [request(tenants, actor, { path: `/rest/v1/${table.name}?select=count()` }, isClosed)];
  const key = keyOf(table);
  const foreign = foreignRow(actor, table);
  const other = String(foreign[key]);
  const base = `/rest/v1/${table.name}`;
  const rows = showsExactly(visible, table.primaryKey);
  const none = showsExactly([], table.primaryKey);
  const get = (query: string, judge: Attempt['judge'], headers: Readonly<Record<string, string>> = {}) =>
    request(tenants, actor, { path: `${base}?${query}`, headers }, judge);
  const format = (accept: string, judge: Attempt['judge']) => get('', judge, { accept });
  const ofColumns = filtered(table).flatMap(({ name, type }) => [
    get(`order=${name}.desc.nullslast`, rows),
    get(
      // The embedded server cannot compare booleans with `isdistinct`.
      `${name}=not.${type === 'boolean' ? 'is' : 'isdistinct'}.${encodeURIComponent(String(foreign[name]))}`,
      showsAtMost(visible, table.primaryKey),
    ),
    get(`or=(${name}.is.null,${name}.not.is.null)&select=*,${name}::text`, showsAtMost(visible, table.primaryKey)),
    ...(type === 'text'
      ? ['like.*', 'imatch.^', 'not.like.x', 'gte.', 'fts.a'].map((filter) =>
          get(`${name}=${filter}`, showsAtMost(visible, table.primaryKey)),
        )
      : []),
  ]);
  const ofTable = [
    get(`or=(${key}.is.null,${key}.not.is.null)`, rows),
    get(`and=(${key}.not.is.null,or(${key}.neq.${other},${key}.eq.${other}))`, rows),
    get(`not.and=(${key}.is.null,${key}.eq.${other})`, rows),
    get(`not.or=(${key}.is.null)`, rows),
    get(`${key}=not.is.null&or=(${key}.eq.${other},not.and(${key}.eq.${other}))`, rows),
    get(`${key}=eq.${other}`, none),
    get(`${key}=in.(${other})`, none),
    get(`${key}=eq.${other}&${key}=neq.${other}`, none),
    get('select=*&limit=1000&offset=0', rows),
    get('', rows, { range: '0-999', 'range-unit': 'items' }),
    get('', showsAtMost([], table.primaryKey), { range: '500-999', 'range-unit': 'items' }),
    ...['exact', 'planned', 'estimated'].map((count) => get('', rows, { prefer: `count=${count}` })),
    get('', rows, { prefer: 'handling=strict,return=representation' }),
    format('text/csv', ({ status }) => (status === 200 ? null : `answered ${status}`)),
    get(`${key}=eq.${other}`, isClosed, { accept: 'application/vnd.pgrst.object+json' }),
    ...['json', 'text'].map((kind) =>
      format(`application/vnd.pgrst.plan+${kind}; for="application/json"; options=analyze|verbose|buffers`, isClosed),
    ),
    ...['count()', `${key}.count()`, `${key}.max()`, `${key},count()`].map((select) =>
      get(`select=${select}`, isClosed),
    ),
    // A schema is refused before the table is looked up.
    ...(FULL || table === catalog.tables[0] ? SCHEMAS : SCHEMAS.slice(0, 1)).map((schema) =>
      get('', isClosed, { 'accept-profile': schema }),
    ),
    get('select=ctid,xmin,tableoid', ({ rows }) =>
      rows?.length === (table.holdsRows ? visible.length : undefined) ? null : `showed ${rows?.length}`,
    ),
  ];
  return [...ofColumns, ...someOf(table, ofTable)];
}

/** Tables that no key joins to this one; embedding fails in the same way for each of them. */
function strangersOf(table: Table): readonly Table[] {
  const isRelated = (one: Table, other: Table) => one.foreignKeys.some(({ target }) => target === other.name);
  const strangers = catalog.tables.filter((other) => !isRelated(table, other) && !isRelated(other, table));
  const related = catalog.tables.filter((other) => !strangers.includes(other));
  return [...related, ...(FULL ? strangers : strangers.slice(0, 2))];
}

function embeddings(actor: Actor, table: Table): readonly Attempt[] {
  const own = visibleRows(tenants, actor, table.name);
  return [
    ...table.foreignKeys.flatMap(({ name, target: targetName }) => {
      const target = catalog.tables.find((each) => each.name === targetName);
      if (target === undefined) return [];
      const far = visibleRows(tenants, actor, target.name);
      const along = (from: Table, to: Table, start: readonly Row[] | null, end: readonly Row[] | null) => {
        const base = `/rest/v1/${from.name}?select=*`;
        const shut = start === null || end === null;
        const all = shut ? isClosed : showsExactly(start, from.primaryKey);
        const some = shut ? isClosed : showsAtMost(start, from.primaryKey);
        const other = String(foreignRow(actor, to)[keyOf(to)]);
        const get = (query: string, judge: Attempt['judge']) =>
          request(tenants, actor, { path: `${base},${query}` }, judge);
        const ways = [
          get(`${to.name}!${name}(*)`, all),
          get(`it:${to.name}!${name}(*)&order=${keyOf(from)}`, all),
          get(`${to.name}!${name}!inner(*)`, some),
          get(`${to.name}!${name}!left(*)&${to.name}=is.null`, some),
          get(`${to.name}!${name}!inner(*)&${to.name}=not.is.null`, some),
          get(`${to.name}!${name}!inner(${keyOf(to)})&${to.name}.${keyOf(to)}=eq.${other}`, some),
          get(`${to.name}!${name}(*)&order=${to.name}(${keyOf(to)}).desc`, some),
          get(`...${to.name}!${name}(*)`, ({ status }) => (status >= 500 ? `answered ${status}` : null)),
          get(`${to.name}!${name}(*,${from.name}!${name}(*))`, some),
          get(`${to.name}!${name}(*)&or=(${to.name}.${keyOf(to)}.not.is.null,${keyOf(from)}.not.is.null)`, some),
        ];
        return shut && !FULL ? ways.slice(0, 1) : someOf(from, ways);
      };
      return [...along(table, target, own, far), ...along(target, table, far, own)];
    }),
    ...(own === null && !FULL ? [] : strangersOf(table)).map((other) =>
      request(
        tenants,
        actor,
        { path: `/rest/v1/${table.name}?select=*,${other.name}(*)` },
        showsAtMost(own, table.primaryKey),
      ),
    ),
  ];
}

const plans = actors.map((actor) => ({
  actor,
  attempts: catalog.tables.flatMap((table) => [...filters(actor, table), ...embeddings(actor, table)]),
}));
const total = plans.reduce((sum, { attempts }) => sum + attempts.length, 0);

describe(`${total} queries by ${actors.length} actors`, () => {
  it.each(plans.map((plan) => [plan.attempts.length, plan.actor.name, plan] as const))(
    '%i by %s return no foreign rows, whatever the filter, order, embedding or format',
    async (_count, _name, { actor, attempts }) => {
      expect(await findLeaks(tenants, actor, attempts)).toEqual([]);
    },
    300_000,
  );
});
