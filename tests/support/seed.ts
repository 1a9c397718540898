import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Catalog, Column, Table } from './catalog.ts';
import type { TestDatabase } from './database.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: 'admin' | 'member';
}

export type Row = Readonly<Record<string, unknown>>;

export type Rows = ReadonlyMap<string, readonly Row[]>;

const MAX_TRIES = 5000;

/**
 * Fills each table with rows of one organization, one per person where the key is a user. Texts contain `mark` where
 * constraints allow. Throws if a table cannot be filled.
 */
export async function seedTenant(
  database: TestDatabase,
  catalog: Catalog,
  tenant: { readonly mark: string; readonly people: readonly Person[] },
): Promise<Rows> {
  const rows = new Map<string, Row[]>();
  const tables = catalog.tables.filter(({ holdsRows }) => holdsRows);
  for (const table of inOrder(tables)) {
    const people = table.primaryKey.includes('user_id') ? tenant.people : tenant.people.slice(0, 1);
    const made: Row[] = [];
    for (const person of people) {
      const known = { user_id: person.id, role: person.role, email: person.email, ...parents(table, rows) };
      const row = await meetChecks(database, table, candidates(table, tenant.mark, known));
      made.push(await insert(database, table, row));
    }
    rows.set(table.name, made);
  }
  for (const table of tables) await closeCycles(database, table, rows);
  return rows;
}

function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const next = [...waiting].find((table) =>
      table.foreignKeys.every(
        ({ target, columns }) =>
          ![...waiting].some(({ name }) => name === target) ||
          columns.some((column) => table.columns.find(({ name }) => name === column)?.nullable),
      ),
    );
    if (next === undefined)
      throw new Error(`Tables that need one another: ${[...waiting].map(({ name }) => name).join()}`);
    waiting.delete(next);
    ordered.push(next);
  }
  return ordered;
}

function parents(table: Table, rows: Rows): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { columns, target, targetColumns } of table.foreignKeys) {
    const parent = rows.get(target)?.[0];
    for (const [index, column] of columns.entries()) {
      const nullable = table.columns.find(({ name }) => name === column)?.nullable ?? false;
      if (parent !== undefined) values[column] = parent[targetColumns[index] ?? ''];
      else if (nullable) values[column] = null;
    }
  }
  return values;
}

function candidates(table: Table, mark: string, known: Row): Map<string, readonly unknown[]> {
  const own = `${mark}-${randomBytes(6).toString('hex')}`;
  const values = new Map<string, readonly unknown[]>();
  const tied = new Set(table.checks.flatMap(({ columns }) => (columns.length > 1 ? columns : [])));
  for (const column of table.columns) {
    if (column.name in known) values.set(column.name, [known[column.name]]);
    else if (!column.filled || tied.has(column.name))
      values.set(column.name, [...guess(table, column, own), ...(column.nullable ? [null] : [])]);
  }
  return values;
}

function guess(table: Table, column: Column, own: string): readonly unknown[] {
  switch (column.type) {
    case 'uuid':
      return [randomUUID()];
    case 'text': {
      const literals = table.checks
        .filter(({ columns }) => columns.includes(column.name))
        .flatMap(({ expression }) => [...expression.matchAll(/'([A-Za-z_]+)'::text/g)].map(([, literal]) => literal));
      const digits = String(randomInt(1e14, 2e14));
      return [...literals, own, randomBytes(32).toString('hex'), digits, own.replaceAll(/[^a-z]/g, '_')];
    }
    case 'smallint':
      return [randomInt(1, 3e4), randomInt(1, 100), 50];
    case 'integer':
    case 'bigint':
      return [randomInt(1e6, 1e9)];
    case 'boolean':
      return [false, true];
    case 'timestamp with time zone':
      return [new Date().toISOString()];
    case 'jsonb':
      return [{ mark: own }, [{ mark: own }], {}, []];
    case 'text[]':
      return [[own]];
    case 'uuid[]':
      return [[randomUUID()]];
    case 'timestamp with time zone[]':
      return [[new Date().toISOString()]];
    default:
      throw new Error(`${table.name}.${column.name} is of type ${column.type}, which the seeder does not know.`);
  }
}

async function meetChecks(database: TestDatabase, table: Table, values: ReadonlyMap<string, readonly unknown[]>) {
  const row = Object.fromEntries([...values].map(([name, [first]]) => [name, first]));
  for (const [index, check] of table.checks.entries()) {
    const open = check.columns.filter((name) => (values.get(name)?.length ?? 0) > 1);
    const met = table.checks.slice(0, index + 1);
    let tries = 0;
    let accepted = await accepts(database, table, met, row);
    for (const combination of product(open.map((name) => values.get(name) ?? []))) {
      if (accepted || (tries += 1) > MAX_TRIES) break;
      for (const [position, name] of open.entries()) row[name] = combination[position];
      accepted = await accepts(database, table, met, row);
    }
    if (!accepted) throw new Error(`The seeder finds no row of ${table.name} that meets: ${check.expression}`);
  }
  return row;
}

async function accepts(database: TestDatabase, table: Table, checks: Table['checks'], row: Row): Promise<boolean> {
  // Columns left to their default are null here, which a check accepts.
  const all = checks.map(({ expression }) => `coalesce(${expression}, true)`).join(' and ');
  const [answer] = await database.sql<{ ok: boolean }>(
    `select (${all}) as ok from jsonb_populate_record(null::public.${table.name}, $1::text::jsonb) as given`,
    [JSON.stringify(row)],
  );
  return answer?.ok ?? false;
}

function* product(lists: readonly (readonly unknown[])[]): Generator<readonly unknown[]> {
  const [first, ...rest] = lists;
  if (first === undefined) return yield [];
  for (const tail of product(rest)) for (const value of first) yield [value, ...tail];
}

async function insert(database: TestDatabase, table: Table, row: Row): Promise<Row> {
  const columns = Object.keys(row).map((name) => `"${name}"`);
  // A trigger may have made the row of that key.
  const keys = table.primaryKey.map((name) => `"${name}"`);
  const [made] = await database.sql<{ row: Row }>(
    `insert into public.${table.name} as made (${columns.join()})
     select ${columns.join()} from jsonb_populate_record(null::public.${table.name}, $1::text::jsonb)
     on conflict (${keys.join()}) do update set ${keys.map((key) => `${key} = excluded.${key}`).join()}
     returning to_jsonb(made) as row`,
    [JSON.stringify(row)],
  );
  if (made === undefined) throw new Error(`No row came into ${table.name}.`);
  return made.row;
}

async function closeCycles(database: TestDatabase, table: Table, rows: ReadonlyMap<string, Row[]>): Promise<void> {
  const own = rows.get(table.name) ?? [];
  for (const [index, row] of own.entries()) {
    const missing = Object.entries(parents(table, rows)).filter(([column, value]) => value !== row[column]);
    if (missing.length === 0) continue;
    const parameters = [...missing, ...table.primaryKey.map((column) => [column, row[column]] as const)];
    const [changed] = await database.sql<{ row: Row }>(
      `update public.${table.name} as made set ${missing.map(([column], at) => `"${column}" = $${at + 1}`).join()}
       where ${table.primaryKey.map((column, at) => `"${column}" = $${missing.length + at + 1}`).join(' and ')}
       returning to_jsonb(made) as row`,
      parameters.map(([, value]) => value),
    );
    if (changed !== undefined) own[index] = changed.row;
  }
}
