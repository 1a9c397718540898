import { execFileSync } from 'node:child_process';
import { sortGeneratorMetadata } from '@supabase/postgrest-typegen';
import { generateTypescript } from '@supabase/postgrest-typegen/generation';
import { introspect } from '@supabase/postgrest-typegen/introspection';
import type { Database } from '#lib/embedded/database.ts';

export const DATABASE_TYPES = 'lib/db/database.types.ts';

export async function generateDatabaseTypes(sql: Database['sql']): Promise<string> {
  const query = async (text: string) => ({ rows: await sql(text) });
  const metadata = await introspect({ query }, { includedSchemas: ['public'] });
  return generateTypescript(sortGeneratorMetadata(metadata), { format });
}

async function format(code: string): Promise<string> {
  const args = ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', `--stdin-file-path=${DATABASE_TYPES}`];
  return execFileSync(process.execPath, args, { input: code, encoding: 'utf8' });
}
