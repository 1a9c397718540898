import { describe, expect, it } from 'vitest';
import { type PublishedPackage, packagesPublishedIn } from '#lib/analysis/publishing/published-packages.ts';
import { stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../../../tests/support/cpu-time.ts';
import { isManifest, type Manifests, manifestPaths, namesOf } from './manifests.ts';

function publishedBy(command: string): PublishedPackage {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${command}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const [published] = stepsOf(workflows[0] as Workflow).flatMap(packagesPublishedIn);
  if (published === undefined) throw new Error('nothing published');
  return published;
}

function names(
  command: string,
  files: Readonly<Record<string, unknown>>,
  more: Pick<Manifests, 'partial'> = {},
): string {
  const paths = new Set(Object.keys(files));
  const read = (path: string): string | undefined => {
    const content = files[path];
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
  const { names: found, complete } = namesOf(publishedBy(command), { paths, read, ...more });
  return [...found, ...(complete ? [] : ['?'])].join(' ');
}

describe('npm: the name of', () => {
  it('a package beside a huge hostile .npmrc is read in time', () => {
    const blanks = ['\n', ' ', '@a'].map((each) => `${each.repeat(262_144 / each.length)}x`);
    const spent = leastCpuTimeOf(5_000, () => {
      for (const npmrc of blanks) {
        expect(names('npm publish', { 'package.json': { name: 'acme' }, '.npmrc': npmrc })).toBe('acme');
      }
    });
    expect(spent).toBeLessThan(5_000);
  });

  it('the package of the folder', () => {
    const files = { 'package.json': { name: 'acme' }, 'core/package.json': { name: '@acme/core' } };
    expect(names('npm publish', files)).toBe('acme');
    expect(names('npm publish core', files)).toBe('@acme/core');
    expect(names('npm publish dist', files)).toBe('?');
  });

  it.each([
    ['is private', { private: true }, {}],
    ['goes to another registry', { publishConfig: { registry: 'https://npm.pkg.github.com' } }, {}],
    ['goes to another registry by .npmrc', {}, { '.npmrc': '@acme:registry=https://npm.pkg.github.com\n' }],
  ])('nothing that %s', (_, more, files) => {
    expect(names('npm publish', { 'package.json': { name: '@acme/a', ...more }, ...files })).toBe('');
  });

  it('a package whose .npmrc names the public registry', () => {
    const npmrc = 'registry = https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n';
    expect(names('npm publish', { 'package.json': { name: 'acme' }, '.npmrc': npmrc })).toBe('acme');
  });

  it.each([
    ['no JSON', '{'],
    ['an array', []],
    ['a name that is none', { name: 7 }],
    ['no name', {}],
    ['nesting without end', '['.repeat(100_000)],
    ['nothing', ''],
  ])('is unknown with %s as manifest', (_, manifest) => {
    expect(names('npm publish', { 'package.json': manifest })).toBe('?');
  });

  const MEMBERS = {
    'packages/a/package.json': { name: '@acme/a' },
    'packages/b/package.json': { name: '@acme/b', private: true },
    'packages/b/deep/package.json': { name: '@acme/deep' },
    'tools/c/package.json': { name: '@acme/c' },
    'examples/d/package.json': { name: 'd' },
  };
  it.each([
    [
      'npm',
      { 'package.json': { name: 'root', private: true, workspaces: ['./packages/*', 'tools/c/'] } },
      '@acme/a @acme/c',
    ],
    [
      'Yarn',
      { 'package.json': { private: true, workspaces: { packages: ['packages/**', '!packages/b/**'] } } },
      '@acme/a',
    ],
    [
      'pnpm',
      { 'package.json': { name: 'root' }, 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n' },
      'root @acme/a',
    ],
    ['Lerna', { 'package.json': { private: true }, 'lerna.json': { packages: ['tools/*'] } }, '@acme/c'],
    ['none', { 'package.json': { name: 'alone' } }, 'alone'],
  ])('is known for all workspaces as %s lists them', (_, root, expected) => {
    expect(names('npx changeset publish', { ...MEMBERS, ...root })).toBe(expected);
  });

  it('is known for selected workspaces, by name or folder', () => {
    const files = { ...MEMBERS, 'package.json': { private: true, workspaces: ['packages/*', 'tools/*'] } };
    expect(names('npm publish -w @acme/c -w ./packages/a', files)).toBe('@acme/c @acme/a');
    expect(names('pnpm publish --filter "@acme/*"', files)).toBe('?');
  });

  it('is limited to a bounded number of workspaces and patterns', () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`packages/p${index}/package.json`, { name: `p${index}` }]),
    );
    const found = names('npx changeset publish', {
      ...many,
      'package.json': { private: true, workspaces: ['packages/*'] },
    });
    expect(found.split(' ')).toHaveLength(201);
    expect(found).toMatch(/ \?$/);
    const workspaces = Array.from({ length: 100_000 }, () => '**a**b**c');
    expect(names('npx changeset publish', { ...many, 'package.json': { private: true, workspaces } })).toBe('?');
  });

  it('is matched in time with hostile patterns and many folders', () => {
    const folder = 'a'.repeat(100);
    const files = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`${folder}${index}/package.json`, { name: `p${index}` }]),
    );
    const workspaces = Array.from({ length: 30 }, () => '**a'.repeat(20));
    const spent = leastCpuTimeOf(5_000, () => {
      const manifests = { ...files, 'package.json': { private: true, workspaces } };
      expect(names('npx changeset publish', manifests)).toMatch(/\?$/);
    });
    expect(spent).toBeLessThan(5_000);
  });
});

