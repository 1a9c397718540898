import { seedDemo } from './demo.ts';
import { startSimulator } from './server.ts';

/** The local code host as a process of its own. Everything comes from the environment; it ends with its parent. */
function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set.`);
  return value;
}

const simulator = await startSimulator({
  port: Number(new URL(variable('SCM_WEB_URL')).port),
  dataFolder: variable('CODE_HOST_FOLDER'),
  // Read once, when the folder is new. Every program of ours runs in the project's folder.
  seed: (world) => seedDemo(world, 'lib/simulator/demo'),
  publicToken: variable('SCM_PUBLIC_TOKEN'),
  webhookUrl: `${variable('WEB_URL')}/api/webhooks/scm`,
  callbackUrls: [`${variable('SUPABASE_URL')}/auth/v1/callback`],
  app: {
    id: Number(variable('SCM_APP_ID')),
    slug: variable('SCM_APP_SLUG'),
    // In one line of a file of variables, line breaks are written out.
    privateKey: variable('SCM_APP_PRIVATE_KEY').replaceAll('\\n', '\n'),
    clientId: variable('SCM_CLIENT_ID'),
    clientSecret: variable('SCM_CLIENT_SECRET'),
    webhookSecret: variable('SCM_WEBHOOK_SECRET'),
  },
});

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  simulator.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// The launcher's end, however sudden, closes the channel.
process.once('disconnect', stop);
