create function internal.severity_rank(p_severity text) returns smallint
language sql
immutable
set search_path = ''
as $$ select array_position(array['INFO', 'LOW', 'MEDIUM', 'HIGH'], p_severity)::smallint $$;

-- The ledger says of itself what a list of findings shows, as the last scan that found it said it.
alter table public.finding_ledger
  add column severity text check (severity in ('HIGH', 'MEDIUM', 'LOW', 'INFO')),
  -- 4 for HIGH to 1 for INFO, for lists with the worst first.
  add column severity_rank smallint,
  add column confidence text check (confidence in ('high', 'medium', 'low')),
  add column category text,
  add column title text,
  add column file text,
  add column line integer,
  add column fixable boolean,
  -- In the repository's last scan.
  add column present boolean not null default false,
  -- When a scan found it again after it was resolved.
  add column returned_at timestamptz;

update public.finding_ledger l
set severity = f.severity, severity_rank = internal.severity_rank(f.severity), confidence = f.confidence, category = f.category, title = f.title, file = f.file,
  line = f.line, fixable = f.fixable, present = r.last_scan_id is not distinct from l.last_scan_id
from public.findings f, public.repositories r
where f.scan_id = l.last_scan_id and f.fingerprint = l.fingerprint and r.id = l.repo_id;
-- Of old scans that somebody deleted.
update public.finding_ledger
set severity = 'INFO', severity_rank = 1, confidence = 'low', category = 'CICD-SEC-4', title = rule_id, fixable = false
where severity is null;

alter table public.finding_ledger
  alter column severity set not null, alter column severity_rank set not null, alter column confidence set not null,
  alter column category set not null, alter column title set not null, alter column fixable set not null;
create index finding_ledger_current
  on public.finding_ledger (org_id, status, severity_rank desc, first_seen_at desc, repo_id, fingerprint) where present;
create index finding_ledger_current_by_rule on public.finding_ledger (org_id, rule_id) where present;

-- What the scan could not judge and why, and what its files have wrong: {count, first: [{file, line, column, severity,
-- message}]}, null for a scan from before these were kept.
alter table public.scans
  add column not_assessed jsonb not null default '[]' check (jsonb_typeof(not_assessed) = 'array'),
  add column diagnostics jsonb check (jsonb_typeof(diagnostics) = 'object');
update public.scans s set not_assessed = u.not_assessed from public.scan_rules u where u.scan_id = s.id;

-- As before, with what the dashboard shows.
create or replace function internal.persist_scan(p_scan text) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_scan constant jsonb := p_scan::jsonb;
  v_repo constant public.repositories := internal.lock_repository((v_scan ->> 'repo_id')::uuid);
  v_same_as constant uuid := (v_scan ->> 'same_as')::uuid;
  v_completed constant text[] := array(select jsonb_array_elements_text(v_scan -> 'completed'));
  v_now constant timestamptz := clock_timestamp();
  v_id uuid;
  v_findings integer;
  v_new integer;
  v_counts jsonb;
