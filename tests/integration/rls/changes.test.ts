import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import { unwrap } from '#lib/db/unwrap.ts';
import { createUserDb } from '../../support/data-api.ts';
import { seedTenant } from '../../support/seed.ts';
import { READABLE_TABLES, startTenants, type Tenants, visibleRows } from '../../support/tenants.ts';
import { signToken } from '../../support/token.ts';

let tenants: Tenants;
let alphaId: string;
let betaId: string;

beforeAll(async () => {
  tenants = await startTenants();
  alphaId = idOf(tenants.alpha);
  betaId = idOf(tenants.beta);
});

afterAll(() => tenants?.database.stop());

const idOf = (rows: Tenants['alpha']) => String(rows.get('organizations')?.[0]?.['id']);

const admin = () => createAdminDb(tenants.database);

function actor(name: string) {
  const found = tenants.actors.find((each) => each.name === name);
  if (found?.token === undefined || found.token === null) throw new Error(`${name} has no token.`);
  return { ...found, token: found.token, db: createUserDb(tenants.database, found.token) };
}

async function countAll(db: ReturnType<typeof createUserDb>): Promise<Record<string, number | null>> {
  const counts: Record<string, number | null> = {};
  for (const table of READABLE_TABLES) {
    counts[table] = (await db.from(table).select('*', { count: 'exact', head: true })).count;
  }
  return counts;
}

const none = () => Object.fromEntries(READABLE_TABLES.map((table) => [table, 0]));

describe('a user who', () => {
  it('leaves an organization loses access from the next request on, with the same token', async () => {
    const id = randomUUID();
    const db = createUserDb(tenants.database, signToken(tenants.database.jwtSecret, id));
    expect(await countAll(db)).toEqual(none());
    await tenants.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
      alphaId,
      id,
    ]);
    const counts = await countAll(db);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([['notification_settings', 0]]);
    await organizations.removeMember(admin(), id, alphaId, id);
    expect(await countAll(db)).toEqual(none());
  });

  it('linked, created, monitors or triaged a row gets no access by that', async () => {
    const id = randomUUID();
    const db = createUserDb(tenants.database, signToken(tenants.database.jwtSecret, id));
    const named = [
      'update public.repositories set user_id = $1, monitored_by = $1',
      'update public.installations set user_id = $1',
      'update public.scans set user_id = $1',
      'update public.organizations set created_by = $1 where id = $2',
      'update public.campaigns set created_by = $1',
      'update public.finding_ledger set updated_by = $1',
      'update public.rule_settings set updated_by = $1',
      'update public.rule_overrides set updated_by = $1',
      'update public.triage_events set actor = $1',
    ];
    for (const sql of named) await tenants.database.sql(sql, sql.includes('$2') ? [id, betaId] : [id]);
    expect(await countAll(db)).toEqual(none());
  });
});

describe('a row', () => {
  const seen = async (name: string, table: string, column: string, value: string) => {
    const rows = unwrap(await actor(name).db.from(table).select(column).eq(column, value));
    return rows.length;
  };

  it('that moves to another organization is visible to the new one only', async () => {
    const rule = `moved-${randomUUID()}`;
    await tenants.database.sql(
      'insert into public.rule_settings (org_id, rule_id, enabled, updated_by) values ($1, $2, true, $3)',
      [alphaId, rule, randomUUID()],
    );
    const both = async () => [
      await seen("alpha's admin", 'rule_settings', 'rule_id', rule),
      await seen("beta's admin", 'rule_settings', 'rule_id', rule),
    ];
    expect(await both()).toEqual([1, 0]);
    await tenants.database.sql('update public.rule_settings set org_id = $1 where rule_id = $2', [betaId, rule]);
    expect(await both()).toEqual([0, 1]);
  });

  it('cannot be separated from what belongs to it', async () => {
    for (const table of ['repositories', 'scans', 'campaigns', 'installations']) {
      const moving = tenants.database.sql(`update public.${table} set org_id = $1 where org_id = $2`, [
        betaId,
        alphaId,
      ]);
      await expect(moving, table).rejects.toThrow(/foreign key/);
    }
  });

  it('references rows of its own organization only, as each foreign key enforces', () => {
    const ofOrganizations = tenants.catalog.tables.filter(({ columns }) =>
      columns.some(({ name }) => name === 'org_id'),
    );
    const loose = ofOrganizations.flatMap(({ name, foreignKeys }) => {
      // A repository belongs to one organization, so a key of both also ties the other keys of the repository.
      const tied = foreignKeys.some(({ columns }) => columns.includes('repo_id') && columns.includes('org_id'));
      return foreignKeys
        .filter(({ target }) => ofOrganizations.some((each) => each.name === target))
        .filter(({ columns }) => !columns.includes('org_id') && !(tied && columns.includes('repo_id')))
        .map((key) => `${name}.${key.name}`);
    });
    expect(loose).toEqual([]);
  });

  it('is deleted with its organization, whatever refers to it', async () => {
    const people = [{ id: randomUUID(), email: 'gone@example.com', role: 'admin' as const }];
    const rows = await seedTenant(tenants.database, tenants.catalog, { mark: 'gone', people });
    const id = idOf(rows);
    await tenants.database.sql('delete from public.organizations where id = $1', [id]);
    const left = [];
    for (const { name, columns } of tenants.catalog.tables) {
      if (!columns.some((column) => column.name === 'org_id')) continue;
      const [count] = await tenants.database.sql<{ n: number }>(
        `select count(*)::int as n from public.${name} where org_id = $1`,
        [id],
      );
      if (count?.n !== 0) left.push(name);
    }
    expect(left).toEqual([]);
  });
});

describe('concurrent tokens', () => {
  it('see only their own rows, in 200 mixed requests, 50 at a time', async () => {
    const people = ["alpha's admin", "beta's admin", 'a member of both', 'a stranger who signed in'].map(actor);
    const wrong: string[] = [];
    let next = 0;
    const work = async () => {
      for (let turn = next++; turn < 200; turn = next++) {
        const who = people[turn % people.length];
        const table = READABLE_TABLES[Math.floor(turn / people.length) % READABLE_TABLES.length];
        if (who === undefined || table === undefined) return;
        const key = tenants.catalog.tables.find(({ name }) => name === table)?.primaryKey ?? [];
        const rows = unwrap(await who.db.from(table).select(key.join())) as unknown as Record<string, unknown>[];
        const keysOf = (of: readonly Readonly<Record<string, unknown>>[]) =>
          of.map((row) => key.map((name) => row[name]).join()).sort();
        const expected = keysOf(visibleRows(tenants, who, table) ?? []);
        if (table !== 'rule_settings' && keysOf(rows).join('|') !== expected.join('|'))
          wrong.push(`${who.name} ${table}`);
      }
    };
    await Promise.all(Array.from({ length: 50 }, work));
    expect(wrong).toEqual([]);
  });
});
