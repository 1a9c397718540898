const DATA = '/rest/v1/';
const AUTH = '/auth/v1/';

const SIGN_IN: Readonly<Record<string, 'GET' | 'POST'>> = {
  authorize: 'GET',
  callback: 'GET',
  token: 'POST',
  user: 'GET',
  logout: 'POST',
  settings: 'GET',
  health: 'GET',
};
const GRANTS = ['?grant_type=pkce', '?grant_type=refresh_token'];

const READABLE = { 'access-control-allow-origin': '*' };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the refusal of a request; null for one that passes. `redirect_to` must be a page of `siteUrl`. A token acts
 * as the role it names, so only `authenticated` passes; its signature is verified later.
 */
export function refuse(request: Request, siteUrl: string): Response | null {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith(AUTH)) return refuseAuth(request, siteUrl) ?? refuseToken(request.headers);
  // The packages also expose their configuration, with passwords and client secrets.
  return pathname.startsWith(DATA) ? refuseToken(request.headers) : notFound();
}

function refuseAuth({ method, url, headers }: Request, siteUrl: string): Response | null {
  const { pathname, search, searchParams } = new URL(url);
  const operation = pathname.slice(AUTH.length);
  if (!Object.hasOwn(SIGN_IN, operation)) return notFound();
  if (method === 'OPTIONS' && headers.has('access-control-request-method')) return null;
  if (method !== SIGN_IN[operation]) return refuseCall(403, `Only ${SIGN_IN[operation]} is served here.`);
  if (operation === 'token' && !GRANTS.includes(search)) {
    return refuseCall(403, 'Only the grants pkce and refresh_token are served.');
  }
  if (operation === 'authorize' && !searchParams.getAll('redirect_to').every((target) => isWithin(target, siteUrl))) {
    return refuseCall(400, `redirect_to must be an address of ${siteUrl}.`);
  }
  return null;
}

function isWithin(target: string, siteUrl: string): boolean {
  if (!URL.canParse(target)) return false;
  const { origin, pathname, username, password } = new URL(target);
  const site = new URL(siteUrl);
  const folder = `${site.pathname.replace(/\/$/, '')}/`;
  return origin === site.origin && `${pathname}/`.startsWith(folder) && username === '' && password === '';
}

function refuseToken(headers: Headers): Response | null {
  const payload = headers.get('authorization')?.split('.')[1];
  if (payload === undefined || isUser(claimsOf(payload))) return null;
  const body = { code: 'PGRST301', message: 'Only user tokens are accepted.', details: null, hint: null };
  return Response.json(body, { status: 401, headers: READABLE });
}

function isUser({ role, aud = 'authenticated', sub, exp }: Readonly<Record<string, unknown>>): boolean {
  return (
    role === 'authenticated' &&
    (aud === 'authenticated' || (Array.isArray(aud) && aud.includes('authenticated'))) &&
    typeof sub === 'string' &&
    UUID.test(sub) &&
    typeof exp === 'number' &&
    exp > Date.now() / 1000
  );
}

/** Returns no claims for a payload with NUL, which the database cannot store. */
function claimsOf(payload: string): Readonly<Record<string, unknown>> {
  try {
    const text = Buffer.from(payload, 'base64url').toString();
    const claims: unknown = JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' && value.includes('\0')) throw new RangeError('NUL');
      return value;
    });
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}

function notFound(): Response {
  return Response.json({ message: 'There is nothing here.' }, { status: 404 });
}

function refuseCall(status: number, msg: string): Response {
  return Response.json({ code: status, error_code: 'not_served', msg }, { status, headers: READABLE });
}
