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
  /** Reads every public repository. */
  readonly publicToken: string;
  readonly app: AppCredentials;
  /** For what has no shorthand: accounts, members, installations. */
  readonly world: World;
  addRepository(options: NewRepository): Promise<Repository>;
  /** Many at once: a thousand take about as long as one. */
  addRepositories(list: readonly NewRepository[]): Promise<Repository[]>;
  /** Requests since the last call, oldest first. */
  log(): Promise<LoggedRequest[]>;
  fault(fault: Fault): Promise<void>;
  /** Forgets the faults that have not happened. */
  clearFaults(): void;
  /** A commit; resolves when its event is delivered to every installation, or at once when it is held back. */
  push(fullName: string, change: Push): ReturnType<Simulator['push']>;
  /** An event by its id, at once: one held back, or the same once more. */
  deliver(guid: string): ReturnType<Simulator['deliver']>;
  /** Ends every token of an installation before its time. */
  revokeTokens(installationId: number): void;
  /** Events sent so far, oldest first. */
  readonly deliveries: Simulator['deliveries'];
  /** A token of a person, through the app or their own. */
  tokenOf(login: string, options?: { readonly throughApp?: boolean }): string;
  /** What nobody expected so far; reading it clears it, for a test that provokes it. */
  takeViolations(): string[];
  /** Rejects when a request was unknown to GitHub or not answered as GitHub does. */
  stop(): Promise<void>;
}

export interface CodeHostOptions {
  readonly seed?: (world: World) => Promise<void>;
  readonly callbackUrls?: readonly string[];
  readonly webhookUrl?: string;
  /** Where those go on who install the app. */
  readonly setup?: Setup;
}

let privateKey: string | undefined;

/** A code host of its own for one test file, over HTTP on a free port, with nothing in it. */
export async function startCodeHost(options: CodeHostOptions = {}): Promise<CodeHostForTests> {
  // One key a process: making it takes a tenth of a second.
  privateKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  const dataFolder = mkdtempSync(join(tmpdir(), 'chainbreak-code-host-'));
  const app: AppCredentials = {
    id: 4711,
    slug: 'chainbreak-local',
    privateKey,
    clientId: 'Iv1.0123456789abcdef',
    clientSecret: 'secret-of-the-client',
    webhookSecret: 'secret-of-the-webhook',
  };
  const publicToken = 'ghp_publicReaderOfTheTests';
  const simulator = await startSimulator({ port: 0, dataFolder, app, publicToken, ...options });
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
