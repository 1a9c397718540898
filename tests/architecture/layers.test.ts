import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { circlesOf, type Import, importsOf, sourceFiles } from '../support/imports.ts';

interface Row {
  readonly imports: readonly string[];
  readonly packages?: readonly string[];
}

const TEXT = ['workflow/text'];
const TREE = [...TEXT, 'workflow/yaml'];
const MODEL = [...TREE, 'workflow/model'];
const SYNTAX = [...MODEL, 'workflow/expressions'];
const SCHEMA_PACKAGES = ['@actions/expressions', '@actions/workflow-parser'];
const LANGUAGE = [...SYNTAX, 'workflow/shell', 'workflow/parse', 'workflow/edits', 'data'];
const REACHABILITY = ['analysis/memo.ts', 'analysis/reachability'];
const PRIVILEGES = [...REACHABILITY, 'analysis/privileges'];
const PUBLISHING = [...PRIVILEGES, 'analysis/publishing'];
const VALUES = [...PUBLISHING, 'analysis/values'];
const CHECKOUTS = [...VALUES, 'analysis/checkouts'];
const DATAFLOW = [...CHECKOUTS, 'analysis/dataflow'];
const WORKSPACE = [...DATAFLOW, 'analysis/workspace'];

/**
 * Rooms of `lib`, lowest first, with what each may import. The row of a layer whose folders have rows of their own
 * covers the files directly in it.
 */
