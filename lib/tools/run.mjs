/**
 * Runs one development script: `node lib/tools/run.mjs corpus …`. The scripts are TypeScript, which Node 20 does not
 * run, and import packages with JSON modules, so each is bundled first.
 */
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [name, ...args] = process.argv.slice(2);
const outfile = `node_modules/.cache/chainbreak/${name.replaceAll('/', '_')}.mjs`;
await build({
  entryPoints: [name.endsWith('.ts') ? name : `lib/tools/${name}.ts`],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'error',
  external: ['esbuild', 'typescript', 'ajv', 'ajv-formats', '@octokit/openapi-webhooks'],
  alias: { yaml: './node_modules/yaml/browser/index.js' },
});
process.argv = [process.argv[0], outfile, ...args];
await import(pathToFileURL(outfile).href);
