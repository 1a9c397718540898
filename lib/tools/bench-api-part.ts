import type { AppCredentials } from '#lib/simulator/credentials.ts';
import { startSimulator } from '#lib/simulator/server.ts';
import { startDatabase } from '../../tests/support/database.ts';
import { ACTIONS_USED } from './bench-hardener.ts';

interface Options {
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  readonly app: AppCredentials;
  readonly folder: string;
  readonly organization: string;
  readonly repositories: number;
  readonly files: Readonly<Record<string, string>>;
  readonly publicToken: string;
}

const [name, text = '{}'] = process.argv.slice(2);
const options = JSON.parse(text) as Options;
const part = name === 'database' ? await database() : await codeHost();
process.send?.({ ready: part.ready });
process.once('disconnect', () => void part.stop().finally(() => process.exit(0)));

async function database() {
  const { publishableKey, secretKey, jwtSecret } = options;
  const started = await startDatabase({ keys: { publishableKey, secretKey, jwtSecret } });
  return { ready: { url: started.url }, stop: started.stop };
}

async function codeHost() {
  const { app, folder, organization, repositories, files, publicToken } = options;
  const simulator = await startSimulator({ port: 0, dataFolder: folder, app, publicToken });
  const { world } = simulator;
  const text = 'name: Action\nruns: { using: node24, main: index.js }\n';
  for (const fullName of ACTIONS_USED) {
    const repository = await world.addRepository({ fullName, files: { 'action.yml': text } });
    const { after } = await simulator.push(fullName, { files: { 'action.yml': `# 4\n${text}` } });
    for (const tag of ['v4', 'v4.4.9']) await world.tag(repository, tag, after);
  }
  await world.addRepositories(
    Array.from({ length: repositories }, (_, index) => ({
      id: 1_000_000 + index,
      fullName: `${organization}/r${index}`,
      files,
    })),
  );
  const accountId = world.account(organization)?.id ?? 0;
  const permissions = { metadata: 'read', contents: 'read', administration: 'read', members: 'read' };
  const { id } = world.addInstallation({ accountId, permissions });
  const { webUrl, apiUrl, graphqlUrl } = simulator;
  return { ready: { webUrl, apiUrl, graphqlUrl, installation: String(id) }, stop: () => simulator.stop() };
}
