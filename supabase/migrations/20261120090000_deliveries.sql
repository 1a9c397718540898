-- What the code host delivered. A delivery is handled once; one whose handling failed or died may come again.
create table public.webhook_deliveries (
  id text primary key check (char_length(id) between 1 and 100),
  event text not null,
  received_at timestamptz not null default now(),
  -- Who works on it, until when unless they say so again.
  claim uuid,
  claimed_until timestamptz,
  handled_at timestamptz
);
create index webhook_deliveries_by_age on public.webhook_deliveries (received_at);
alter table public.webhook_deliveries enable row level security;

-- 'claimed' for one caller, 'busy' while that one works, 'handled' ever after.
create function public.begin_delivery(p_id text, p_event text, p_claim uuid, p_claim_seconds integer) returns text
language plpgsql
set search_path = ''
as $$
declare
  v_delivery public.webhook_deliveries;
begin
  if random() < 0.01 then
    delete from public.webhook_deliveries where id in (
      select id from public.webhook_deliveries where received_at < now() - interval '60 days'
      order by received_at limit 1000 for update skip locked);
  end if;
  insert into public.webhook_deliveries (id, event) values (p_id, p_event) on conflict do nothing;
  select * into v_delivery from public.webhook_deliveries where id = p_id for update;
  if v_delivery.handled_at is not null then
    return 'handled';
  end if;
  if v_delivery.claim <> p_claim and v_delivery.claimed_until > clock_timestamp() then
    return 'busy';
  end if;
  update public.webhook_deliveries
  set claim = p_claim, claimed_until = clock_timestamp() + make_interval(secs => p_claim_seconds)
  where id = p_id;
  return 'claimed';
end
$$;

-- Gives a claim up: handled for good, or free for whoever delivers it again.
create function public.end_delivery(p_id text, p_claim uuid, p_handled boolean) returns void
language sql
set search_path = ''
as $$
  update public.webhook_deliveries
  set claim = null, claimed_until = null, handled_at = case when p_handled then clock_timestamp() end
  where id = p_id and claim = p_claim
$$;

select internal.apply_grants();
