-- Reports of a repository that is no longer public: their links replay them, its name leads to none of them.
alter table public.public_scans add column withdrawn_at timestamptz;

-- The newest stored scan of a name; one not older than p_max_age when given.
create or replace function public.newest_public_scan(p_repo_key text, p_max_age_seconds integer default null) returns jsonb
language sql
stable
set search_path = ''
as $$
  select internal.public_scan_report(s)
  from public.public_scans s
  where s.repo_key = p_repo_key
    and s.withdrawn_at is null
    and (p_max_age_seconds is null or s.scanned_at > now() - make_interval(secs => p_max_age_seconds))
  order by s.scanned_at desc
  limit 1
$$;

-- The code host says that there is no public repository of this name.
create function public.withdraw_public_scans(p_repo_key text) returns void
language sql
set search_path = ''
as $$
  update public.public_scans set latest = false, withdrawn_at = clock_timestamp()
  where repo_key = p_repo_key and withdrawn_at is null
$$;

select internal.apply_grants();
