import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Env } from '#lib/env.ts';

/**
 * Set by `serve.mjs` on every request to the address of the socket, whatever the client sent. Trusted only beside
 * `PEER_MARK`, which its process has: elsewhere clients could send the header.
 */
export const PEER_HEADER = 'x-chainbreak-peer';
export const PEER_MARK = Symbol.for('chainbreak.serve');

const UNKNOWN = 'unknown';

/**
 * Returns what counts as one visitor: an IPv4 address, or the /64 of an IPv6 address. Behind trusted proxies it is
 * the entry that the outermost one appended; other entries are never trusted.
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
  const address = (/^[\d.]+:\d+$/.test(trimmed) ? trimmed.replace(/:\d+$/, '') : trimmed).replace(/%[\s\S]*/, '');
  // Stricter than the library, which also reads octal and shortened IPv4 addresses.
  if (isIP(address) === 0) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
