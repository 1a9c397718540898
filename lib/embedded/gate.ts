/** The packages also serve descriptions of themselves, with passwords and client secrets. */
const SERVED = ['/rest/v1/', '/auth/v1/'];

/**
 * Returns the refusal of a request; null for one that passes. A token acts as the role it names, so only
 * `authenticated` passes; its signature is verified later.
 */
export function refuse(request: Request): Response | null {
  const { pathname } = new URL(request.url);
  if (!SERVED.some((prefix) => pathname.startsWith(prefix))) {
    return Response.json({ message: 'There is nothing here.' }, { status: 404 });
  }
  const payload = request.headers.get('authorization')?.split('.')[1];
  if (payload === undefined || roleIn(payload) === 'authenticated') return null;
  const body = { code: 'PGRST301', message: 'Only tokens of users are taken.', details: null, hint: null };
  // CORS, so that a page can read the reason.
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
