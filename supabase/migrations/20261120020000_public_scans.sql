-- Anonymous scans: what a share link replays, for ever. Places and texts of findings are never stored here.
create table public.public_scans (
  slug text primary key check (slug ~ '^[A-Za-z0-9_-]{16,64}$'),
  -- The canonical name in lower case: a renamed repository is found under its new name.
  repo_key text not null check (repo_key = lower(repo)),
  scm_id text not null,
  repo text not null,
  default_branch text not null,
  workflow_files integer not null check (workflow_files >= 0),
  high integer not null check (high >= 0),
  medium integer not null check (medium >= 0),
  low integer not null check (low >= 0),
  info integer not null check (info >= 0),
  top_findings jsonb not null check (jsonb_typeof(top_findings) = 'array' and jsonb_array_length(top_findings) <= 3),
  not_assessed jsonb not null check (jsonb_typeof(not_assessed) = 'array'),
  -- How often each rule fired, for the statistics only.
  rule_counts jsonb not null check (jsonb_typeof(rule_counts) = 'object'),
  scanned_at timestamptz not null default now(),
  -- The newest scan of its repository, under whatever name.
  latest boolean not null default true
);
create index public_scans_by_repo on public.public_scans (repo_key, scanned_at desc);
create index public_scans_latest_by_id on public.public_scans (scm_id) where latest;
create index public_scans_latest_by_time on public.public_scans (scanned_at desc) where latest;
alter table public.public_scans enable row level security;

-- Who scans a repository right now. A claim whose holder died lapses.
create table public.public_scan_claims (
  repo_key text primary key,
  claim uuid not null,
  expires_at timestamptz not null
);
alter table public.public_scan_claims enable row level security;

-- When the last requests of each key came, at most as many as its limit.
create table public.rate_limits (
  key text primary key check (length(key) between 1 and 200),
  hits timestamptz[] not null,
  updated_at timestamptz not null
);
create index rate_limits_by_age on public.rate_limits (updated_at);
alter table public.rate_limits enable row level security;

create function internal.rfc3339(p_time timestamptz) returns text
language sql
stable
set search_path = ''
as $$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- A stored scan as it is served, without who it is to the service.
create function internal.public_scan_report(p_scan public.public_scans) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'slug', p_scan.slug,
    'repo', p_scan.repo,
    'default_branch', p_scan.default_branch,
    'workflow_files', p_scan.workflow_files,
    'counts', jsonb_build_object(
      'HIGH', p_scan.high, 'MEDIUM', p_scan.medium, 'LOW', p_scan.low, 'INFO', p_scan.info),
    'top_findings', p_scan.top_findings,
    'not_assessed', p_scan.not_assessed,
    'scanned_at', internal.rfc3339(p_scan.scanned_at))
$$;

-- The newest stored scan of a name; one not older than p_max_age when given.
create function public.newest_public_scan(p_repo_key text, p_max_age_seconds integer default null) returns jsonb
language sql
stable
set search_path = ''
as $$
  select internal.public_scan_report(s)
  from public.public_scans s
  where s.repo_key = p_repo_key
    and (p_max_age_seconds is null or s.scanned_at > now() - make_interval(secs => p_max_age_seconds))
  order by s.scanned_at desc
  limit 1
$$;

