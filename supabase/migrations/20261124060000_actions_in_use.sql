-- Somebody asked for the name while the code host could not be reached, so nobody knows whether it exists.
alter table public.actions add column confirmed boolean not null default true;
create index actions_unconfirmed on public.actions (created_at) where not confirmed;
-- Repositories that used it when it was scored last.
alter table public.actions add column used_by integer not null default 0 check (used_by >= 0);

-- When it was evaluated last, with the same result or another one.
alter table public.action_versions add column checked_at timestamptz;
update public.action_versions v set checked_at = coalesce(
  (select max(e.evaluated_at) from public.action_evaluations e where e.version_id = v.id), v.first_seen_at);

create function internal.repositories_using(p_action_id uuid) returns integer
language sql
stable
set search_path = ''
as $$
  select count(distinct u.repo_id)::integer
  from public.action_names n
    join public.action_uses u
      on lower(u.owner) = split_part(n.name_key, '/', 1) and lower(u.name) = split_part(n.name_key, '/', 2)
    join public.repositories r on r.id = u.repo_id and r.removed_at is null
  where n.action_id = p_action_id
$$;

-- As before, but names that nobody confirmed are few and marked: false if there is no room for another one.
drop function public.enqueue_action(text, text);
create function public.enqueue_action(p_owner text, p_name text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_most_unconfirmed constant integer := 500;
  v_key constant text := lower(p_owner || '/' || p_name);
  v_id uuid := (internal.action_named(v_key)).id;
begin
  if v_id is null then
    perform pg_advisory_xact_lock(hashtextextended('action ' || v_key, 0));
    v_id := (internal.action_named(v_key)).id;
    if v_id is null then
      if (select count(*) from public.actions where not confirmed) >= v_most_unconfirmed then
        return false;
      end if;
      insert into public.actions (owner, name, confirmed) values (p_owner, p_name, false) returning id into v_id;
      insert into public.action_names (name_key, action_id) values (v_key, v_id);
    end if;
  end if;
  insert into public.action_queue (action_id, requested_at, due_at)
  values (v_id, clock_timestamp(), clock_timestamp())
  on conflict (action_id) do nothing;
  return true;
end
$$;

-- As before; what nobody confirmed and the code host does not have is forgotten.
create or replace function public.release_action(p_action_id uuid, p_lease uuid, p_retry_seconds integer default null)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_retry_seconds is null then
    delete from public.action_queue where action_id = p_action_id and lease = p_lease;
    if found then
      delete from public.actions where id = p_action_id and not confirmed;
    end if;
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

-- As before; what three repositories or more use is due four times as often, and without an interval only what waits is
-- claimed.
create or replace function public.claim_actions(p_lease uuid, p_lease_seconds integer, p_limit integer,
  p_rescore_seconds integer default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_claimed uuid[];
begin
  if p_rescore_seconds is not null then
    insert into public.action_queue (action_id, requested_at, due_at)
    select a.id, v_now, v_now
    from public.actions a
    where coalesce(greatest(a.scored_at, a.checked_at), '-infinity')
        < v_now - make_interval(secs => p_rescore_seconds / case when a.used_by >= 3 then 4 else 1 end)
      and not exists (select from public.action_queue q where q.action_id = a.id)
    order by a.used_by desc, a.scored_at nulls last, a.checked_at nulls first, a.id limit p_limit
    on conflict (action_id) do nothing;
  end if;
  with free as (
    select q.action_id from public.action_queue q
    where q.due_at <= v_now and (q.lease_until is null or q.lease_until < v_now)
    order by q.due_at, q.action_id limit p_limit for update skip locked
  ), taken as (
    update public.action_queue q
    set lease = p_lease, lease_until = v_now + make_interval(secs => p_lease_seconds), attempts = q.attempts + 1
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

-- As before, with who uses the action and which refs of it.
create or replace function public.read_action_history(p_scm_id text, p_name_key text) returns jsonb
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
    'signals_sha', (select a.sha from public.actions a where a.scm_id = p_scm_id),
    'users', (
      select count(distinct u.org_id) from public.action_uses u
      where lower(u.owner) = split_part(p_name_key, '/', 1) and lower(u.name) = split_part(p_name_key, '/', 2)),
    'organizations', (select count(*) from (select distinct u.org_id from public.action_uses u) as known),
    'used_refs', (
      select coalesce(jsonb_agg(used.ref order by used.repos desc, used.ref collate "C"), '[]')
      from (
        select u.ref, count(distinct u.repo_id) as repos
        from public.action_uses u join public.repositories r on r.id = u.repo_id and r.removed_at is null
        where lower(u.owner) = split_part(p_name_key, '/', 1) and lower(u.name) = split_part(p_name_key, '/', 2)
          and u.path = ''
        group by u.ref order by repos desc, u.ref collate "C" limit 50) as used))
$$;

-- The newest evaluation of each version at these commits. The list comes as JSON.
create function public.read_action_versions(p_scm_id text, p_commits text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('sha', v.commit_sha, 'signals', e.signals,
    'checked_at', internal.rfc3339(v.checked_at)) order by v.commit_sha), '[]')
  from public.actions a join public.action_versions v on v.action_id = a.id
    join lateral (
      select e.signals from public.action_evaluations e where e.version_id = v.id
      order by e.evaluated_at desc, e.id limit 1) as e on true
  where a.scm_id = p_scm_id and v.path = ''
    and v.commit_sha in (select jsonb_array_elements_text(p_commits::jsonb))
$$;

-- As before. With "current" false it stores another version of an action that has a current one.
create or replace function public.store_action(p_action text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_new constant jsonb := p_action::jsonb;
  v_key constant text := lower((v_new ->> 'owner') || '/' || (v_new ->> 'name'));
  v_now constant timestamptz := clock_timestamp();
  v_evaluation constant jsonb := v_new -> 'evaluation';
  v_current constant boolean := coalesce((v_new ->> 'current')::boolean, true);
  v_id uuid;
  v_catalogued uuid;
  v_version uuid;
  v_last public.action_evaluations;
begin
  perform pg_advisory_xact_lock(hashtextextended('action ' || v_key, 0));
  perform pg_advisory_xact_lock(hashtextextended('action number ' || (v_new ->> 'scm_id'), 0));
  select a.id into v_id from public.actions a where a.scm_id = v_new ->> 'scm_id';
  if v_current then
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
  elsif v_id is null then
    return null;
  end if;

  insert into public.action_versions (action_id, path, commit_sha, first_seen_at, checked_at)
  values (v_id, v_new ->> 'path', v_new ->> 'sha', v_now, v_now)
  on conflict (action_id, path, commit_sha) do update set checked_at = excluded.checked_at
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
  if v_current then
    update public.actions
    set owner = v_new ->> 'owner', name = v_new ->> 'name', description = v_new ->> 'description', url = v_new ->> 'url',
      stars = (v_new ->> 'stars')::integer, archived = (v_new ->> 'archived')::boolean, version_id = v_version,
      sha = v_new ->> 'sha', refs = internal.refs_at(v_id, v_new ->> 'sha'),
      score = (v_evaluation ->> 'score')::smallint, band = v_evaluation ->> 'band',
      finding_counts = v_evaluation -> 'finding_counts', scored_at = v_now, stale_since = null, confirmed = true,
      used_by = internal.repositories_using(v_id)
    where id = v_id;
    delete from public.action_queue where action_id = v_id;
  end if;
  return public.read_action(v_key);
end
$$;

select internal.apply_grants();