begin
  if v_repo.id is null or v_repo.removed_at is not null then
    perform internal.refuse('not-found', 'There is no such repository.');
  end if;
  if v_repo.last_scan_id is distinct from (v_scan ->> 'after_scan_id')::uuid then
    return null;
  end if;
  if v_same_as is not null and v_same_as is distinct from v_repo.last_scan_id then
    raise exception 'Only the findings of the last scan can be those of the next.';
  end if;
  insert into public.scans (repo_id, org_id, user_id, trigger, ruleset, commit_sha, workflow_files, suppressed,
    not_assessed, diagnostics, started_at, finished_at)
  values (v_repo.id, v_repo.org_id, (v_scan ->> 'user_id')::uuid, v_scan ->> 'trigger', v_scan ->> 'ruleset',
    v_scan ->> 'commit_sha', (v_scan ->> 'workflow_files')::integer, (v_scan ->> 'suppressed')::integer,
    v_scan -> 'not_assessed', case when v_same_as is null then nullif(v_scan -> 'diagnostics', 'null')
      else (select s.diagnostics from public.scans s where s.id = v_same_as) end,
    (v_scan ->> 'started_at')::timestamptz, v_now)
  returning id into v_id;

  if v_same_as is null then
    insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
      file, line, "column", end_line, end_column, snippet, description, recommendation, fixable)
    select v_id, v_repo.id, v_repo.org_id, f.fingerprint, f.rule_id, f.severity, f.confidence, f.category, f.title,
      f.file, f.line, f."column", f.end_line, f.end_column, f.snippet, f.description, f.recommendation, f.fixable
    from jsonb_to_recordset(v_scan -> 'findings') as f (fingerprint text, rule_id text, severity text, confidence text,
      category text, title text, file text, line integer, "column" integer, end_line integer, end_column integer,
      snippet text, description text, recommendation text, fixable boolean);
  else
    insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
      file, line, "column", end_line, end_column, snippet, description, recommendation, fixable)
    select v_id, f.repo_id, f.org_id, f.fingerprint, f.rule_id, f.severity, f.confidence, f.category, f.title,
      f.file, f.line, f."column", f.end_line, f.end_column, f.snippet, f.description, f.recommendation, f.fixable
    from public.findings f where f.scan_id = v_same_as and f.repo_id = v_repo.id;
  end if;
  get diagnostics v_findings = row_count;

  insert into public.finding_ledger as old (repo_id, org_id, fingerprint, rule_id, first_seen_at, first_scan_id,
    last_seen_at, last_scan_id, severity, severity_rank, confidence, category, title, file, line, fixable, present)
  select f.repo_id, f.org_id, f.fingerprint, f.rule_id, v_now, v_id, v_now, v_id, f.severity,
    internal.severity_rank(f.severity), f.confidence, f.category, f.title, f.file, f.line, f.fixable, true
  from public.findings f where f.scan_id = v_id
  -- In one order everywhere: two transactions never wait for each other.
  order by f.fingerprint
  on conflict (repo_id, fingerprint) do update
  set last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, resolved_at = null,
    returned_at = case when old.resolved_at is null then old.returned_at else excluded.last_seen_at end,
    severity = excluded.severity, severity_rank = excluded.severity_rank, confidence = excluded.confidence,
    category = excluded.category, title = excluded.title, file = excluded.file, line = excluded.line, fixable = excluded.fixable, present = true;
  select count(*) into v_new from public.finding_ledger where first_scan_id = v_id;

  update public.finding_ledger
  set present = false, resolved_at = case
    when resolved_at is null and rule_id = any (v_completed) then v_now else resolved_at end
  where repo_id = v_repo.id and last_scan_id <> v_id
    and (present or (resolved_at is null and rule_id = any (v_completed)));

  insert into public.scan_rules (scan_id, completed, not_assessed)
  values (v_id, v_completed, v_scan -> 'not_assessed');
  insert into public.scan_inputs (scan_id, tree, digest) values (v_id, v_scan ->> 'tree', v_scan ->> 'digest');
  update public.scans set findings = v_findings, new_findings = v_new where id = v_id;
  update public.repositories
  set last_scan_id = v_id, full_name = v_scan ->> 'full_name', html_url = v_scan ->> 'html_url',
    private = (v_scan ->> 'private')::boolean, default_branch = v_scan ->> 'default_branch',
    archived = (v_scan ->> 'archived')::boolean, updated_at = v_now
  where id = v_repo.id;
  v_counts := internal.recount(v_repo.id);

  return jsonb_build_object('scan_id', v_id, 'repo_id', v_repo.id,
    'workflow_files', (v_scan ->> 'workflow_files')::integer,
    'counts', v_counts, 'findings', v_findings, 'new_findings', v_new,
    'new_high', (
      select coalesce(jsonb_agg(jsonb_build_object('fingerprint', f.fingerprint, 'rule_id', f.rule_id,
        'title', f.title, 'file', f.file, 'line', f.line) order by f.file, f.line, f.rule_id), '[]')
      from public.findings f join public.finding_ledger l on l.repo_id = f.repo_id and l.fingerprint = f.fingerprint
      where f.scan_id = v_id and f.severity = 'HIGH' and l.first_scan_id = v_id));
end
$$;

