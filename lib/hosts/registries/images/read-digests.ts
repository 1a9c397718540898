import { LRUCache } from 'lru-cache';
import * as z from 'zod/mini';
import type { ImageDigests, Source } from '#lib/facts/facts.ts';
import type { ImageReference } from '#lib/workflow/model/reference.ts';
import { askRegistry, readJson } from '../request.ts';
import { type ImagePlace, placeOf, type Registry } from './registries.ts';

export interface ReadDigestsOptions {
  /** Test override of all registries; the host is the first path segment. */
  readonly origin?: string | null;
  readonly maxImages?: number;
  readonly timeLimitMs?: number;
}

const MAX_IMAGES = 20;
const TIME_LIMIT_MS = 8_000;
const MAX_TOKEN_BYTES = 64 * 1024;

/** Prefers the index, since registries choose among the accepted types. Docker's first schema has no stable digest. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

const Token = z.string().check(z.regex(/^[\x21-\x7e]{1,16384}$/));
const TokenAnswer = z.union([z.object({ token: Token }), z.object({ access_token: Token })]);

/** Holds public images only, since no credentials are ever sent. Ten minutes. */
const shared = new LRUCache<string, string>({ max: 2_000, ttl: 10 * 60_000 });

/**
 * Looks up the digest behind each image's tag, of the multi-architecture index. Contacts only a fixed list of
 * registries, without credentials. Never throws and respects the time limit; unknown digests have a reason.
 */
export async function readDigests(
  images: readonly ImageReference[],
  { origin = null, maxImages = MAX_IMAGES, timeLimitMs = TIME_LIMIT_MS }: ReadDigestsOptions = {},
): Promise<ImageDigests> {
  const reading = new Reading(origin, maxImages, AbortSignal.timeout(timeLimitMs));
  return new Map(await Promise.all(images.map(async (image) => [image.text, await reading.digestOf(image)] as const)));
}

class Reading {
  readonly #origin: string | null;
  readonly #deadline: AbortSignal;
  #imagesLeft: number;
  readonly #digests = new Map<string, Promise<Source<string>>>();
  readonly #tokens = new Map<string, Promise<Source<string>>>();

  constructor(origin: string | null, maxImages: number, deadline: AbortSignal) {
    this.#origin = origin;
    this.#imagesLeft = maxImages;
    this.#deadline = deadline;
  }

  async digestOf(image: ImageReference): Promise<Source<string>> {
    const place = placeOf(image);
    if (place === undefined) return { missing: 'unsupported_host' };
    const { registry, repository, tag } = place;
    const key = this.#url(registry.host, `/${repository}:${tag}`);
    const known = shared.get(key);
    if (known !== undefined) return { value: known };
    const asked = this.#digests.get(key);
    if (asked !== undefined) return asked;
    if (this.#imagesLeft <= 0) return { missing: 'rate_limited' };
    this.#imagesLeft -= 1;
    const answer = this.#ask(place);
    this.#digests.set(key, answer);
    const digest = await answer;
    if ('value' in digest) shared.set(key, digest.value);
    return digest;
  }

  async #ask({ registry, repository, tag }: ImagePlace): Promise<Source<string>> {
    const token = registry.token === undefined ? undefined : await this.#tokenFor(registry, registry.token, repository);
    if (token !== undefined && 'missing' in token) return token;
    const url = this.#url(registry.host, `/v2/${repository}/manifests/${tag}`);
    const headers = {
      accept: MANIFESTS.join(', '),
      ...(token === undefined ? {} : { authorization: `Bearer ${token.value}` }),
    };
    // Docker Hub counts GET of a manifest as a pull, but not HEAD.
    return this.#send(registry, 'HEAD', url, headers, async (response) => {
      await response.body?.cancel();
      const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
      const digest = response.headers.get('docker-content-digest') ?? '';
      const isUsable = MANIFESTS.some((manifest) => manifest === type) && DIGEST.test(digest);
      return isUsable ? { value: digest } : { missing: 'offline' };
    });
  }

  #tokenFor(
    registry: Registry,
    { host, path, service }: NonNullable<Registry['token']>,
    repository: string,
  ): Promise<Source<string>> {
    const key = `${registry.host}/${repository}`;
    const query = new URLSearchParams({ service, scope: `repository:${repository}:pull` });
    const url = `${this.#url(host, path)}?${query.toString()}`;
    const token =
      this.#tokens.get(key) ??
      this.#send(registry, 'GET', url, { accept: 'application/json' }, async (response) => {
        const json = await readJson(response, MAX_TOKEN_BYTES);
        const answer = TokenAnswer.safeParse('value' in json ? json.value : undefined);
        if (!answer.success) return { missing: 'offline' };
        return { value: 'token' in answer.data ? answer.data.token : answer.data.access_token };
      });
    this.#tokens.set(key, token);
    return token;
  }

  /** Registries do not distinguish private and missing images. */
  #send(
    { host }: Registry,
    method: 'GET' | 'HEAD',
    url: string,
    headers: Readonly<Record<string, string>>,
    read: (response: Response) => Promise<Source<string>>,
  ): Promise<Source<string>> {
    const registry = this.#url(host, '');
    const absent = { missing: 'no_permission' } as const;
    return askRegistry({ registry, method, url, headers, deadline: this.#deadline, absent }, read);
  }

  #url(host: string, path: string): string {
    return `${this.#origin ?? 'https:/'}/${host}${path}`;
  }
}
