import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PublishedFacts } from '#lib/facts/facts.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type PackageRegistryForTests, startPackageRegistry } from '../../../../tests/support/package-registry.ts';
import { type ReadPublishedOptions, readPublished } from './read-published.ts';

let registry: PackageRegistryForTests;

beforeAll(async () => {
  registry = await startPackageRegistry();
});
afterAll(() => registry.stop());
afterEach(() => {
  registry.clear();
  registry.take();
});

const WORKFLOW = '.github/workflows/release.yml';

async function read(
  commands: readonly string[],
  files: Readonly<Record<string, string>>,
  options: ReadPublishedOptions = {},
): Promise<PublishedFacts> {
  const steps = commands.map((command) => `      - run: ${command}\n`).join('');
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  const manifests = { paths: new Set(Object.keys(files)), read: (path: string) => files[path] };
  const repository = createRepository([{ path: WORKFLOW, text }]);
  return readPublished(repository, () => manifests, { origin: registry.origin, ...options });
}

const npm = (name: string, options?: ReadPublishedOptions): Promise<PublishedFacts> =>
  read(['npm publish'], { 'package.json': JSON.stringify({ name }) }, options);
const pypi = (name: string, options?: ReadPublishedOptions): Promise<PublishedFacts> =>
  read(['twine upload dist/*'], { 'pyproject.toml': `[project]\nname = ${JSON.stringify(name)}\n` }, options);

