import { type NextRequest, NextResponse } from 'next/server';
import { connectSources } from '#lib/http/connect-sources.ts';
import { NONCE_HEADER, PATH_HEADER } from '#lib/http/nonce.ts';
import { methodNotAllowed, problemResponse } from '#lib/http/route/problem.ts';
import { REQUEST_ID_HEADER, requestIdOf } from '#lib/http/route/request-id.ts';

/** Gives pages a request id and a nonce-based policy. API routes set both themselves. */
export function proxy(request: NextRequest): Response {
  const requestId = requestIdOf(request.headers);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const allow = { allow: 'GET, HEAD', [REQUEST_ID_HEADER]: requestId };
    return problemResponse(methodNotAllowed(), requestId, allow);
  }
  const nonce = crypto.randomUUID().replaceAll('-', '');
  const policy = contentSecurityPolicy(nonce, connectSources(request.nextUrl.pathname));
  const headers = new Headers(request.headers);
  headers.set(REQUEST_ID_HEADER, requestId);
  headers.set(NONCE_HEADER, nonce);
  headers.set(PATH_HEADER, request.nextUrl.pathname);
  // The framework reads the nonce from here.
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(REQUEST_ID_HEADER, requestId);
  response.headers.set('content-security-policy', policy);
  return response;
}

function contentSecurityPolicy(nonce: string, connect: readonly string[]): string {
  const dev = process.env.NODE_ENV === 'development';
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ''}`,
    `style-src 'self'${dev ? " 'unsafe-inline'" : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect.join(' ')}${dev ? ' ws:' : ''}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export const config = {
  // Excludes routes that take a body: a matched body is cut at 10 MB, and webhook signatures cover all of it.
  matcher: ['/((?!api(?:/|$)|scan$|actions/request$|openapi\\.|_next/static|_next/image|favicon\\.ico|icon\\.svg).*)'],
};
