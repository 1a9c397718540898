-- Sparse: a rule without a row is on. A repository's row decides before its organization's.
create table public.rule_settings (
  org_id uuid not null references public.organizations (id) on delete cascade,
  rule_id text not null check (char_length(rule_id) between 1 and 100),
  enabled boolean not null,
  updated_by uuid not null,
  updated_at timestamptz not null default now(),
  primary key (org_id, rule_id)
);
alter table public.rule_settings enable row level security;

create table public.rule_overrides (
  org_id uuid not null,
  repo_id uuid not null,
  rule_id text not null check (char_length(rule_id) between 1 and 100),
  enabled boolean not null,
  updated_by uuid not null,
  updated_at timestamptz not null default now(),
  primary key (repo_id, rule_id),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
create index rule_overrides_by_organization on public.rule_overrides (org_id, rule_id);
alter table public.rule_overrides enable row level security;

create policy members_read on public.rule_settings for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.rule_overrides for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- The rules that are off for a repository.
create function internal.disabled_rules(p_org_id uuid, p_repo_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(coalesce(o.rule_id, s.rule_id) order by coalesce(o.rule_id, s.rule_id) collate "C"), '[]')
  from (select * from public.rule_settings where org_id = p_org_id) s
    full join (select * from public.rule_overrides where repo_id = p_repo_id) o using (rule_id)
  where not coalesce(o.enabled, s.enabled)
$$;

create function internal.target_json(p_repo public.repositories, p_user_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'repo_id', p_repo.id, 'org_id', p_repo.org_id, 'user_id', p_user_id, 'scm_id', p_repo.scm_id,
    'installation_id', p_repo.installation_id::text, 'full_name', p_repo.full_name,
    'disabled_rules', internal.disabled_rules(p_repo.org_id, p_repo.id),
    'last_scan', (
      select jsonb_build_object('scan_id', s.id, 'ruleset', s.ruleset, 'workflow_files', s.workflow_files,
        'suppressed', s.suppressed, 'tree', i.tree, 'digest', i.digest,
        'completed', to_jsonb(r.completed), 'not_assessed', r.not_assessed)
      from public.scans s join public.scan_inputs i on i.scan_id = s.id join public.scan_rules r on r.scan_id = s.id
      where s.id = p_repo.last_scan_id))
$$;

-- What a scan of this repository has to know before it begins, for somebody who may scan it.
create function public.scan_target(p_user_id uuid, p_repo_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return internal.target_json(internal.require_repository(p_user_id, p_repo_id, false), p_user_id);
end
$$;

-- Every monitored row of the repository that the code host calls by this number; null when no organization has it.
create function public.push_targets(p_scm_id text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select case when count(*) > 0
    then coalesce(jsonb_agg(internal.target_json(r, r.monitored_by) order by r.id) filter (where r.monitored), '[]')
  end
  from public.repositories r
    join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
  where r.scm_id = p_scm_id and r.removed_at is null and i.removed_at is null
$$;

create function public.list_rule_settings(p_user_id uuid, p_org_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(jsonb_build_object('rule_id', s.rule_id, 'enabled', s.enabled,
      'updated_at', internal.rfc3339(s.updated_at)) order by s.rule_id collate "C"), '[]')
    from public.rule_settings s where s.org_id = p_org_id);
end
$$;

create function public.list_rule_overrides(p_user_id uuid, p_repo_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_repo public.repositories := internal.require_repository(p_user_id, p_repo_id);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('rule_id', o.rule_id, 'enabled', o.enabled,
      'updated_at', internal.rfc3339(o.updated_at)) order by o.rule_id collate "C"), '[]')
    from public.rule_overrides o where o.repo_id = v_repo.id);
end
$$;

create function public.list_org_rule_overrides(p_user_id uuid, p_org_id uuid, p_rule_id text default null)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(jsonb_build_object('repository_id', o.repo_id, 'rule_id', o.rule_id,
      'enabled', o.enabled, 'updated_at', internal.rfc3339(o.updated_at))
      order by o.rule_id collate "C", o.repo_id), '[]')
    from public.rule_overrides o
    where o.org_id = p_org_id and (p_rule_id is null or o.rule_id = p_rule_id));
end
$$;

-- Applies changes {repository_id, rule_id, value}, all or none. A null repository_id is the organization's own row;
-- `inherit` deletes the row. A repository of another organization is one that does not exist.
create function public.apply_rule_changes(p_user_id uuid, p_org_id uuid, p_changes text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := p_changes::jsonb;
begin
  perform internal.require_member(p_user_id, p_org_id);
  -- Two that change the same rules in different orders would wait for each other.
  perform internal.lock_org(p_org_id);
  if exists (
    select from jsonb_to_recordset(v_changes) as c (repository_id uuid)
    where c.repository_id is not null
      and not exists (select from public.repositories r where r.id = c.repository_id and r.org_id = p_org_id)
  ) then
    perform internal.refuse('not-found', 'There is no such repository.');
  end if;

  delete from public.rule_settings s
  using jsonb_to_recordset(v_changes) as c (repository_id uuid, rule_id text, value text)
  where c.repository_id is null and c.value = 'inherit' and s.org_id = p_org_id and s.rule_id = c.rule_id;
  insert into public.rule_settings (org_id, rule_id, enabled, updated_by, updated_at)
  select p_org_id, c.rule_id, c.value = 'enabled', p_user_id, clock_timestamp()
  from jsonb_to_recordset(v_changes) as c (repository_id uuid, rule_id text, value text)
  where c.repository_id is null and c.value <> 'inherit'
  order by c.rule_id
  on conflict (org_id, rule_id) do update
  set enabled = excluded.enabled, updated_by = excluded.updated_by, updated_at = excluded.updated_at;

  delete from public.rule_overrides o
  using jsonb_to_recordset(v_changes) as c (repository_id uuid, rule_id text, value text)
  where c.repository_id is not null and c.value = 'inherit' and o.repo_id = c.repository_id and o.rule_id = c.rule_id;
  insert into public.rule_overrides (org_id, repo_id, rule_id, enabled, updated_by, updated_at)
  select p_org_id, c.repository_id, c.rule_id, c.value = 'enabled', p_user_id, clock_timestamp()
  from jsonb_to_recordset(v_changes) as c (repository_id uuid, rule_id text, value text)
  where c.repository_id is not null and c.value <> 'inherit'
  order by c.repository_id, c.rule_id
  on conflict (repo_id, rule_id) do update
  set enabled = excluded.enabled, updated_by = excluded.updated_by, updated_at = excluded.updated_at;
  return jsonb_array_length(v_changes);
end
$$;

-- The organization of a repository that this user may see.
create function public.org_of_repository(p_user_id uuid, p_repo_id uuid) returns uuid
language sql
stable
set search_path = ''
as $$ select (internal.require_repository(p_user_id, p_repo_id)).org_id $$;

select internal.apply_grants();