function stopTimeLimits(): void {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

const found = ({ versions, unread }: PublishedFacts) => ({ versions: versions.get(WORKFLOW) ?? [], unread });
const unread = (name: string, reason: string) => ({ versions: [], unread: [{ what: 'published', name, reason }] });
const paths = () => registry.take().map(({ method, path }) => `${method} ${path}`);

describe('npm’s newest version', () => {
  it.each([true, false])('has provenance: %s', async (provenance) => {
    registry.npm('@acme/tool', { version: '2.1.0', provenance, source: 'git+https://github.com/Acme/Tool.git' });
    const sources = new Set(['acme/tool']);
    expect(found(await npm('@acme/tool'))).toEqual({
      versions: [{ registry: 'npm', name: '@acme/tool', version: '2.1.0', provenance, sources }],
      unread: [],
    });
    expect(paths()).toEqual(['GET /registry.npmjs.org/@acme%2ftool/latest']);
  });

  it.each([
    ['git@github.com:acme/tool.git', ['acme/tool']],
    ['github:acme/tool', ['acme/tool']],
    ['acme/tool', ['acme/tool']],
    ['https://github.com/acme/tool/tree/main/packages/a#readme', ['acme/tool']],
    ['https://github.com/sponsors/acme', []],
    ['https://acme.dev/acme/tool', []],
    ['https://notgithub.example/github.org/x', []],
    ['x'.repeat(100_000), []],
  ])('comes from %s', async (source, expected) => {
    registry.npm('acme-source', { source });
    expect([...(found(await npm('acme-source')).versions[0]?.sources ?? [])]).toEqual(expected);
  });
});

describe('PyPI’s newest version', () => {
  const WITH = { provenance: 'https://pypi.org/integrity/acme-tool/1.0/acme_tool-1.0.tar.gz/provenance' };
  const on = (day: string) => ({ 'upload-time': `2026-02-${day}T00:00:00.000000Z` });

  it('is read in one request under its normalized name if it has provenance', async () => {
    registry.pypi('acme-tool', [{ filename: 'acme_tool-1.0.tar.gz', ...WITH }]);
    const [version] = found(await pypi('Acme__Tool')).versions;
    expect(version).toMatchObject({ registry: 'PyPI', name: 'Acme__Tool', version: '1.0', provenance: true });
    expect(paths()).toEqual(['GET /pypi.org/simple/acme-tool/']);
  });

  it('costs a second request for its source if it has no provenance', async () => {
    const source = 'https://github.com/acme/tool';
    registry.pypi('acme-tool', [{ filename: 'acme_tool-1.0.tar.gz' }], { source });
    const [version] = found(await pypi('acme.tool')).versions;
    expect(version).toMatchObject({ version: '1.0', provenance: false, sources: new Set(['acme/tool']) });
    expect(paths()).toEqual(['GET /pypi.org/simple/acme-tool/', 'GET /pypi.org/pypi/acme-tool/1.0/json']);
    registry.answer('/json', (response) => response.writeHead(503).end());
    expect(found(await pypi('acme.tool')).versions).toMatchObject([{ provenance: false, sources: new Set() }]);
  });

  it.each([
    [
      'the last upload',
      [
        { filename: 'a-1.0.tar.gz', ...WITH, ...on('01') },
        { filename: 'a-1.1.tar.gz', ...on('02') },
      ],
      '1.1',
      false,
    ],
    [
      'no trial',
      [
        { filename: 'a-1.0.tar.gz', ...on('01') },
        { filename: 'a-1.1rc1.tar.gz', ...WITH, ...on('02') },
      ],
      '1.0',
      false,
    ],
    ['a trial where there is nothing else', [{ filename: 'a-1.1.dev1.tar.gz', ...WITH }], '1.1.dev1', true],
    [
      'nothing yanked',
      [
        { filename: 'a-1.0.tar.gz', ...WITH, ...on('01') },
        { filename: 'a-1.1.tar.gz', yanked: 'broken', ...on('02') },
      ],
      '1.0',
      true,
    ],
    ['each of its files', [{ filename: 'a-1.0.tar.gz' }, { filename: 'a-1.0-py3-none-any.whl', ...WITH }], '1.0', true],
    [
      'no installer',
      [
        { filename: 'a-1.0.zip', ...on('01') },
        { filename: 'a-2.0.win32.exe', ...WITH, ...on('02') },
      ],
      '1.0',
      false,
    ],
  ])('is %s', async (_, files, version, provenance) => {
    registry.pypi('a', files);
    expect(found(await pypi('a')).versions).toMatchObject([{ version, provenance }]);
  });

  it('is null if every version was yanked', async () => {
    registry.pypi('a', [{ filename: 'a-1.0.tar.gz', yanked: true }]);
    expect(found(await pypi('a'))).toEqual({ versions: [], unread: [] });
  });

  it('is unknown if the index has no provenance field', async () => {
    const file = { filename: 'a-1.0.tar.gz', 'upload-time': '2026-01-01T00:00:00Z' };
    registry.answer('/simple/', (response) => response.writeHead(200).end(JSON.stringify({ files: [file] })));
    expect(found(await pypi('a'))).toEqual(unread('PyPI a', 'offline'));
  });
});

describe('lookups', () => {
  it('accept that a registry lacks a package', async () => {
    expect([found(await npm('@acme/secret')), found(await pypi('acme-secret'))]).toEqual([
      { versions: [], unread: [] },
      { versions: [], unread: [] },
    ]);
  });

  const HOSTILE = [
    '../../-/npm/v1/user',
    '@acme/../../x',
    '..',
    '.',
    '@acme/',
    '@/x',
    'a/b',
    '@acme/a/b',
    'a%2f..%2fb',
    'a?x=1',
    'a#x',
    'a b',
    'a\r\nx-evil: 1',
    'a\\b',
    'a@evil.example',
    '//evil.example/x',
    'https://evil.example/x',
    'Ünicode',
    `a${'b'.repeat(300)}`,
    `@${'a-'.repeat(20_000)}`,
  ];
  it.each(HOSTILE.map((name) => [name.slice(0, 40), name]))('skip %j', async (_, name) => {
    const [ofNpm, ofPypi] = [found(await npm(name)), found(await pypi(name))];
    expect(ofNpm).toEqual(unread(`npm, what ${WORKFLOW} publishes`, 'offline'));
    expect(ofPypi).toEqual(unread(`PyPI, what ${WORKFLOW} publishes`, 'offline'));
    expect(registry.take()).toEqual([]);
  });

  it('request a package once, without credentials', async () => {
    registry.npm('acme');
    const { versions } = found(
      await read(['npm publish', 'npm publish --tag next'], { 'package.json': '{"name":"acme"}' }),
    );
    expect(versions).toHaveLength(1);
    expect(registry.take()).toMatchObject([{ method: 'GET', authorization: undefined }]);
  });

  it('continue after a package without a name', async () => {
    registry.npm('acme');
    const { versions, unread: open } = found(
      await read(['npm publish', 'npm publish dist'], { 'package.json': '{"name":"acme"}' }),
    );
    expect(versions).toMatchObject([{ name: 'acme' }]);
    expect(open).toEqual([{ what: 'published', name: `npm, what ${WORKFLOW} publishes`, reason: 'offline' }]);
  });

  it('are limited in number', async () => {
    const files: Record<string, string> = { 'package.json': '{"private":true,"workspaces":["p/*"]}' };
    for (let index = 10; index < 70; index += 1) files[`p/${index}/package.json`] = `{"name":"p${index}"}`;
    const { unread: open } = found(await read(['npx changeset publish'], files));
    expect(open).toHaveLength(10);
    expect(new Set(open?.map(({ reason }) => reason))).toEqual(new Set(['rate_limited']));
    expect(registry.take()).toHaveLength(50);
  });

  it('do nothing if no workflow publishes', async () => {
    const repository = createRepository([{ path: WORKFLOW, text: 'on: push\njobs: {}\n' }]);
    const never = () => {
      throw new Error('nobody needs them');
    };
    expect(await readPublished(repository, never, { origin: registry.origin })).toEqual({
      versions: new Map(),
      unread: [],
    });
  });

  it('do nothing without the files that name packages', async () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm publish\n';
    const facts = await readPublished(createRepository([{ path: WORKFLOW, text }]), () => undefined, {
      origin: registry.origin,
    });
    expect(found(facts)).toEqual(unread(`npm, what ${WORKFLOW} publishes`, 'offline'));
    expect(registry.take()).toEqual([]);
  });
});

