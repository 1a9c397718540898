/**
 * How our TypeScript is bundled for Node: the command line and the development scripts alike.
 * @type {import('esbuild').BuildOptions}
 */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
  // Packages in CommonJS ask for Node's own modules with require(), which an ES module lacks.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  // The same code as an ES module, of which only what is used is bundled.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
};
