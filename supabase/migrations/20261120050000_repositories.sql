-- Where the app is installed, as far as an organization here linked it. Several organizations may link one.
create table public.installations (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references public.organizations (id) on delete cascade,
  -- Who linked it; grants nothing.
  user_id uuid not null,
  installation_id bigint not null check (installation_id > 0),
  account text not null,
  account_type text not null check (account_type in ('User', 'Organization')),
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  unique (org_id, installation_id)
);
alter table public.installations enable row level security;

create table public.repositories (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references public.organizations (id) on delete cascade,
  user_id uuid not null,
  installation_id bigint not null,
  -- The code host's number, which no renaming changes.
  scm_id text not null check (scm_id ~ '^[0-9]{1,20}$'),
  full_name text not null,
  private boolean not null,
  html_url text not null,
  default_branch text,
  archived boolean not null default false,
  monitored boolean not null default false,
  -- Who is told of what a push brought.
  monitored_by uuid,
  removed_at timestamptz,
  last_scan_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, scm_id),
  -- What belongs to a repository belongs to its organization: foreign keys name both.
  unique (id, org_id),
  foreign key (org_id, installation_id) references public.installations (org_id, installation_id),
  check (not monitored or monitored_by is not null)
);
create index repositories_by_name on public.repositories (org_id, full_name);
create index repositories_by_installation on public.repositories (org_id, installation_id);
create index repositories_by_scm_id on public.repositories (scm_id);
create index repositories_by_monitor on public.repositories (org_id, monitored_by) where monitored;
alter table public.repositories enable row level security;

create policy members_read on public.installations for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.repositories for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- The repository, when its organization is one of this user's; refused as if there were none otherwise. A removed one
-- keeps its history, which may still be looked after, but cannot be scanned.
create function internal.require_repository(p_user_id uuid, p_repo_id uuid, p_removed_too boolean default true)
returns public.repositories
language plpgsql
stable
set search_path = ''
as $$
declare
  v_repository public.repositories;
begin
  select r.* into v_repository
  from public.repositories r
    join public.org_members m on m.org_id = r.org_id and m.user_id = p_user_id
    join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
  where r.id = p_repo_id and (p_removed_too or (r.removed_at is null and i.removed_at is null));
  if v_repository.id is null then
    perform internal.refuse('not-found', 'There is no such repository.');
  end if;
  return v_repository;
end
$$;

-- Changes of one repository take turns.
create function internal.lock_repository(p_repo_id uuid) returns public.repositories
language sql
set search_path = ''
as $$ select r from public.repositories r where r.id = p_repo_id for no key update $$;

-- For changes of many at once, in one order everywhere: two transactions never wait for each other.
create function internal.lock_repositories(p_org_id uuid) returns void
language sql
set search_path = ''
as $$
  select from public.repositories where org_id = p_org_id order by scm_id collate "C", id for no key update
$$;

-- Whoever may link an installation was proven at the code host before. Linking again is harmless, by whomever.
create function public.link_installation(p_user_id uuid, p_org_id uuid, p_installation text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_installation jsonb := p_installation::jsonb;
begin
  perform internal.require_admin(p_user_id, p_org_id);
  insert into public.installations (org_id, user_id, installation_id, account, account_type)
  values (p_org_id, p_user_id, (v_installation ->> 'installation_id')::bigint, v_installation ->> 'account',
    v_installation ->> 'account_type')
  on conflict (org_id, installation_id) do update
  set account = excluded.account, account_type = excluded.account_type, removed_at = null;
end
$$;

-- The numbers of an organization's installations, as text.
create function public.list_installations(p_user_id uuid, p_org_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(i.installation_id::text order by i.installation_id), '[]')
    from public.installations i where i.org_id = p_org_id and i.removed_at is null);
end
$$;

