import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Attempt,
  clientAnswer,
  findLeaks,
  isRefused,
  request,
  showsExactly,
} from '../../support/attempts.ts';
import { type CatalogFunction, digest, type Table } from '../../support/catalog.ts';
import { createUserDb } from '../../support/data-api.ts';
import { FULL } from '../../support/effort.ts';
import type { Row } from '../../support/seed.ts';
import { type Actor, READABLE_TABLES, startTenants, visibleRows } from '../../support/tenants.ts';

const tenants = await startTenants();
const { database, catalog, actors } = tenants;

afterAll(() => database.stop());

const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status, code }: Answer) =>
    statuses.includes(status) ? null : `answered ${status} ${code}`;

/** A view that cannot be written to is refused before permissions are checked. */
const isRefusedBy =
  ({ holdsRows }: Table): Attempt['judge'] =>
  (answer) =>
    !holdsRows && answer.rows === null && ['55000', 'PGRST105'].includes(answer.code ?? '') ? null : isRefused(answer);

function reads(actor: Actor, table: Table): readonly Attempt[] {
  const visible = visibleRows(tenants, actor, table.name);
  const path = `/rest/v1/${table.name}`;
  const judge = visible === null ? isRefused : showsExactly(visible, table.primaryKey);
  const counts: Attempt['judge'] = (answer) =>
    visible === null
      ? answer.status >= 400
        ? null
        : `answered ${answer.status}`
      : answer.total === visible.length
        ? null
        : `counted ${answer.total}`;
  return [
    request(tenants, actor, { path }, judge),
    request(tenants, actor, { method: 'HEAD', path, headers: { prefer: 'count=exact' } }, counts),
    ...library(actor, table, judge),
  ];
}

function library(actor: Actor, table: Table, judge: Attempt['judge']): readonly Attempt[] {
  if (actor.token === null) return [];
  const client = createUserDb(database, actor.token);
  const call = (
    label: string,
    send: () => PromiseLike<Parameters<typeof clientAnswer>[0]>,
    judge: Attempt['judge'],
  ) => ({
    label: `${label} ${table.name} with supabase-js`,
    send: async () => clientAnswer(await send()),
    said: '',
    judge,
  });
  const key = table.primaryKey[0] ?? '';
  return [
    call('select', () => client.from(table.name).select('*', { count: 'exact' }), judge),
    call('delete', () => client.from(table.name).delete().not(key, 'is', null).select(), isRefusedBy(table)),
  ];
}

/** Writing a generated column is an error of syntax, which comes before a refusal. */
function withoutGenerated({ columns }: Table, row: Row): Row {
  const generated = new Set(columns.flatMap((column) => (column.generated ? column.name : [])));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !generated.has(name)));
}

function writes(actor: Actor, table: Table): readonly Attempt[] {
  const stored = visibleRows(tenants, actor, table.name)?.[0] ?? tenants.rows.get(table.name)?.[0] ?? {};
  const row = withoutGenerated(table, stored);
  const fresh = Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isId = table.primaryKey.includes(name) && !['org_id', 'repo_id', 'user_id'].includes(name);
      return [name, isId && /^[0-9a-f-]{36}$/.test(String(value)) ? randomUUID() : value];
    }),
  );
  const path = `/rest/v1/${table.name}`;
  const one = `${path}?${table.primaryKey.map((name) => `${name}=eq.${String(row[name])}`).join('&')}`;
  const all = `${path}?${table.primaryKey[0]}=not.is.null`;
  const same = Object.fromEntries(table.primaryKey.slice(0, 1).map((name) => [name, row[name]]));
  const returning = { prefer: 'return=representation' };
  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
    request(tenants, actor, { method, path, headers, body }, isRefusedBy(table));
  return [
    send('POST', path, {}, fresh),
    send('PATCH', all, returning, same),
    send('DELETE', all, {}),
    send('POST', path, { prefer: 'return=representation,tx=rollback' }, [fresh, fresh]),
    send('POST', path, { prefer: 'resolution=merge-duplicates,return=representation' }, row),
    send('POST', path, { prefer: 'resolution=ignore-duplicates,return=representation' }, row),
    send('PUT', one, returning, row),
    send('PATCH', one, returning, same),
    send('DELETE', one, returning),
  ];
}

