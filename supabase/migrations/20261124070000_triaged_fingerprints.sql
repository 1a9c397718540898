-- Findings of a repository that fixes leave as they are: dismissed, accepted, snoozed or no finding at all.
create function public.triaged_fingerprints(p_repo_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(l.fingerprint order by l.fingerprint), '[]')
  from public.finding_ledger l
  where l.repo_id = p_repo_id and l.status <> 'open' and (l.expires_at is null or l.expires_at > now())
$$;

select internal.apply_grants();
