import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Source } from '#lib/facts/facts.ts';
import { parseImage } from '#lib/workflow/model/reference.ts';
import { type ImageRegistryForTests, startImageRegistry } from '../../../../tests/support/image-registry.ts';
import { type ReadDigestsOptions, readDigests } from './read-digests.ts';

let registry: ImageRegistryForTests;

beforeAll(async () => {
  registry = await startImageRegistry();
});
afterAll(() => registry.stop());
afterEach(() => {
  registry.clear();
  registry.take();
});

async function read(
  texts: readonly string[],
  options: ReadDigestsOptions = {},
): Promise<(Source<string> | undefined)[]> {
  const found = await readDigests(texts.map(parseImage), { origin: registry.origin, ...options });
  return texts.map((text) => found.get(text));
}

async function readOne(text: string, options: ReadDigestsOptions = {}): Promise<Source<string> | undefined> {
  return (await read([text], options))[0];
}

let count = 0;
function fresh(host = 'quay.io'): string {
  count += 1;
  const image = `${host}/acme/image-${count}:1`;
  registry.push(image);
  return image;
}

describe('readDigests', () => {
  it.each([
    ['node', 'registry-1.docker.io/library/node:latest'],
    ['docker.io/node:22', 'registry-1.docker.io/library/node:22'],
    ['index.docker.io/acme/lint:v1', 'registry-1.docker.io/acme/lint:v1'],
    ['ghcr.io/acme/a/b:V_1.2-x', 'ghcr.io/acme/a/b:V_1.2-x'],
    ['quay.io/acme/a__b:1', 'quay.io/acme/a__b:1'],
    ['gcr.io/distroless/static', 'gcr.io/distroless/static:latest'],
    ['registry.gitlab.com/acme/group/app:1', 'registry.gitlab.com/acme/group/app:1'],
    ['public.ecr.aws/docker/library/node:22', 'public.ecr.aws/docker/library/node:22'],
    ['mcr.microsoft.com/dotnet/sdk:9.0', 'mcr.microsoft.com/dotnet/sdk:9.0'],
  ])('returns the digest of the index of %s', async (text, place) => {
    const digest = registry.push(place);
    expect(await readOne(text)).toEqual({ value: digest });
  });

  it('looks a tag up once, however it is written, and again after the cache expires', async () => {
    const digest = registry.push('registry-1.docker.io/library/redis:7');
    const ways = ['redis:7', 'docker.io/redis:7', 'docker.io/library/redis:7'];
    expect(await read(ways)).toEqual(ways.map(() => ({ value: digest })));
    expect(registry.take().map(({ method }) => method)).toEqual(['GET', 'HEAD']);
    expect(await read(ways)).toEqual(ways.map(() => ({ value: digest })));
    expect(registry.take()).toEqual([]);
  });

  it('uses one token for all tags of a repository', async () => {
    const images = ['1', '2', '3'].map((tag) => `ghcr.io/acme/tags:${tag}`);
    for (const image of images) registry.push(image);
    await read(images);
    expect(registry.take().filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('sends a token only to its registry, and no credentials to token endpoints', async () => {
    await read([fresh('ghcr.io'), fresh('registry.gitlab.com')]);
    for (const { method, path, authorization } of registry.take()) {
      if (method === 'GET') expect(authorization).toBeUndefined();
      else expect(authorization, path).toMatch(/^Bearer [0-9a-f-]{36}$/);
    }
  });

  const ELSEWHERE = [
    'registry.example.com/acme/tool:1',
    'registry.example.com:5000/acme/tool:1',
    'docker.io:443/acme/tool:1',
    '127.0.0.1/acme/tool:1',
    '169.254.169.254/latest/meta-data',
    '[::1]/acme/tool',
    'localhost/acme/tool',
    'localhost:5000/tool',
    'ghcr.io.evil.example/acme/tool',
    'evil.example/ghcr.io/acme/tool',
    'user@ghcr.io/acme/tool',
    'ghcr.io/acme/tool:1@sha256:0',
    'GHCR.IO/acme/tool',
    'us-docker.pkg.dev/acme/tool/x:1',
    'https://ghcr.io/acme/tool',
    'ghcr.io/',
    'ghcr.io/../admin',
    'ghcr.io/acme/../../token',
    'ghcr.io/acme/%2e%2e/tool',
    'ghcr.io//acme',
    'ghcr.io/acme/tool/',
    'ghcr.io/Acme/tool',
    'ghcr.io/acme/to ol',
    'ghcr.io/acme/tool\r\nx-evil: 1',
    'ghcr.io/acme/tool?x=1',
    'ghcr.io/acme/tool#x',
    'ghcr.io/acme\\evil',
    'ghcr.io/acme/tool:',
    'ghcr.io/acme/tool:../../x',
    'ghcr.io/acme/tool:1/2',
    'ghcr.io/acme/tool:a?b',
    `ghcr.io/acme/tool:${'x'.repeat(129)}`,
    `ghcr.io/acme/${'x'.repeat(300)}`,
    `ghcr.io/${'a-'.repeat(100_000)}`,
    '',
  ];
  it.each(ELSEWHERE.map((text) => [text.slice(0, 60), text]))('sends nothing for %j', async (_, text) => {
    expect(await readOne(text)).toEqual({ missing: 'unsupported_host' });
    expect(registry.take()).toEqual([]);
  });

  it('does not distinguish private from missing images', async () => {
    registry.push('ghcr.io/acme/private:1', { isPrivate: true });
    expect(await read(['ghcr.io/acme/private:1', 'ghcr.io/acme/nothing:1'])).toEqual([
      { missing: 'no_permission' },
      { missing: 'no_permission' },
    ]);
    expect(registry.take()).toHaveLength(4);
  });

  it('limits the number of images', async () => {
    const images = Array.from({ length: 25 }, () => fresh());
    const found = await read(images);
    expect(found.slice(0, 20).every((each) => each !== undefined && 'value' in each)).toBe(true);
    expect(found.slice(20)).toEqual(found.slice(20).map(() => ({ missing: 'rate_limited' })));
    expect(registry.take()).toHaveLength(40);
  });

  it('respects a registry’s back-off, and queries the others', async () => {
    registry.answer('/gcr.io/', (response) => response.writeHead(429, { 'retry-after': '120' }).end(), 1);
    expect(await readOne(fresh('gcr.io'))).toEqual({ missing: 'rate_limited' });
    registry.take();
    expect(await readOne(fresh('gcr.io'))).toEqual({ missing: 'rate_limited' });
    expect(registry.take()).toEqual([]);
    expect(await readOne(fresh())).toHaveProperty('value');
  });
});

const DIGEST = `sha256:${'a'.repeat(64)}`;
const INDEX = 'application/vnd.oci.image.index.v1+json';

describe('an invalid response is ignored:', () => {
  it.each([
    ['no digest', { 'content-type': INDEX }],
    ['a short digest', { 'content-type': INDEX, 'docker-content-digest': 'sha256:abc' }],
    ['a digest in capitals', { 'content-type': INDEX, 'docker-content-digest': `sha256:${'A'.repeat(64)}` }],
    ['a digest with more behind', { 'content-type': INDEX, 'docker-content-digest': `${DIGEST} # x` }],
    ['another algorithm', { 'content-type': INDEX, 'docker-content-digest': `md5:${'a'.repeat(32)}` }],
    ['two digests', { 'content-type': INDEX, 'docker-content-digest': [DIGEST, DIGEST] }],
    ['no manifest', { 'content-type': 'text/html', 'docker-content-digest': DIGEST }],
    [
      'a manifest without a stable digest',
      {
        'content-type': 'application/vnd.docker.distribution.manifest.v1+prettyjws',
        'docker-content-digest': DIGEST,
      },
    ],
  ])('%s', async (_, headers) => {
    const image = fresh();
    registry.answer('/manifests/', (response) => response.writeHead(200, headers).end());
    expect(await readOne(image)).toEqual({ missing: 'offline' });
    registry.clear();
    expect(await readOne(image)).toHaveProperty('value');
  });

  it.each([
    ['no JSON', '<html>'],
    ['no token', '{}'],
    ['a token that is no text', '{"token":{}}'],
    ['a token with a line break', JSON.stringify({ token: 'a\r\nx-evil: 1' })],
    ['a token with a space', JSON.stringify({ token: 'a b' })],
    ['a token that is far too long', JSON.stringify({ token: 'x'.repeat(20_000) })],
    ['nothing', ''],
  ])('%s instead of a token', async (_, body) => {
    const image = fresh();
    registry.answer('/v2/auth', (response) => response.writeHead(200).end(body));
    registry.take();
    expect(await readOne(image)).toEqual({ missing: 'offline' });
    expect(registry.take()).toHaveLength(1);
  });

  it('an endless token response', async () => {
    const image = fresh();
    let sent = 0;
    registry.answer('/v2/auth', (response) => {
      const endless = function* (): Generator<string> {
        for (;;) {
          sent += 16_384;
          yield ' '.repeat(16_384);
        }
      };
      Readable.from(endless())
        .on('error', () => {})
        .pipe(response);
    });
    expect(await readOne(image)).toEqual({ missing: 'offline' });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it.each([301, 302, 307, 308])(
    'a redirect with %i, at the token and at the manifest, is not followed',
    async (status) => {
      const followed: string[] = [];
      const elsewhere = createServer((request, response) => {
        followed.push(request.url ?? '');
        response.writeHead(200, { 'content-type': INDEX, 'docker-content-digest': DIGEST }).end('{"token":"x"}');
      }).listen(0, '127.0.0.1');
      await once(elsewhere, 'listening');
      try {
        const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x`;
        for (const part of ['/v2/auth', '/manifests/']) {
          const image = fresh();
          registry.answer(part, (response) => response.writeHead(status, { location }).end(), 1);
          expect(await readOne(image)).toEqual({ missing: 'offline' });
        }
        expect(followed).toEqual([]);
      } finally {
        elsewhere.close();
      }
    },
  );

  it.each([400, 418, 500, 503])('status %i', async (status) => {
    const image = fresh();
    registry.answer('/manifests/', (response) => response.writeHead(status, { 'docker-content-digest': DIGEST }).end());
    expect(await readOne(image)).toEqual({ missing: 'offline' });
  });

  it('a permanent 401 is requested once', async () => {
    const image = fresh();
    registry.answer('quay.io', (response) =>
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${registry.origin}/quay.io/v2/auth"` }).end(),
    );
    registry.take();
    expect(await readOne(image)).toEqual({ missing: 'no_permission' });
    expect(registry.take()).toHaveLength(1);
  });

  it('a missing or partial response costs only the time limit, while others are read', async () => {
    const [silent, half, good] = [fresh(), fresh('registry.gitlab.com'), fresh('ghcr.io')];
    registry.answer('quay.io', () => {});
    registry.answer('gitlab.com/jwt', (response) => response.writeHead(200).write('{"token":'));
    const started = performance.now();
    expect(await read([silent, half, good], { timeLimitMs: 2_000 })).toEqual([
      { missing: 'offline' },
      { missing: 'offline' },
      { value: expect.stringMatching(/^sha256:/) },
    ]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('many requests to a silent registry end in time, too', async () => {
    const images = Array.from({ length: 20 }, () => fresh());
    registry.answer('quay.io', () => {});
    const started = performance.now();
    expect(await read(images, { timeLimitMs: 300 })).toEqual(images.map(() => ({ missing: 'offline' })));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('a broken connection', async () => {
    const image = fresh();
    registry.answer('quay.io', (response) => response.destroy());
    expect(await readOne(image)).toEqual({ missing: 'offline' });
  });
});