-- Since when the code host has it suspended: nothing can be scanned until that ends.
alter table public.installations add column suspended_at timestamptz;

-- Notes in every organization which installations, given as JSON lists of their numbers, are suspended and which are not;
-- answers how many rows name one of them.
create function public.record_suspensions(p_suspended text, p_active text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_suspended constant bigint[] := array(select jsonb_array_elements_text(p_suspended::jsonb)::bigint);
  v_active constant bigint[] := array(select jsonb_array_elements_text(p_active::jsonb)::bigint);
begin
  update public.installations i
  set suspended_at = case when i.installation_id = any (v_suspended) then clock_timestamp() end
  where i.id in (
    select s.id from public.installations s
    where (s.installation_id = any (v_suspended) and s.suspended_at is null)
      or (s.installation_id = any (v_active) and s.suspended_at is not null)
    -- In one order everywhere: two transactions never wait for each other.
    order by s.id for no key update);
  return (select count(*) from public.installations i where i.installation_id = any (v_suspended || v_active));
end
$$;
create index installations_by_number on public.installations (installation_id);

-- Who switched which rule. A null repository is the organization's own setting; `inherit` is no row.
create table public.rule_events (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references public.organizations (id) on delete cascade,
  repo_id uuid,
  rule_id text not null,
  from_value text not null check (from_value in ('enabled', 'disabled', 'inherit')),
  to_value text not null check (to_value in ('enabled', 'disabled', 'inherit')),
  actor uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
create index rule_events_by_organization on public.rule_events (org_id, created_at desc);
create index rule_events_by_repository on public.rule_events (repo_id);
alter table public.rule_events enable row level security;
create policy members_read on public.rule_events for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- As before, and each change that changes something is noted.
create or replace function public.apply_rule_changes(p_user_id uuid, p_org_id uuid, p_changes text) returns integer
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

  insert into public.rule_events (org_id, repo_id, rule_id, from_value, to_value, actor)
  select p_org_id, c.repository_id, c.rule_id, b.value, c.value, p_user_id
  from jsonb_to_recordset(v_changes) as c (repository_id uuid, rule_id text, value text)
    left join public.rule_settings s on c.repository_id is null and s.org_id = p_org_id and s.rule_id = c.rule_id
    left join public.rule_overrides o on o.repo_id = c.repository_id and o.rule_id = c.rule_id
    cross join lateral (
      select case coalesce(s.enabled, o.enabled) when true then 'enabled' when false then 'disabled' else 'inherit' end
        as value) as b
  where b.value <> c.value
  order by c.rule_id, c.repository_id;

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

-- As before; an organization that is not the user's is refused as everywhere.
create or replace function public.rank_actions(p_user_id uuid, p_org_id uuid, p_limit integer) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_orgs constant uuid[] := case when p_org_id is null
    then array(select m.org_id from public.org_members m where m.user_id = p_user_id) else array[p_org_id] end;
begin
  if p_org_id is not null
    and not exists (select from public.org_members m where m.user_id = p_user_id and m.org_id = p_org_id) then
    perform internal.refuse('forbidden', 'You are not a member of this organization.');
  end if;
  return (
    with used as (
      select n.action_id, count(distinct u.repo_id) as repos
      from public.action_uses u join public.repositories r on r.id = u.repo_id and r.removed_at is null
        join public.action_names n on n.name_key = lower(u.owner || '/' || u.name)
      where u.org_id = any (v_orgs)
      group by n.action_id
    ), ranked as (
      select a as action, coalesce(used.repos, 0) as repos
      from public.actions a left join used on used.action_id = a.id
      where a.score is not null and (p_org_id is null or used.action_id is not null)
      order by a.score, lower(a.owner), lower(a.name), a.id limit p_limit
    )
    select coalesce(jsonb_agg(jsonb_build_object('owner', (action).owner, 'name', (action).name, 'score', (action).score,
      'band', (action).band, 'sha', (action).sha, 'scored_at', internal.rfc3339((action).scored_at),
      'used_by_repos', repos, 'finding_counts', (action).finding_counts)
      order by (action).score, lower((action).owner), lower((action).name), (action).id), '[]')
    from ranked);
end
$$;

select internal.apply_grants();
