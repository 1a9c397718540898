import { isIP } from 'node:net';
import type { Env } from '#lib/env.ts';

/** Set by `serve.mjs` on every request to the address of the socket, whatever the client sent. */
export const PEER_HEADER = 'x-chainbreak-peer';
/** Present in the process that runs `serve.mjs`; without it the header above may come from anybody. */
export const PEER_MARK = Symbol.for('chainbreak.serve');

const UNKNOWN = 'unknown';

/**
 * Who counts as one visitor: an IPv4 address, or the /64 of an IPv6 address, which one customer holds. Behind trusted
 * proxies it is the entry that the outermost of them wrote; what the client wrote is never believed.
 */
export function clientAddressOf(
  headers: Headers,
  { onVercel, trustedProxyHops }: Pick<Env, 'onVercel' | 'trustedProxyHops'>,
): string {
  if (onVercel)
    return normalize(headers.get('x-vercel-forwarded-for')?.split(',')[0] ?? headers.get('x-real-ip') ?? '');
  const peer = PEER_MARK in globalThis ? (headers.get(PEER_HEADER) ?? '') : '';
  if (trustedProxyHops === 0 || peer === '') return normalize(peer);
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
  return normalize(forwarded.at(-trustedProxyHops) ?? peer);
}

function normalize(text: string): string {
  const trimmed = text.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, '$1');
  const address = (/^[\d.]+:\d+$/.test(trimmed) ? trimmed.replace(/:\d+$/, '') : trimmed).replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 0) return UNKNOWN;
  if (version === 4) return address;
  const groups = groupsOf(address);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an IPv6 address; the URL parser writes an embedded IPv4 part as two of them. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}
