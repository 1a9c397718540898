/**
 * What a browser asks before a page of another origin may send a request; null for any other request. The hosted service
 * lets every origin send any header: what opens it is a token, never a cookie. The packages' own answers cover the
 * tables, not the sign-in.
 */
export function answerPreflight({ method, headers }: Request): Response | null {
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return null;
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
    },
  });
}

/** Lets a page of any origin read an answer. */
export function readableAnywhere(headers: Headers): Headers {
  const readable = new Headers(headers);
  readable.set('access-control-allow-origin', '*');
  return readable;
}
