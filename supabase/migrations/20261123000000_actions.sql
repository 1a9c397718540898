-- Published actions. A row hangs on the code host's number of the repository, which survives renames and transfers;
-- it is null until the repository was looked up. Owner and name are for display.
create table public.actions (
  id uuid primary key default gen_random_uuid(),
  scm_id text unique check (scm_id ~ '^[0-9]{1,20}$'),
  owner text not null check (char_length(owner) between 1 and 100),
  name text not null check (char_length(name) between 1 and 100),
  description text check (char_length(description) <= 1000),
  url text check (char_length(url) <= 500),
  stars integer check (stars >= 0),
  archived boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  -- What follows describes the version scored last and is null until then.
  version_id uuid,
  sha text,
  refs jsonb,
  score smallint check (score between 0 and 100),
  band text check (band in ('A', 'B', 'C', 'D', 'F')),
  finding_counts jsonb,
  scored_at timestamptz,
  -- When a worker last found nothing to score.
  checked_at timestamptz,
  -- Since when attempts to score it again have failed.
  stale_since timestamptz
);
create index actions_by_score on public.actions (score, lower(owner), lower(name)) where score is not null;
create index actions_by_name on public.actions (lower(owner), lower(name)) where score is not null;
create index actions_by_stars on public.actions (stars, lower(owner), lower(name)) where score is not null;
create index actions_by_scored_at on public.actions (scored_at, lower(owner), lower(name)) where score is not null;
alter table public.actions enable row level security;

-- Which action a name means, former names included. A name that another repository takes means that one from then on.
create table public.action_names (
  name_key text primary key check (name_key = lower(name_key)),
  action_id uuid not null references public.actions (id) on delete cascade
);
create index action_names_by_action on public.action_names (action_id);
alter table public.action_names enable row level security;

-- The repositories and owners that a name was seen with.
create table public.action_identities (
  name_key text not null,
  scm_id text not null,
  owner_scm_id text not null,
  first_seen_at timestamptz not null,
  primary key (name_key, scm_id, owner_scm_id)
);
alter table public.action_identities enable row level security;

-- Stretches of time in which a tag or branch named one commit.
create table public.ref_observations (
  id uuid primary key default gen_random_uuid(),
  action_id uuid not null references public.actions (id) on delete cascade,
  ref text not null check (char_length(ref) between 1 and 300),
  commit_sha text not null check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  unique (action_id, ref, first_seen_at)
);
create index ref_observations_by_commit on public.ref_observations (action_id, commit_sha);
alter table public.ref_observations enable row level security;

create table public.action_versions (
  id uuid primary key default gen_random_uuid(),
  action_id uuid not null references public.actions (id) on delete cascade,
  -- Folder of the action; empty for the repository's root.
  path text not null default '',
  commit_sha text not null check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  first_seen_at timestamptz not null,
  unique (action_id, path, commit_sha)
);
alter table public.action_versions enable row level security;
create index actions_by_version on public.actions (version_id);
alter table public.actions add foreign key (version_id) references public.action_versions (id) on delete set null;

-- Append-only, `store_action` alone writes: a new row when the signals or the algorithm changed.
create table public.action_evaluations (
  id uuid primary key default gen_random_uuid(),
  version_id uuid not null references public.action_versions (id) on delete cascade,
  algorithm_version text not null check (char_length(algorithm_version) between 1 and 40),
  signals_hash text not null check (signals_hash ~ '^[0-9a-f]{64}$'),
  evaluated_at timestamptz not null,
  score smallint not null check (score between 0 and 100),
  score_floor smallint not null check (score_floor between 0 and score),
  band text not null check (band in ('A', 'B', 'C', 'D', 'F')),
  -- In percent.
  coverage smallint not null check (coverage between 0 and 100),
  provisional boolean not null,
  hard_block jsonb not null check (jsonb_typeof(hard_block) = 'array'),
  breakdown jsonb not null check (jsonb_typeof(breakdown) = 'object'),
  signals jsonb not null check (jsonb_typeof(signals) = 'array'),
  finding_counts jsonb not null check (jsonb_typeof(finding_counts) = 'object')
);
create index action_evaluations_by_version on public.action_evaluations (version_id, evaluated_at desc);
alter table public.action_evaluations enable row level security;

