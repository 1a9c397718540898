import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { AppError } from '#lib/errors.ts';
import { DEMO } from './demo.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const REAL = [
  'SUPABASE_URL',
  'SUPABASE_PUBLISHABLE_KEY',
  'SUPABASE_SECRET_KEY',
  'SUPABASE_JWT_SECRET',
  'SCM_API_URL',
  'SCM_GRAPHQL_URL',
  'SCM_WEB_URL',
  'SCM_APP_ID',
  'SCM_APP_SLUG',
  'SCM_APP_PRIVATE_KEY',
  'SCM_CLIENT_ID',
  'SCM_CLIENT_SECRET',
  'SCM_WEBHOOK_SECRET',
  'SCM_WEBHOOK_SECRET_PREVIOUS',
  'SCM_PUBLIC_TOKEN',
  'SUPABASE_JWT_SECRET_PREVIOUS',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
] as const;

const DATABASE = REAL.slice(0, 4);

const SETTINGS = [
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
  'WEB_URL',
  'WEB_HOSTS',
  'SOURCE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'PORT',
] as const;

const SECRET = /KEY$|SECRET(?:_PREVIOUS)?$|TOKEN$/;

export function hasOwnCredentials(variables: Variables, generated: Variables): boolean {
  // A shell that loaded the demo's own file does not have real credentials.
  const set = REAL.filter((name) => variables[name] && variables[name] !== generated[name]);
  if (set.length === 0) return false;
  const missing = DATABASE.filter((name) => !variables[name]);
  if (missing.length === 0) return true;
  throw new AppError(
    'usage',
    `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set: the demo does not start beside real credentials. ` +
      `Unset ${set.length === 1 ? 'it' : 'them'}, or set ${missing.join(', ')} too and run with your own.`,
  );
}

export function readGenerated(folder: string): Variables {
  const file = join(folder, 'env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

export interface Ports {
  readonly database: number;
  readonly codeHost: number;
}

export function demoVariables(generated: Variables, own: Variables, ports: Ports): Record<string, string> {
  const port = own['PORT'] || '3000';
  const codeHostUrl = `http://127.0.0.1:${ports.codeHost}`;
  const kept = (name: string, make: () => string) => generated[name] || make();
  const variables: Record<string, string> = {
    SUPABASE_URL: `http://127.0.0.1:${ports.database}`,
    SUPABASE_PUBLISHABLE_KEY: kept('SUPABASE_PUBLISHABLE_KEY', () => `sb_publishable_${random(24)}`),
    SUPABASE_SECRET_KEY: kept('SUPABASE_SECRET_KEY', () => `sb_secret_${random(24)}`),
    SUPABASE_JWT_SECRET: kept('SUPABASE_JWT_SECRET', () => random(48)),
    SUPABASE_JWT_SECRET_PREVIOUS: '',
    SCM_API_URL: `${codeHostUrl}/api/v3`,
    SCM_GRAPHQL_URL: `${codeHostUrl}/api/graphql`,
    SCM_WEB_URL: codeHostUrl,
    SCM_HOST_VERSION: '',
    SCM_APP_ID: kept('SCM_APP_ID', () => String(DEMO.app.id)),
    SCM_APP_SLUG: kept('SCM_APP_SLUG', () => DEMO.app.slug),
    SCM_APP_PRIVATE_KEY: kept('SCM_APP_PRIVATE_KEY', privateKey),
    SCM_CLIENT_ID: kept('SCM_CLIENT_ID', () => `Iv1.${randomBytes(8).toString('hex')}`),
    SCM_CLIENT_SECRET: kept('SCM_CLIENT_SECRET', () => randomBytes(20).toString('hex')),
    SCM_WEBHOOK_SECRET: kept('SCM_WEBHOOK_SECRET', () => random(32)),
    SCM_WEBHOOK_SECRET_PREVIOUS: '',
    SCM_PUBLIC_TOKEN: kept('SCM_PUBLIC_TOKEN', () => `ghp_${randomBytes(18).toString('hex')}`),
    IMAGE_LOOKUP: 'off',
    IMAGE_REGISTRY_ORIGIN: '',
    PACKAGE_LOOKUP: 'off',
    PACKAGE_REGISTRY_ORIGIN: '',
    CRON_SECRET: kept('CRON_SECRET', () => random(32)),
    CRON_SECRET_PREVIOUS: '',
    CHAT_WEBHOOK_HOST: 'hooks.slack.com',
    CHAT_WEBHOOK_ORIGIN: '',
    TRUSTED_PROXY_HOPS: '0',
    RETENTION_DAYS: '',
    SCAN_THREADS: '',
    UPSTASH_REDIS_REST_URL: '',
    UPSTASH_REDIS_REST_TOKEN: '',
    WEB_URL: `http://127.0.0.1:${port}`,
    WEB_HOSTS: '',
    SOURCE_URL: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    PORT: port,
  };
  for (const [index, user] of DEMO.users.entries()) {
    const prefix = index === 0 ? 'DEMO' : `DEMO${index + 1}`;
    variables[`${prefix}_USER_ID`] = kept(`${prefix}_USER_ID`, randomUUID);
    variables[`${prefix}_USER_EMAIL`] = user.email;
    variables[`${prefix}_INSTALLATION_ID`] = String(user.installationId);
  }
  for (const name of SETTINGS) {
    const value = own[name];
    if (value) variables[name] = value;
  }
  return variables;
}

export function writeGenerated(folder: string, variables: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quote(name, value)}`);
  const file = join(folder, 'env');
  writeFileSync(`${file}.new`, `# Made by npm start for this machine's demo.\n${lines.join('\n')}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

export function secretsOf(variables: Variables): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (!SECRET.test(name) || name === 'SUPABASE_PUBLISHABLE_KEY' || !value) return [];
    return value.split(/\n|\\n/).filter((line) => line !== '' && !line.startsWith('-----'));
  });
}

function quote(name: string, value: string): string {
  if (/^[\w./:@+,=-]*$/.test(value)) return value;
  if (/['\r\n]/.test(value)) throw new AppError('usage', `${name} must not contain an apostrophe or a line break.`);
  return `'${value}'`;
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function privateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return privateKey.trim().replaceAll('\n', '\\n');
}
