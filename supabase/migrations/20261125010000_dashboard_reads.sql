-- What the last scan of each repository found, for lists: one row a finding, without repositories that left.
create view public.current_findings with (security_invoker = true) as
select l.fingerprint, l.repo_id, l.org_id, r.full_name, r.private, l.rule_id, l.severity, l.severity_rank, l.confidence,
  l.category, l.title, l.file, l.line, l.fixable, l.status, l.reason, l.expires_at, l.first_seen_at, l.first_scan_id,
  l.returned_at, l.last_seen_at, l.last_scan_id, l.updated_by, l.updated_at
from public.finding_ledger l
  join public.repositories r on r.id = l.repo_id and r.org_id = l.org_id
  join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
where l.present and r.removed_at is null and i.removed_at is null;

-- Each repository with its last scan, whose columns are null before the first one; without repositories that left.
create view public.repository_overview with (security_invoker = true) as
select r.id, r.org_id, r.installation_id, r.full_name, r.private, r.html_url, r.default_branch, r.archived, r.monitored,
  r.monitored_by, r.created_at, r.updated_at, i.suspended_at, r.last_scan_id, s.trigger, s.ruleset, s.commit_sha,
  s.workflow_files, s.high, s.medium, s.low, s.info, s.findings, s.new_findings, s.suppressed, s.not_assessed,
  s.diagnostics, s.started_at, s.finished_at
from public.repositories r
  join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
  left join public.scans s on s.id = r.last_scan_id and s.repo_id = r.id and s.org_id = r.org_id
where r.removed_at is null and i.removed_at is null;

-- Totals of current findings by `rule`, `repository` or `category`, worst first, at most 1,000. The filters are JSON:
-- {status, severity, confidence, category, rule_id, repo_id: [text], fixable: boolean, since: timestamp, q: text}.
create function public.read_finding_groups(p_org_id uuid, p_by text, p_filters text default '{}')
returns table (key text, name text, findings bigint, high bigint, medium bigint, low bigint, info bigint,
  repositories bigint, fixable bigint, newest_at timestamptz)
language plpgsql
stable
set search_path = ''
-- Plans made for one filter are wrong for another.
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_filters jsonb;
  v_fixable boolean;
  v_since timestamptz;
  v_pattern text;
