import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '#lib/db/unwrap.ts';
import { createUntypedAdminDb, createUserDb } from '../support/data-api.ts';
import { emptyDatabase, POSTGRES_URL, startDatabase, type TestDatabase } from '../support/database.ts';
import { signToken } from '../support/token.ts';

let database: TestDatabase;
const alice = randomUUID();
const bob = randomUUID();

const NOTES = `
  create table public.notes (id bigint primary key, owner uuid not null, text text not null, at timestamptz not null default now());
  alter table public.notes enable row level security;
  create policy notes_read on public.notes for select to authenticated using (owner = auth.uid());
  create table public.secrets (id int primary key);
  alter table public.secrets enable row level security;
  create function public.add_notes(notes text) returns int language plpgsql set search_path = '' as $$
  declare added int;
  begin
    insert into public.notes (id, owner, text)
      select (n ->> 'id')::bigint, (n ->> 'owner')::uuid, n ->> 'text' from jsonb_array_elements(notes::jsonb) n;
    get diagnostics added = row_count;
    return added;
  end $$;
  create function public.whoami() returns text language sql set search_path = '' as $$
    select current_user || ' ' || coalesce(auth.uid()::text, 'nobody') $$;
  create function public.refuse() returns void language plpgsql set search_path = '' as $$
  begin raise sqlstate 'PT409' using message = 'already there'; end $$;
  select internal.apply_grants();`;

beforeAll(async () => {
  database = await startDatabase();
  await database.sql(NOTES);
});

afterAll(() => database?.stop());

function call(path: string, options: { key?: string; token?: string; method?: string; body?: string } = {}) {
  return fetch(`${database.url}/rest/v1/${path}`, {
    method: options.method ?? 'GET',
    headers: {
      ...(options.key && { apikey: options.key }),
      ...(options.token && { authorization: `Bearer ${options.token}` }),
      ...(options.body && { 'content-type': 'application/json' }),
    },
    ...(options.body && { body: options.body }),
  });
}

const admin = () => createUntypedAdminDb(database);
const as = (user: string) => createUserDb(database, signToken(database.jwtSecret, user));

async function grants(): Promise<string[]> {
  const rows = await database.sql<{ grant: string }>(`
    select grantee || ' ' || privilege_type || ' ' || table_schema || '.' || table_name as grant
    from information_schema.role_table_grants
    where grantee in ('anon', 'authenticated', 'PUBLIC') and table_schema not in ('pg_catalog', 'information_schema')
    order by 1`);
  return rows.map((row) => row.grant);
}

