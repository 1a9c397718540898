import type { Source } from '#lib/facts/facts.ts';
import { Limiter } from '../limiter.ts';
import { limitSeconds } from '../retry-after.ts';

/** One request to a registry. Nobody's credentials are ever sent, but for a token that the registry gave to nobody. */
export interface RegistryRequest<T> {
  /** Where the registry is, with its scheme: requests to one of them share a limit, for the whole process. */
  readonly registry: string;
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For everything that is asked together. */
  readonly deadline: AbortSignal;
  /** What it means that there is no such thing. */
  readonly absent: Source<T>;
}

const REQUEST_MS = 5_000;
/** At one registry, for the whole process. */
const MAX_CONCURRENT = 4;

const limiters = new Map<string, Limiter>();

/**
 * Asks once and never throws. A redirect is an answer like any other that is not what was asked for: what a registry says
 * leads nowhere else. A registry that asks to be left alone is, until it may be asked again. `read` sees answers of status
 * 200 alone and may fail.
 */
export async function askRegistry<T>(
  { registry, method, url, headers, deadline, absent }: RegistryRequest<T>,
  read: (response: Response) => Promise<Source<T>>,
): Promise<Source<T>> {
  const limiter = limiters.get(registry) ?? new Limiter({ maxConcurrent: MAX_CONCURRENT });
  limiters.set(registry, limiter);
  return limiter.run(async () => {
    if (limiter.waitSeconds !== undefined) return { missing: 'rate_limited' };
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(REQUEST_MS)]);
    try {
      const all = { ...headers, 'user-agent': 'chainbreak' };
      const response = await fetch(url, { method, headers: all, redirect: 'manual', signal });
      if (response.status === 200) return await read(response);
      await response.body?.cancel();
      if (response.status === 404) return absent;
      if (response.status === 429) {
        limiter.close(limitSeconds(Object.fromEntries(response.headers), true) ?? 1);
        return { missing: 'rate_limited' };
      }
      return { missing: [401, 403].includes(response.status) ? 'no_permission' : 'offline' };
    } catch {
      return { missing: 'offline' };
    }
  });
}

/** The JSON of an answer of at most so many bytes; more is `rate_limited`, and what is no JSON `offline`. */
export async function readJson({ body }: Response, maxBytes: number): Promise<Source<unknown>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return { missing: 'rate_limited' };
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return { missing: 'offline' };
  }
}
