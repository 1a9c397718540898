-- Those of the deliveries that nobody handled and nobody works on.
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

select internal.apply_grants();
