import { randomUUID } from 'node:crypto';
import { createAdminDb } from '#lib/db/clients.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { emptyDatabase, type TestDatabase } from './database.ts';
import { type Person, type Row, type Rows, seedTenant } from './seed.ts';
import { signToken } from './token.ts';

const OWNER_COLUMNS: Readonly<Record<string, string>> = {
  action_uses: 'org_id',
  attack_path_sets: 'org_id',
  organizations: 'id',
  org_members: 'org_id',
  installations: 'org_id',
  repositories: 'org_id',
  scans: 'org_id',
  findings: 'org_id',
  finding_ledger: 'org_id',
  triage_events: 'org_id',
  rule_settings: 'org_id',
  rule_overrides: 'org_id',
  rule_events: 'org_id',
  current_findings: 'org_id',
  repository_overview: 'org_id',
  campaigns: 'org_id',
  campaign_repos: 'org_id',
  campaign_pull_requests: 'org_id',
  campaign_rollups: 'org_id',
  fix_pull_requests: 'org_id',
  notification_settings: 'user_id',
};

export interface Actor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | null;
  readonly sees: 'all' | 'own' | 'nothing';
  readonly owners: ReadonlySet<unknown>;
}

export interface Tenants {
  readonly database: TestDatabase;
  readonly catalog: Catalog;
  readonly alpha: Rows;
  readonly beta: Rows;
  readonly actors: readonly Actor[];
  readonly rows: Rows;
}

export async function startTenants(): Promise<Tenants> {
  const database = await emptyDatabase();
  const catalog = await readCatalog(database);
  const person = (name: string, role: Person['role']): Person => ({
    id: randomUUID(),
    email: `${name}@example.com`,
    role,
  });
  const admin = person('alpha-admin', 'admin');
  const member = person('alpha-member', 'member');
  const former = person('alpha-former', 'member');
  const rival = person('beta-admin', 'admin');
  const both = person('both', 'member');
  const alpha = await seedTenant(database, catalog, { mark: 'alpha', people: [admin, member, former] });
  const beta = await seedTenant(database, catalog, { mark: 'beta', people: [rival] });
  const [alphaId, betaId] = [alpha, beta].map((rows) => rows.get('organizations')?.[0]?.['id'] as string);
  await database.sql(
    `insert into public.org_members (org_id, user_id, email, role) values ($1, $3, $4, 'member'), ($2, $3, $4, 'member')`,
    [alphaId, betaId, both.id, both.email],
  );
  await organizations.removeMember(createAdminDb(database), admin.id, alphaId ?? '', former.id);

  await database.sql(`update public.finding_ledger set present = true`);
  await database.sql(`update public.scans set high = 1`);
  await database.sql(
    `update public.attack_path_sets s set paths = jsonb_build_array(jsonb_build_object('components',
       (select jsonb_agg(l.fingerprint) from public.finding_ledger l where l.repo_id = s.repo_id)))`,
  );
  await database.sql(
    `update public.repositories r set last_scan_id = s.scan_id from public.attack_path_sets s where s.repo_id = r.id`,
  );
  for (const table of ['repositories', 'installations']) {
    await database.sql(`update public.${table} set removed_at = null`);
  }

  const key = { apikey: database.publishableKey };
  const holder = (name: string, token: string, more: Partial<Actor> = {}): Actor => ({
    name,
    token,
    headers: { ...key, authorization: `Bearer ${token}` },
    sees: 'own',
    owners: new Set(),
    ...more,
  });
  const sign = (who: Person, claims: Readonly<Record<string, unknown>> = {}) =>
    signToken(database.jwtSecret, who.id, { email: who.email, ...claims });
  const user = (name: string, who: Person, orgs: readonly (string | undefined)[]) =>
    holder(name, sign(who), { owners: new Set([who.id, ...orgs]) });
  const instead = (name: string, claims: Readonly<Record<string, unknown>>) =>
    holder(`alpha's admin ${name}`, sign(admin, claims), { sees: 'nothing' });
  const actors = [
    { name: 'somebody without a key', headers: {}, token: null, sees: 'nothing', owners: new Set() },
    { name: 'a visitor', headers: key, token: null, sees: 'nothing', owners: new Set() },
    user('a stranger who signed in', person('stranger', 'admin'), []),
    user("alpha's admin", admin, [alphaId]),
    user("alpha's member", member, [alphaId]),
    user("beta's admin", rival, [betaId]),
    user('a member of both', both, [alphaId, betaId]),
    user('a former member of alpha', former, []),
    holder("alpha's admin signed in anonymously", sign(admin, { is_anonymous: true })),
    holder("alpha's admin signed in anonymously, in text", sign(admin, { is_anonymous: 'true' })),
    instead('without a subject', { sub: undefined }),
    instead('whose subject is a list', { sub: [admin.id] }),
    instead('whose token never ends', { exp: undefined }),
    instead('whose token is for others', { aud: 'other' }),
    instead('with role anon', { role: 'anon' }),
    instead('with role service_role', { role: 'service_role' }),
    instead('with role postgres', { role: 'postgres' }),
    instead('with role none', { role: 'none' }),
    instead('with two roles', { role: ['authenticated', 'service_role'] }),
    instead('without a role', { role: undefined }),
    instead('whose token is out of date', { exp: 1 }),
    holder("alpha's admin by another secret", signToken('x'.repeat(64), admin.id), { sees: 'nothing' }),
    {
      name: 'the service',
      headers: { apikey: database.secretKey },
      token: null,
      sees: 'all',
      owners: new Set(),
    },
  ] satisfies Actor[];
  return { database, catalog, alpha, beta, actors, rows: await readAll(database, catalog) };
}

async function readAll(database: TestDatabase, { tables }: Catalog): Promise<Rows> {
  const rows = new Map<string, readonly Row[]>();
  for (const { name } of tables) {
    const read = await database.sql<{ row: Row }>(`select to_jsonb(t) as row from public.${name} as t`);
    rows.set(
      name,
      read.map(({ row }) => row),
    );
  }
  return rows;
}

export function visibleRows({ rows }: Tenants, actor: Actor, table: string): readonly Row[] | null {
  const all = rows.get(table) ?? [];
  if (actor.sees === 'all') return all;
  const owner = OWNER_COLUMNS[table];
  return actor.sees === 'nothing' || owner === undefined ? null : all.filter((row) => actor.owners.has(row[owner]));
}

export const READABLE_TABLES = Object.keys(OWNER_COLUMNS);

export function secretsFrom(tenants: Tenants, actor: Actor): readonly string[] {
  const visible = new Set<string>();
  const hidden = new Set<string>();
  for (const [table, rows] of tenants.rows) {
    const seen = new Set(visibleRows(tenants, actor, table));
    for (const row of rows) for (const value of tellingValues(row)) (seen.has(row) ? visible : hidden).add(value);
  }
  return [...hidden].filter((value) => !visible.has(value) && !actor.owners.has(value));
}

function tellingValues(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(tellingValues);
  const text = String(value);
  const telling = /^[0-9a-f-]{36}$|^[0-9a-f]{40,}$|alpha|beta/.test(text) || /^\d{7,}$/.test(text);
  return telling ? [text] : [];
}
