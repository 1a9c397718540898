import { z } from 'zod';
import { AppError } from '#lib/errors.ts';
import { configuredHosts, HOST } from '#lib/served-hosts.mjs';

/**
 * `retentionDays`: 0 keeps the details of scans. `engine` identifies the version of the rules; results of another version are
 * not reused. `scanThreads`: 0 for none, null chooses by machine. `onVercel`: the host sets its own client-address header,
 * which clients cannot forge.
 */
export interface Env {
  readonly database: { readonly url: string; readonly publishableKey: string; readonly secretKey: string } | null;
  readonly jwtSecret: string | null;
  readonly previousSecrets: {
    readonly jwt: string | null;
    readonly webhook: string | null;
    readonly cron: string | null;
  };
  readonly scm: {
    readonly apiUrl: string;
    readonly graphqlUrl: string;
    readonly webUrl: string;
    readonly hostVersion: string | null;
  };
  readonly scmApp: ScmApp | null;
  readonly scmWebhookSecret: string | null;
  readonly scmPublicToken: string | null;
  readonly cronSecret: string | null;
  readonly retentionDays: number;
  readonly imageRegistries: { readonly origin: string | null } | null;
  readonly packageRegistries: { readonly origin: string | null } | null;
  readonly chat: { readonly webhookHost: string; readonly webhookOrigin: string | null };
  readonly trustedProxyHops: number;
  readonly upstash: { readonly url: string; readonly token: string } | null;
  readonly webUrl: string;
  readonly webHosts: readonly string[];
  readonly sourceUrl: string | null;
  readonly traces: boolean;
  readonly port: number;
  readonly demo: boolean;
  readonly engine: string;
  readonly schemaVersion: string | null;
  readonly worker: string | null;
  readonly scanThreads: number | null;
  readonly onVercel: boolean;
}

export interface ScmApp {
  readonly id: string;
  readonly slug: string;
  readonly privateKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

declare global {
  namespace NodeJS {
    interface ProcessEnv {
      /** The build (`next.config.mjs`) and tests that use threads set the `CHAINBREAK_…` variables, never users. */
      readonly CHAINBREAK_ENGINE?: string;
      readonly CHAINBREAK_SCHEMA?: string;
      readonly NEXT_RUNTIME?: 'nodejs' | 'edge';
      readonly CHAINBREAK_WORKER?: string;
    }
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function url(accept: (parsed: URL) => boolean, expected: string): z.ZodType<string, string> {
  return z
    .string()
    .refine((text) => {
      const parsed = URL.canParse(text) ? new URL(text) : undefined;
      return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === '' && accept(parsed);
    }, expected)
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''));
}

const anyUrl = url(() => true, 'an http or https URL');
/** Tokens are sent to these, so http is allowed on this machine only. */
const safeUrl = url(
  ({ protocol, hostname }) => protocol === 'https:' || LOOPBACK.test(hostname),
  'an https URL (http only on this machine)',
);
const secret = z.string().regex(/^[\x21-\x7e]{16,4096}$/, 'at least 16 printable characters without spaces');
const key = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'printable characters without spaces');
const name = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/, 'letters, digits, dots, hyphens and underscores');
const pem = z
  .string()
  .transform((text) => text.replaceAll('\\n', '\n').trim())
  .refine(
    (text) => /^-----BEGIN (?:RSA )?PRIVATE KEY-----\n[^]+\n-----END (?:RSA )?PRIVATE KEY-----$/.test(text),
    'a private key in PEM form; line breaks may be written \\n',
  );

function integer(minimum: number, maximum: number): z.ZodType<number, string> {
  const expected = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, expected);
}

export const VARIABLES = {
  SUPABASE_URL: anyUrl,
  SUPABASE_PUBLISHABLE_KEY: key,
  SUPABASE_SECRET_KEY: secret,
  SUPABASE_JWT_SECRET: z.string().min(32, 'at least 32 characters'),
  SUPABASE_JWT_SECRET_PREVIOUS: z.string().min(32, 'at least 32 characters'),
  SCM_API_URL: safeUrl,
  SCM_GRAPHQL_URL: safeUrl,
  SCM_WEB_URL: safeUrl,
  SCM_HOST_VERSION: z.string().regex(/^\d{1,3}(?:\.\d{1,3}){1,2}$/, 'a version such as 3.19'),
  SCM_APP_ID: z.string().regex(/^\d{1,15}$/, 'the number of the app'),
  SCM_APP_SLUG: name,
  SCM_APP_PRIVATE_KEY: pem,
  SCM_CLIENT_ID: name,
  SCM_CLIENT_SECRET: key,
  SCM_WEBHOOK_SECRET: secret,
  SCM_WEBHOOK_SECRET_PREVIOUS: secret,
  SCM_PUBLIC_TOKEN: key,
  IMAGE_LOOKUP: z.enum(['on', 'off'], 'on or off'),
  IMAGE_REGISTRY_ORIGIN: safeUrl,
  PACKAGE_LOOKUP: z.enum(['on', 'off'], 'on or off'),
  PACKAGE_REGISTRY_ORIGIN: safeUrl,
  CRON_SECRET: secret,
  CRON_SECRET_PREVIOUS: secret,
  RETENTION_DAYS: integer(0, 3_650),
  CHAT_WEBHOOK_HOST: z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'a host name in lower case'),
  CHAT_WEBHOOK_ORIGIN: safeUrl,
  TRUSTED_PROXY_HOPS: integer(0, 20),
  SCAN_THREADS: integer(0, 16),
  UPSTASH_REDIS_REST_URL: safeUrl,
  UPSTASH_REDIS_REST_TOKEN: key,
  WEB_URL: anyUrl,
  WEB_HOSTS: z
    .string()
    .max(4096)
    .refine(
      (text) => text.split(',').every((host) => HOST.test(host.trim())),
      'hosts such as chainbreak.example.com:8443, separated by commas',
    ),
  SOURCE_URL: anyUrl,
  OTEL_EXPORTER_OTLP_ENDPOINT: anyUrl,
  PORT: integer(1, 65_535),
  DEMO_USER_ID: z.guid('a uuid'),
} satisfies Record<string, z.ZodType<string | number, string>>;

