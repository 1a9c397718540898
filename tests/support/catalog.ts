import type { TestDatabase } from './database.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly filled: boolean;
  readonly generated: boolean;
}

interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

interface Check {
  readonly columns: readonly string[];
  readonly expression: string;
}

export interface Table {
  readonly name: string;
  readonly holdsRows: boolean;
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
}

interface FunctionArgument {
  readonly name: string;
  readonly type: string;
}

export interface CatalogFunction {
  readonly name: string;
  readonly arguments: readonly FunctionArgument[];
}

export interface Catalog {
  readonly tables: readonly Table[];
  readonly functions: readonly CatalogFunction[];
}

const names = (relation: string, numbers: string) => `(
  select coalesce(jsonb_agg(a.attname order by n.position), '[]')
  from unnest(${numbers}) with ordinality as n (attnum, position)
    join pg_attribute a on a.attrelid = ${relation} and a.attnum = n.attnum)`;

const TABLES = `
  select c.relname as name, c.relkind in ('r', 'p') as "holdsRows",
    (select jsonb_agg(jsonb_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, null), 'nullable', not a.attnotnull,
        'filled', a.atthasdef or a.attidentity <> '' or a.attgenerated <> '', 'generated', a.attgenerated <> '') order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((select ${names('k.conrelid', 'k.conkey')} from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'p'),
      case when c.relkind = 'v' then (select jsonb_build_array(a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attnum = 1) end, '[]') as "primaryKey",
    coalesce((select jsonb_agg(jsonb_build_object('name', k.conname, 'columns', ${names('k.conrelid', 'k.conkey')},
        'target', (select t.relname from pg_class t where t.oid = k.confrelid),
        'targetColumns', ${names('k.confrelid', 'k.confkey')}) order by k.conname)
      from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'), '[]') as "foreignKeys",
    coalesce((select jsonb_agg(jsonb_build_object('columns', ${names('k.conrelid', 'k.conkey')},
        'expression', pg_get_expr(k.conbin, k.conrelid)) order by cardinality(k.conkey), k.conname)
      from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'), '[]') as checks
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  order by c.relname`;

const FUNCTIONS = `
  select p.proname as name,
    coalesce((select jsonb_agg(jsonb_build_object('name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null))
        order by i)
      from generate_series(1, p.pronargs) as i), '[]') as arguments
  from pg_proc p where p.pronamespace = 'public'::regnamespace
  order by p.proname, p.oid`;

export async function readCatalog(database: TestDatabase): Promise<Catalog> {
  return { tables: await database.sql<Table>(TABLES), functions: await database.sql<CatalogFunction>(FUNCTIONS) };
}

export async function digest(database: TestDatabase, catalog: Catalog): Promise<string> {
  const each = catalog.tables
    .filter(({ holdsRows }) => holdsRows)
    .map(
      ({ name }) =>
        `select '${name}' as name, md5(string_agg(t::text, e'\\n' order by t::text)) as digest from public.${name} as t`,
    );
  const rows = await database.sql<{ name: string; digest: string }>(`${each.join(' union all ')} order by name`);
  return rows.map(({ name, digest }) => `${name} ${digest}`).join('\n');
}
