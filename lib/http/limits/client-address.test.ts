import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientAddressOf, PEER_HEADER, PEER_MARK } from './client-address.ts';

const direct = { onVercel: false, trustedProxyHops: 0 };
const address = (headers: Record<string, string>, env = direct) => clientAddressOf(new Headers(headers), env);

describe('behind our own server', () => {
  beforeEach(() => Reflect.set(globalThis, PEER_MARK, true));
  afterEach(() => Reflect.deleteProperty(globalThis, PEER_MARK));

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('a socket at %s is one visitor %s', (peer, expected) => {
    expect(address({ [PEER_HEADER]: peer })).toBe(expected);
  });

  it('ignores forwarding headers while no proxy is trusted', () => {
    const headers = { [PEER_HEADER]: '198.51.100.1', 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
    expect(address(headers)).toBe('198.51.100.1');
  });

  it.each([
    [1, '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    [2, '1.1.1.1, 203.0.113.9, 10.0.0.1', '203.0.113.9'],
    [1, '1.1.1.1, [2001:db8::1]:443', '2001:db8:0:0::/64'],
    [1, '203.0.113.9:4711', '203.0.113.9'],
    [3, '1.1.1.1, 203.0.113.9', '198.51.100.1'],
    [1, 'garbage', 'unknown'],
  ])('with %i trusted proxies uses the entry of the outermost: %s', (trustedProxyHops, forwarded, expected) => {
    const headers = { [PEER_HEADER]: '198.51.100.1', 'x-forwarded-for': forwarded };
    expect(address(headers, { ...direct, trustedProxyHops })).toBe(expected);
  });
});

describe('elsewhere', () => {
  it('sockets cannot be faked', () => {
    expect(address({ [PEER_HEADER]: '203.0.113.9', 'x-forwarded-for': '203.0.113.9' })).toBe('unknown');
  });

  it('trusts the platform’s header on the platform only', () => {
    const headers = { 'x-vercel-forwarded-for': '203.0.113.9', 'x-forwarded-for': '1.1.1.1' };
    expect(address(headers, { onVercel: true, trustedProxyHops: 0 })).toBe('203.0.113.9');
    expect(address(headers)).toBe('unknown');
  });
});