describe('PyPI: the name of', () => {
  const POETRY = '[tool.poetry]\nname = "acme-poetry"\n';
  it.each([
    ['the project', { 'pyproject.toml': '[project]\nname = "acme"\n' }, 'acme'],
    ['the project of Poetry', { 'pyproject.toml': POETRY }, 'acme-poetry'],
    [
      'the project of setup.cfg',
      { 'pyproject.toml': '[build-system]', 'setup.cfg': '[metadata]\nversion = 1\nname = acme\n' },
      'acme',
    ],
    [
      'the only project, elsewhere',
      { 'python/pyproject.toml': POETRY, 'examples/x/pyproject.toml': POETRY },
      'acme-poetry',
    ],
    ['one of several, elsewhere', { 'a/pyproject.toml': POETRY, 'b/pyproject.toml': POETRY }, '?'],
    ['one that a script computes', { 'setup.py': 'setup()', 'b/pyproject.toml': POETRY }, '?'],
    [
      'a member of a workspace',
      { 'pyproject.toml': '[project]\nname = "a"\n[tool.uv.workspace]\nmembers = ["b"]\n' },
      '?',
    ],
    [
      'nothing that PyPI refuses',
      { 'pyproject.toml': '[project]\nname = "a"\nclassifiers = ["Private :: Do Not Upload"]\n' },
      '',
    ],
    ['nothing in a file that is no TOML', { 'pyproject.toml': '[project\nname = "acme"' }, '?'],
    ['nothing in nesting without end', { 'pyproject.toml': `a = ${'['.repeat(100_000)}` }, '?'],
    ['nothing that is no text', { 'pyproject.toml': '[project]\nname = ["acme"]' }, '?'],
    ['nothing of a prototype', { 'pyproject.toml': '[__proto__.project]\nname = "acme"' }, '?'],
  ])('%s', (_, files, expected) => expect(names('twine upload dist/*', files)).toBe(expected));

  it('is read in time from huge hostile files', () => {
    const hostile = [
      `a = ${'[1,'.repeat(80_000)}`,
      '[a.'.repeat(80_000),
      `a = "${'\\u00e9'.repeat(40_000)}`,
      Array.from({ length: 20_000 }, (_, index) => `[a${index}.b]`).join('\n'),
      `[metadata]${'\nname ='.repeat(35_000)}`,
    ];
    const spent = leastCpuTimeOf(5_000, () => {
      for (const text of hostile) names('twine upload dist/*', { 'pyproject.toml': text, 'setup.cfg': text });
    });
    expect(spent).toBeLessThan(5_000);
  });
});

it('manifests are only the files that name packages', () => {
  expect(['package.json', 'a/b/pyproject.toml', 'x/.npmrc'].filter(isManifest)).toHaveLength(3);
  expect(['package.json.bak', 'package-lock.json', 'a/package.json/x'].filter(isManifest)).toEqual([]);
});

describe('without a list of all files', () => {
  const known = (command: string, files: Readonly<Record<string, unknown>>): string =>
    names(command, files, { partial: true });

  it('requests the folder’s files, and those that could redirect the registry', () => {
    expect(manifestPaths(publishedBy('npm publish ./core'))).toEqual(['core/package.json', 'core/.npmrc', '.npmrc']);
    expect(manifestPaths(publishedBy('lerna publish'))).toEqual([
      'package.json',
      '.npmrc',
      'lerna.json',
      'pnpm-workspace.yaml',
      '.npmrc',
    ]);
    expect(manifestPaths(publishedBy('twine upload python/dist/*'))).toEqual([
      'python/pyproject.toml',
      'python/setup.cfg',
      'python/setup.py',
    ]);
    expect(manifestPaths(publishedBy('npm publish "$PACKAGE"'))).toEqual([]);
    for (const path of manifestPaths(publishedBy('lerna publish'))) expect(isManifest(path), path).toBe(true);
  });

  it('knows a package in its folder, but workspaces only if there are none', () => {
    const root = { 'package.json': { name: 'acme', workspaces: ['packages/*'] } };
    expect(known('npm publish', root)).toBe('acme');
    expect(known('npm publish --workspaces', root)).toBe('?');
    expect(known('npx changeset publish', { ...root, 'packages/a/package.json': { name: 'a' } })).toBe('?');
    expect(known('npx changeset publish', { 'package.json': { name: 'acme' } })).toBe('acme');
  });

  it('knows a Python project in its folder, and assumes no other', () => {
    const project = '[project]\nname = "acme"\n';
    expect(known('twine upload dist/*', { 'pyproject.toml': project })).toBe('acme');
    expect(known('twine upload dist/*', { 'python/pyproject.toml': project })).toBe('?');
    expect(names('twine upload dist/*', { 'python/pyproject.toml': project })).toBe('acme');
  });
});
