/** The two protocols. Beside them the packages would describe themselves to anybody, with passwords and client secrets. */
const SERVED = ['/rest/v1/', '/auth/v1/'];

/**
 * Why a request is not passed on, as its answer; null for one that is. An access token acts as the database role that it
 * names, whichever that is, so only the one that users have is let through; whether the token is genuine is looked at later.
 */
export function refuse(request: Request): Response | null {
  const { pathname } = new URL(request.url);
  if (!SERVED.some((prefix) => pathname.startsWith(prefix))) {
    return Response.json({ message: 'There is nothing here.' }, { status: 404 });
  }
  const payload = request.headers.get('authorization')?.split('.')[1];
  if (payload === undefined || roleIn(payload) === 'authenticated') return null;
  const body = { code: 'PGRST301', message: 'Only tokens of users are taken.', details: null, hint: null };
  // As the protocol does, so that a page can read why.
  return Response.json(body, { status: 401, headers: { 'access-control-allow-origin': '*' } });
}

function roleIn(payload: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null && 'role' in claims ? claims.role : null;
  } catch {
    return null;
  }
}
