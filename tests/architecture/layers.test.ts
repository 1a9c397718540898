import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Layer {
  /** Folders or files of `lib` it may import, itself apart. */
  readonly imports: readonly string[];
  /** Packages and Node modules it may import. */
  readonly packages: readonly string[];
}

/** Who may import what. `lib/README.md` says why; a change here is a change there. */
const LAYERS: Readonly<Record<string, Layer>> = {
  'errors.ts': { imports: [], packages: [] },
  'env.ts': { imports: ['errors.ts'], packages: ['zod'] },
  'log.ts': { imports: [], packages: [] },
  data: { imports: [], packages: [] },
  workflow: {
    imports: ['data'],
    packages: ['yaml', 'js-yaml', 'unbash', '@actions/expressions', '@actions/workflow-parser'],
  },
  scanner: { imports: ['workflow', 'data'], packages: ['node:crypto', 'zod'] },
  combos: { imports: ['scanner', 'workflow'], packages: [] },
  hardener: { imports: ['scanner', 'workflow'], packages: ['diff', 'node:crypto'] },
  report: { imports: ['scanner', 'workflow', 'combos'], packages: ['picocolors', 'badge-maker', 'diff'] },
  'code-host': {
    imports: ['errors.ts', 'workflow', 'scanner'],
    packages: ['node:crypto', '@octokit/core', '@octokit/app', 'lru-cache', 'zod'],
  },
  'ask-registry.ts': { imports: ['scanner', 'code-host'], packages: [] },
  'image-registry': { imports: ['workflow', 'scanner', 'ask-registry.ts'], packages: ['lru-cache', 'zod'] },
  'package-registry': {
    imports: ['workflow', 'scanner', 'ask-registry.ts'],
    packages: ['lru-cache', 'smol-toml', 'zod'],
  },
  // Stands for a server of somebody else's: nothing of ours is in it, and only tests and the launcher start it.
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
  chat: { imports: ['report'], packages: ['node:timers/promises'] },
  db: { imports: ['errors.ts'], packages: ['@supabase/supabase-js'] },
  // Stands for a hosted database, likewise.
  embedded: {
    imports: ['errors.ts'],
    packages: ['node:async_hooks', 'node:http', 'node:net', '@hono/node-server', '@supabase/lite', 'kysely'],
  },
  services: {
    imports: [
      'errors.ts',
      'env.ts',
      'log.ts',
      'data',
      'workflow',
      'scanner',
      'combos',
      'hardener',
      'code-host',
      'image-registry',
      'package-registry',
      'chat',
      'db',
    ],
    packages: ['node:crypto', 'node:timers/promises', 'p-map', 'zod'],
  },
  http: {
    imports: ['errors.ts', 'env.ts', 'log.ts', 'services'],
    packages: ['node:crypto', 'node:net', 'next', 'zod', 'jose', 'lru-cache', '@upstash/ratelimit', '@upstash/redis'],
  },
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
  cli: {
    imports: [
      'errors.ts',
      'workflow',
      'scanner',
      'combos',
      'hardener',
      'report',
      'code-host',
      'image-registry',
      'package-registry',
    ],
    packages: [
      'node:fs',
      'node:os',
      'node:path',
      'node:timers/promises',
      'node:v8',
      'node:worker_threads',
      'commander',
      'picocolors',
      'zod',
    ],
  },
};

/** Development scripts stand outside: they may import anything, and nobody imports them. */
const OUTSIDE = 'tools';

const files = listFiles().filter((file) => !file.endsWith('.test.ts') && layerOf(file) !== OUTSIDE);

function listFiles(): string[] {
  return readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .map((name) => `lib/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts'));
}

function layerOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

function importsOfNames(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\}/gm)].flatMap((match) =>
    (match[1] ?? '').split(',').map((name) => name.trim()),
  );
}

function packageOf(name: string): string {
  const segments = name.split('/');
  return name.startsWith('@') ? segments.slice(0, 2).join('/') : (segments[0] ?? '');
}

describe('lower layers never import higher ones', () => {
  it('looks at every file of lib', () => {
    expect(files.length).toBeGreaterThan(40);
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in LAYERS))).toEqual([]);
  });

  it.each(files)('%s', (file) => {
    const own = layerOf(file);
    const layer = LAYERS[own] as Layer;
    const wrong = importsOf(file).filter((name) => {
      if (!name.startsWith('.')) return !layer.packages.includes(name.startsWith('node:') ? name : packageOf(name));
      const target = normalize(join(dirname(file), name));
      if (target === 'package.json') return false;
      return layerOf(target) !== own && !layer.imports.includes(layerOf(target));
    });
    expect(wrong).toEqual([]);
  });
});

describe('the engine is pure', () => {
  it.each(
    files.filter((file) => ['workflow', 'scanner', 'combos', 'hardener', 'report', 'data'].includes(layerOf(file))),
  )('%s', (file) => {
    const text = readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
    expect(text).not.toMatch(
      /\bprocess\.|Date\.now|new Date\(\)|Math\.random|performance\.now|\bfetch\(|\basync\b|\beval\(|new Function/,
    );
  });

  it('no rule imports another rule', () => {
    const rules = files.filter((file) => /scanner\/rules\/(?!index)/.test(file));
    const wrong = rules.flatMap((file) => importsOf(file).filter((name) => name.startsWith('./')));
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
    '@lezer/highlight',
    '@lezer/yaml',
    'swagger-ui-dist',
  ];
  const own = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .map((name) => `app/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.tsx?$/.test(name));

  it('looks at every file of app', () => {
    expect(own.length).toBeGreaterThan(10);
  });

  it.each([...own, 'proxy.ts', 'instrumentation.ts'])('%s', (file) => {
    const wrong = importsOf(file).filter((name) => {
      if (!name.startsWith('.')) return !PACKAGES.includes(packageOf(name));
      const target = normalize(join(dirname(file), name));
      if (!target.startsWith('lib/')) return false;
      return (
        !ALLOWED.includes(layerOf(target)) &&
        // The one file of the database that knows no secret key.
        target !== 'lib/db/browser.ts' &&
        !(file === 'instrumentation.ts' && ['lib/env.ts', 'lib/log.ts'].includes(target))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('only the wrappers of lib/http make handlers', () => {
    for (const file of own.filter((name) => name.endsWith('/route.ts'))) {
      expect(readFileSync(file, 'utf8'), file).toMatch(
        /export const \{ GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS \} = (?:route|nothingHere|scanForm)\(/,
      );
    }
  });
});

describe('what bypasses row-level security', () => {
  it('is made in one place', () => {
    const makers = files.filter((file) => importsOfNames(file).includes('createAdminDb'));
    expect(makers).toEqual(['lib/services/context.ts']);
  });
});

describe('the environment', () => {
  it('is read by env.ts and by entry points only', () => {
    const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers.filter((file) => !['cli', 'launcher', 'simulator'].includes(layerOf(file)))).toEqual(['lib/env.ts']);
  });
});
