-- When the service wrote to the code host, by installation. The limits hold for all processes together, so they are
-- counted here.
create table public.code_host_writes (
  installation_id text primary key check (char_length(installation_id) between 1 and 20),
  -- Reserved times of the last hour, oldest first; the newest can be in the future.
  reserved timestamptz[] not null default '{}',
  paused_until timestamptz,
  updated_at timestamptz not null default now()
);
create index code_host_writes_by_age on public.code_host_writes (updated_at);
alter table public.code_host_writes enable row level security;

-- Reserves the next free time for one write: p_gap_ms after the one before, at most p_per_minute in a minute and
-- p_per_hour in an hour. Answers in how many milliseconds it is, or `exhausted_seconds` and reserves nothing if that is
-- more than p_max_wait_ms.
create function public.reserve_code_host_write(p_installation_id text, p_gap_ms integer, p_per_minute integer,
  p_per_hour integer, p_max_wait_ms integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_held public.code_host_writes;
  v_now timestamptz;
  v_times timestamptz[];
  v_count integer;
  v_slot timestamptz;
  v_wait_ms numeric;
begin
  if random() < 0.02 then
    delete from public.code_host_writes where installation_id in (
      select installation_id from public.code_host_writes
      where updated_at < clock_timestamp() - interval '1 day'
      order by updated_at limit 100 for update skip locked);
  end if;
  insert into public.code_host_writes as held (installation_id) values (p_installation_id)
  on conflict (installation_id) do update set updated_at = clock_timestamp()
  returning held.* into v_held;
  -- The time is taken with the row in hand: waiting for it may have lasted.
  v_now := clock_timestamp();
  v_times := array(
    select reserved from unnest(v_held.reserved) as reserved where reserved > v_now - interval '1 hour' order by reserved);
  v_count := cardinality(v_times);
  v_slot := greatest(
    v_now,
    v_held.paused_until,
    v_times[v_count] + make_interval(secs => p_gap_ms / 1000.0),
    v_times[v_count - p_per_minute + 1] + interval '1 minute',
    v_times[v_count - p_per_hour + 1] + interval '1 hour');
  v_wait_ms := ceil(extract(epoch from v_slot - v_now) * 1000);
  if v_wait_ms > p_max_wait_ms then
    return jsonb_build_object('exhausted_seconds', greatest(1, ceil(v_wait_ms / 1000)));
  end if;
  update public.code_host_writes set reserved = v_times || v_slot, updated_at = v_now
  where installation_id = p_installation_id;
  return jsonb_build_object('wait_ms', v_wait_ms);
end
$$;

-- Notes that the code host asked to wait.
create function public.pause_code_host_writes(p_installation_id text, p_seconds integer) returns void
language sql
set search_path = ''
as $$
  insert into public.code_host_writes as held (installation_id, paused_until)
  values (p_installation_id, clock_timestamp() + make_interval(secs => p_seconds))
  on conflict (installation_id) do update
  set paused_until = greatest(held.paused_until, excluded.paused_until), updated_at = clock_timestamp()
$$;

select internal.apply_grants();
