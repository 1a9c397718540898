import { type Database, startDatabase } from '#lib/embedded/database.ts';
import { DEMO } from './demo.ts';
import { addDemoActions } from './demo-actions.ts';
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
  await addDemoUsers(database);
  await addDemoActions(database);
  return database;
});

async function addDemoUsers({ sql }: Database): Promise<void> {
  for (const [index, { email, login, accountId }] of DEMO.users.entries()) {
    const id = variable(index === 0 ? 'DEMO_USER_ID' : `DEMO${index + 1}_USER_ID`);
    const identity = JSON.stringify({
      sub: String(accountId),
      provider_id: String(accountId),
      user_name: login,
      email,
    });
    await sql(
      `insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
       values ($1, $2, now(), '{"provider": "github", "providers": ["github"]}', ($3::text)::jsonb)
       on conflict do nothing`,
      [id, email, identity],
    );
    await sql(
      `insert into auth.identities (id, provider, provider_id, user_id, identity_data)
       values ($1, 'github', $2, $1, ($3::text)::jsonb)
       on conflict do nothing`,
      [id, String(accountId), identity],
    );
  }
}
