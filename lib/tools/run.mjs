import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE } from './bundle.mjs';

const [name, ...args] = process.argv.slice(2);
const outfile = `node_modules/.cache/chainbreak/${name}.mjs`;
await build({
  ...BUNDLE,
  entryPoints: [`lib/tools/${name}.ts`],
  outfile,
  sourcemap: 'inline',
  external: [
    '@hono/node-server',
    '@octokit/openapi-webhooks',
    '@supabase/*',
    'ajv',
    'esbuild',
    'graphql',
    'ioredis',
    'kysely',
    'playwright-core',
    'oxc-parser',
    'piscina',
    'postgres',
    'recheck',
    'typescript',
  ],
});
process.argv = [process.argv[0], outfile, ...args];
await import(pathToFileURL(outfile).href);
