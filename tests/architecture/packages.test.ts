import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { complete } from '#lib/tools/complete-lockfile.mjs';
import { importsOf, sourceFiles } from '../support/imports.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const npmrc = readFileSync('.npmrc', 'utf8').split('\n');

describe('the lockfile', () => {
  it('names every optional package, so that npm ci accepts it on every platform (npm run lock)', () => {
    expect(Object.keys(lock.packages)).toEqual(
      Object.keys(complete({ ...lock.packages } as Parameters<typeof complete>[0])),
    );
  });

  it('holds the hash of every package, except optional ones of platforms that CI and hosting do not use', () => {
    const without = locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    const needed = without.filter(([, { optional, dev, os, cpu, libc }]) => {
      const hosted = (os?.includes('linux') ?? true) && (cpu?.some((name) => /^(?:x64|arm64)$/.test(name)) ?? true);
      return optional !== true || (hosted && !(dev === true && libc?.[0] === 'musl'));
    });
    expect(needed.map(([path]) => path)).toEqual([]);
    expect(locked.length - without.length).toBeGreaterThan(400);
  });

  it('names no registry, and no package from elsewhere', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(npmrc).toContain('omit-lockfile-registry-resolved=true');
  });

  it('has exact versions to lock', () => {
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(Object.entries(wanted).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe('installing', () => {
  it('runs no script of a package, of which these have one', () => {
    expect(npmrc).toContain('ignore-scripts=true');
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripted).toEqual(['node_modules/esbuild']);
  });

  it('is npm ci in every workflow and script', () => {
    const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);
    const files = [...workflows, '.ci/run', '.ci/with-postgres', ...sourceFiles('lib/tools', /\.mjs$/)];
    const installs = files.filter((file) =>
      /npm (?:install|i)\b(?! --package-lock-only)/.test(readFileSync(file, 'utf8')),
    );
    expect(installs).toEqual([]);
  });
});

function reached(...entries: readonly string[]): Set<string> {
  const files = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file) || !/\.(?:ts|tsx|mjs)$/.test(file) || !existsSync(file)) continue;
    files.add(file);
    open.push(...importsOf(file).flatMap(({ target, isOwn }) => (isOwn ? [target] : [])));
  }
  return files;
}

function packagesOf(files: Iterable<string>): Set<string> {
  const names = [...files].flatMap((file) => importsOf(file).flatMap(({ target, isOwn }) => (isOwn ? [] : [target])));
  return new Set(
    names
      .filter((name) => !name.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  );
}

const service = reached(
  ...sourceFiles('app', /\.(?:ts|tsx)$/),
  ...['instrumentation.ts', 'proxy.ts', 'lib/http/serve.mjs'],
);
const isForDevelopment = (file: string) => /^lib\/(?:embedded|simulator|launcher|cluster|tools)\//.test(file);
const used = packagesOf([...service, ...sourceFiles('lib', /\.(?:ts|mjs)$/).filter((file) => !isForDevelopment(file))]);

describe('a hosted installation', () => {
  it('loads neither the embedded database nor the local code host', () => {
    expect(service.size).toBeGreaterThan(300);
    expect([...service].filter(isForDevelopment)).toEqual([]);
  });

  it('loads no development package', () => {
    const typed = (name: string) => `@types/${name.replace(/^@(.+)\//, '$1__')}` in manifest.devDependencies;
    expect([...used].filter((name) => !(name in manifest.dependencies) && !typed(name))).toEqual([]);
  });

  it('installs no package that neither it nor the command line loads', () => {
    // Fonts are named by their files, and Next loads react-dom.
    const fonts = readFileSync('app/fonts.ts', 'utf8');
    const idle = Object.keys(manifest.dependencies).filter((name) => !used.has(name) && !fonts.includes(name));
    expect(idle).toEqual(['react-dom']);
  });
});
