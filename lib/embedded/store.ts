import type { Connection } from '@supabase/lite';

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

function pgliteConfig(store: Exclude<Store, { readonly postgresUrl: string }>) {
  if (store === 'memory') return {};
  return 'folder' in store ? { url: store.folder } : { pgliteOptions: { loadDataDir: store.archive } };
}