create function public.public_scan_by_slug(p_slug text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select internal.public_scan_report(s) from public.public_scans s where s.slug = p_slug
$$;

-- One scan of a repository at a time: answers a fresh stored scan, or 'claimed' to one caller, or 'busy' to the others.
create function public.begin_public_scan(
  p_repo_key text, p_claim uuid, p_max_age_seconds integer, p_claim_seconds integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_scan jsonb := public.newest_public_scan(p_repo_key, p_max_age_seconds);
  v_claimed integer;
begin
  if v_scan is not null then
    return jsonb_build_object('state', 'cached', 'scan', v_scan);
  end if;
  insert into public.public_scan_claims as held (repo_key, claim, expires_at)
  values (p_repo_key, p_claim, clock_timestamp() + make_interval(secs => p_claim_seconds))
  on conflict (repo_key) do update set claim = excluded.claim, expires_at = excluded.expires_at
  where held.expires_at < clock_timestamp();
  get diagnostics v_claimed = row_count;
  if v_claimed = 0 then
    return jsonb_build_object('state', 'busy');
  end if;
  -- Who held the claim may have stored its scan after the look above.
  v_scan := public.newest_public_scan(p_repo_key, p_max_age_seconds);
  if v_scan is not null then
    delete from public.public_scan_claims where repo_key = p_repo_key and claim = p_claim;
    return jsonb_build_object('state', 'cached', 'scan', v_scan);
  end if;
  return jsonb_build_object('state', 'claimed');
end
$$;

create function public.abandon_public_scan(p_repo_key text, p_claim uuid) returns void
language sql
set search_path = ''
as $$
  delete from public.public_scan_claims where repo_key = p_repo_key and claim = p_claim
$$;

-- Stores a scan and gives up the claim, both or neither. The scan comes as text: not every driver passes JSON through.
create function public.finish_public_scan(p_claim uuid, p_scan text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_scan jsonb := p_scan::jsonb;
  v_key text := lower(v_scan ->> 'repo');
  v_row public.public_scans;
begin
  -- One name after the other and one repository after the other, so that exactly one row stays the latest.
  perform pg_advisory_xact_lock(hashtextextended('public_scans', 0));
  update public.public_scans set latest = false
  where latest and (scm_id = v_scan ->> 'scm_id' or repo_key = v_key);
  insert into public.public_scans (slug, repo_key, scm_id, repo, default_branch, workflow_files, high, medium, low, info,
    top_findings, not_assessed, rule_counts, scanned_at)
  values (v_scan ->> 'slug', v_key, v_scan ->> 'scm_id', v_scan ->> 'repo', v_scan ->> 'default_branch',
    (v_scan ->> 'workflow_files')::integer, (v_scan -> 'counts' ->> 'HIGH')::integer,
    (v_scan -> 'counts' ->> 'MEDIUM')::integer, (v_scan -> 'counts' ->> 'LOW')::integer,
    (v_scan -> 'counts' ->> 'INFO')::integer, v_scan -> 'top_findings', v_scan -> 'not_assessed',
    v_scan -> 'rule_counts', clock_timestamp())
  returning * into v_row;
  delete from public.public_scan_claims where repo_key = v_key and claim = p_claim;
  return internal.public_scan_report(v_row);
end
$$;

-- Counts one request against each budget in turn, in a sliding window; stops at the first that is used up and answers
-- the seconds until it has room, else null.
create function public.take_rate_limits(p_budgets text, p_window_seconds integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_budget jsonb;
  v_window interval := make_interval(secs => p_window_seconds);
  v_now timestamptz;
  v_hits timestamptz[];
begin
  if random() < 0.02 then
    delete from public.rate_limits where key in (
      select key from public.rate_limits where updated_at < clock_timestamp() - v_window
      order by updated_at limit 500 for update skip locked);
  end if;
  for v_budget in select value from jsonb_array_elements(p_budgets::jsonb) loop
    insert into public.rate_limits as held (key, hits, updated_at)
    values (v_budget ->> 'key', '{}', clock_timestamp())
    on conflict (key) do update set updated_at = excluded.updated_at
    returning held.hits into v_hits;
    -- The time is taken with the row in hand: waiting for it may have lasted.
    v_now := clock_timestamp();
    v_hits := array(select hit from unnest(v_hits) as hit where hit > v_now - v_window order by hit);
    if cardinality(v_hits) >= (v_budget ->> 'limit')::integer then
      return greatest(1, ceil(extract(epoch from v_hits[1] + v_window - v_now)))::integer;
    end if;
    update public.rate_limits set hits = v_hits || v_now, updated_at = v_now where key = v_budget ->> 'key';
  end loop;
  return null;
end
$$;

-- Totals over the latest scan of each repository. Exact: whoever serves them makes them coarse.
create function public.public_statistics() returns jsonb
language sql
stable
set search_path = ''
as $$
  with newest as (select * from public.public_scans where latest)
  select jsonb_build_object(
    'repositories', (select count(*) from newest),
    'workflows', (select coalesce(sum(workflow_files), 0) from newest),
    'findings', (select coalesce(sum(high + medium + low + info), 0) from newest),
    'actions', 0,
    'rules', (
      select coalesce(jsonb_object_agg(rule_id, total), '{}')
      from (
        select fired.key as rule_id, sum(fired.value::bigint) as total
        from newest, jsonb_each_text(newest.rule_counts) as fired
        group by fired.key
      ) as totals),
    'recent', (
      select coalesce(jsonb_agg(internal.public_scan_report(s) order by s.scanned_at desc), '[]')
      from (select * from public.public_scans where latest order by scanned_at desc limit 10) as s))
$$;

select internal.apply_grants();
