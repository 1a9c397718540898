import { startDatabase } from '#lib/embedded/database.ts';
import { addDemoActions } from './demo-actions.ts';
import { addDemoUsers } from './demo-users.ts';
import { runPart } from './part.ts';
import { variable } from './variable.ts';

await runPart(async () => {
  const database = await startDatabase({
    store: { folder: variable('DATABASE_FOLDER') },
    port: Number(new URL(variable('SUPABASE_URL')).port),
    publishableKey: variable('SUPABASE_PUBLISHABLE_KEY'),
    secretKey: variable('SUPABASE_SECRET_KEY'),
    jwtSecret: variable('SUPABASE_JWT_SECRET'),
    siteUrl: variable('WEB_URL'),
    codeHost: {
      webUrl: variable('SCM_WEB_URL'),
      clientId: variable('SCM_CLIENT_ID'),
      clientSecret: variable('SCM_CLIENT_SECRET'),
    },
  });
  await addDemoUsers(database, process.env);
  await addDemoActions(database);
  return database;
});
