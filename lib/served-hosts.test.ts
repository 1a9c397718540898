import { describe, expect, it } from 'vitest';
import { configuredHosts, isAddress, isServed } from './served-hosts.mjs';

const HERE = { localAddress: '127.0.0.1', localPort: 3000 };

describe('a host header is answered', () => {
  it.each(['127.0.0.1:3000', 'localhost:3000', 'LOCALHOST:3000', '[::1]:3000'])(
    'when it names this machine: %s',
    (host) => {
      expect(isServed(host, HERE)).toBe(true);
    },
  );

  it.each([
    ['192.0.2.7:3000', '192.0.2.7'],
    ['192.0.2.7:3000', '::ffff:192.0.2.7'],
    ['[2001:db8::7]:3000', '2001:db8::7'],
  ])('when it is the address that the connection arrived at: %s at %s', (host, localAddress) => {
    expect(isServed(host, { localAddress, localPort: 3000 })).toBe(true);
  });

  it('without a port where the port is the usual one', () => {
    expect(isServed('localhost', { ...HERE, localPort: 80 })).toBe(true);
  });

  it.each(['chainbreak.example', 'Chainbreak.Example:443', 'inner.example:8443', 'spare.example'])(
    'when the configuration names it: %s',
    (host) => {
      const WEB_HOSTS = 'inner.example:8443, spare.example:80';
      expect(isServed(host, HERE, configuredHosts({ WEB_URL: 'https://chainbreak.example', WEB_HOSTS }))).toBe(true);
    },
  );
});

describe('a host header is refused', () => {
  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:3000',
    'localhost',
    '127.0.0.1',
    '127.0.0.1:3001',
    '127.0.0.1:80',
    '127.0.0.2:3000',
    '192.0.2.7:3000',
    '0.0.0.0:3000',
    'localhost.evil.example:3000',
    'localhost:3000@evil.example',
    'evil.example/localhost:3000',
    'evil.example#localhost:3000',
    '127.0.0.1:3000, evil.example',
    ' ',
    ':3000',
    'chainbreak.example.evil.example',
    'chainbreak.example:8443',
    'inner.example',
  ])('that names something else: %s', (host) => {
    const hosts = configuredHosts({ WEB_URL: 'https://chainbreak.example', WEB_HOSTS: 'inner.example:8443' });
    expect(isServed(host, HERE, hosts)).toBe(false);
  });
});

describe('the configured hosts', () => {
  it('are empty without configuration, and leave out malformed ones', () => {
    expect(configuredHosts({})).toEqual([]);
    expect(configuredHosts({ WEB_URL: 'nonsense', WEB_HOSTS: 'a/b, ,x y,*' })).toEqual([]);
  });

  it('are the deployment’s own on Vercel, and only there', () => {
    const urls = { VERCEL_URL: 'app-1.vercel.app', VERCEL_PROJECT_PRODUCTION_URL: 'app.vercel.app' };
    expect(configuredHosts({ VERCEL: '1', ...urls })).toEqual(['app-1.vercel.app', 'app.vercel.app']);
    expect(configuredHosts(urls)).toEqual([]);
  });
});

describe('an address', () => {
  it.each(['192.0.2.7', '192.0.2.7:3000', '[2001:db8::7]:3000'])('is recognised: %s', (host) => {
    expect(isAddress(host)).toBe(true);
  });

  it.each(['192.0.2.7.example', 'localhost', 'a.example:3000', ''])('is not a name such as %s', (host) => {
    expect(isAddress(host)).toBe(false);
  });
});
