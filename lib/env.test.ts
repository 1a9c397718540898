import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

describe('parseEnv', () => {
  it('disables features without variables, and defaults to github.com', () => {
    expect(parseEnv({})).toMatchObject({
      database: null,
      scmApp: null,
      scmPublicToken: null,
      upstash: null,
      scm: {
        webUrl: 'https://github.com',
        apiUrl: 'https://api.github.com',
        graphqlUrl: 'https://api.github.com/graphql',
      },
      imageRegistries: { origin: null },
      packageRegistries: { origin: null },
      chat: { webhookHost: 'hooks.slack.com', webhookOrigin: null },
      webUrl: 'http://127.0.0.1:3000',
      trustedProxyHops: 0,
    });
  });

  it('can disable lookups in image registries', () => {
    const origin = 'http://127.0.0.1:5000';
    expect(parseEnv({ IMAGE_LOOKUP: 'off', IMAGE_REGISTRY_ORIGIN: origin }).imageRegistries).toBeNull();
    expect(parseEnv({ IMAGE_REGISTRY_ORIGIN: `${origin}/` }).imageRegistries).toEqual({ origin });
  });

  it('can disable lookups in package registries, which are off by default for Enterprise Server', () => {
    const origin = 'http://127.0.0.1:5000';
    const server = { SCM_WEB_URL: 'https://git.example.com' };
    expect(parseEnv({ PACKAGE_LOOKUP: 'off', PACKAGE_REGISTRY_ORIGIN: origin }).packageRegistries).toBeNull();
    expect(parseEnv({ PACKAGE_REGISTRY_ORIGIN: `${origin}/` }).packageRegistries).toEqual({ origin });
    expect(parseEnv(server).packageRegistries).toBeNull();
    expect(parseEnv({ ...server, PACKAGE_LOOKUP: 'on' }).packageRegistries).toEqual({ origin: null });
  });

  it('derives the addresses of an Enterprise Server from its web address', () => {
    expect(parseEnv({ SCM_WEB_URL: 'https://git.example.com/' }).scm).toEqual({
      hostVersion: null,
      webUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      graphqlUrl: 'https://git.example.com/api/graphql',
    });
  });

  it('reads the version of an Enterprise Server', () => {
    expect(parseEnv({ SCM_HOST_VERSION: '3.19.2' }).scm.hostVersion).toBe('3.19.2');
  });

  it('accepts a private key with escaped line breaks', () => {
    const app = { SCM_APP_ID: '1', SCM_APP_SLUG: 'a', SCM_CLIENT_ID: 'b', SCM_CLIENT_SECRET: 'c' };
    const oneLine = privateKey.replaceAll('\n', '\\n');
    expect(parseEnv({ ...app, SCM_APP_PRIVATE_KEY: oneLine }).scmApp?.privateKey).toBe(privateKey.trim());
  });

  it('ignores an incomplete group of variables', () => {
    expect(parseEnv({ SUPABASE_URL: 'http://127.0.0.1:54321' }).database).toBeNull();
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '3000.5'],
    ['WEB_URL', 'example.com'],
    ['WEB_HOSTS', 'https://example.com'],
    ['WEB_HOSTS', '*.example.com'],
    ['SCM_API_URL', 'http://example.com'],
    ['SCM_APP_PRIVATE_KEY', 'no key at all'],
    ['SUPABASE_JWT_SECRET', 'short'],
    ['SUPABASE_URL', 'postgres://localhost/db'],
    ['IMAGE_LOOKUP', 'maybe'],
    ['PACKAGE_LOOKUP', 'maybe'],
    ['PACKAGE_REGISTRY_ORIGIN', 'http://registry.example.com'],
    ['IMAGE_REGISTRY_ORIGIN', 'http://registry.example.com'],
    ['CRON_SECRET', 'short'],
    ['CHAT_WEBHOOK_HOST', 'https://hooks.slack.com'],
    ['TRUSTED_PROXY_HOPS', '-1'],
    ['SCM_APP_ID', 'twelve'],
    ['SCM_HOST_VERSION', 'newest'],
    ['DEMO_USER_ID', 'somebody'],
  ])('reports %s with the value %s by name and expected format, without the value', (variable, value) => {
    let message = '';
    try {
      parseEnv({ [variable]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(new RegExp(`^Wrong configuration: ${variable} must be .{5,}\\.$`));
    if (value.length > 2) expect(message).not.toContain(value);
  });
});