const READERS = [
  'read_finding_groups',
  'read_findings_in_paths',
  'read_open_counts',
  'read_open_over_time',
  'read_org_pulse',
  'read_used_actions',
];

function countsSomething({ rows }: Answer): boolean {
  return (rows ?? []).some((row) => Object.values(row).some((value) => typeof value === 'number' && value > 0));
}

function judgeOf(actor: Actor, name: string): Attempt['judge'] {
  if (!READERS.includes(name) || actor.sees === 'nothing') return isRefused;
  const sees = actor.owners.has(tenants.beta.get('organizations')?.[0]?.['id']);
  return (answer) =>
    answer.status !== 200 || answer.rows === null
      ? `answered ${answer.status} ${answer.code}`
      : countsSomething(answer) === sees
        ? null
        : `counted ${JSON.stringify(answer.rows)}`;
}

function callFunction(actor: Actor, { name, arguments: parameters }: CatalogFunction): readonly Attempt[] {
  const beta = (table: string, column: string) => tenants.beta.get(table)?.[0]?.[column];
  const value = (parameter: string, type: string): unknown => {
    if (parameter === 'p_org_id') return beta('organizations', 'id');
    if (parameter === 'p_by') return 'rule';
    if (parameter === 'p_filters') return '{}';
    if (parameter === 'p_findings') {
      const fingerprint = beta('finding_ledger', 'fingerprint');
      return JSON.stringify([{ repo_id: beta('finding_ledger', 'repo_id'), fingerprint }]);
    }
    if (parameter === 'p_repo_id') return beta('repositories', 'id');
    if (parameter === 'p_scm_id') return beta('repositories', 'scm_id');
    if (type === 'uuid') return beta('org_members', 'user_id');
    if (type === 'integer') return 1;
    if (type === 'boolean') return true;
    if (type === 'timestamp with time zone') return new Date().toISOString();
    return '[]';
  };
  const given = Object.fromEntries(parameters.map(({ name, type }) => [name, value(name, type)]));
  const path = `/rest/v1/rpc/${name}`;
  const query = new URLSearchParams(
    // The embedded server does not take JSON in a query for text; the filters are optional.
    Object.entries(given)
      .filter(([name]) => name !== 'p_filters')
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
  const judge = judgeOf(actor, name);
  const attempts = [
    request(tenants, actor, { method: 'POST', path, body: given }, judge),
    request(tenants, actor, { path: `${path}?${query.toString()}` }, (answer) =>
      answer.status === 405 ? null : judge(answer),
    ),
  ];
  if (actor.token === null) return attempts;
  const client = createUserDb(database, actor.token);
  const send = async () => clientAnswer(await client.rpc(name, given));
  return [...attempts, { label: `rpc ${name} with supabase-js`, send, said: JSON.stringify(given), judge }];
}

function serviceCalls(actor: Actor): readonly Attempt[] {
  const tables = catalog.tables.filter(({ holdsRows }) => holdsRows);
  const rowOf = (table: Table): Row => withoutGenerated(table, tenants.rows.get(table.name)?.[0] ?? {});
  const path = (table: Table) => `/rest/v1/${table.name}`;
  return [
    ...catalog.tables.flatMap((table) => reads(actor, table)),
    ...tables.map((table) =>
      request(tenants, actor, { method: 'POST', path: path(table), body: rowOf(table) }, hasStatus(409)),
    ),
    ...tables.map((table) => {
      const filter = table.primaryKey.map((name) => `${name}=eq.${String(rowOf(table)[name])}`).join('&');
      const body = Object.fromEntries(table.primaryKey.map((name) => [name, rowOf(table)[name]]));
      const headers = { prefer: 'return=representation' };
      const judge = showsExactly([rowOf(table)], table.primaryKey);
      return request(tenants, actor, { method: 'PATCH', path: `${path(table)}?${filter}`, headers, body }, judge);
    }),
    ...tables.map((table) =>
      request(
        tenants,
        actor,
        { method: 'DELETE', path: `${path(table)}?${table.primaryKey[0]}=is.null` },
        hasStatus(204),
      ),
    ),
    ...catalog.functions.map(({ name, arguments: parameters }) => {
      const body = Object.fromEntries(parameters.map(({ name }) => [name, null]));
      return request(tenants, actor, { method: 'POST', path: `/rest/v1/rpc/${name}`, body }, ({ status, code }) =>
        status === 401 || ['42501', 'PGRST202'].includes(code ?? '') ? `answered ${status} ${code}` : null,
      );
    }),
  ];
}

const TRY_ALL = ['a visitor', "alpha's admin"];

function thinned(actor: Actor, count: number, attempts: readonly Attempt[]): readonly Attempt[] {
  if (FULL || TRY_ALL.includes(actor.name)) return attempts;
  if (actor.sees === 'nothing') return attempts.slice(0, 1);
  return attempts.slice(0, count);
}

const plans = actors.map((actor) => ({
  actor,
  attempts:
    actor.sees === 'all'
      ? serviceCalls(actor)
      : [
          ...catalog.tables.flatMap((table) => [
            ...thinned(actor, 2, reads(actor, table)),
            ...thinned(actor, 3, writes(actor, table)),
          ]),
          ...catalog.functions.flatMap((each) => thinned(actor, 1, callFunction(actor, each))),
        ],
}));

const counts = `${catalog.tables.length} tables and ${catalog.functions.length} functions`;
const total = plans.reduce((sum, { attempts }) => sum + attempts.length, 0);

describe(`${total} requests to ${counts} by ${actors.length} actors`, () => {
  it.each(plans.map((plan) => [plan.attempts.length, plan.actor.name, plan] as const))(
    '%i by %s return only their own rows and change nothing',
    async (_count, _name, { actor, attempts }) => {
      const before = await digest(database, catalog);
      expect(await findLeaks(tenants, actor, attempts)).toEqual([]);
      if (actor.sees !== 'all') expect(await digest(database, catalog)).toBe(before);
    },
    300_000,
  );
});

describe('the catalog', () => {
  it('has rows of both organizations in each table', () => {
    const missing = catalog.tables.filter(
      ({ name, holdsRows }) => holdsRows && (!tenants.alpha.get(name)?.length || !tenants.beta.get(name)?.length),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('allows clients to read exactly the intended tables', async () => {
    const readable = await database.sql<{ name: string }>(
      `select table_name as name from information_schema.role_table_grants
       where grantee = 'authenticated' and table_schema = 'public' order by 1`,
    );
    expect(readable.map(({ name }) => name)).toEqual([...READABLE_TABLES].sort());
  });

  it('allows clients to run the readers and the function that policies use, and to create nothing', async () => {
    const rows = await database.sql<{ right: string }>(`
      select role || ' ' || p.oid::regprocedure as right
      from unnest(array['anon', 'authenticated']) as role, pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'internal'::regnamespace) and has_function_privilege(role, p.oid, 'execute')
      union all
      select role || ' ' || n.nspname from unnest(array['anon', 'authenticated']) as role, pg_namespace n
      where has_schema_privilege(role, n.oid, 'create') and n.nspname not like 'pg_%'`);
    expect(rows.map(({ right }) => right.replace('public.', '')).sort()).toEqual([
      'authenticated internal.my_orgs()',
      'authenticated read_finding_groups(uuid,text,text)',
      'authenticated read_findings_in_paths(uuid,text)',
      'authenticated read_open_counts(uuid)',
      'authenticated read_open_over_time(uuid,integer)',
      'authenticated read_org_pulse(uuid)',
      'authenticated read_used_actions(uuid)',
    ]);
  });

  it('has readers that only read, with the rights of who asks', async () => {
    const rows = await database.sql(
      `select proname from pg_proc where proname = any ($1::text[]) and provolatile = 's' and not prosecdef order by 1`,
      [`{${READERS.join()}}`],
    );
    expect(rows.map(({ proname }) => proname)).toEqual(READERS);
  });

  it('refuses a view that does not ask with the rights of who reads it', async () => {
    await database.sql('create view public.everything as select * from public.scans');
    await expect(database.sql('select internal.apply_grants()')).rejects.toThrow('everything');
    await database.sql('drop view public.everything');
    await database.sql('select internal.apply_grants()');
  });

  it('has no security-definer function without a fixed search path', async () => {
    const rows = await database.sql<{ name: string }>(`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'internal'::regnamespace)
        and not coalesce('search_path=""' = any (p.proconfig), false)`);
    expect(rows).toEqual([]);
  });
});
