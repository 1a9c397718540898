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
  data: { imports: [], packages: [] },
  workflow: { imports: ['data'], packages: ['yaml', 'unbash', '@actions/expressions', '@actions/workflow-parser'] },
  scanner: { imports: ['workflow', 'data'], packages: ['node:crypto', 'zod'] },
  report: { imports: ['scanner', 'workflow'], packages: ['picocolors'] },
  'code-host': { imports: ['errors.ts', 'workflow'], packages: ['@octokit/core', 'zod'] },
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
  cli: {
    imports: ['errors.ts', 'workflow', 'scanner', 'report', 'code-host'],
    packages: ['node:fs', 'node:os', 'node:path', 'node:worker_threads', 'commander', 'picocolors', 'zod'],
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
  it.each(files.filter((file) => ['workflow', 'scanner', 'report', 'data'].includes(layerOf(file))))('%s', (file) => {
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
