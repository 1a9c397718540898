-- Title and file in one text, for searches in both. Letter case counts for nothing, but only that of ASCII.
alter table public.finding_ledger
  add column search_text text collate "C" not null
    generated always as (lower((title || e'\n' || coalesce(file, '')) collate "C")) stored;

-- Totals by rule are read from this index alone.
drop index public.finding_ledger_current_by_rule;
create index finding_ledger_current_by_rule on public.finding_ledger (org_id, rule_id, repo_id)
  include (severity, status, fixable, first_seen_at) where present;
create index finding_ledger_newest on public.finding_ledger (org_id, status, first_seen_at desc, repo_id, fingerprint)
  where present;

create or replace view public.current_findings with (security_invoker = true) as
select l.fingerprint, l.repo_id, l.org_id, r.full_name, r.private, l.rule_id, l.severity, l.severity_rank, l.confidence,
  l.category, l.title, l.file, l.line, l.fixable, l.status, l.reason, l.expires_at, l.first_seen_at, l.first_scan_id,
  l.returned_at, l.last_seen_at, l.last_scan_id, l.updated_by, l.updated_at, l.search_text
from public.finding_ledger l
  join public.repositories r on r.id = l.repo_id and r.org_id = l.org_id
  join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
where l.present and r.removed_at is null and i.removed_at is null;

-- Totals of current findings by `rule`, `repository` or `category`, worst first, at most 1,000. The filters are JSON:
-- {status, severity, confidence, category, rule_id, repo_id: [text], fixable: boolean, since: timestamp, q: text}.
create or replace function public.read_finding_groups(p_org_id uuid, p_by text, p_filters text default '{}')
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
  v_status text[];
  v_severity text[];
  v_confidence text[];
  v_category text[];
  v_rules text[];
  v_repos text[];
  v_fixable boolean;
  v_since timestamptz;
  v_pattern text;
  v_left uuid[];
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
  v_status := case when v_filters ? 'status' then array(select jsonb_array_elements_text(v_filters -> 'status')) end;
  v_severity := case when v_filters ? 'severity' then array(select jsonb_array_elements_text(v_filters -> 'severity')) end;
  v_confidence := case when v_filters ? 'confidence' then array(select jsonb_array_elements_text(v_filters -> 'confidence')) end;
  v_category := case when v_filters ? 'category' then array(select jsonb_array_elements_text(v_filters -> 'category')) end;
  v_rules := case when v_filters ? 'rule_id' then array(select jsonb_array_elements_text(v_filters -> 'rule_id')) end;
  v_repos := case when v_filters ? 'repo_id' then array(select jsonb_array_elements_text(v_filters -> 'repo_id')) end;
  v_fixable := (v_filters ->> 'fixable')::boolean;
  v_since := (v_filters ->> 'since')::timestamptz;
  v_pattern := lower(
    '%' || replace(replace(replace(v_filters ->> 'q', '\', '\\'), '%', '\%'), '_', '\_') || '%' collate "C");
  -- Few: a join with those that are left would cost for every finding.
  v_left := array(
    select r.id
    from public.repositories r
      join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
    where r.org_id = p_org_id and (r.removed_at is not null or i.removed_at is not null));
  return query
    with totals as (
      select case p_by when 'rule' then l.rule_id when 'category' then l.category end as key,
        case p_by when 'repository' then l.repo_id end as repo_id, count(*) as findings, count(*) filter (where l.severity = 'HIGH') as high,
        count(*) filter (where l.severity = 'MEDIUM') as medium, count(*) filter (where l.severity = 'LOW') as low,
        count(*) filter (where l.severity = 'INFO') as info,
        case p_by when 'repository' then 1 else count(distinct l.repo_id) end as repositories,
        count(*) filter (where l.fixable) as fixable, max(l.first_seen_at) as newest_at
      from public.finding_ledger l
      where l.org_id = p_org_id and l.present and l.repo_id <> all (v_left)
        and (v_status is null or l.status = any (v_status))
        and (v_severity is null or l.severity = any (v_severity))
        and (v_confidence is null or l.confidence = any (v_confidence))
        and (v_category is null or l.category = any (v_category))
        and (v_rules is null or l.rule_id = any (v_rules))
        and (v_repos is null or l.repo_id::text = any (v_repos))
        and (v_fixable is null or l.fixable = v_fixable)
        and (v_since is null or l.first_seen_at >= v_since)
        and (v_pattern is null or l.search_text like v_pattern)
      group by 1, 2
      order by 4 desc, 5 desc, 6 desc, 7 desc, 1, 2
      limit 1000
    )
    select coalesce(t.key, t.repo_id::text), case p_by
        when 'rule' then (
          select l.title from public.finding_ledger l
          where l.org_id = p_org_id and l.rule_id = t.key and l.present order by l.repo_id limit 1)
        when 'repository' then (select r.full_name from public.repositories r where r.id = t.repo_id) end,
      t.findings, t.high, t.medium, t.low, t.info, t.repositories::bigint, t.fixable, t.newest_at
    from totals t
    order by 4 desc, 5 desc, 6 desc, 7 desc, 1;
end
$$;

-- Open findings by severity, from what each last scan counts: one row. Without repositories that left.
create function public.read_open_counts(p_org_id uuid)
returns table (high bigint, medium bigint, low bigint, info bigint)
language sql
stable
set search_path = ''
as $$
  select coalesce(sum(r.high), 0), coalesce(sum(r.medium), 0), coalesce(sum(r.low), 0), coalesce(sum(r.info), 0)
  from public.repository_overview r where r.org_id = p_org_id
$$;

select internal.apply_grants();
