-- Returns the deliveries that were neither handled nor claimed.
create function public.unhandled_deliveries(p_ids text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(u.id), '[]')
  from jsonb_array_elements_text(p_ids::jsonb) as u (id)
    left join public.webhook_deliveries d on d.id = u.id
  where d.handled_at is null and coalesce(d.claimed_until < clock_timestamp(), true)
$$;

-- Deliveries of the last days that arrived, but whose handling failed or died.
create function public.unfinished_deliveries(p_days integer) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(d.id), '[]')
  from (
    select id from public.webhook_deliveries
    where received_at > now() - make_interval(days => p_days) and handled_at is null
      and coalesce(claimed_until < clock_timestamp(), true)
    order by received_at desc limit 1000) as d
$$;

-- Rows are kept for 60 days; few are from the last three.
create index webhook_deliveries_unhandled on public.webhook_deliveries (received_at) where handled_at is null;

select internal.apply_grants();
