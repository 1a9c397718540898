import { randomBytes } from 'node:crypto';
import { seedDemo } from '#lib/simulator/demo.ts';
import { seedInitech } from '#lib/simulator/initech.ts';
import { type ChatForTests, startChat } from './chat.ts';
import { type CodeHostForTests, codeHostAt, startCodeHost } from './code-host.ts';
import { deleteRows, startDatabase, type TestDatabase } from './database.ts';
import { type Gate, startGate } from './gate.ts';
import { quietPort } from './quiet-port.ts';
import { startWeb, type Web } from './web.ts';

export interface Stack {
  readonly web: Web;
  readonly database: TestDatabase;
  readonly host: CodeHostForTests;
  readonly gate: Gate;
  readonly chat: ChatForTests;
  readonly scan: (repo: string) => Promise<string>;
  readonly forgetVisitors: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface StackOptions {
  readonly initech?: boolean;
  /** Delivers events of the code host; the web app needs `SCM_WEBHOOK_SECRET`. */
  readonly webhooks?: boolean;
}

interface Site {
  readonly web: Web;
  readonly gate: Gate;
  readonly chat: ChatForTests;
  readonly database: TestDatabase;
  readonly hostPort: number;
}

const idle = new Map<string, Site[]>();

export async function startStack(
  variables: Readonly<Record<string, string>> = {},
  { initech = false, webhooks = false }: StackOptions = {},
): Promise<Stack> {
  const kind = JSON.stringify(variables);
  const site = idle.get(kind)?.pop() ?? (await startSite(variables));
  const { web, gate, chat, hostPort } = site;
  // A copy, by which `visitAs` tells the stacks apart.
  const database = { ...site.database };
  await deleteRows(database);
  const host = await startCodeHost({
    port: hostPort,
    async seed(world) {
      await seedDemo(world, 'lib/simulator/demo');
      if (initech) await seedInitech(world);
    },
    callbackUrls: [`${database.url}/auth/v1/callback`],
    setup: { url: `${web.url}/setup`, withCode: false },
    ...(webhooks && { webhookUrl: `${web.url}/api/webhooks/scm` }),
  });
  const forgetVisitors = async () => void (await database.sql('delete from public.rate_limits'));
  return {
    web,
    database,
    host,
    gate,
    chat,
    forgetVisitors,
    async scan(repo) {
      await forgetVisitors();
      const body = new URLSearchParams({ repo });
      const response = await fetch(`${web.url}/scan`, { method: 'POST', body, redirect: 'manual' });
      return response.headers.get('location') ?? '';
    },
    async stop() {
      gate.open();
      await host.stop();
      chat.forget();
      idle.set(kind, [...(idle.get(kind) ?? []), site]);
    },
  };
}

/** Ports are fixed in advance, since sign-in redirects between the parts. The worker's end stops the web app. */
async function startSite(variables: Readonly<Record<string, string>>): Promise<Site> {
  const ports = { web: await quietPort(), database: await quietPort(), host: await quietPort() };
  const { app, publicToken, ...places } = codeHostAt(ports.host);
  const { clientId, clientSecret } = app;
  const [gate, chat, database] = await Promise.all([
    startGate(places.webUrl),
    startChat(),
    startDatabase({
      port: ports.database,
      siteUrl: `http://127.0.0.1:${ports.web}`,
      codeHost: { webUrl: places.webUrl, clientId, clientSecret },
    }),
  ]);
  const web = await startWeb({
    PORT: String(ports.web),
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SUPABASE_JWT_SECRET: database.jwtSecret,
    IMAGE_LOOKUP: 'off',
    PACKAGE_LOOKUP: 'off',
    SCM_WEB_URL: places.webUrl,
    SCM_API_URL: places.apiUrl,
    SCM_GRAPHQL_URL: `${gate.url}${new URL(places.graphqlUrl).pathname}`,
    SCM_PUBLIC_TOKEN: publicToken,
    SCM_APP_ID: String(app.id),
    SCM_APP_SLUG: app.slug,
    SCM_APP_PRIVATE_KEY: app.privateKey,
    SCM_CLIENT_ID: clientId,
    SCM_CLIENT_SECRET: clientSecret,
    DEMO_USER_ID: '11111111-1111-4111-8111-111111111111',
    CHAT_WEBHOOK_ORIGIN: chat.origin,
    ...variables,
  });
  return { web, gate, chat, database, hostPort: ports.host };
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