-- Actions to score. A lease whose holder died lapses.
create table public.action_queue (
  action_id uuid primary key references public.actions (id) on delete cascade,
  requested_at timestamptz not null,
  -- Not tried again before.
  due_at timestamptz not null,
  attempts integer not null default 0,
  lease uuid,
  lease_until timestamptz
);
create index action_queue_by_due on public.action_queue (due_at);
alter table public.action_queue enable row level security;

create function internal.action_named(p_name_key text) returns public.actions
language sql
stable
set search_path = ''
as $$
  select a.* from public.action_names n join public.actions a on a.id = n.action_id where n.name_key = p_name_key
$$;

-- The refs that were seen at a commit, the newest first.
create function internal.refs_at(p_action_id uuid, p_commit text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('ref', o.ref, 'first_seen_at', internal.rfc3339(o.first_seen_at),
    'last_seen_at', internal.rfc3339(o.last_seen_at)) order by o.last_seen_at desc, o.ref collate "C"), '[]')
  from (
    select r.ref, min(r.first_seen_at) as first_seen_at, max(r.last_seen_at) as last_seen_at
    from public.ref_observations r where r.action_id = p_action_id and r.commit_sha = p_commit
    group by r.ref order by max(r.last_seen_at) desc, r.ref collate "C" limit 100) as o
$$;

-- One action with its newest evaluation and every scored version; null if nobody ever asked for it.
create function public.read_action(p_name_key text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'owner', a.owner, 'name', a.name,
    'repository', jsonb_build_object('url', a.url, 'description', a.description, 'stars', a.stars,
      'archived', a.archived),
    'status', case when a.version_id is not null then 'scored' when q.action_id is not null then 'pending' else 'unknown' end,
    'stale_since', internal.rfc3339(a.stale_since),
    'latest', (
      select jsonb_build_object('sha', a.sha, 'score', e.score, 'score_floor', e.score_floor, 'band', e.band,
        'coverage', round(e.coverage / 100.0, 2), 'provisional', e.provisional, 'hard_block', e.hard_block, 'signals', e.signals,
        'breakdown', e.breakdown, 'finding_counts', e.finding_counts, 'algorithm_version', e.algorithm_version,
        'scored_at', internal.rfc3339(a.scored_at))
      from public.action_evaluations e where e.version_id = a.version_id
      order by e.evaluated_at desc, e.id limit 1),
    'versions', (
      select coalesce(jsonb_agg(jsonb_build_object('sha', v.commit_sha, 'refs', internal.refs_at(a.id, v.commit_sha),
        'score', v.score, 'band', v.band, 'algorithm_version', v.algorithm_version,
        'scored_at', internal.rfc3339(v.evaluated_at), 'first_seen_at', internal.rfc3339(v.first_seen_at))
        order by v.evaluated_at desc, v.id), '[]')
      from (
        select v.commit_sha, v.first_seen_at, e.id, e.score, e.band, e.algorithm_version, e.evaluated_at
        from public.action_versions v join public.action_evaluations e on e.version_id = v.id
        where v.action_id = a.id
        order by e.evaluated_at desc, e.id limit 200) as v))
  from internal.action_named(p_name_key) a left join public.action_queue q on q.action_id = a.id
  where a.id is not null
$$;

-- The newest scores of actions by `owner/name` in lower case. The list comes as JSON.
create function public.read_action_scores(p_names text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', n.name_key, 'score', a.score, 'at', internal.rfc3339(a.scored_at))
    order by n.name_key collate "C"), '[]')
  from public.action_names n join public.actions a on a.id = n.action_id
  where n.name_key in (select jsonb_array_elements_text(p_names::jsonb)) and a.score is not null
$$;

