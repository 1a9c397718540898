import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { findPrograms } from '#lib/cluster/programs.ts';
import { AppError } from '#lib/errors.ts';
import { writeGenerated } from '#lib/launcher/configuration.ts';
import { DEMO } from '#lib/launcher/demo.ts';
import { addDemoActions } from '#lib/launcher/demo-actions.ts';
import { addDemoUsers } from '#lib/launcher/demo-users.ts';
import { requirePort } from '#lib/launcher/ports.ts';
import { seedDemo } from '#lib/simulator/demo.ts';
import { startCluster } from '../../tests/support/cluster.ts';
import { buildWeb } from '../../tests/support/web.ts';

const FOLDER = '.chainbreak/cluster';

try {
  findPrograms();
  if (process.argv[2] !== '--check') await run();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const port = process.env['PORT'] || '3000';
  await requirePort(Number(port), '127.0.0.1');
  await buildWeb();
  const users = Object.fromEntries(
    DEMO.users.flatMap(({ email, installationId }, index) => {
      const prefix = index === 0 ? 'DEMO' : `DEMO${index + 1}`;
      return [
        [`${prefix}_USER_ID`, randomUUID()],
        [`${prefix}_USER_EMAIL`, email],
        [`${prefix}_INSTALLATION_ID`, String(installationId)],
      ];
    }),
  );
  const cluster = await startCluster({
    variables: { ...users, PORT: port },
    seed: (world) => seedDemo(world, 'lib/simulator/demo'),
    webhooks: true,
  });
  await addDemoUsers(cluster.database, users);
  await addDemoActions(cluster.database);
  const variables = {
    ...cluster.variables,
    SCM_APP_PRIVATE_KEY: cluster.host.app.privateKey.trim().replaceAll('\n', '\\n'),
    DATABASE_URL: cluster.postgres.url,
  };
  writeGenerated(FOLDER, variables);
  process.stdout.write(`
Chainbreak is running on two instances.

  Proxy       ${cluster.url}
  Instances   ${cluster.webs.map(({ url }) => url).join(', ')}
  Code host   ${cluster.host.webUrl}
  PostgreSQL  ${cluster.postgres.url}
  Redis       127.0.0.1:${cluster.redis.port}, as Upstash at ${cluster.variables['UPSTASH_REDIS_REST_URL']}

Keys, secrets and the ids of the users are in ${join(FOLDER, 'env')}.
Ctrl-C stops everything and deletes the data.
`);
  let stopping = false;
  const end = () => {
    if (stopping) return;
    stopping = true;
    process.stdout.write('Stopping …\n');
    cluster.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
}