describe('an invalid response affects only its own package:', () => {
  it.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['half of it', '{"version":"1.0.0"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['no version', '{"dist":{}}'],
    ['nothing of what is distributed', '{"version":"1.0.0"}'],
    ['a version that is none', '{"version":"../x","dist":{}}'],
    ['a version with a line break', '{"version":"1\\n2","dist":{}}'],
    ['attestations that are a text', '{"version":"1.0.0","dist":{"attestations":"yes"}}'],
  ])('%s', async (_, body) => {
    registry.answer('/latest', (response) => response.writeHead(200).end(body));
    expect(found(await npm('acme'))).toEqual(unread('npm acme', 'offline'));
  });

  it.each([
    [400, 'offline'],
    [401, 'no_permission'],
    [403, 'no_permission'],
    [500, 'offline'],
    [503, 'offline'],
  ])('status %i', async (status, reason) => {
    registry.answer('/latest', (response) => response.writeHead(status).end('{"version":"1.0.0","dist":{}}'));
    expect(found(await npm('acme'))).toEqual(unread('npm acme', reason));
    expect(registry.take()).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])('a redirect with %i is not followed', async (status) => {
    const followed: string[] = [];
    const elsewhere = createServer((request, response) => {
      followed.push(request.url ?? '');
      response.writeHead(200).end('{"version":"1.0.0","dist":{}}');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    try {
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x`;
      registry.answer('/', (response) => response.writeHead(status, { location }).end());
      expect(found(await npm('acme'))).toEqual(unread('npm acme', 'offline'));
      expect(found(await pypi('acme'))).toEqual(unread('PyPI acme', 'offline'));
      expect(followed).toEqual([]);
    } finally {
      elsewhere.close();
    }
  });

  it('an endless response, of which a bounded part is read', async () => {
    let sent = 0;
    registry.answer('/latest', (response) => {
      const endless = function* (): Generator<string> {
        for (;;) {
          sent += 65_536;
          yield ' '.repeat(65_536);
        }
      };
      Readable.from(endless())
        .on('error', () => {})
        .pipe(response);
    });
    expect(found(await npm('acme'))).toEqual(unread('npm acme', 'rate_limited'));
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('a small response that decompresses to a huge one', async () => {
    stopTimeLimits();
    const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, 0x20));
    const packed = Buffer.concat(Array.from({ length: 16 }, () => member));
    registry.answer('/latest', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed));
    const before = process.memoryUsage.rss();
    expect(found(await npm('acme'))).toEqual(unread('npm acme', 'rate_limited'));
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('a missing or partial response costs only the time limit, while the other registry is read', async () => {
    registry.pypi('acme', [{ filename: 'acme-1.0.tar.gz' }]);
    registry.answer('/registry.npmjs.org/silent', () => {});
    registry.answer('/registry.npmjs.org/half', (response) => response.writeHead(200).write('{"version":'));
    const files = {
      'package.json': '{"name":"silent"}',
      'half/package.json': '{"name":"half"}',
      'pyproject.toml': '[project]\nname = "acme"\n',
    };
    const started = performance.now();
    const commands = ['npm publish', 'npm publish half', 'twine upload dist/*'];
    const { versions, unread: open } = found(await read(commands, files, { timeLimitMs: 2_000 }));
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(versions).toMatchObject([{ name: 'acme' }]);
    expect(open?.map(({ name, reason }) => `${name} ${reason}`)).toEqual(['npm silent offline', 'npm half offline']);
  });

  it('a broken connection', async () => {
    registry.answer('/latest', (response) => response.destroy());
    expect(found(await npm('acme'))).toEqual(unread('npm acme', 'offline'));
  });

  it('a back-off is respected, while the other registry is read', async () => {
    const limited = await startPackageRegistry();
    try {
      limited.answer('/latest', (response) => response.writeHead(429, { 'retry-after': '120' }).end(), 1);
      limited.pypi('acme', [{ filename: 'acme-1.0.tar.gz' }]);
      const options = { origin: limited.origin };
      expect(found(await npm('acme', options))).toEqual(unread('npm acme', 'rate_limited'));
      limited.take();
      expect(found(await npm('other', options))).toEqual(unread('npm other', 'rate_limited'));
      expect(limited.take()).toEqual([]);
      expect(found(await pypi('acme', options)).versions).toHaveLength(1);
    } finally {
      await limited.stop();
    }
  });
});