-- Makes sure that an action waits to be scored; one nobody knows comes into the catalog.
create function public.enqueue_action(p_owner text, p_name text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_key constant text := lower(p_owner || '/' || p_name);
  v_id uuid := (internal.action_named(v_key)).id;
begin
  if v_id is null then
    perform pg_advisory_xact_lock(hashtextextended('action ' || v_key, 0));
    v_id := (internal.action_named(v_key)).id;
    if v_id is null then
      insert into public.actions (owner, name) values (p_owner, p_name) returning id into v_id;
      insert into public.action_names (name_key, action_id) values (v_key, v_id);
    end if;
  end if;
  insert into public.action_queue (action_id, requested_at, due_at)
  values (v_id, clock_timestamp(), clock_timestamp())
  on conflict (action_id) do nothing;
end
$$;

-- Puts names into the catalog that it does not have; answers how many. The list comes as JSON.
create function public.catalog_actions(p_names text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_name text;
  v_id uuid;
  v_added integer := 0;
begin
  for v_name in
    select distinct on (lower(n)) n from jsonb_array_elements_text(p_names::jsonb) as n
    where n ~ '^[^/]+/[^/]+$' and not exists (select from public.action_names a where a.name_key = lower(n))
    order by lower(n)
  loop
    insert into public.actions (owner, name) values (split_part(v_name, '/', 1), split_part(v_name, '/', 2))
    returning id into v_id;
    insert into public.action_names (name_key, action_id) values (lower(v_name), v_id) on conflict do nothing;
    if found then
      v_added := v_added + 1;
    else
      delete from public.actions where id = v_id;
    end if;
  end loop;
  return v_added;
end
$$;

-- What former observations tell of an action, for its next evaluation.
create function public.read_action_history(p_scm_id text, p_name_key text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'observations', (
      select coalesce(jsonb_agg(jsonb_build_object('ref', o.ref, 'commit', o.commit_sha,
        'first_seen_at', internal.rfc3339(o.first_seen_at), 'last_seen_at', internal.rfc3339(o.last_seen_at))
        order by o.ref collate "C", o.first_seen_at), '[]')
      from (
        select r.* from public.ref_observations r join public.actions a on a.id = r.action_id
        where a.scm_id = p_scm_id order by r.last_seen_at desc, r.ref collate "C" limit 5000) as o),
    'identities', (
      select coalesce(jsonb_agg(jsonb_build_object('scm_id', i.scm_id, 'owner_scm_id', i.owner_scm_id,
        'at', internal.rfc3339(i.first_seen_at)) order by i.first_seen_at, i.scm_id), '[]')
      from public.action_identities i where i.name_key = p_name_key),
    'signals', (
      select e.signals
      from public.actions a join public.action_evaluations e on e.version_id = a.version_id
      where a.scm_id = p_scm_id order by e.evaluated_at desc, e.id limit 1),
    'signals_sha', (select a.sha from public.actions a where a.scm_id = p_scm_id))
$$;

-- Notes which commits an action's refs name now. A stretch goes on while the commit stays the same.
create function internal.observe_refs(p_action_id uuid, p_refs jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  with seen as (
    select distinct on (r.ref) r.ref, r.commit from jsonb_to_recordset(p_refs) as r (ref text, commit text)
    order by r.ref
  ), last as (
    select distinct on (o.ref) o.ref, o.commit_sha, o.first_seen_at
    from public.ref_observations o where o.action_id = p_action_id order by o.ref, o.first_seen_at desc
  ), going as (
    update public.ref_observations o set last_seen_at = p_now
    from last join seen on seen.ref = last.ref and seen.commit = last.commit_sha
    where o.action_id = p_action_id and o.ref = last.ref and o.first_seen_at = last.first_seen_at
    returning o.ref
  )
  insert into public.ref_observations (action_id, ref, commit_sha, first_seen_at, last_seen_at)
  select p_action_id, seen.ref, seen.commit, p_now, p_now
  from seen left join last on last.ref = seen.ref and last.commit_sha = seen.commit
  where last.ref is null;
end
$$;

-- Stores an evaluation with what was observed, whole or not at all, and takes the action off the queue. With the same
-- signals as before, by the same algorithm, only the time changes. The evaluation comes as text: not every driver
-- passes JSON through. Answers what `read_action` does.
create function public.store_action(p_action text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_new constant jsonb := p_action::jsonb;
  v_key constant text := lower((v_new ->> 'owner') || '/' || (v_new ->> 'name'));
  v_now constant timestamptz := clock_timestamp();
  v_evaluation constant jsonb := v_new -> 'evaluation';
  v_id uuid;
  v_catalogued uuid;
  v_version uuid;
  v_last public.action_evaluations;
begin
  perform pg_advisory_xact_lock(hashtextextended('action ' || v_key, 0));
  perform pg_advisory_xact_lock(hashtextextended('action number ' || (v_new ->> 'scm_id'), 0));
  select a.id into v_id from public.actions a where a.scm_id = v_new ->> 'scm_id';
  select a.id into v_catalogued
  from public.action_names n join public.actions a on a.id = n.action_id
  where n.name_key = v_key and a.scm_id is null;
  if v_id is null and v_catalogued is not null then
    update public.actions set scm_id = v_new ->> 'scm_id' where id = v_catalogued;
    v_id := v_catalogued;
  elsif v_id is null then
    insert into public.actions (scm_id, owner, name)
    values (v_new ->> 'scm_id', v_new ->> 'owner', v_new ->> 'name') returning id into v_id;
  elsif v_catalogued is not null then
    -- Known by its number under another name; the catalog's entry was this repository.
    update public.action_names set action_id = v_id where action_id = v_catalogued;
    delete from public.actions where id = v_catalogued;
  end if;
  insert into public.action_names (name_key, action_id) values (v_key, v_id)
  on conflict (name_key) do update set action_id = excluded.action_id;
  insert into public.action_identities (name_key, scm_id, owner_scm_id, first_seen_at)
  values (v_key, v_new ->> 'scm_id', v_new ->> 'owner_scm_id', v_now)
  on conflict do nothing;
  perform internal.observe_refs(v_id, v_new -> 'refs', v_now);

  insert into public.action_versions (action_id, path, commit_sha, first_seen_at)
  values (v_id, v_new ->> 'path', v_new ->> 'sha', v_now)
  on conflict (action_id, path, commit_sha) do update set path = excluded.path
  returning id into v_version;
  select e.* into v_last from public.action_evaluations e where e.version_id = v_version
  order by e.evaluated_at desc, e.id limit 1;
  if v_last.id is null or v_last.signals_hash <> v_evaluation ->> 'signals_hash'
    or v_last.algorithm_version <> v_evaluation ->> 'algorithm_version' then
    insert into public.action_evaluations (version_id, algorithm_version, signals_hash, evaluated_at, score, score_floor,
      band, coverage, provisional, hard_block, breakdown, signals, finding_counts)
    values (v_version, v_evaluation ->> 'algorithm_version', v_evaluation ->> 'signals_hash', v_now,
      (v_evaluation ->> 'score')::smallint, (v_evaluation ->> 'score_floor')::smallint, v_evaluation ->> 'band',
      round((v_evaluation ->> 'coverage')::numeric * 100)::smallint, (v_evaluation ->> 'provisional')::boolean, v_evaluation -> 'hard_block',
      v_evaluation -> 'breakdown', v_evaluation -> 'signals', v_evaluation -> 'finding_counts');
  end if;
  update public.actions
  set owner = v_new ->> 'owner', name = v_new ->> 'name', description = v_new ->> 'description', url = v_new ->> 'url',
    stars = (v_new ->> 'stars')::integer, archived = (v_new ->> 'archived')::boolean, version_id = v_version,
    sha = v_new ->> 'sha', refs = internal.refs_at(v_id, v_new ->> 'sha'),
    score = (v_evaluation ->> 'score')::smallint, band = v_evaluation ->> 'band',
    finding_counts = v_evaluation -> 'finding_counts', scored_at = v_now, stale_since = null
  where id = v_id;
  delete from public.action_queue where action_id = v_id;
  return public.read_action(v_key);
end
$$;

-- Leases up to so many actions: those asked for, then those scored longest ago, then those never scored. Two workers never hold the same one.
create function public.claim_actions(p_lease uuid, p_lease_seconds integer, p_limit integer, p_rescore_seconds integer)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_until constant timestamptz := clock_timestamp() + make_interval(secs => p_lease_seconds);
  v_claimed uuid[];
begin
  insert into public.action_queue (action_id, requested_at, due_at)
  select a.id, clock_timestamp(), clock_timestamp()
  from public.actions a
  where coalesce(greatest(a.scored_at, a.checked_at), '-infinity')
      < clock_timestamp() - make_interval(secs => p_rescore_seconds)
    and not exists (select from public.action_queue q where q.action_id = a.id)
  order by a.scored_at nulls last, a.checked_at nulls first, a.id limit p_limit
  on conflict (action_id) do nothing;
  with free as (
    select q.action_id from public.action_queue q
    where q.due_at <= clock_timestamp() and (q.lease_until is null or q.lease_until < clock_timestamp())
    order by q.due_at, q.action_id limit p_limit for update skip locked
  ), taken as (
    update public.action_queue q
    set lease = p_lease, lease_until = v_until, attempts = q.attempts + 1
    from free where q.action_id = free.action_id
    returning q.action_id
  )
  select coalesce(array_agg(action_id), '{}') into v_claimed from taken;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'owner', a.owner, 'name', a.name)
      order by lower(a.owner), lower(a.name)), '[]')
    from public.actions a where a.id = any (v_claimed));
