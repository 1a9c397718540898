import { seedDemo } from '#lib/simulator/demo.ts';
import { seedInitech } from '#lib/simulator/initech.ts';
import { startSimulator } from '#lib/simulator/server.ts';
import { runPart } from './part.ts';
import { variable } from './variable.ts';

await runPart(async () => {
  const simulator = await startSimulator({
    port: Number(new URL(variable('SCM_WEB_URL')).port),
    dataFolder: variable('CODE_HOST_FOLDER'),
    seed: (world) => seedDemo(world, 'lib/simulator/demo'),
    app: {
      id: Number(variable('SCM_APP_ID')),
      slug: variable('SCM_APP_SLUG'),
      privateKey: variable('SCM_APP_PRIVATE_KEY').replaceAll('\\n', '\n'),
      clientId: variable('SCM_CLIENT_ID'),
      clientSecret: variable('SCM_CLIENT_SECRET'),
      webhookSecret: variable('SCM_WEBHOOK_SECRET'),
    },
    publicToken: variable('SCM_PUBLIC_TOKEN'),
    webhookUrl: `${variable('WEB_URL')}/api/webhooks/scm`,
    callbackUrls: [`${variable('SUPABASE_URL')}/auth/v1/callback`, `${variable('WEB_URL')}/api/scm/callback`],
    setup: { url: `${variable('WEB_URL')}/setup`, withCode: false },
  });
  if (process.env['DEMO_INITECH'] === '1') await seedInitech(simulator.world);
  return simulator;
});
