-- Belongs to a person, not to an organization: only the owner reads it.
create table public.notification_settings (
  user_id uuid primary key,
  slack_webhook_url text not null check (char_length(slack_webhook_url) <= 500),
  enabled boolean not null,
  -- What the chat service said when it cut the hook off; told to the owner, gone with the next change.
  failure text check (failure ~ '^[a-z_]{1,60}$'),
  updated_at timestamptz not null default now()
);
alter table public.notification_settings enable row level security;
create policy owner_reads on public.notification_settings for select to authenticated
  using (user_id = (select auth.uid()) and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true');

create function internal.notification_settings_json(p_row public.notification_settings) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('user_id', p_row.user_id, 'slack_webhook_url', p_row.slack_webhook_url,
    'enabled', p_row.enabled, 'failure', p_row.failure, 'updated_at', internal.rfc3339(p_row.updated_at))
$$;

create function public.get_notification_settings(p_user_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select internal.notification_settings_json(n) from public.notification_settings n where n.user_id = p_user_id
$$;

create function public.put_notification_settings(p_user_id uuid, p_slack_webhook_url text, p_enabled boolean)
returns jsonb
language sql
set search_path = ''
as $$
  insert into public.notification_settings as n (user_id, slack_webhook_url, enabled, updated_at)
  values (p_user_id, p_slack_webhook_url, p_enabled, clock_timestamp())
  on conflict (user_id) do update
  set slack_webhook_url = excluded.slack_webhook_url, enabled = excluded.enabled, failure = null,
    updated_at = excluded.updated_at
  returning internal.notification_settings_json(n)
$$;

create function public.delete_notification_settings(p_user_id uuid) returns void
language sql
set search_path = ''
as $$ delete from public.notification_settings where user_id = p_user_id $$;

-- Switches a hook off that the chat service no longer takes; not one that was changed meanwhile.
create function public.disconnect_notifications(p_user_id uuid, p_slack_webhook_url text, p_failure text) returns void
language sql
set search_path = ''
as $$
  update public.notification_settings
  set enabled = false, failure = p_failure, updated_at = clock_timestamp()
  where user_id = p_user_id and slack_webhook_url = p_slack_webhook_url
$$;

-- Where to tell this user something about a repository: only while they are in its organization and want to hear.
create function public.notification_target(p_user_id uuid, p_org_id uuid) returns text
language sql
stable
set search_path = ''
as $$
  select n.slack_webhook_url
  from public.notification_settings n
    join public.org_members m on m.user_id = n.user_id and m.org_id = p_org_id
  where n.user_id = p_user_id and n.enabled
$$;

select internal.apply_grants();
