-- What the directory shows of each page without a search is counted and looked up when an action is scored, not when a
-- page is read.
alter table public.actions add column provisional boolean;
update public.actions a set provisional = (
  select e.provisional from public.action_evaluations e where e.version_id = a.version_id
  order by e.evaluated_at desc, e.id limit 1)
where a.version_id is not null;

create table public.action_band_counts (
  band text primary key check (band in ('A', 'B', 'C', 'D', 'F')),
  number bigint not null
);
alter table public.action_band_counts enable row level security;
insert into public.action_band_counts
select band, count(*) from public.actions where score is not null group by band;

-- The bands are counted in one order, so that two writers never wait for each other.
create function internal.count_bands() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.action_band_counts as n (band, number)
  select changed.band, sum(changed.by) from (
    select new.band, 1 as by where tg_op <> 'DELETE' and new.score is not null
    union all
    select old.band, -1 where tg_op <> 'INSERT' and old.score is not null) as changed
  group by changed.band having sum(changed.by) <> 0 order by changed.band
  on conflict (band) do update set number = n.number + excluded.number;
  return null;
end
$$;
create trigger actions_count_bands after insert or update of band, score or delete on public.actions
  for each row execute function internal.count_bands();

-- As before; a provisional score is marked in the row that is listed.
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
      finding_counts = v_evaluation -> 'finding_counts', provisional = (v_evaluation ->> 'provisional')::boolean,
      scored_at = v_now, stale_since = null, confirmed = true, used_by = internal.repositories_using(v_id)
    where id = v_id;
    delete from public.action_queue where action_id = v_id;
  end if;
  return public.read_action(v_key);
end
$$;

-- As before, from what the rows and the counts hold.
create or replace function public.list_actions(
  p_query text, p_bands text, p_sort text, p_descending boolean, p_limit integer, p_offset integer
) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_bands constant text[] := array(select jsonb_array_elements_text(p_bands::jsonb));
  v_key constant text := case p_sort
    when 'score' then 'a.score' when 'stars' then 'coalesce(a.stars, 0)' when 'scored_at' then 'a.scored_at' end;
  v_direction constant text := case when p_descending then ' desc' else '' end;
  v_order constant text := case when v_key is null
    then replace('lower(a.owner)%, lower(a.name)%, a.id%', '%', v_direction)
    else v_key || v_direction || ', lower(a.owner), lower(a.name), a.id' end;
  v_pattern constant text := '%' || replace(replace(replace(lower(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_listed jsonb;
begin
  execute format(
    'with matching as %s (select a.* from public.actions a where a.score is not null%s),
     page as materialized (
       select a.id, row_number() over () as place from (
         select a.id from matching a%s order by %s limit $2 offset $3) as a)
     select jsonb_build_object(
       ''actions'', (
         select coalesce(jsonb_agg(jsonb_build_object(''owner'', a.owner, ''name'', a.name, ''score'', a.score,
           ''band'', a.band, ''sha'', a.sha, ''refs'', a.refs, ''stars'', a.stars, ''archived'', a.archived,
           ''description'', a.description, ''scored_at'', internal.rfc3339(a.scored_at),
           ''finding_counts'', a.finding_counts, ''provisional'', a.provisional) order by page.place), ''[]'')
         from page join public.actions a on a.id = page.id),
       ''bands'', (
         select coalesce(jsonb_object_agg(band, number), ''{}'') from %s as bands))',
    case when p_query = '' then 'not materialized' else 'materialized' end,
    case when p_query = '' then '' else ' and a.search_text like $1' end,
    case when v_bands = '{}' then '' else ' where a.band = any ($4)' end, v_order,
    case when p_query = '' then '(select n.band, n.number from public.action_band_counts n where n.number > 0)'
      else '(select a.band, count(*) as number from matching a group by a.band)' end)
  into v_listed using v_pattern, p_limit, p_offset, v_bands;
  return v_listed;
end
$$;

select internal.apply_grants();
