-- What a search looks through, since lower-casing every row for each search takes most of its time.
alter table public.actions add column search_text text collate "C"
  generated always as (lower(owner || '/' || name || E'\n' || coalesce(description, ''))) stored;

-- As before; only the rows of the page are read whole, and every order follows an index.
create or replace function public.list_actions(p_query text, p_sort text, p_descending boolean, p_limit integer,
  p_offset integer)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_order constant text := case p_sort
    when 'score' then 'a.score' when 'stars' then 'a.stars' when 'scored_at' then 'a.scored_at'
    else 'lower(a.owner)' end;
  v_pattern constant text := '%' || replace(replace(replace(lower(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_where constant text := 'a.score is not null' || case when p_query is null or p_query = '' then ''
    else ' and a.search_text like $1' end;
  v_total bigint;
  v_rows jsonb;
begin
  execute 'select count(*) from public.actions a where ' || v_where into v_total using v_pattern;
  execute format(
    'with page as materialized (
       select a.id, row_number() over () as place from (
         select a.id from public.actions a where %s
         order by %s %s, lower(a.owner) %s, lower(a.name) %s, a.id limit $2 offset $3) as a)
     select coalesce(jsonb_agg(internal.action_row(a) order by page.place), ''[]'')
     from page join public.actions a on a.id = page.id',
    v_where, v_order, case when p_descending then 'desc' else 'asc' end,
    case when p_sort = 'name' then case when p_descending then 'desc' else 'asc' end else 'asc' end,
    case when p_sort = 'name' then case when p_descending then 'desc' else 'asc' end else 'asc' end)
  into v_rows using v_pattern, p_limit, p_offset;
  return jsonb_build_object('actions', v_rows, 'total', v_total);
end
$$;

select internal.apply_grants();