-- Makes the stored repositories what the code host listed, all at once: `listed` holds each installation that answered
-- with all of its repositories, `gone` those that no longer exist. Repositories that an answer left out are marked
-- removed, never deleted. Answers what the organization has now.
create function public.sync_repositories(p_user_id uuid, p_org_id uuid, p_answer text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_answer jsonb := p_answer::jsonb;
  v_answered bigint[] := array(
    select (i.value ->> 'installation_id')::bigint from jsonb_array_elements(v_answer -> 'listed') as i);
begin
  perform internal.require_member(p_user_id, p_org_id);
  perform pg_advisory_xact_lock(hashtextextended('repositories of ' || p_org_id, 0));
  perform internal.lock_repositories(p_org_id);
  update public.installations set removed_at = now()
  where org_id = p_org_id and removed_at is null
    and installation_id::text in (select jsonb_array_elements_text(v_answer -> 'gone'));

  with listed as (
    select (i.value ->> 'installation_id')::bigint as installation_id, r.*
    from jsonb_array_elements(v_answer -> 'listed') as i,
      jsonb_to_recordset(i.value -> 'repositories') as r (
        scm_id text, full_name text, private boolean, html_url text, default_branch text, archived boolean)
  )
  insert into public.repositories as old
    (org_id, user_id, installation_id, scm_id, full_name, private, html_url, default_branch, archived)
  -- A repository that moved while the pages were read is in two answers.
  select distinct on (scm_id) p_org_id, p_user_id, installation_id, scm_id, full_name, private, html_url,
    default_branch, archived
  from listed order by scm_id, installation_id desc
  on conflict (org_id, scm_id) do update
  set installation_id = excluded.installation_id, full_name = excluded.full_name, private = excluded.private,
    html_url = excluded.html_url, default_branch = excluded.default_branch, archived = excluded.archived,
    removed_at = null, updated_at = now()
  where (old.installation_id, old.full_name, old.private, old.html_url, old.default_branch, old.archived, old.removed_at)
    is distinct from (excluded.installation_id, excluded.full_name, excluded.private, excluded.html_url,
      excluded.default_branch, excluded.archived, null::timestamptz);

  with listed as materialized (
    select (i.value ->> 'installation_id')::bigint as installation_id, s.value ->> 'scm_id' as scm_id
    from jsonb_array_elements(v_answer -> 'listed') as i, jsonb_array_elements(i.value -> 'repositories') as s
  )
  update public.repositories r set removed_at = now(), updated_at = now()
  where r.org_id = p_org_id and r.removed_at is null and r.installation_id = any (v_answered)
    and not exists (select from listed l where l.installation_id = r.installation_id and l.scm_id = r.scm_id);

  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('id', r.id, 'full_name', r.full_name, 'private', r.private, 'html_url', r.html_url)
      order by r.full_name collate "C"), '[]')
    from public.repositories r
      join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
    where r.org_id = p_org_id and r.removed_at is null and i.removed_at is null);
end
$$;

create function public.set_monitored(p_user_id uuid, p_repo_id uuid, p_monitored boolean) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_repository public.repositories;
begin
  -- First, so that nobody who is leaving becomes the one who is told.
  perform internal.lock_repository(p_repo_id);
  v_repository := internal.require_repository(p_user_id, p_repo_id, false);
  update public.repositories
  set monitored = p_monitored, monitored_by = case when p_monitored then p_user_id end, updated_at = now()
  where id = v_repository.id;
  return p_monitored;
end
$$;

-- The code host no longer shows this repository to the installation.
create function public.mark_repository_removed(p_repo_id uuid) returns void
language sql
set search_path = ''
as $$
  update public.repositories set removed_at = now(), updated_at = now() where id = p_repo_id and removed_at is null
$$;

-- Who leaves is told nothing more: an admin looks after the repositories that they monitored.
create function public.remove_member(p_actor_id uuid, p_org_id uuid, p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_org public.organizations := internal.lock_org(p_org_id);
  v_role text := internal.require_member(p_actor_id, p_org_id);
begin
  if p_actor_id <> p_user_id and v_role <> 'admin' then
    perform internal.refuse('forbidden', 'Only an admin of the organization may do this.');
  end if;
  if not exists (select from public.org_members where org_id = p_org_id and user_id = p_user_id) then
    perform internal.refuse('not-found', 'There is no such member.');
  end if;
  if v_org.personal then
    perform internal.refuse('personal-org', 'Nobody leaves a personal organization.');
  end if;
  if internal.is_last_admin(p_org_id, p_user_id) then
    perform internal.refuse('last-admin', 'An organization needs an admin: make somebody else one first.');
  end if;
  perform internal.lock_repositories(p_org_id);
  delete from public.org_members where org_id = p_org_id and user_id = p_user_id;
  update public.repositories
  set monitored_by = (
      select m.user_id from public.org_members m where m.org_id = p_org_id and m.role = 'admin'
      order by m.user_id = p_actor_id desc, m.joined_at, m.user_id limit 1),
    updated_at = now()
  where org_id = p_org_id and monitored_by = p_user_id;
end
$$;

select internal.apply_grants();
