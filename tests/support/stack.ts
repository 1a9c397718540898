import { randomBytes } from 'node:crypto';
import { freePort } from '#lib/launcher/ports.ts';
import { seedDemo } from '#lib/simulator/demo.ts';
import { seedInitech } from '#lib/simulator/initech.ts';
import { type CodeHostForTests, startCodeHost } from './code-host.ts';
import { startDatabase, type TestDatabase } from './database.ts';
import { type Gate, startGate } from './gate.ts';
import { startWeb, type Web } from './web.ts';

export interface Stack {
  readonly web: Web;
  readonly database: TestDatabase;
  readonly host: CodeHostForTests;
  readonly gate: Gate;
  readonly scan: (repo: string) => Promise<string>;
  readonly forgetVisitors: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface StackOptions {
  /** Adds the organization with 40 repositories. */
  readonly initech?: boolean;
  /** Delivers events of the code host; the web app needs `SCM_WEBHOOK_SECRET`. */
  readonly webhooks?: boolean;
}

export async function startStack(
  variables: Readonly<Record<string, string>> = {},
  { initech = false, webhooks = false }: StackOptions = {},
): Promise<Stack> {
  // Ports are fixed in advance, since sign-in redirects between the parts.
  const [webPort, databasePort] = [await freePort(undefined), await freePort(undefined)];
  const siteUrl = `http://127.0.0.1:${webPort}`;
  const host = await startCodeHost({
    async seed(world) {
      await seedDemo(world, 'lib/simulator/demo');
      if (initech) await seedInitech(world);
    },
    callbackUrls: [`http://127.0.0.1:${databasePort}/auth/v1/callback`],
    setup: { url: `${siteUrl}/setup`, withCode: false },
    ...(webhooks && { webhookUrl: `${siteUrl}/api/webhooks/scm` }),
  });
  const { clientId, clientSecret } = host.app;
  const database = await startDatabase({
    port: databasePort,
    siteUrl,
    codeHost: { webUrl: host.webUrl, clientId, clientSecret },
  });
  const gate = await startGate(new URL(host.graphqlUrl).origin);
  const web = await startWeb({
    PORT: String(webPort),
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SUPABASE_JWT_SECRET: database.jwtSecret,
    IMAGE_LOOKUP: 'off',
    PACKAGE_LOOKUP: 'off',
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: `${gate.url}${new URL(host.graphqlUrl).pathname}`,
    SCM_PUBLIC_TOKEN: host.publicToken,
    SCM_APP_ID: String(host.app.id),
    SCM_APP_SLUG: host.app.slug,
    SCM_APP_PRIVATE_KEY: host.app.privateKey,
    SCM_CLIENT_ID: host.app.clientId,
    SCM_CLIENT_SECRET: host.app.clientSecret,
    DEMO_USER_ID: '11111111-1111-4111-8111-111111111111',
    ...variables,
  });
  const forgetVisitors = async () => void (await database.sql('delete from public.rate_limits'));
  return {
    web,
    database,
    host,
    gate,
    forgetVisitors,
    async scan(repo) {
      await forgetVisitors();
      const body = new URLSearchParams({ repo });
      const response = await fetch(`${web.url}/scan`, { method: 'POST', body, redirect: 'manual' });
      return response.headers.get('location') ?? '';
    },
    async stop() {
      await web.stop();
      await gate.stop();
      await Promise.all([host.stop(), database.stop()]);
    },
  };
}

let shared: Promise<Stack> | undefined;

export async function sharedStack(): Promise<Stack> {
  shared ??= startStack();
  return { ...(await shared), stop: () => Promise.resolve() };
}

interface StoredReport {
  readonly repo: string;
  readonly branch?: string;
  readonly files?: number;
  readonly counts?: readonly [high: number, medium: number, low: number, info: number];
  readonly topFindings?: unknown;
  readonly notAssessed?: unknown;
  readonly commit?: string | null;
  readonly scannedAt?: string;
}

export async function storeReport({ database }: Stack, report: StoredReport): Promise<string> {
  const slug = randomBytes(16).toString('base64url');
  const [high, medium, low, info] = report.counts ?? [0, 0, 0, 0];
  await database.sql(
    `insert into public.public_scans (slug, repo_key, scm_id, repo, default_branch, commit_sha, engine_version,
       workflow_files, high, medium, low, info, top_findings, not_assessed, rule_counts, scanned_at, latest)
     values ($1, lower($2), $1, $2, $3, $4, '0.1.0', $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb, '{}', $12, false)`,
    [
      slug,
      report.repo,
      report.branch ?? 'main',
      report.commit ?? null,
      report.files ?? 2,
      high,
      medium,
      low,
      info,
      JSON.stringify(report.topFindings ?? []),
      JSON.stringify(report.notAssessed ?? []),
      report.scannedAt ?? new Date().toISOString(),
    ],
  );
  return `/s/${slug}`;
}
