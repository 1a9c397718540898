-- Organizations are the tenants. Who is a member reads what belongs to one; everybody has a personal one.
create table public.organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null check (name = btrim(name) and char_length(name) between 1 and 100),
  personal boolean not null default false,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  pr_gate_fail_on text not null default 'high'
    check (pr_gate_fail_on in ('never', 'critical', 'high', 'medium', 'low', 'info')),
  pr_gate_new_only boolean not null default true
);
create unique index organizations_one_personal on public.organizations (created_by) where personal;
alter table public.organizations enable row level security;

-- No foreign key into the auth schema: a signed token is a user, whether or not the auth server knows it.
create table public.org_members (
  org_id uuid not null references public.organizations (id) on delete cascade,
  user_id uuid not null,
  -- As the last token of this person said; null when it said none.
  email text check (char_length(email) <= 320),
  role text not null check (role in ('admin', 'member')),
  joined_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index org_members_by_user on public.org_members (user_id);
alter table public.org_members enable row level security;

-- Letter case counts for nothing in an address, but only that of ASCII: other scripts have letters whose small form is
-- another person's address.
create function internal.email_key(p_email text) returns text
language sql
immutable
set search_path = ''
as $$ select lower(p_email collate "C") $$;

create table public.org_invites (
  invite_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references public.organizations (id) on delete cascade,
  email text not null check (char_length(email) between 3 and 320),
  role text not null check (role in ('admin', 'member')),
  created_by uuid not null,
  created_at timestamptz not null default now()
);
create unique index org_invites_one_per_address on public.org_invites (org_id, internal.email_key(email));
create index org_invites_by_address on public.org_invites (internal.email_key(email));
alter table public.org_invites enable row level security;

-- The organizations of who asks. Anonymous sign-ins are nobody. Policies compare with an array of them: made once for a
-- query, and one that an index can be searched for, so that a read costs by the size of one's own organization.
create function internal.my_orgs() returns setof uuid
language sql
stable
security definer
set search_path = ''
as $$
  select m.org_id
  from public.org_members m
  where m.user_id = auth.uid() and coalesce(auth.jwt() ->> 'is_anonymous', 'false') <> 'true'
$$;

create policy members_read on public.organizations for select to authenticated
  using (id = any (array(select internal.my_orgs())));
create policy members_read on public.org_members for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- As before, and the functions behind policies and services are nobody else's business.
create or replace function internal.apply_grants() returns void
language plpgsql
set search_path = ''
as $$
declare
  relation record;
begin
  alter default privileges in schema public revoke all on tables from anon, authenticated;
  alter default privileges in schema public revoke all on sequences from anon, authenticated;
  alter default privileges in schema public revoke all on functions from anon, authenticated;
  -- What everybody may by birth can only be taken back for all schemas at once.
  alter default privileges revoke execute on functions from public;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all functions in schema public from public, anon, authenticated;
  revoke all on all functions in schema internal from public, anon, authenticated;
  grant usage on schema public to anon, authenticated, service_role;
  grant all on all tables in schema public to service_role;
  grant all on all sequences in schema public to service_role;
  grant execute on all functions in schema public to service_role;
  grant execute on all functions in schema internal to service_role;
  grant execute on function internal.my_orgs() to authenticated;
  for relation in
    select c.oid::regclass as name, c.relkind, c.relrowsecurity,
           exists (
             select from pg_catalog.pg_policy p
             where p.polrelid = c.oid and p.polcmd in ('r', '*') and 'authenticated'::regrole::oid = any (p.polroles)
           ) as readable
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  loop
    if relation.relkind in ('r', 'p') and not relation.relrowsecurity then
      raise exception 'table % has no row-level security', relation.name;
    end if;
    execute format('revoke all on %s from public, anon, authenticated', relation.name);
    if relation.readable then
      execute format('grant select on %s to authenticated', relation.name);
    end if;
  end loop;
end
$$;

-- Refuses a call in the API's own words: the message is a problem code, the state becomes the HTTP status.
create function internal.refuse(p_code text, p_detail text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_status constant text := case p_code
    when 'validation-failed' then '400'
    when 'forbidden' then '403'
    when 'not-found' then '404'
    else '409'
  end;
begin
  raise exception using errcode = 'PT' || v_status, message = p_code, detail = p_detail;
end
$$;

-- The role of somebody in an organization; refused as if there were none when they are not in it.
create function internal.require_member(p_user_id uuid, p_org_id uuid) returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_role text := (select role from public.org_members where org_id = p_org_id and user_id = p_user_id);
begin
  if v_role is null then
    perform internal.refuse('not-found', 'There is no such organization.');
  end if;
  return v_role;
end
$$;

create function internal.require_admin(p_user_id uuid, p_org_id uuid) returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if internal.require_member(p_user_id, p_org_id) <> 'admin' then
    perform internal.refuse('forbidden', 'Only an admin of the organization may do this.');
  end if;
end
$$;

-- Holds the organization, so that what is decided about its members stays true until the end of the transaction. Rows
-- that name it may still come. Always taken before a lock on its repositories.
create function internal.lock_org(p_org_id uuid) returns public.organizations
language sql
set search_path = ''
as $$ select o from public.organizations o where o.id = p_org_id for no key update $$;

create function internal.org_json(p_org public.organizations, p_role text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('id', p_org.id, 'name', p_org.name, 'personal', p_org.personal, 'role', p_role,
    'created_at', internal.rfc3339(p_org.created_at))
$$;

-- The personal organization, made when first needed; notes the address that the person has now.
create function internal.personal_org(p_user_id uuid, p_email text) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if p_email is not null then
    update public.org_members set email = p_email where user_id = p_user_id and email is distinct from p_email;
  end if;
  select id into v_id from public.organizations where personal and created_by = p_user_id;
  if v_id is not null then
    return v_id;
  end if;
  insert into public.organizations (name, personal, created_by) values ('Personal', true, p_user_id)
  on conflict (created_by) where personal do nothing
  returning id into v_id;
  if v_id is null then
    -- Made by another request at this moment, with its member.
    select id into v_id from public.organizations where personal and created_by = p_user_id;
    return v_id;
  end if;
  insert into public.org_members (org_id, user_id, email, role) values (v_id, p_user_id, p_email, 'admin');
  return v_id;
end
$$;

-- The organization that a call is about: the one named, else the personal one. An unknown one and a stranger's are the
-- same refusal.
create function public.resolve_org(p_user_id uuid, p_email text, p_org_id uuid default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_personal uuid := internal.personal_org(p_user_id, p_email);
  v_org_id uuid := coalesce(p_org_id, v_personal);
  v_role text := (select role from public.org_members where org_id = v_org_id and user_id = p_user_id);
begin
  if v_role is null then
    perform internal.refuse('forbidden', 'You are not a member of this organization.');
  end if;
  return jsonb_build_object('id', v_org_id, 'role', v_role);
end
$$;

create function public.list_orgs(p_user_id uuid, p_email text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform internal.personal_org(p_user_id, p_email);
  return (
    select jsonb_agg(internal.org_json(o, m.role) order by o.personal desc, o.name, o.id)
    from public.org_members m join public.organizations o on o.id = m.org_id
    where m.user_id = p_user_id);
end
$$;

create function public.create_org(p_user_id uuid, p_email text, p_name text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_org public.organizations;
begin
  perform internal.personal_org(p_user_id, p_email);
  insert into public.organizations (name, created_by) values (p_name, p_user_id) returning * into v_org;
  insert into public.org_members (org_id, user_id, email, role) values (v_org.id, p_user_id, p_email, 'admin');
  return internal.org_json(v_org, 'admin');
end
$$;

create function public.rename_org(p_user_id uuid, p_org_id uuid, p_name text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_org public.organizations;
begin
  perform internal.require_admin(p_user_id, p_org_id);
  update public.organizations set name = p_name where id = p_org_id returning * into v_org;
  return internal.org_json(v_org, 'admin');
end
$$;

create function public.get_pr_gate(p_user_id uuid, p_org_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select jsonb_build_object('fail_on', o.pr_gate_fail_on, 'new_only', o.pr_gate_new_only)
    from public.organizations o where o.id = p_org_id);
end
$$;

create function public.put_pr_gate(p_user_id uuid, p_org_id uuid, p_fail_on text, p_new_only boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform internal.require_admin(p_user_id, p_org_id);
  update public.organizations set pr_gate_fail_on = p_fail_on, pr_gate_new_only = p_new_only where id = p_org_id;
  return public.get_pr_gate(p_user_id, p_org_id);
end
$$;

create function public.list_members(p_user_id uuid, p_org_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select jsonb_agg(jsonb_build_object('user_id', m.user_id, 'email', m.email, 'role', m.role,
      'joined_at', internal.rfc3339(m.joined_at)) order by m.joined_at, m.user_id)
    from public.org_members m where m.org_id = p_org_id);
end
$$;

create function internal.is_last_admin(p_org_id uuid, p_user_id uuid) returns boolean
language sql
stable
set search_path = ''
as $$
  select exists (
      select from public.org_members where org_id = p_org_id and user_id = p_user_id and role = 'admin')
    and not exists (
      select from public.org_members where org_id = p_org_id and user_id <> p_user_id and role = 'admin')
$$;

create function public.set_member_role(p_actor_id uuid, p_org_id uuid, p_user_id uuid, p_role text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform internal.lock_org(p_org_id);
  perform internal.require_admin(p_actor_id, p_org_id);
  if not exists (select from public.org_members where org_id = p_org_id and user_id = p_user_id) then
    perform internal.refuse('not-found', 'There is no such member.');
  end if;
  if p_role <> 'admin' and internal.is_last_admin(p_org_id, p_user_id) then
    perform internal.refuse('last-admin', 'An organization needs an admin: make somebody else one first.');
  end if;
  update public.org_members set role = p_role where org_id = p_org_id and user_id = p_user_id;
  return jsonb_build_object('user_id', p_user_id, 'role', p_role);
end
$$;

create function internal.invite_json(p_invite public.org_invites, p_org_name text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('invite_id', p_invite.invite_id, 'email', p_invite.email, 'role', p_invite.role,
    'org_id', p_invite.org_id, 'org_name', p_org_name, 'created_at', internal.rfc3339(p_invite.created_at))
$$;

create function public.list_invites(p_user_id uuid, p_org_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(internal.invite_json(i, o.name) order by i.created_at, i.invite_id), '[]')
    from public.org_invites i join public.organizations o on o.id = i.org_id
    where i.org_id = p_org_id);
end
$$;

create function public.create_invite(p_actor_id uuid, p_org_id uuid, p_email text, p_role text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_org public.organizations := internal.lock_org(p_org_id);
  v_invite public.org_invites;
begin
  perform internal.require_admin(p_actor_id, p_org_id);
  if v_org.personal then
    perform internal.refuse('personal-org', 'Nobody can be invited into a personal organization.');
  end if;
  if exists (
    select from public.org_members
    where org_id = p_org_id and internal.email_key(email) = internal.email_key(p_email)
  ) then
    perform internal.refuse('already-member', 'Somebody with this address is a member.');
  end if;
  insert into public.org_invites (org_id, email, role, created_by) values (p_org_id, p_email, p_role, p_actor_id)
  on conflict do nothing
  returning * into v_invite;
  if v_invite.invite_id is null then
    perform internal.refuse('already-invited', 'This address has an invite that is still open.');
  end if;
  return internal.invite_json(v_invite, v_org.name);
end
$$;

create function public.revoke_invite(p_actor_id uuid, p_org_id uuid, p_invite_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform internal.require_admin(p_actor_id, p_org_id);
  delete from public.org_invites where org_id = p_org_id and invite_id = p_invite_id;
  if not found then
    perform internal.refuse('not-found', 'There is no such invite.');
  end if;
end
$$;

create function public.list_my_invites(p_email text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(internal.invite_json(i, o.name) order by i.created_at, i.invite_id), '[]')
  from public.org_invites i join public.organizations o on o.id = i.org_id
  where internal.email_key(i.email) = internal.email_key(p_email)
$$;

-- Somebody else's invite is the same as none.
create function public.accept_invite(p_user_id uuid, p_email text, p_invite_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_org public.organizations;
  v_invite public.org_invites;
begin
  perform internal.personal_org(p_user_id, p_email);
  v_org := internal.lock_org((select org_id from public.org_invites where invite_id = p_invite_id));
  delete from public.org_invites
  where invite_id = p_invite_id and internal.email_key(email) = internal.email_key(p_email)
  returning * into v_invite;
  if v_invite.invite_id is null then
    perform internal.refuse('not-found', 'There is no such invite.');
  end if;
  insert into public.org_members (org_id, user_id, email, role)
  values (v_invite.org_id, p_user_id, p_email, v_invite.role)
  on conflict do nothing;
  return internal.org_json(v_org,
    (select role from public.org_members where org_id = v_invite.org_id and user_id = p_user_id));
end
$$;

select internal.apply_grants();