end
$$;

-- Gives a claimed action back: later when scoring failed, at once (0) when it was not begun, and for good (null) when
-- there is nothing to score.
create function public.release_action(p_action_id uuid, p_lease uuid, p_retry_seconds integer default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_retry_seconds is null then
    delete from public.action_queue where action_id = p_action_id and lease = p_lease;
    update public.actions set checked_at = clock_timestamp() where id = p_action_id;
  else
    update public.action_queue
    set lease = null, lease_until = null, due_at = clock_timestamp() + make_interval(secs => p_retry_seconds)
    where action_id = p_action_id and lease = p_lease;
    update public.actions set stale_since = coalesce(stale_since, clock_timestamp())
    where id = p_action_id and version_id is not null and p_retry_seconds > 0;
  end if;
end
$$;

create function internal.action_row(p_action public.actions) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('owner', p_action.owner, 'name', p_action.name, 'score', p_action.score,
    'band', p_action.band, 'sha', p_action.sha, 'refs', p_action.refs, 'stars', p_action.stars,
    'archived', p_action.archived, 'description', p_action.description,
    'scored_at', internal.rfc3339(p_action.scored_at), 'finding_counts', p_action.finding_counts)
$$;

-- One page of the scored actions, in one of four orders; equal values are ordered by name.
create function public.list_actions(p_query text, p_sort text, p_descending boolean, p_limit integer, p_offset integer)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_order constant text := case p_sort
    when 'score' then 'a.score' when 'stars' then 'coalesce(a.stars, 0)' when 'scored_at' then 'a.scored_at'
    else 'lower(a.owner)' end;
  v_direction constant text := case when p_descending then 'desc' else 'asc' end;
  v_pattern constant text := '%' || replace(replace(replace(lower(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_where constant text := 'a.score is not null' || case when p_query is null or p_query = '' then ''
    else ' and (lower(a.owner || ''/'' || a.name) like $1 or lower(a.description) like $1)' end;
  v_total bigint;
  v_rows jsonb;
begin
  execute 'select count(*) from public.actions a where ' || v_where into v_total using v_pattern;
  execute format(
    'select coalesce(jsonb_agg(internal.action_row(page.a)), ''[]'') from (
       select a from public.actions a where %s
       order by %s %s, lower(a.owner) %s, lower(a.name) %s, a.id limit $2 offset $3) as page',
    v_where, v_order, v_direction, case when p_sort = 'name' then v_direction else 'asc' end,
    case when p_sort = 'name' then v_direction else 'asc' end)
  into v_rows using v_pattern, p_limit, p_offset;
  return jsonb_build_object('actions', v_rows, 'total', v_total);
end
$$;

-- The actions that the last scan of a repository saw, and where.
create table public.action_uses (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  repo_id uuid not null,
  scan_id uuid not null,
  owner text not null check (char_length(owner) between 1 and 100),
  name text not null check (char_length(name) between 1 and 100),
  -- Folder of the action; empty for the repository's root.
  path text not null check (char_length(path) <= 500),
  ref text not null check (char_length(ref) <= 300),
  file text not null check (char_length(file) <= 1000),
  line integer not null check (line >= 1),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade,
  foreign key (scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id) on delete cascade
);
create index action_uses_by_repository on public.action_uses (repo_id, file, line);
create index action_uses_by_organization on public.action_uses (org_id, lower(owner), lower(name));
create index action_uses_by_action on public.action_uses (lower(owner), lower(name), repo_id);
create index action_uses_by_scan on public.action_uses (scan_id);
alter table public.action_uses enable row level security;
create policy members_read on public.action_uses for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- Replaces what the scan before saw; without a list, of a scan with equal files, that stays and belongs to the new scan.
create function internal.note_action_uses(p_scan_id uuid, p_uses jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_repo_id constant uuid := (select s.repo_id from public.scans s where s.id = p_scan_id);
begin
  if jsonb_typeof(p_uses) is distinct from 'array' then
    update public.action_uses set scan_id = p_scan_id where repo_id = v_repo_id;
    return;
  end if;
  delete from public.action_uses where repo_id = v_repo_id;
  insert into public.action_uses (org_id, repo_id, scan_id, owner, name, path, ref, file, line)
  select s.org_id, s.repo_id, s.id, u.owner, u.name, u.path, u.ref, u.file, u.line
  from public.scans s,
    jsonb_to_recordset(p_uses) as u (owner text, name text, path text, ref text, file text, line integer)
  where s.id = p_scan_id;
end
$$;

-- As before, with the actions that the scan saw.
create or replace function public.persist_scan(p_scan text, p_evidence text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_stored constant jsonb := internal.persist_scan(p_scan);
  v_scan constant jsonb := p_scan::jsonb;
  v_evidence constant jsonb := p_evidence::jsonb;
begin
  if v_stored is null then
    return null;
  end if;
  if v_evidence is not null then
    insert into public.scan_facts (scan_id, repo_id, org_id, evidence, whole, caches_read_only)
    select s.id, s.repo_id, s.org_id, v_evidence -> 'evidence', (v_evidence ->> 'whole')::boolean,
      (v_evidence ->> 'caches_read_only')::boolean
    from public.scans s where s.id = (v_stored ->> 'scan_id')::uuid;
  elsif (v_scan ->> 'same_as') is not null then
    insert into public.scan_facts (scan_id, repo_id, org_id, evidence, whole, caches_read_only)
    select (v_stored ->> 'scan_id')::uuid, f.repo_id, f.org_id, f.evidence, f.whole, f.caches_read_only
    from public.scan_facts f
    where f.scan_id = (v_scan ->> 'same_as')::uuid and f.repo_id = (v_stored ->> 'repo_id')::uuid;
  end if;
  if jsonb_typeof(v_scan -> 'observed_tags') = 'array' then
    perform internal.observe_tags((v_stored ->> 'repo_id')::uuid, v_scan -> 'observed_tags');
  end if;
  perform internal.note_action_uses((v_stored ->> 'scan_id')::uuid, v_scan -> 'action_uses');
  return v_stored;
end
$$;

-- The scored actions, lowest score first, and how many repositories use each: of one organization, whose member the
-- user has to be, or of all of the user's.
create function public.rank_actions(p_user_id uuid, p_org_id uuid, p_limit integer) returns jsonb
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
    perform internal.refuse('not-found', 'There is no such organization.');
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

-- As before, with the scored actions.
create or replace function public.public_statistics() returns jsonb
language sql
stable
set search_path = ''
as $$
  with scanned as (
    select s.scm_id, s.slug, null::uuid as scan_id, s.workflow_files, s.high + s.medium + s.low + s.info as findings,
      s.scanned_at
    from public.public_scans s where s.latest
    union all
    select r.scm_id, null, s.id, s.workflow_files, s.findings, s.finished_at
    from public.repositories r join public.scans s on s.id = r.last_scan_id
  ), newest as materialized (
    select distinct on (scm_id) * from scanned order by scm_id, scanned_at desc, slug, scan_id
  ), fired as (
    select each.key as rule_id, each.value::bigint as times
    from newest join public.public_scans s on s.slug = newest.slug, jsonb_each_text(s.rule_counts) as each
    union all
    select f.rule_id, count(*)
    from newest join public.findings f on f.scan_id = newest.scan_id
    group by f.rule_id
  )
  select jsonb_build_object(
    'repositories', (select count(*) from newest),
    'workflows', (select coalesce(sum(workflow_files), 0) from newest),
    'findings', (select coalesce(sum(findings), 0) from newest),
    'actions', (select count(*) from public.actions where score is not null),
    'rules', (
      select coalesce(jsonb_object_agg(rule_id, times), '{}')
      from (select rule_id, sum(times) as times from fired group by rule_id) as totals),
    'recent', (
      select coalesce(jsonb_agg(internal.public_scan_report(s) order by s.scanned_at desc), '[]')
      from (select * from public.public_scans where latest order by scanned_at desc limit 10) as s))
$$;

select internal.apply_grants();
