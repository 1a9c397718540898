import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulator } from '../simulator/server.ts';
import type { World } from '../simulator/world.ts';
import { DEMO } from './demo.ts';
import { runPart } from './part.ts';
import { variable } from './variable.ts';

await runPart(() =>
  startSimulator({
    port: Number(new URL(variable('SCM_WEB_URL')).port),
    dataFolder: variable('CODE_HOST_FOLDER'),
    seed,
    app: {
      id: Number(variable('SCM_APP_ID')),
      slug: variable('SCM_APP_SLUG'),
      privateKey: variable('SCM_APP_PRIVATE_KEY').replaceAll('\\n', '\n'),
      clientId: variable('SCM_CLIENT_ID'),
      clientSecret: variable('SCM_CLIENT_SECRET'),
      webhookSecret: variable('SCM_WEBHOOK_SECRET'),
    },
    publicToken: variable('SCM_PUBLIC_TOKEN'),
    callbackUrls: [`${variable('SUPABASE_URL')}/auth/v1/callback`, `${variable('WEB_URL')}/api/scm/callback`],
  }),
);

/** Who may do everything that the service asks of an installation. */
const PERMISSIONS = {
  metadata: 'read',
  contents: 'write',
  workflows: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'read',
  administration: 'read',
  repository_hooks: 'read',
  members: 'read',
};

async function seed(world: World): Promise<void> {
  for (const { login, accountId, email, organization, installationId } of DEMO.users) {
    const user = world.addAccount({ login, id: accountId, type: 'User', email });
    const owner = world.addAccount({ login: organization, type: 'Organization' });
    world.addMember(owner, user, 'admin');
    world.addInstallation({ id: installationId, accountId: owner.id, permissions: PERMISSIONS });
  }
  for (const fullName of DEMO.repositories) {
    await world.addRepository({ fullName, files: filesOf(`demo/${fullName}`) });
  }
}

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')];
    }),
  );
}
