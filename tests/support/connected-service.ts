import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Account, Installation } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from './code-host.ts';
import { type ServiceOptions, startService, type TestService, type TestUser } from './service.ts';

export const PERMISSIONS = { metadata: 'read', contents: 'read', administration: 'read', members: 'read' } as const;

export const SLOPPY = `on: [pull_request_target]
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
      - uses: vendor/deploy@v1
`;

export const QUIET = `name: test
on: push
permissions: {}
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: make
`;

export interface ConnectedService extends TestService {
  readonly host: CodeHostForTests;
  readonly variables: Readonly<Record<string, string>>;
  person(login: string): Promise<TestUser & { readonly account: Account }>;
  company(login: string, options?: { readonly permissions?: Readonly<Record<string, string>> }): Promise<Company>;
  authorizationCodeOf(login: string): Promise<string>;
  connect(company: Company): Promise<ReadonlyMap<string, string>>;
}

export interface Company {
  readonly account: Account;
  readonly admin: TestUser & { readonly account: Account };
  readonly installation: Installation;
}

export async function startConnectedService(
  variables: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
): Promise<ConnectedService> {
  let service: TestService | undefined;
  const { url, close } = await receiver(() => service);
  const host = await startCodeHost({ webhookUrl: url });
  const { id, slug, privateKey, clientId, clientSecret, webhookSecret } = host.app;
  const scm = {
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
    SCM_APP_ID: String(id),
    SCM_APP_SLUG: slug,
    SCM_APP_PRIVATE_KEY: privateKey,
    SCM_CLIENT_ID: clientId,
    SCM_CLIENT_SECRET: clientSecret,
    SCM_WEBHOOK_SECRET: webhookSecret,
    ...variables,
  };
  const started = await startService(scm, options);
  service = started;
  const { url: databaseUrl, publishableKey, secretKey, jwtSecret } = started.database;
  const person: ConnectedService['person'] = async (login) => {
    const email = `${login}.${randomUUID().slice(0, 8)}@example.com`;
    const account = host.world.addAccount({ login, type: 'User', email });
    const user = started.user({ email: account.email });
    await signedInBefore(started, user, account);
    return { ...user, account };
  };
  return {
    ...started,
    host,
    variables: {
      ...scm,
      SUPABASE_URL: databaseUrl,
      SUPABASE_PUBLISHABLE_KEY: publishableKey,
      SUPABASE_SECRET_KEY: secretKey,
      SUPABASE_JWT_SECRET: jwtSecret,
    },
    person,
    async company(login, { permissions = PERMISSIONS } = {}) {
      const account = host.world.addAccount({ login, type: 'Organization' });
      const admin = await person(`${login}-admin`);
      host.world.addMember(account, admin.account, 'admin');
      return { account, admin, installation: host.world.addInstallation({ accountId: account.id, permissions }) };
    },
    async connect({ admin, installation }) {
      const query = `?installation_id=${installation.id}`;
      const linked = await started.call('GET /api/scm/callback', { as: admin, query });
      if (linked.status !== 200) throw new Error(linked.text);
      const { json } = await started.call('GET /api/repos', { as: admin });
      const repositories = json['repositories'] as readonly { id: string; full_name: string }[];
      return new Map(repositories.map((repository) => [repository.full_name, repository.id]));
    },
    async authorizationCodeOf(login) {
      const form = { client_id: clientId, redirect_uri: 'http://127.0.0.1:3000/setup', login };
      const response = await fetch(`${host.webUrl}/login/oauth/authorize`, {
        method: 'POST',
        body: new URLSearchParams(form),
        redirect: 'manual',
      });
      return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
    },
    async stop() {
      await started.stop();
      await host.stop();
      await close();
    },
  };
}

async function receiver(
  serviceOf: () => TestService | undefined,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = new Uint8Array(Buffer.concat(await request.toArray()));
      const headers = new Headers(request.headers as Record<string, string>);
      const answer = await serviceOf()?.send('/api/webhooks/scm', { method: 'POST', body, headers });
      response.writeHead(answer?.status ?? 503).end(await answer?.text());
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function signedInBefore({ database }: TestService, user: TestUser, account: Account): Promise<void> {
  const identity = JSON.stringify({ sub: String(account.id), user_name: account.login });
  await database.sql(
    `insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
     values ($1, $2, now(), '{"provider": "github"}', '{}')`,
    [user.id, user.email],
  );
  await database.sql(
    `insert into auth.identities (id, provider, provider_id, user_id, identity_data)
     values ($1, 'github', $2, $1, ($3::text)::jsonb)`,
    [user.id, String(account.id), identity],
  );
}

export function sloppyFiles(path = '.github/workflows/greet.yml'): Readonly<Record<string, string>> {
  return { [path]: SLOPPY };
}
