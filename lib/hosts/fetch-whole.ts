/**
 * Sends a request whose deadline holds until the whole answer is read, at most `maxBytes`; `tooLarge` makes the error
 * beyond. `fetch` alone waits without limit for a body once garbage was collected, since it holds the request's signal
 * weakly (nodejs/undici#4068).
 */
export async function fetchWhole(
  input: Parameters<typeof fetch>[0],
  init: RequestInit & { readonly signal: AbortSignal },
  { maxBytes, tooLarge }: { readonly maxBytes: number; readonly tooLarge: () => Error },
): Promise<{ readonly response: Response; readonly body: Buffer<ArrayBuffer> }> {
  const { signal } = init;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  late.catch(() => {});
  const response = await Promise.race([fetch(input, init), late]);
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const next = reader === undefined ? undefined : await Promise.race([reader.read(), late]);
      if (next?.value === undefined) break;
      size += next.value.byteLength;
      if (size > maxBytes) throw tooLarge();
      chunks.push(next.value);
    }
  } catch (error) {
    reader?.cancel().catch(() => {});
    throw error;
  }
  return { response, body: Buffer.concat(chunks) };
}
