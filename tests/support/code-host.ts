import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppCredentials } from '#lib/simulator/credentials.ts';
import type { Fault } from '#lib/simulator/faults.ts';
import type { LoggedRequest } from '#lib/simulator/host.ts';
import type { Setup } from '#lib/simulator/install.ts';
import type { NewRepository, Repository } from '#lib/simulator/model.ts';
import type { Push } from '#lib/simulator/push.ts';
import { type Simulator, startSimulator } from '#lib/simulator/server.ts';
import type { World } from '#lib/simulator/world.ts';

export interface CodeHostForTests {
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly publicToken: string;
  readonly app: AppCredentials;
  readonly world: World;
  addRepository(options: NewRepository): Promise<Repository>;
  addRepositories(list: readonly NewRepository[]): Promise<Repository[]>;
  log(): Promise<LoggedRequest[]>;
  fault(fault: Fault): Promise<void>;
  clearFaults(): void;
  push(fullName: string, change: Push): ReturnType<Simulator['push']>;
  readonly people: Simulator['people'];
  deliver(guid: string): ReturnType<Simulator['deliver']>;
  revokeTokens(installationId: number): void;
  readonly deliveries: Simulator['deliveries'];
  tokenOf(login: string, options?: { readonly throughApp?: boolean }): string;
  takeViolations(): string[];
  stop(): Promise<void>;
}

export interface CodeHostOptions {
  readonly port?: number;
  readonly seed?: (world: World) => Promise<void>;
  readonly callbackUrls?: readonly string[];
  readonly webhookUrl?: string;
  readonly setup?: Setup;
}

let privateKey: string | undefined;

const PUBLIC_TOKEN = 'ghp_publicReaderOfTheTests';

export function codeHostAt(port: number) {
  privateKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  const app: AppCredentials = {
    id: 4711,
    slug: 'chainbreak-local',
    privateKey,
    clientId: 'Iv1.0123456789abcdef',
    clientSecret: 'secret-of-the-client',
    webhookSecret: 'secret-of-the-webhook',
  };
  const webUrl = `http://127.0.0.1:${port}`;
  return { webUrl, apiUrl: `${webUrl}/api/v3`, graphqlUrl: `${webUrl}/api/graphql`, publicToken: PUBLIC_TOKEN, app };
}

export async function startCodeHost({ port = 0, ...options }: CodeHostOptions = {}): Promise<CodeHostForTests> {
  const { app, publicToken } = codeHostAt(port);
  const dataFolder = mkdtempSync(join(tmpdir(), 'chainbreak-code-host-'));
  const simulator = await startSimulator({ port, dataFolder, app, publicToken, ...options });
  let logged = 0;
  return {
    webUrl: simulator.webUrl,
    apiUrl: simulator.apiUrl,
    graphqlUrl: simulator.graphqlUrl,
    publicToken,
    app,
    world: simulator.world,
    addRepository: (repository) => simulator.world.addRepository(repository),
    addRepositories: (list) => simulator.world.addRepositories(list),
    async log() {
      const fresh = simulator.log.slice(logged);
      logged = simulator.log.length;
      return fresh;
    },
    clearFaults: () => simulator.clearFaults(),
    async fault(fault) {
      simulator.fault(fault);
    },
    push: (fullName, change) => simulator.push(fullName, change),
    people: simulator.people,
    deliver: (guid) => simulator.deliver(guid),
    revokeTokens: (installationId) => simulator.revokeTokens(installationId),
    deliveries: simulator.deliveries,
    tokenOf(login, { throughApp = true } = {}) {
      return simulator.tokenOf(login, throughApp);
    },
    takeViolations: () => simulator.takeViolations(),
    async stop() {
      await simulator.stop();
      rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 });
      const violations = simulator.takeViolations();
      if (violations.length > 0)
        throw new Error(`The code host was asked what it does not know:\n${violations.join('\n')}`);
    },
  };
}
