import type { Database } from '#lib/embedded/database.ts';
import { DEMO_ACTIONS, idOfAction, MOVED_TAG } from '#lib/simulator/demo-actions.ts';

export async function addDemoActions({ sql }: Pick<Database, 'sql'>): Promise<void> {
  const names = JSON.stringify(DEMO_ACTIONS.map(({ name }) => name));
  const [catalog] = await sql('select public.catalog_actions($1::text) as added', [names]);
  if (catalog?.['added'] === 0) return;
  await sql(
    `select count(public.enqueue_action(split_part(n, '/', 1), split_part(n, '/', 2)))
     from jsonb_array_elements_text(($1::text)::jsonb) as n`,
    [names],
  );
  const { action, ref, before } = MOVED_TAG;
  await sql(
    `with known as (
       update public.actions a set scm_id = $2 from public.action_names n
       where n.name_key = $1 and a.id = n.action_id and a.scm_id is null returning a.id
     )
     insert into public.ref_observations (action_id, ref, commit_sha, first_seen_at, last_seen_at)
     select known.id, $3, $4, now() - interval '90 days', now() - interval '2 days' from known`,
    [action, String(idOfAction(action)), ref, before],
  );
}