type Values = { readonly [Name in keyof typeof VARIABLES]?: z.output<(typeof VARIABLES)[Name]> };

export function parseEnv(source: Readonly<Record<string, string | undefined>>): Env {
  const values: Record<string, string | number> = {};
  const wrong: string[] = [];
  for (const [variable, schema] of Object.entries(VARIABLES)) {
    const text = source[variable]?.trim() ?? '';
    if (text === '') continue;
    const result = schema.safeParse(text);
    if (result.success) values[variable] = result.data;
    else wrong.push(`${variable} must be ${result.error.issues[0]?.message ?? 'something else'}`);
  }
  if (wrong.length > 0) throw new AppError('usage', `Wrong configuration: ${wrong.join('; ')}.`);
  const env = values as Values;
  const webUrl = env.SCM_WEB_URL ?? 'https://github.com';
  const apiUrl = env.SCM_API_URL ?? (webUrl === 'https://github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`);
  // Packages that an Enterprise Server calls public are not public.
  const packages = env.PACKAGE_LOOKUP ?? (webUrl === 'https://github.com' ? 'on' : 'off');
  return {
    database: all({
      url: env.SUPABASE_URL,
      publishableKey: env.SUPABASE_PUBLISHABLE_KEY,
      secretKey: env.SUPABASE_SECRET_KEY,
    }),
    jwtSecret: env.SUPABASE_JWT_SECRET ?? null,
    previousSecrets: {
      jwt: env.SUPABASE_JWT_SECRET_PREVIOUS ?? null,
      webhook: env.SCM_WEBHOOK_SECRET_PREVIOUS ?? null,
      cron: env.CRON_SECRET_PREVIOUS ?? null,
    },
    scm: {
      webUrl,
      apiUrl,
      graphqlUrl: env.SCM_GRAPHQL_URL ?? `${apiUrl.replace(/\/v3$/, '')}/graphql`,
      hostVersion: env.SCM_HOST_VERSION ?? null,
    },
    scmApp: all({
      id: env.SCM_APP_ID,
      slug: env.SCM_APP_SLUG,
      privateKey: env.SCM_APP_PRIVATE_KEY,
      clientId: env.SCM_CLIENT_ID,
      clientSecret: env.SCM_CLIENT_SECRET,
    }),
    scmWebhookSecret: env.SCM_WEBHOOK_SECRET ?? null,
    scmPublicToken: env.SCM_PUBLIC_TOKEN ?? null,
    cronSecret: env.CRON_SECRET ?? null,
    retentionDays: env.RETENTION_DAYS ?? 90,
    imageRegistries: env.IMAGE_LOOKUP === 'off' ? null : { origin: env.IMAGE_REGISTRY_ORIGIN ?? null },
    packageRegistries: packages === 'off' ? null : { origin: env.PACKAGE_REGISTRY_ORIGIN ?? null },
    chat: {
      webhookHost: env.CHAT_WEBHOOK_HOST ?? 'hooks.slack.com',
      webhookOrigin: env.CHAT_WEBHOOK_ORIGIN ?? null,
    },
    trustedProxyHops: env.TRUSTED_PROXY_HOPS ?? 0,
    upstash: all({ url: env.UPSTASH_REDIS_REST_URL, token: env.UPSTASH_REDIS_REST_TOKEN }),
    webUrl: env.WEB_URL ?? `http://127.0.0.1:${env.PORT ?? 3000}`,
    webHosts: configuredHosts(source),
    sourceUrl: env.SOURCE_URL ?? null,
    traces: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    port: env.PORT ?? 3000,
    demo: env.DEMO_USER_ID !== undefined,
    engine: process.env.CHAINBREAK_ENGINE ?? 'unbuilt',
    schemaVersion: process.env.CHAINBREAK_SCHEMA || null,
    worker: process.env.CHAINBREAK_WORKER || null,
    scanThreads: env.SCAN_THREADS ?? null,
    onVercel: source['VERCEL'] === '1',
  };
}

type Complete<T> = { readonly [Key in keyof T]: NonNullable<T[Key]> };

function all<T extends Record<string, string | undefined>>(parts: T): Complete<T> | null {
  return Object.values(parts).includes(undefined) ? null : (parts as Complete<T>);
}

let current: Env | undefined;

export function env(): Env {
  current ??= parseEnv(process.env);
  return current;
}

export function resetEnv(): void {
  current = undefined;
}
