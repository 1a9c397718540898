import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import {
  demoVariables,
  hasOwnCredentials,
  readGenerated,
  secretsOf,
  writeGenerated,
} from '#lib/launcher/configuration.ts';
import { temporaryFolder } from '../support/cli.ts';

const PORTS = { database: 54_321, codeHost: 3001 };

function written(own: Record<string, string> = {}, folder = temporaryFolder({})) {
  const variables = demoVariables(readGenerated(folder), own, PORTS);
  writeGenerated(folder, variables);
  return { folder, variables, file: join(folder, 'env') };
}

describe('the generated variables', () => {
  it('include all required ones, in a file readable by its owner only', () => {
    const { variables, file } = written();
    expect(Object.keys(variables)).toEqual([
      'SUPABASE_URL',
      'SUPABASE_PUBLISHABLE_KEY',
      'SUPABASE_SECRET_KEY',
      'SUPABASE_JWT_SECRET',
      'SUPABASE_JWT_SECRET_PREVIOUS',
      'SCM_API_URL',
      'SCM_GRAPHQL_URL',
      'SCM_WEB_URL',
      'SCM_HOST_VERSION',
      'SCM_APP_ID',
      'SCM_APP_SLUG',
      'SCM_APP_PRIVATE_KEY',
      'SCM_CLIENT_ID',
      'SCM_CLIENT_SECRET',
      'SCM_WEBHOOK_SECRET',
      'SCM_WEBHOOK_SECRET_PREVIOUS',
      'SCM_PUBLIC_TOKEN',
      'IMAGE_LOOKUP',
      'IMAGE_REGISTRY_ORIGIN',
      'PACKAGE_LOOKUP',
      'PACKAGE_REGISTRY_ORIGIN',
      'CRON_SECRET',
      'CRON_SECRET_PREVIOUS',
      'CHAT_WEBHOOK_HOST',
      'CHAT_WEBHOOK_ORIGIN',
      'TRUSTED_PROXY_HOPS',
      'RETENTION_DAYS',
      'SCAN_THREADS',
      'UPSTASH_REDIS_REST_URL',
      'UPSTASH_REDIS_REST_TOKEN',
      'WEB_URL',
      'WEB_HOSTS',
      'SOURCE_URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'PORT',
      'DEMO_USER_ID',
      'DEMO_USER_EMAIL',
      'DEMO_INSTALLATION_ID',
      'DEMO2_USER_ID',
      'DEMO2_USER_EMAIL',
      'DEMO2_INSTALLATION_ID',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .every((line) => /^[A-Z0-9_]+=/.test(line)),
    ).toBe(true);
  });

  it('stay the same at the next start, except for ports', () => {
    const { folder, variables } = written();
    const again = demoVariables(readGenerated(folder), {}, { database: 1111, codeHost: 2222 });
    const changed = Object.keys(variables).filter((name) => variables[name] !== again[name]);
    expect(changed).toEqual(['SUPABASE_URL', 'SCM_API_URL', 'SCM_GRAPHQL_URL', 'SCM_WEB_URL']);
  });

  it('differ between folders if secret', () => {
    const [one, other] = [secretsOf(written().variables), secretsOf(written().variables)];
    expect(one.length).toBeGreaterThan(20);
    expect(one.filter((secret) => other.includes(secret) && !secret.startsWith('MII'))).toEqual([]);
  });

  it('are completed if one was deleted', () => {
    const { folder, variables, file } = written();
    writeGenerated(folder, { ...variables, SUPABASE_JWT_SECRET: '' });
    const { variables: completed } = written({}, folder);
    expect(completed['SUPABASE_JWT_SECRET']).toMatch(/^.{64}$/);
    expect(completed['SCM_WEBHOOK_SECRET']).toBe(variables['SCM_WEBHOOK_SECRET']);
    expect(readFileSync(file, 'utf8')).toContain(`SUPABASE_JWT_SECRET=${completed['SUPABASE_JWT_SECRET']}`);
  });

  it('yield to the user’s settings', () => {
    const { variables } = written({ PORT: '4000', CHAT_WEBHOOK_ORIGIN: 'http://127.0.0.1:9', IMAGE_LOOKUP: 'on' });
    expect(variables).toMatchObject({
      PORT: '4000',
      WEB_URL: 'http://127.0.0.1:4000',
      CHAT_WEBHOOK_ORIGIN: 'http://127.0.0.1:9',
      IMAGE_LOOKUP: 'on',
    });
  });

  it('disable lookups in remote registries', () => {
    const { imageRegistries, packageRegistries } = parseEnv(written().variables);
    expect([imageRegistries, packageRegistries]).toEqual([null, null]);
  });

  it('read the same in a shell and in Node', () => {
    const { variables, file } = written();
    const shell = spawnSync(
      'sh',
      ['-c', `set -a; . "$1"; exec "$2" -p 'JSON.stringify(process.env)'`, 'sh', file, process.execPath],
      {
        encoding: 'utf8',
        env: { NODE_ENV: 'test' },
      },
    );
    const expected = { ...variables };
    const sourced = JSON.parse(shell.stdout) as Record<string, string>;
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, sourced[name]]))).toEqual(expected);
  });
});

describe('secrets', () => {
  it('include each line of a private key, however its breaks are written', () => {
    const lines = ['-----BEGIN PRIVATE KEY-----', 'AAAA', 'BBBB', '-----END PRIVATE KEY-----'];
    for (const glue of ['\n', '\\n']) {
      expect(secretsOf({ SCM_APP_PRIVATE_KEY: lines.join(glue) })).toEqual(['AAAA', 'BBBB']);
    }
  });
});

describe('the demo beside real credentials', () => {
  it('does not start: the message names the variable and the alternatives, never the value', () => {
    const { variables } = written();
    const start = () => hasOwnCredentials({ SCM_PUBLIC_TOKEN: 'ghp_real' }, variables);
    expect(start).toThrow(
      /^SCM_PUBLIC_TOKEN is set: the demo does not start beside real credentials\. Unset it, or set SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, SUPABASE_SECRET_KEY, SUPABASE_JWT_SECRET too/,
    );
    expect(start).not.toThrow(/ghp_real/);
  });

  it('gives way to a complete database configuration', () => {
    const { variables } = written();
    const own = { ...variables, SUPABASE_URL: 'https://x.supabase.co', SUPABASE_SECRET_KEY: 'sb_secret_x' };
    expect(hasOwnCredentials(own, {})).toBe(true);
  });

  it('starts in a shell that loaded its own file, and with settings that are no credentials', () => {
    const { folder, variables } = written();
    expect(hasOwnCredentials({ ...variables }, readGenerated(folder))).toBe(false);
    expect(hasOwnCredentials({ PORT: '4000', CRON_SECRET: 'x', WEB_URL: 'http://x' }, {})).toBe(false);
  });
});
