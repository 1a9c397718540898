import type { ImageReference } from '#lib/workflow/model/reference.ts';

export interface Registry {
  readonly host: string;
  readonly token?: { readonly host: string; readonly path: string; readonly service: string };
}

export interface ImagePlace {
  readonly registry: Registry;
  readonly repository: string;
  readonly tag: string;
}

const DOCKER_HUB: Registry = {
  host: 'registry-1.docker.io',
  token: { host: 'auth.docker.io', path: '/token', service: 'registry.docker.io' },
};

/**
 * All registries that are ever contacted, by their names in image references. Neither workflows nor `WWW-Authenticate`
 * headers can add a host. Excluded: registries that redirect (registry.k8s.io, lscr.io) and those with hosts per region
 * or customer (`*.pkg.dev`, `*.azurecr.io`, `*.amazonaws.com`).
 * https://distribution.github.io/distribution/spec/auth/token/
 */
const REGISTRIES: ReadonlyMap<string, Registry> = new Map([
  ['docker.io', DOCKER_HUB],
  ['index.docker.io', DOCKER_HUB],
  ['registry-1.docker.io', DOCKER_HUB],
  ['ghcr.io', { host: 'ghcr.io', token: { host: 'ghcr.io', path: '/token', service: 'ghcr.io' } }],
  ['quay.io', { host: 'quay.io', token: { host: 'quay.io', path: '/v2/auth', service: 'quay.io' } }],
  ['gcr.io', { host: 'gcr.io', token: { host: 'gcr.io', path: '/v2/token', service: 'gcr.io' } }],
  [
    'registry.gitlab.com',
    {
      host: 'registry.gitlab.com',
      token: { host: 'gitlab.com', path: '/jwt/auth', service: 'container_registry' },
    },
  ],
  [
    'public.ecr.aws',
    { host: 'public.ecr.aws', token: { host: 'public.ecr.aws', path: '/token/', service: 'public.ecr.aws' } },
  ],
  ['mcr.microsoft.com', { host: 'mcr.microsoft.com' }],
]);

const REPOSITORY = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*$/;
const MAX_REPOSITORY_LENGTH = 255;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export function placeOf({ name, tag = 'latest', digest }: ImageReference): ImagePlace | undefined {
  const slash = name.indexOf('/');
  const first = slash === -1 ? '' : name.slice(0, slash);
  const isHost = /[.:A-Z]/.test(first) || first === 'localhost';
  const registry = isHost ? REGISTRIES.get(first) : DOCKER_HUB;
  if (registry === undefined || digest !== undefined) return undefined;
  const rest = isHost ? name.slice(slash + 1) : name;
  const repository = registry === DOCKER_HUB && !rest.includes('/') ? `library/${rest}` : rest;
  if (repository.length > MAX_REPOSITORY_LENGTH || !REPOSITORY.test(repository) || !TAG.test(tag)) return undefined;
  return { registry, repository, tag };
}
