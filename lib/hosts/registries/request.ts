import type { Source } from '#lib/facts/facts.ts';
import { Limiter } from '../limiter.ts';
import { limitSeconds } from '../retry-after.ts';

/** A request without credentials, except for an anonymous token of the registry itself. */
export interface RegistryRequest<T> {
  readonly registry: string;
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: AbortSignal;
  readonly absent: Source<T>;
}

const REQUEST_MS = 5_000;
const MAX_CONCURRENT = 4;

const limiters = new Map<string, Limiter>();

/**
 * Sends one request and never throws. Redirects are not followed, and a registry that asks to wait gets no requests
 * until then. `read` sees only responses with status 200 and may fail.
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
    // The signal alone does not end the wait for a body once garbage was collected.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The registry took too long.')), REQUEST_MS);
    });
    late.catch(() => {});
    try {
      const all = { ...headers, 'user-agent': 'chainbreak' };
      const response = await fetch(url, { method, headers: all, redirect: 'manual', signal });
      if (response.status === 200) return await Promise.race([read(response), late]);
      await response.body?.cancel();
      if (response.status === 404) return absent;
      if (response.status === 429) {
        limiter.close(limitSeconds(Object.fromEntries(response.headers), true) ?? 1);
        return { missing: 'rate_limited' };
      }
      return { missing: [401, 403].includes(response.status) ? 'no_permission' : 'offline' };
    } catch {
      return { missing: 'offline' };
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Reads JSON of bounded size; larger bodies are `rate_limited`, invalid ones `offline`. */
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
