import type { Connection } from '@supabase/lite';
import type { PGlite } from '@supabase/lite/pglite';

export type Store =
  | { readonly folder: string }
  | { readonly postgresUrl: string }
  | { readonly archive: Blob }
  | 'memory';

export interface OpenStore {
  readonly connection: Connection;
  /** True if all statements share one session, where two concurrent transactions would become one. */
  readonly oneSession: boolean;
  readonly sql: (text: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  readonly archive: (() => Promise<Blob>) | undefined;
}

export async function openStore(store: Store, options: { readonly maxSessions: number }): Promise<OpenStore> {
  if (typeof store === 'object' && 'postgresUrl' in store) {
    const { createPostgresConnection } = await import('@supabase/lite/postgres');
    const connection = createPostgresConnection({
      url: store.postgresUrl,
      postgresOptions: { max: options.maxSessions, onnotice: () => {} },
    });
    return {
      connection,
      oneSession: false,
      sql: async (text, parameters) => [...(await connection.driver.unsafe(text, parameters as never[]))],
      archive: undefined,
    };
  }
  const { createPgliteConnection } = await import('@supabase/lite/pglite');
  const connection = await createPgliteConnection(pgliteConfig(store));
  await limitArrayParsers(connection.driver);
  return {
    connection,
    oneSession: true,
    sql: async (text, parameters) => {
      if (parameters.length > 0) {
        return (await connection.driver.query<Record<string, unknown>>(text, [...parameters])).rows;
      }
      const results = await connection.driver.exec(text);
      return results.at(-1)?.rows ?? [];
    },
    archive: () => connection.driver.dumpDataDir('none'),
  };
}

const ELEMENTS = [
  'bool',
  'char',
  'name',
  'int2',
  'int4',
  'int8',
  'float8',
  'numeric',
  'text',
  'uuid',
  'date',
  'timestamptz',
  'json',
  'jsonb',
];

/** PGlite copies its parsers for each query, most of which are for arrays of rows and of types that no query returns. */
async function limitArrayParsers(database: PGlite): Promise<void> {
  const { rows } = await database.query<{ typarray: number }>(
    'select typarray from pg_catalog.pg_type where typarray <> 0 and not typname = any ($1)',
    [ELEMENTS],
  );
  for (const { typarray } of rows) delete database.parsers[typarray];
}

function pgliteConfig(store: Exclude<Store, { readonly postgresUrl: string }>) {
  if (store === 'memory') return {};
  return 'folder' in store ? { url: store.folder } : { pgliteOptions: { loadDataDir: store.archive } };
}
