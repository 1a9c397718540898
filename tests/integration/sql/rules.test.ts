import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as rules from '#lib/db/queries/rule-settings.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { type Catalog, digest, readCatalog } from '../../support/catalog.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import { makeRepository, person, type TestRepository } from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;
let catalog: Catalog;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
  catalog = await readCatalog(database);
});

afterAll(() => database?.stop());

const apply = ({ admin, orgId }: TestRepository, changes: readonly rules.RuleChange[]) =>
  rules.apply(db, admin.id, orgId, changes);

const disabled = async ({ admin, repoId }: TestRepository) =>
  (await scans.getTarget(db, admin.id, repoId)).disabled_rules;

const change = (
  rule: string,
  value: rules.RuleChange['value'],
  repository: string | null = null,
): rules.RuleChange => ({
  rule_id: rule,
  repository_id: repository,
  value,
});

describe('changes of rules', () => {
  it('apply repository before organization; rules without a row run', async () => {
    const repository = await makeRepository(db);
    const { repoId } = repository;
    const changes = [
      change('a', 'disabled'),
      change('b', 'disabled'),
      change('b', 'enabled', repoId),
      change('c', 'disabled', repoId),
      change('d', 'enabled'),
    ];
    expect(await apply(repository, changes)).toBe(5);
    expect(await disabled(repository)).toEqual(['a', 'c']);
    await apply(repository, [change('b', 'inherit', repoId), change('a', 'inherit')]);
    expect(await disabled(repository)).toEqual(['b', 'c']);
    expect((await rules.list(db, repository.admin.id, repository.orgId)).map(({ rule_id: rule }) => rule)).toEqual([
      'b',
      'd',
    ]);
  });

  it('update only user and time when repeated', async () => {
    const repository = await makeRepository(db);
    const changes = [change('a', 'disabled'), change('a', 'disabled', repository.repoId), change('b', 'inherit')];
    await apply(repository, changes);
    await apply(repository, changes);
    expect(await disabled(repository)).toEqual(['a']);
    const overrides = await rules.listOrgOverrides(db, repository.admin.id, repository.orgId, null);
    expect(overrides).toMatchObject([{ repository_id: repository.repoId, rule_id: 'a', enabled: false }]);
  });

  it('are noted with user and former value if they change something', async () => {
    const repository = await makeRepository(db);
    const { repoId, orgId, admin } = repository;
    await apply(repository, [change('a', 'disabled'), change('a', 'enabled', repoId), change('b', 'inherit')]);
    await apply(repository, [change('a', 'disabled'), change('a', 'disabled', repoId)]);
    await apply(repository, [change('a', 'inherit'), change('a', 'inherit', repoId)]);
    const events = await database.sql(
      `select repo_id, rule_id, from_value, to_value, actor from public.rule_events where org_id = $1
       order by created_at, repo_id nulls first`,
      [orgId],
    );
    const event = (repo_id: string | null, from_value: string, to_value: string) => {
      return { repo_id, rule_id: 'a', from_value, to_value, actor: admin.id };
    };
    expect(events).toHaveLength(5);
    expect(events.slice(0, 2)).toContainEqual(event(null, 'inherit', 'disabled'));
    expect(events.slice(0, 2)).toContainEqual(event(repoId, 'inherit', 'enabled'));
    expect(events[2]).toEqual(event(repoId, 'enabled', 'disabled'));
    expect(events.slice(3)).toContainEqual(event(null, 'disabled', 'inherit'));
    expect(events.slice(3)).toContainEqual(event(repoId, 'disabled', 'inherit'));
  });

  it('are applied all or not at all', async () => {
    const [repository, other] = [await makeRepository(db), await makeRepository(db)];
    await apply(repository, [change('a', 'disabled')]);
    const before = await digest(database, catalog);
    const good = Array.from({ length: 400 }, (_, n) =>
      change(`rule-${n}`, 'disabled', n % 2 ? repository.repoId : null),
    );
    const all = [...good, change('a', 'inherit')];
    const bad: readonly (readonly [rules.RuleChange, string])[] = [
      [change('x', 'disabled', other.repoId), 'not-found'],
      [change('x', 'disabled', randomUUID()), 'not-found'],
      [change('', 'disabled', repository.repoId), 'internal'],
      [change('x', 'disabled', 'no uuid'), 'internal'],
    ];
    for (const [last, code] of bad) await expect(apply(repository, [...all, last])).rejects.toMatchObject({ code });
    await expect(rules.apply(db, person().id, repository.orgId, all)).rejects.toMatchObject({ code: 'not-found' });
    await expect(rules.apply(db, other.admin.id, repository.orgId, all)).rejects.toMatchObject({ code: 'not-found' });
    expect(await digest(database, catalog)).toBe(before);
  });

  it('succeed concurrently in opposite orders', { timeout: 60_000 }, async () => {
    const repository = await makeRepository(db);
    const names = Array.from({ length: 60 }, (_, n) => `rule-${n}`);
    const batch = (turn: number) => {
      const value = (n: number) => (n % 2 === turn % 2 ? 'inherit' : 'disabled');
      const changes = names.flatMap((name, n) => [
        change(name, value(n)),
        change(name, value(n + 1), repository.repoId),
      ]);
      return turn % 2 ? changes.reverse() : changes;
    };
    await apply(
      repository,
      names.map((name) => change(name, 'disabled')),
    );
    const answers = await Promise.all(Array.from({ length: 16 }, (_, turn) => apply(repository, batch(turn))));
    expect(answers).toEqual(Array(16).fill(120));
  });
});