describe('who may do what', () => {
  it('grants clients only the reads that a policy allows, also through views', async () => {
    const readable = await database.sql<{ name: string }>(
      `select 'authenticated SELECT ' || schemaname || '.' || tablename as name from pg_policies
       where 'authenticated' = any (roles) and cmd in ('SELECT', 'ALL')
       union
       select 'authenticated SELECT public.' || relname from pg_class
       where relkind = 'v' and relnamespace = 'public'::regnamespace and 'security_invoker=true' = any (reloptions)`,
    );
    const expected = [...new Set(readable.map(({ name }) => name))].sort();
    expect(expected).toContain('authenticated SELECT public.notes');
    expect((await grants()).sort()).toEqual(expected);
  });

  it('grants nothing on new tables', async () => {
    await database.sql('create table public.later (id int); alter table public.later enable row level security');
    try {
      const rows = await database.sql<{ acl: string | null }>(
        `select coalesce(relacl::text, '') as acl from pg_class where relname = 'later'`,
      );
      expect(rows[0]?.acl).not.toMatch(/anon|authenticated/);
    } finally {
      await database.sql('drop table public.later');
    }
  });

  it('requires row-level security on every table', async () => {
    await database.sql('create table public.naked (id int)');
    try {
      await expect(database.sql('select internal.apply_grants()')).rejects.toThrow(/naked has no row-level security/);
    } finally {
      await database.sql('drop table public.naked');
    }
  });

  it('refuses writes and server-only tables to users, and everything to anonymous clients', async () => {
    const note = { id: 99, owner: alice, text: 'mine' };
    expect((await as(alice).from('notes').insert(note)).error?.code).toBe('42501');
    expect((await as(alice).from('notes').update({ text: '' }).eq('id', 1)).error?.code).toBe('42501');
    expect((await as(alice).from('notes').delete().eq('id', 1)).error?.code).toBe('42501');
    expect((await as(alice).from('secrets').select()).error?.code).toBe('42501');
    expect((await call('notes', { key: database.publishableKey })).status).toBe(401);
  });

  it('refuses functions to everyone but the service', async () => {
    expect((await as(alice).rpc('whoami')).error?.code).toBe('42501');
    expect((await call('rpc/whoami', { key: database.publishableKey })).status).toBe(401);
    expect(unwrap(await admin().rpc('whoami'))).toBe('service_role nobody');
  });

  it.each(['no key', 'a wrong key'])('does not treat a local request with %s as the service', async (kind) => {
    const response = await call('notes', kind === 'no key' ? {} : { key: 'sb_secret_wrong' });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('owner');
  });

  it('isolates users, also in concurrent requests', async () => {
    unwrap(
      await admin()
        .from('notes')
        .insert([
          { id: 1, owner: alice, text: 'a' },
          { id: 2, owner: bob, text: 'b' },
        ]),
    );
    const clients = { [alice]: as(alice), [bob]: as(bob), service: admin() };
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, turn) => {
        const who = [alice, bob, 'service'][turn % 3] as string;
        const rows = unwrap(await (clients[who] as ReturnType<typeof admin>).from('notes').select('owner').order('id'));
        return `${who}: ${rows.map((row) => row['owner']).join()}`;
      }),
    );
    expect([...new Set(answers)].sort()).toEqual(
      [`${alice}: ${alice}`, `${bob}: ${bob}`, `service: ${alice},${bob}`].sort(),
    );
  });

  it('separates simultaneous requests', async () => {
    const keys = Array.from({ length: 20 }, (_, turn) => (turn % 2 ? database.secretKey : database.publishableKey));
    const { host } = new URL(database.url);
    const request = (key: string) => `GET /rest/v1/notes?select=id HTTP/1.1\r\nhost: ${host}\r\napikey: ${key}\r\n`;
    const text = keys.map((key, turn) => `${request(key)}${turn === 19 ? 'connection: close\r\n' : ''}\r\n`).join('');
    const socket = connect(Number(new URL(database.url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(text);
    let answers = '';
    for await (const chunk of socket) answers += chunk;
    const statuses = [...answers.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(keys.map((key) => (key === database.secretKey ? '200' : '401')));
  });

  it('rejects tokens that are unsigned, expired or signed with another secret', async () => {
    const key = database.publishableKey;
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"sub":"${alice}","role":"authenticated"}`).toString('base64url')}.`;
    const tokens = [signToken('x'.repeat(32), alice), none, signToken(database.jwtSecret, alice, { exp: 1 })];
    for (const token of tokens) expect((await call('notes', { key, token })).status).toBe(401);
  });
});

describe('a token of a user', () => {
  const read = (claims: Readonly<Record<string, unknown>>) =>
    call('notes?select=id', { key: database.publishableKey, token: signToken(database.jwtSecret, alice, claims) });

  it.each([{}, { aud: undefined }, { aud: ['authenticated', 'other'] }, { email: null }, { sub: alice.toUpperCase() }])(
    'is taken with %o',
    async (claims) => {
      expect((await read(claims)).status).toBe(200);
    },
  );

  it.each([
    { exp: undefined },
    { exp: null },
    { exp: '9999999999' },
    { exp: Math.floor(Date.now() / 1000) - 1 },
    { aud: 'other' },
    { aud: [] },
    { aud: ['other'] },
    { aud: 1 },
    { aud: null },
    { sub: [alice] },
    { sub: { id: alice } },
    { sub: 'somebody' },
    { sub: '' },
    { sub: undefined },
    { sub: `${alice}\n` },
    { email: 'a\0@example.com' },
    { user_metadata: { name: ['a\0'] } },
  ])('is refused with %o, as by the API', async (claims) => {
    expect((await read(claims)).status).toBe(401);
  });
});

describe('a request for another host', () => {
  const ask = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, apikey: database.secretKey };
      get(`${database.url}${path}`, { headers }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
    });
  const port = () => new URL(database.url).port;

  it.each(['/rest/v1/notes?select=id', '/auth/v1/settings', '/'])('is refused: %s', async (path) => {
    const others = ['evil.example', `evil.example:${port()}`, '127.0.0.1', '127.0.0.1:1', `192.0.2.7:${port()}`];
    for (const host of others) expect([host, await ask(host, path)]).toEqual([host, 421]);
  });

  it('is one for this machine under each of its names', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      expect(await ask(`${name}:${port()}`, '/rest/v1/notes?select=id')).toBe(200);
  });
});