const ROOMS: Readonly<Record<string, Row>> = {
  'errors.ts': { imports: [] },
  'log.ts': { imports: [] },
  'tracing.ts': { imports: [], packages: ['node:async_hooks'] },
  'served-hosts.mjs': { imports: [] },
  'env.ts': { imports: ['errors.ts', 'served-hosts.mjs'], packages: ['zod'] },
  data: { imports: [] },

  'workflow/text': { imports: [] },
  'workflow/yaml': { imports: TEXT, packages: ['yaml', 'js-yaml'] },
  'workflow/model': { imports: [...TREE, 'data'] },
  'workflow/expressions': { imports: MODEL, packages: ['@actions/expressions'] },
  'workflow/schema': { imports: SYNTAX, packages: SCHEMA_PACKAGES },
  'workflow/parse': { imports: [...MODEL, 'workflow/schema'] },
  'workflow/patterns': { imports: MODEL },
  'workflow/shell': { imports: SYNTAX, packages: ['unbash'] },
  'workflow/edits': { imports: MODEL },
  workflow: { imports: [...MODEL, 'workflow/parse'] },

  analysis: { imports: MODEL },
  'analysis/reachability': { imports: [...LANGUAGE, 'analysis/memo.ts'] },
  'analysis/inventory': { imports: [...LANGUAGE, 'analysis/memo.ts'] },
  'analysis/privileges': { imports: [...LANGUAGE, ...REACHABILITY] },
  'analysis/publishing': { imports: [...LANGUAGE, ...PRIVILEGES] },
  'analysis/impact': { imports: [...LANGUAGE, ...PUBLISHING] },
  'analysis/values': { imports: [...LANGUAGE, ...PUBLISHING] },
  'analysis/checkouts': { imports: [...LANGUAGE, ...VALUES] },
  'analysis/dataflow': { imports: [...LANGUAGE, ...CHECKOUTS] },
  'analysis/workspace': { imports: [...LANGUAGE, ...DATAFLOW] },
  'analysis/agents': { imports: [...LANGUAGE, ...WORKSPACE] },
  'analysis/incremental': { imports: [...MODEL, 'workflow/repository.ts', 'analysis/reachability'] },

  facts: { imports: ['workflow', 'data'] },

  'scanner/engine': { imports: ['workflow', 'analysis', 'facts', 'data'], packages: ['node:crypto', 'zod'] },
  'scanner/testing': { imports: ['workflow', 'facts', 'scanner/engine'] },
  'scanner/remedies': { imports: ['workflow', 'analysis', 'facts', 'data', 'scanner/engine'] },
  'scanner/shared': { imports: ['workflow', 'analysis', 'facts', 'data', 'scanner/engine'] },
  'scanner/rules': {
    imports: [
      'workflow',
      'analysis',
      'facts',
      'data',
      'scanner/engine',
      'scanner/remedies',
      'scanner/shared',
      'scanner/testing',
    ],
  },
  scanner: { imports: ['workflow', 'scanner/engine', 'scanner/rules'] },
  combos: { imports: ['workflow', 'analysis', 'facts', 'scanner'] },
  changes: { imports: ['workflow', 'facts', 'scanner', 'combos'] },
  scorer: {
    imports: ['workflow', 'analysis', 'facts', 'data', 'scanner', 'combos'],
    packages: ['acorn', 'dockerfile-ast', 'ipaddr.js'],
  },
  hardener: { imports: ['workflow', 'analysis', 'facts', 'scanner'], packages: ['diff', 'node:crypto'] },
  report: {
    imports: ['workflow', 'facts', 'scanner', 'combos', 'changes'],
    packages: ['picocolors', 'badge-maker', 'diff', 'sarif', 'zod'],
  },

  hosts: { imports: [] },
  'hosts/code-host': {
    imports: [
      'errors.ts',
      'tracing.ts',
      'workflow',
      'facts',
      'hosts/fetch-whole.ts',
      'hosts/limiter.ts',
      'hosts/retry-after.ts',
    ],
    packages: ['node:crypto', 'node:timers/promises', '@octokit/core', '@octokit/app', 'lru-cache', 'zod'],
  },
  'hosts/registries': {
    imports: ['workflow', 'analysis', 'facts', 'hosts/limiter.ts', 'hosts/retry-after.ts'],
    packages: ['lru-cache', 'smol-toml', 'zod'],
  },
  'hosts/chat': { imports: ['report'], packages: ['node:timers/promises'] },

  simulator: {
    imports: [],
    packages: [
      'node:child_process',
      'node:crypto',
      'node:fs',
      'node:http',
      'node:net',
      'node:path',
      'node:util',
      'ajv',
      'ajv-formats',
      'graphql',
    ],
  },
  embedded: {
    imports: ['errors.ts', 'served-hosts.mjs'],
    packages: [
      'node:async_hooks',
      'node:crypto',
      'node:fs',
      'node:http',
      'node:net',
      'node:path',
      'node:timers/promises',
      '@hono/node-server',
      '@supabase/lite',
      'kysely',
    ],
  },
  'db/shapes': { imports: [], packages: ['zod'] },
  db: {
    imports: ['errors.ts', 'tracing.ts', 'db/shapes'],
    packages: ['@supabase/auth-js', '@supabase/postgrest-js', '@supabase/supabase-js'],
  },
  'db/queries': { imports: ['db'] },
  services: {
    imports: [
      'errors.ts',
      'env.ts',
      'log.ts',
      'tracing.ts',
      'data',
      'workflow',
      'analysis',
      'facts',
      'scanner',
      'combos',
      'changes',
      'scorer',
      'hardener',
      'report',
      'hosts',
      'collector',
      'db',
    ],
    packages: [
      'node:crypto',
      'node:fs',
      'node:os',
      'node:path',
      'node:timers/promises',
      'lru-cache',
      'p-map',
      'piscina',
      'zod',
    ],
  },
  http: {
    imports: ['errors.ts', 'env.ts', 'log.ts', 'tracing.ts', 'served-hosts.mjs', 'services', 'db/shapes'],
    packages: [
      'node:crypto',
      'node:http',
      'node:net',
      'node:url',
      'next',
      'zod',
      'ipaddr.js',
      'jose',
      'lru-cache',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-node',
      '@upstash/ratelimit',
      '@upstash/redis',
    ],
  },
  worker: { imports: ['env.ts', 'log.ts', 'services'], packages: ['node:util'] },
  launcher: {
    imports: ['errors.ts', 'env.ts', 'embedded', 'simulator'],
    packages: [
      'node:child_process',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:net',
      'node:path',
      'node:readline',
      'node:timers/promises',
      'node:url',
      'node:util',
    ],
  },
  cluster: {
    imports: ['errors.ts', 'launcher'],
    packages: [
      'node:child_process',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:net',
      'node:os',
      'node:path',
      'node:stream',
      'node:stream/consumers',
      'node:timers/promises',
      'node:util',
      'ioredis',
    ],
  },
  collector: { imports: ['errors.ts', 'workflow', 'scanner', 'scorer', 'hosts'], packages: [] },
  cli: {
    imports: [
      'errors.ts',
      'collector',
      'workflow',
      'analysis',
      'facts',
      'scanner',
      'combos',
      'changes',
      'hardener',
      'report',
      'hosts',
    ],
    packages: [
      'node:child_process',
      'node:crypto',
      'node:fs',
      'node:module',
      'node:os',
      'node:path',
      'node:timers/promises',
      'node:url',
      'node:util',
      'node:v8',
      'node:vm',
      'node:worker_threads',
      'commander',
      'picocolors',
      'supports-hyperlinks',
      'vscode-languageserver',
      'vscode-languageserver-textdocument',
      'zod',
    ],
  },
};

const files = sourceFiles('lib', /\.(?:ts|mjs)$/).filter((file) => layerOf(file) !== 'tools');
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const divided = new Set(Object.keys(ROOMS).flatMap((room) => (room.includes('/') ? [room.split('/')[0]] : [])));

function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function roomOf(path: string): string {
  const [, layer = '', folder, ...rest] = path.split('/');
  return divided.has(layer) && folder !== undefined && rest.length > 0 ? `${layer}/${folder}` : layer;
}

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === `lib/${place}` || path.startsWith(`lib/${place}/`));
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function refused(file: string, { target, isOwn }: Import): boolean {
  const row = ROOMS[roomOf(file)];
  if (!isOwn) return row?.packages?.includes(packageOf(target)) !== true;
  return target !== 'package.json' && roomOf(target) !== roomOf(file) && !isWithin(target, row?.imports ?? []);
}

