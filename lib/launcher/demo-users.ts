import type { Database } from '#lib/embedded/database.ts';
import { DEMO } from './demo.ts';

export async function addDemoUsers(
  { sql }: Pick<Database, 'sql'>,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [index, { email, login, accountId }] of DEMO.users.entries()) {
    const id = variables[index === 0 ? 'DEMO_USER_ID' : `DEMO${index + 1}_USER_ID`];
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