describe('values', () => {
  it('returns timestamps that Date parses, however they were written', async () => {
    const [row] = unwrap(await admin().from('notes').select('at').eq('id', 1));
    expect(new Date(row?.at as string).getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('accepts JSON arguments of functions as text', async () => {
    const notes = JSON.stringify([
      { id: 10, owner: alice, text: 'x "y" \\ ü' },
      { id: 11, owner: alice, text: '[]' },
    ]);
    expect(unwrap(await admin().rpc('add_notes', { notes }))).toBe(2);
    expect(unwrap(await admin().from('notes').select('text').eq('id', 10))).toEqual([{ text: 'x "y" \\ ü' }]);
  });

  it('rolls back a function that fails half-way', async () => {
    const notes = JSON.stringify([
      { id: 20, owner: alice, text: 'x' },
      { id: 20, owner: alice, text: 'again' },
    ]);
    expect((await admin().rpc('add_notes', { notes })).error?.code).toBe('23505');
    expect(unwrap(await admin().from('notes').select().eq('id', 20))).toEqual([]);
  });

  it('keeps large numbers exact as text', async () => {
    const notes = JSON.stringify([{ id: '9007199254740993', owner: bob, text: 'large' }]);
    expect(unwrap(await admin().rpc('add_notes', { notes }))).toBe(1);
    expect(unwrap(await admin().from('notes').select('id::text').eq('text', 'large'))).toEqual([
      { id: '9007199254740993' },
    ]);
  });

  it('maps a raised PT409 to status 409', async () => {
    expect(await admin().rpc('refuse')).toMatchObject({ status: 409, error: { message: 'already there' } });
  });

  it('counts exactly and pages', async () => {
    const { count, data } = await admin().from('notes').select('id', { count: 'exact' }).order('id').range(0, 1);
    expect({ count, ids: data?.map((row) => row.id as number) }).toEqual({ count: 5, ids: [1, 2] });
  });

  it('logs the reason of a refusal without returning it', async () => {
    const result = await admin().from('nothing').select();
    expect(() => unwrap(result)).toThrow('The database refused a call.');
    expect(() => unwrap(result)).not.toThrow(/nothing/);
  });
});

describe('the server', () => {
  it.skipIf(!POSTGRES_URL)('is the one that TEST_DATABASE_URL names (skipped: it is unset)', async () => {
    const [row] = await database.sql<{ version: string; name: string }>(
      'select version() as version, current_database() as name',
    );
    expect(row?.version).not.toMatch(/wasm|emscripten/i);
    expect(row?.name).toMatch(/^chainbreak_test_/);
  });
});

describe.skipIf(POSTGRES_URL)('the embedded database', () => {
  it('learns how many rows its tables have, although nothing works in its background', async () => {
    const started = await startDatabase({ upkeepEveryMs: 20 });
    const rows = async () => {
      const [row] = await started.sql<{ rows: number }>(
        "select reltuples as rows from pg_class where oid = 'public.organizations'::regclass",
      );
      return row?.rows;
    };
    try {
      await started.sql(
        `insert into public.organizations (name, created_by) select 'Org ' || n, gen_random_uuid() from generate_series(1, 60) as n`,
      );
      await expect.poll(rows, { timeout: 20_000 }).toBe(60);
    } finally {
      await started.stop();
    }
  });
});

describe('migrations', () => {
  const files = readdirSync('supabase/migrations').sort();

  it('are each recorded once', async () => {
    const rows = await database.sql<{ version: string }>(
      'select version from supabase_migrations.schema_migrations order by version',
    );
    expect(rows.map((row) => row.version)).toEqual(files.map((file) => file.slice(0, 14)));
  });

  it.each(files)('%s sets the grants of what it creates', (file) => {
    const sql = readFileSync(`supabase/migrations/${file}`, 'utf8');
    const makes = /create (or replace )?(table|view|materialized view|function|policy|sequence)/i.test(sql);
    expect(!makes || sql.trimEnd().endsWith('select internal.apply_grants();')).toBe(true);
  });
});

describe('stopping', () => {
  it('completes although clients left pending requests', async () => {
    const stopping = await startDatabase();
    const headers = { apikey: stopping.secretKey };
    const request = () => fetch(`${stopping.url}/rest/v1/organizations?select=id`, { headers });
    expect((await request()).status).toBe(200);
    const requests = Array.from({ length: 40 }, request);
    const gone = Promise.allSettled(requests);
    await Promise.race(requests);
    await stopping.stop();
    expect((await gone).map(({ status }) => status)).toContain('rejected');
  });
});

describe('the database of an earlier test file', () => {
  const urlAfter = async (sql: string) => {
    const own = await emptyDatabase();
    await own.sql(sql);
    await own.stop();
    return own.url;
  };

  it('is used again, without its rows', async () => {
    const url = await urlAfter(
      "insert into public.organizations (name, created_by) values ('Acme', gen_random_uuid())",
    );
    const next = await emptyDatabase();
    expect([next.url, await next.sql('select name from public.organizations')]).toEqual([url, []]);
    await next.stop();
  });

  it.each([
    'drop view public.current_findings',
    'grant select on public.scans to anon',
    'alter table public.scans disable row level security',
  ])('is not used again after %s', async (change) => {
    expect(await urlAfter(change)).not.toBe(await urlAfter('select 1'));
  });
});
