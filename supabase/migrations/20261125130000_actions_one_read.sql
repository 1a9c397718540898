-- Each order of the directory follows an index that holds all of what a page skips, in both directions.
drop index public.actions_by_score, public.actions_by_name, public.actions_by_stars, public.actions_by_scored_at;
create index actions_by_score on public.actions (score, lower(owner), lower(name), id)
  include (owner, name, band) where score is not null;
create index actions_by_score_down on public.actions (score desc, lower(owner), lower(name), id)
  include (owner, name, band) where score is not null;
create index actions_by_stars on public.actions (coalesce(stars, 0), lower(owner), lower(name), id)
  include (stars, owner, name, band) where score is not null;
create index actions_by_stars_down on public.actions (coalesce(stars, 0) desc, lower(owner), lower(name), id)
  include (stars, owner, name, band) where score is not null;
create index actions_by_scored_at on public.actions (scored_at, lower(owner), lower(name), id)
  include (owner, name, band) where score is not null;
create index actions_by_scored_at_down on public.actions (scored_at desc, lower(owner), lower(name), id)
  include (owner, name, band) where score is not null;
create index actions_by_name on public.actions (lower(owner), lower(name), id)
  include (owner, name, band) where score is not null;
create index actions_by_band on public.actions (band) where score is not null;

-- A search reads what it finds, not every row. The extension comes with PostgreSQL; the embedded database does
-- without it.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create schema if not exists extensions;
    create extension if not exists pg_trgm with schema extensions;
    create index actions_by_search_text on public.actions using gin (search_text extensions.gin_trgm_ops)
      where score is not null;
  end if;
end
$$;

drop function public.browse_actions(text, text, text, boolean, integer, integer);
drop function public.list_actions(text, text, boolean, integer, integer);
drop function internal.action_row(public.actions);

-- One page of the scored actions in some bands (all if the list, which comes as JSON, is empty), with the number of
-- actions in each band that match the text. Equal values are ordered by name.
create function public.list_actions(
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
           ''finding_counts'', a.finding_counts, ''provisional'', (
             select e.provisional from public.action_evaluations e where e.version_id = a.version_id
             order by e.evaluated_at desc, e.id limit 1)) order by page.place), ''[]'')
         from page join public.actions a on a.id = page.id),
       ''bands'', (
         select coalesce(jsonb_object_agg(band, number), ''{}'')
         from (select a.band, count(*) as number from matching a group by a.band) as bands))',
    case when p_query = '' then 'not materialized' else 'materialized' end,
    case when p_query = '' then '' else ' and a.search_text like $1' end,
    case when v_bands = '{}' then '' else ' where a.band = any ($4)' end, v_order)
  into v_listed using v_pattern, p_limit, p_offset, v_bands;
  return v_listed;
end
$$;

select internal.apply_grants();
