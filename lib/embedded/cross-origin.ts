/**
 * Answers a CORS preflight as the hosted service does; null for any other request. Any origin may send any header,
 * since access needs a token and never a cookie.
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

export function readableAnywhere(headers: Headers): Headers {
  const readable = new Headers(headers);
  readable.set('access-control-allow-origin', '*');
  return readable;
}
