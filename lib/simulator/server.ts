import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppCredentials, Credentials } from './credentials.ts';
import type { Fault } from './faults.ts';
import { Host, JSON_TYPE, type LoggedRequest } from './host.ts';
import type { Setup } from './install.ts';
import type { People } from './people.ts';
import { type Push, type Pushed, push } from './push.ts';
import { type Delivery, Webhooks } from './webhooks.ts';
import { World } from './world.ts';

export interface SimulatorOptions {
  readonly port: number;
  readonly dataFolder: string;
  readonly seed?: (world: World) => Promise<void>;
  readonly app: AppCredentials;
  readonly publicToken: string;
  readonly callbackUrls?: readonly string[];
  readonly webhookUrl?: string;
  readonly setup?: Setup;
}

export interface Simulator {
  readonly port: number;
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly world: World;
  readonly log: readonly LoggedRequest[];
  takeViolations(): string[];
  fault(fault: Fault): void;
  clearFaults(): void;
  tokenOf(login: string, throughApp: boolean): string;
  push(fullName: string, options: Push): Promise<Pushed>;
  readonly people: People;
  deliver(guid: string): Promise<Delivery | undefined>;
  revokeTokens(installationId: number): void;
  readonly deliveries: readonly Delivery[];
  stop(): Promise<void>;
}

/** Starts a local GitHub: the part of its API that the service uses, over bare git repositories. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const world = World.open(options.dataFolder);
  await world.seed(options.seed ?? (async () => {}));
  const reader = world.addAccount({ login: 'public-reader', type: 'User', email: null });
  const credentials = new Credentials(world, options.app, options.publicToken, reader);
  const webhooks = new Webhooks(options.app, options.webhookUrl);
  const host = new Host({
    world,
    credentials,
    webhooks,
    callbackUrls: options.callbackUrls ?? [],
    setup: options.setup,
  });
  // An idle connection that closes during the next request would fail it, which happens on busy machines.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    host.serve(request, response).catch((error: unknown) => {
      host.violate(`failed: ${error instanceof Error ? error.message : 'unknown error'}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, JSON_TYPE).end('{"message":"The local code host failed."}');
    });
  });
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  host.webUrl = `http://127.0.0.1:${port}`;
  return {
    port,
    webUrl: host.webUrl,
    apiUrl: host.places.apiUrl,
    graphqlUrl: `${host.webUrl}/api/graphql`,
    world,
    log: host.log,
    takeViolations: () => host.violations.splice(0),
    fault: (fault) => host.faults.add(fault),
    clearFaults: () => host.faults.clear(),
    tokenOf(login, throughApp) {
      const account = world.account(login);
      if (account === undefined) throw new Error(`There is no account "${login}".`);
      return credentials.mintUserToken(account, throughApp);
    },
    async push(fullName, change) {
      const repository = world.repository(fullName);
      if (repository === undefined) throw new Error(`There is no repository "${fullName}".`);
      return push(repository, change, { world, webhooks, places: host.places });
    },
    people: host.people,
    deliver: (guid) => webhooks.deliver(guid),
    revokeTokens: (installationId) => credentials.revokeTokens(installationId),
    deliveries: webhooks.deliveries,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      world.close();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
