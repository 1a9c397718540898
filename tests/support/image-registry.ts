import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RegistryForTests, startRegistry } from './registry.ts';

export interface ImageRegistryForTests extends RegistryForTests {
  push(image: string, options?: { readonly isPrivate?: boolean }): string;
}

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

const TOKENS: ReadonlyMap<string, { readonly registry: string; readonly service: string }> = new Map([
  ['/auth.docker.io/token', { registry: 'registry-1.docker.io', service: 'registry.docker.io' }],
  ['/ghcr.io/token', { registry: 'ghcr.io', service: 'ghcr.io' }],
  ['/quay.io/v2/auth', { registry: 'quay.io', service: 'quay.io' }],
  ['/gcr.io/v2/token', { registry: 'gcr.io', service: 'gcr.io' }],
  ['/gitlab.com/jwt/auth', { registry: 'registry.gitlab.com', service: 'container_registry' }],
  ['/public.ecr.aws/token/', { registry: 'public.ecr.aws', service: 'public.ecr.aws' }],
]);
const OPEN = 'mcr.microsoft.com';

export async function startImageRegistry(): Promise<ImageRegistryForTests> {
  const images = new Map<string, { readonly index: string; readonly manifest: string; readonly isPrivate: boolean }>();
  const tokens = new Map<string, string>();

  const giveToken = (url: URL, response: ServerResponse): void => {
    const [, repository] = /^repository:(.+):pull$/.exec(url.searchParams.get('scope') ?? '') ?? [];
    const place = TOKENS.get(url.pathname);
    if (repository === undefined || place?.service !== url.searchParams.get('service')) {
      response.writeHead(400).end();
      return;
    }
    const token = randomUUID();
    tokens.set(token, `${place?.registry}/${repository}`);
    const name = place?.registry === 'gcr.io' ? 'access_token' : 'token';
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ [name]: token }));
  };

  const giveManifest = (path: string, request: IncomingMessage, response: ServerResponse): void => {
    const [, host = '', repository = '', tag = ''] = /^\/([^/]+)\/v2\/(.+)\/manifests\/([^/]+)$/.exec(path) ?? [];
    const mine = tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '') === `${host}/${repository}`;
    const image = images.get(`${host}/${repository}:${tag}`);
    if ((host !== OPEN && !mine) || image?.isPrivate === true) {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://127.0.0.1:9/token",service="x"' }).end();
      return;
    }
    if (image === undefined) {
      response.writeHead(404).end();
      return;
    }
    const isIndex = request.headers.accept?.includes(INDEX) === true;
    const body = isIndex ? image.index : image.manifest;
    const headers = { 'content-type': isIndex ? INDEX : MANIFEST, 'docker-content-digest': digestOf(body) };
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  };

  const registry = await startRegistry((response, request) => {
    const path = request.url ?? '';
    const url = new URL(path, 'http://localhost');
    if (request.method === 'GET' && TOKENS.has(url.pathname)) giveToken(url, response);
    else if (path.includes('/manifests/')) giveManifest(path, request, response);
    else response.writeHead(404).end();
  });

  return {
    ...registry,
    push: (image, { isPrivate = false } = {}) => {
      const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, annotations: { id: randomUUID() } });
      const entries = ['amd64', 'arm64'].map((architecture) => ({
        mediaType: MANIFEST,
        digest: digestOf(manifest),
        size: manifest.length,
        platform: { architecture, os: 'linux' },
      }));
      const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: entries });
      images.set(image, { index, manifest, isPrivate });
      return digestOf(index);
    },
  };
}

function digestOf(body: string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}