begin
  if p_by is null or p_by not in ('rule', 'repository', 'category') then
    raise exception 'p_by is not rule, repository or category' using errcode = '22023';
  end if;
  if p_filters is null or char_length(p_filters) > 50000 then
    raise exception 'p_filters is not a text of at most 50,000 characters' using errcode = '22023';
  end if;
  v_filters := p_filters::jsonb;
  if jsonb_typeof(v_filters) <> 'object' or exists (
    select from jsonb_each(v_filters) as f
    where case
      when f.key in ('status', 'severity', 'confidence', 'category', 'rule_id', 'repo_id')
        then jsonb_typeof(f.value) <> 'array'
      when f.key = 'fixable' then jsonb_typeof(f.value) <> 'boolean'
      when f.key in ('since', 'q') then jsonb_typeof(f.value) <> 'string'
      else true end
  ) then
    raise exception 'p_filters has an unknown name or a value of another type' using errcode = '22023';
  end if;
  v_fixable := (v_filters ->> 'fixable')::boolean;
  v_since := (v_filters ->> 'since')::timestamptz;
  v_pattern := '%' || replace(replace(replace(v_filters ->> 'q', '\', '\\'), '%', '\%'), '_', '\_') || '%';
  return query
    select case p_by when 'rule' then f.rule_id when 'category' then f.category else f.repo_id::text end,
      case p_by when 'rule' then max(f.title) when 'repository' then max(f.full_name) end,
      count(*), count(*) filter (where f.severity = 'HIGH'), count(*) filter (where f.severity = 'MEDIUM'),
      count(*) filter (where f.severity = 'LOW'), count(*) filter (where f.severity = 'INFO'),
      count(distinct f.repo_id), count(*) filter (where f.fixable), max(f.first_seen_at)
    from public.current_findings f
    where f.org_id = p_org_id
      and (v_filters -> 'status' is null or v_filters -> 'status' ? f.status)
      and (v_filters -> 'severity' is null or v_filters -> 'severity' ? f.severity)
      and (v_filters -> 'confidence' is null or v_filters -> 'confidence' ? f.confidence)
      and (v_filters -> 'category' is null or v_filters -> 'category' ? f.category)
      and (v_filters -> 'rule_id' is null or v_filters -> 'rule_id' ? f.rule_id)
      and (v_filters -> 'repo_id' is null or v_filters -> 'repo_id' ? f.repo_id::text)
      and (v_fixable is null or f.fixable = v_fixable)
      and (v_since is null or f.first_seen_at >= v_since)
      and (v_pattern is null or f.title ilike v_pattern or f.file ilike v_pattern)
    group by 1
    order by 4 desc, 5 desc, 6 desc, 7 desc, 1
    limit 1000;
end
$$;

-- Open findings at the end of each of the last days in UTC, today included, 1 to 400: the running sum of what each scan
-- changed. Without repositories that left.
create function public.read_open_over_time(p_org_id uuid, p_days integer)
returns table (day date, high bigint, medium bigint, low bigint, info bigint)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_today constant date := (now() at time zone 'UTC')::date;
  v_from date;
begin
  if p_days is null or p_days not between 1 and 400 then
    raise exception 'p_days is not from 1 to 400' using errcode = '22023';
  end if;
  v_from := v_today - (p_days - 1);
  return query
    with changes as (
      select greatest((s.finished_at at time zone 'UTC')::date, v_from) as day,
        s.high - lag(s.high, 1, 0) over by_time as high, s.medium - lag(s.medium, 1, 0) over by_time as medium,
        s.low - lag(s.low, 1, 0) over by_time as low, s.info - lag(s.info, 1, 0) over by_time as info
      from public.scans s
        join public.repositories r on r.id = s.repo_id and r.org_id = s.org_id
        join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
      where s.org_id = p_org_id and r.removed_at is null and i.removed_at is null
      window by_time as (partition by s.repo_id order by s.finished_at, s.id)
    ), daily as (
      select c.day, sum(c.high) as high, sum(c.medium) as medium, sum(c.low) as low, sum(c.info) as info
      from changes c group by c.day
    )
    select d.day::date, (sum(coalesce(c.high, 0)) over by_day)::bigint, (sum(coalesce(c.medium, 0)) over by_day)::bigint,
      (sum(coalesce(c.low, 0)) over by_day)::bigint, (sum(coalesce(c.info, 0)) over by_day)::bigint
    from generate_series(v_from::timestamp, v_today::timestamp, interval '1 day') as d (day)
      left join daily c on c.day = d.day::date
    window by_day as (order by d.day)
    order by 1;
end
$$;

-- What moved in an organization: when last and how many rows, by topic.
create function public.read_org_pulse(p_org_id uuid)
returns table (topic text, newest_at timestamptz, total bigint)
language sql
stable
set search_path = ''
as $$
  select 'scans', max(s.finished_at), count(*) from public.scans s where s.org_id = p_org_id
  union all
  select 'triage', max(t.created_at), count(*) from public.triage_events t where t.org_id = p_org_id
  union all
  select 'rules', max(e.created_at), count(*) from public.rule_events e where e.org_id = p_org_id
  union all
  select 'campaigns', greatest(max(c.updated_at), (
      select max(greatest(r.started_at, r.finished_at)) from public.campaign_repos r where r.org_id = p_org_id), (
      select max(greatest(p.opened_at, p.closed_at, p.merged_at, p.verified_at))
      from public.fix_pull_requests p where p.org_id = p_org_id)),
    count(*)
  from public.campaigns c where c.org_id = p_org_id
  union all
  select 'repositories', max(r.updated_at), count(*) from public.repositories r where r.org_id = p_org_id
$$;

-- As before, and clients may read views that ask with their rights and call functions that do nothing but read one
-- organization with them: named `read_…`, stable, not `security definer`, `p_org_id` first. A view of another kind is refused.
create or replace function internal.apply_grants() returns void
language plpgsql
set search_path = ''
as $$
declare
  relation record;
  reader regprocedure;
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
           coalesce('security_invoker=true' = any (c.reloptions), false) as invoker,
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
    if relation.relkind not in ('r', 'p') and not (relation.relkind = 'v' and relation.invoker) then
      raise exception '% is no table and no view with security_invoker', relation.name;
    end if;
    execute format('revoke all on %s from public, anon, authenticated', relation.name);
    if relation.readable or relation.relkind = 'v' then
      execute format('grant select on %s to authenticated', relation.name);
    end if;
  end loop;
  for reader in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.proname like 'read\_%'
      and p.provolatile = 's' and not p.prosecdef and p.proargnames[1] = 'p_org_id'
      and 'search_path=""' = any (p.proconfig)
  loop
    execute format('grant execute on function %s to authenticated', reader);
  end loop;
end
$$;

select internal.apply_grants();