function graphOf(nodeOf: (path: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, own] of imports) {
    const from = nodeOf(file);
    const next = graph.get(from) ?? new Set<string>();
    graph.set(from, next);
    for (const { target, isOwn } of own) {
      if (isOwn && target.startsWith('lib/') && nodeOf(target) !== from) next.add(nodeOf(target));
    }
  }
  return graph;
}

describe('layers of lib', () => {
  it('assigns a room to every file of lib', () => {
    expect(files.length).toBeGreaterThan(400);
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it.each(Object.keys(ROOMS))('%s imports only what its row allows', (room) => {
    const own = files.filter((file) => roomOf(file) === room);
    expect(own).not.toEqual([]);
    const wrong = own.flatMap((file) =>
      (imports.get(file) ?? []).filter((each) => refused(file, each)).map(({ target }) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no import cycle between rooms, including type imports', () => {
    expect(circlesOf(graphOf(roomOf))).toEqual([]);
  });

  it('has no import cycle between files, including type imports', () => {
    expect(circlesOf(graphOf((path) => path))).toEqual([]);
  });
});

describe('the import reader', () => {
  it('reads static, dynamic, re-exporting and type imports', () => {
    const targets = (file: string): string[] => importsOf(file).map(({ target }) => target);
    expect(targets('lib/embedded/store.ts')).toContain('@supabase/lite/pglite');
    expect(targets('lib/http/serve.mjs')).toContain('node:http');
    expect(targets('lib/workflow/model/repository.ts')).toContain('lib/workflow/model/model.ts');
    expect(targets('lib/workflow/yaml/parse.ts')).toContain('lib/workflow/yaml/tree.ts');
    expect(targets('globals.d.ts')).toContain('lib/tools/render-markdown.mjs');
  });
});

describe('the engine is pure', () => {
  it.each(
    files.filter((file) =>
      ['workflow', 'analysis', 'facts', 'scanner', 'combos', 'scorer', 'hardener', 'report', 'data'].includes(
        layerOf(file),
      ),
    ),
  )('%s', (file) => {
    const text = readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
    expect(text).not.toMatch(
      /\bprocess\.|Date\.now|new Date\(\)|Math\.random|performance\.now|\bfetch\(|\basync\b|\beval\(|new Function/,
    );
  });

  it('has no rule that imports another rule', () => {
    const wrong = files
      .filter((file) => file.startsWith('lib/scanner/rules/') && !/\/(?:all|index)\.ts$/.test(file))
      .flatMap((file) =>
        (imports.get(file) ?? []).filter(({ target }) => target.startsWith('lib/scanner/rules/')).map(() => file),
      );
    expect(wrong).toEqual([]);
  });
});

describe('routes and pages hold no logic', () => {
  const ALLOWED = ['errors.ts', 'http', 'services', 'report'];
  const PACKAGES = [
    'next',
    'react',
    'next-themes',
    'clsx',
    'p-map',
    '@primer/octicons-react',
    '@base-ui/react',
    '@lezer/highlight',
    '@lezer/yaml',
    '@tanstack/react-query',
    'hast-util-to-jsx-runtime',
    'minisearch',
    'nuqs',
    'react-hotkeys-hook',
  ];
  const own = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .map((name) => `app/${name.replaceAll('\\', '/')}`)
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name));

  it('finds the files of app', () => {
    expect(own.length).toBeGreaterThan(10);
  });

  it.each([...own, 'proxy.ts', 'instrumentation.ts'])('%s', (file) => {
    const wrong = importsOf(file).filter(({ target, isOwn }) => {
      if (!isOwn) return !PACKAGES.includes(packageOf(target));
      if (!target.startsWith('lib/')) return false;
      return (
        !ALLOWED.includes(layerOf(target)) &&
        target !== 'lib/db/browser.ts' &&
        !target.startsWith('lib/db/shapes/') &&
        // Functions that authorize in the database need no service.
        !(file.startsWith('app/api/') && target.startsWith('lib/db/queries/')) &&
        !(file === 'instrumentation.ts' && ['lib/env.ts', 'lib/log.ts'].includes(target))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('creates handlers only with the wrappers of lib/http', () => {
    for (const file of own.filter((name) => name.endsWith('/route.ts'))) {
      expect(readFileSync(file, 'utf8'), file).toMatch(
        /export const \{ GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS \} = (?:route|nothingHere|scanForm|scoreForm)\(/,
      );
    }
  });
});

describe('the database client that bypasses row-level security', () => {
  it('is created in one place', () => {
    const makers = files.filter((file) => imports.get(file)?.some(({ names }) => names.includes('createAdminDb')));
    expect(makers).toEqual(['lib/services/context.ts']);
  });
});

describe('the environment', () => {
  it('is read by env.ts and by entry points only', () => {
    const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers.filter((file) => !['cli', 'cluster', 'launcher', 'simulator'].includes(layerOf(file)))).toEqual([
      'lib/env.ts',
      'lib/http/serve.mjs',
    ]);
  });
});
