/**
 * Plain JavaScript: the server of the built web app runs without a bundler.
 * @typedef {{ readonly localAddress?: string | undefined, readonly localPort?: number | undefined }} Arrival
 */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A `WEB_HOSTS` entry: name or address, with a non-default port. */
export const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Returns the hosts that the configuration names: those of `WEB_URL` and `WEB_HOSTS`, and on Vercel the deployment's own.
 * @param {Readonly<Record<string, string | undefined>>} variables
 * @returns {string[]}
 */
export function configuredHosts({ WEB_URL = '', WEB_HOSTS = '', ...platform }) {
  const { VERCEL, VERCEL_URL = '', VERCEL_BRANCH_URL = '', VERCEL_PROJECT_PRODUCTION_URL = '' } = platform;
  const own = URL.canParse(WEB_URL) ? new URL(WEB_URL).host : '';
  const named = [own, ...WEB_HOSTS.split(',')];
  if (VERCEL === '1') named.push(VERCEL_URL, VERCEL_BRANCH_URL, VERCEL_PROJECT_PRODUCTION_URL);
  return named.flatMap((host) => normal(host.trim()) ?? []);
}

/**
 * True if a `Host` header names a host that is served: this machine at the port of the connection, the address of the
 * connection, or a configured host. A foreign name that resolves to this machine is refused (DNS rebinding).
 * @param {string | undefined} header
 * @param {Arrival} arrival
 * @param {readonly string[]} [configured]
 * @returns {boolean}
 */
export function isServed(header, { localAddress = '', localPort = 0 }, configured = []) {
  const host = normal(header ?? '');
  if (host === null) return false;
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  const addresses = [...LOOPBACK, address.includes(':') ? `[${address}]` : address];
  return configured.includes(host) || addresses.some((each) => normal(`${each}:${localPort}`) === host);
}

/**
 * True if a host is an address, which no name server resolves.
 * @param {string} host
 */
export function isAddress(host) {
  return /^(?:\d+(?:\.\d+){3}|\[[0-9a-f:.]+\])(?::\d+)?$/.test(normal(host) ?? '');
}

/**
 * Returns one spelling for each host, without port 80 or 443; null for malformed text.
 * @param {string} host
 */
function normal(host) {
  const url = `http://${host}`;
  return HOST.test(host) && URL.canParse(url) ? new URL(url).host.replace(/:443$/, '') : null;
}
