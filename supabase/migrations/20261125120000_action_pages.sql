-- The commit that the ref named before, if it was another one.
alter table public.ref_observations add column previous_commit text check (previous_commit ~ '^[0-9a-f]{40,64}$');
update public.ref_observations o set previous_commit = former.commit_sha
from (
  select r.id, lag(r.commit_sha) over (partition by r.action_id, r.ref order by r.first_seen_at) as commit_sha
  from public.ref_observations r
) as former
where former.id = o.id and former.commit_sha <> o.commit_sha;
-- Tags with at least two numbers: others move with every release.
create index ref_observations_moved on public.ref_observations (first_seen_at desc)
  where previous_commit is not null and ref ~ '^refs/tags/.*[0-9]\.[0-9]';

-- As before, with the commit that a ref named before.
create or replace function internal.observe_refs(p_action_id uuid, p_refs jsonb, p_now timestamptz) returns void
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
  insert into public.ref_observations (action_id, ref, commit_sha, previous_commit, first_seen_at, last_seen_at)
  select p_action_id, seen.ref, seen.commit, last.commit_sha, p_now, p_now
  from seen left join last on last.ref = seen.ref
  where last.ref is null or last.commit_sha <> seen.commit;
end
$$;

-- A move of a tag. `refined`: a longer tag begins with it, so that it may be meant to move. `back`: the tag named the
-- commit before.
create function internal.tag_move(p_seen public.ref_observations) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('tag', substr(p_seen.ref, 11), 'from', p_seen.previous_commit, 'to', p_seen.commit_sha,
    'at', internal.rfc3339(p_seen.first_seen_at),
    'refined', exists (
      select from public.ref_observations o
      where o.action_id = p_seen.action_id and starts_with(o.ref, p_seen.ref || '.')),
    'back', exists (
      select from public.ref_observations o
      where o.action_id = p_seen.action_id and o.ref = p_seen.ref and o.commit_sha = p_seen.commit_sha
        and o.first_seen_at < p_seen.first_seen_at))
$$;

-- The latest moves of the tags of one action.
create function public.read_tag_moves(p_name_key text, p_limit integer) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(internal.tag_move(moved.o) order by (moved.o).first_seen_at desc, (moved.o).ref collate "C"), '[]')
  from (
    select o from public.action_names n join public.ref_observations o on o.action_id = n.action_id
    where n.name_key = p_name_key and o.previous_commit is not null and o.ref ~ '^refs/tags/.*[0-9]\.[0-9]'
    order by o.first_seen_at desc, o.ref collate "C" limit p_limit) as moved
$$;

-- The latest moves of the tags of all scored actions.
create function public.list_tag_moves(p_days integer, p_limit integer) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('owner', a.owner, 'name', a.name) || internal.tag_move(moved.o)
    order by (moved.o).first_seen_at desc, lower(a.owner), lower(a.name), (moved.o).ref collate "C"), '[]')
  from (
    select o from public.ref_observations o
    where o.previous_commit is not null and o.ref ~ '^refs/tags/.*[0-9]\.[0-9]'
      and o.first_seen_at > clock_timestamp() - make_interval(days => p_days)
      and (o.ref ~ '[0-9]\.[0-9]+\.[0-9]' or not exists (
        select from public.ref_observations longer
        where longer.action_id = o.action_id and starts_with(longer.ref, o.ref || '.')))
    order by o.first_seen_at desc limit p_limit) as moved
    join public.actions a on a.id = (moved.o).action_id
  where a.score is not null
$$;

-- One page of the scored actions in some bands (all if the list, which comes as JSON, is empty), with the number of
-- actions in each band that match the text.
create function public.browse_actions(
  p_query text, p_bands text, p_sort text, p_descending boolean, p_limit integer, p_offset integer
) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_bands constant text[] := array(select jsonb_array_elements_text(p_bands::jsonb));
  v_order constant text := case p_sort
    when 'score' then 'a.score' when 'stars' then 'coalesce(a.stars, 0)' when 'scored_at' then 'a.scored_at'
    else 'lower(a.owner)' end;
  v_direction constant text := case when p_descending then 'desc' else 'asc' end;
  v_names constant text := case when p_sort = 'name' then v_direction else 'asc' end;
  v_pattern constant text := '%' || replace(replace(replace(lower(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_where constant text := 'a.score is not null' || case when p_query = '' then ''
    else ' and (lower(a.owner || ''/'' || a.name) like $1 or lower(a.description) like $1)' end;
  v_counts jsonb;
  v_rows jsonb;
begin
  execute 'select coalesce(jsonb_object_agg(band, number), ''{}'') from (
    select a.band, count(*) as number from public.actions a where ' || v_where || ' group by a.band) as bands'
  into v_counts using v_pattern;
  execute format(
    'select coalesce(jsonb_agg(internal.action_row(page.a) || jsonb_build_object(''provisional'', (
         select e.provisional from public.action_evaluations e where e.version_id = (page.a).version_id
         order by e.evaluated_at desc, e.id limit 1))), ''[]'') from (
       select a from public.actions a where %s%s
       order by %s %s, lower(a.owner) %s, lower(a.name) %s, a.id limit $2 offset $3) as page',
    v_where, case when v_bands = '{}' then '' else ' and a.band = any ($4)' end, v_order, v_direction, v_names, v_names)
  into v_rows using v_pattern, p_limit, p_offset, v_bands;
  return jsonb_build_object('actions', v_rows, 'bands', v_counts);
end
$$;

-- The names of scored actions, for search engines.
create function public.list_action_names(p_limit integer) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('owner', a.owner, 'name', a.name,
    'scored_at', internal.rfc3339(a.scored_at)) order by lower(a.owner), lower(a.name)), '[]')
  from (
    select * from public.actions where score is not null order by lower(owner), lower(name) limit p_limit) as a
$$;

select internal.apply_grants();
