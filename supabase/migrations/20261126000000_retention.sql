-- When the details of an old scan were deleted; its counts stay, for charts and for the ledger.
alter table public.scans add column pruned_at timestamptz;
create index scans_unpruned on public.scans (finished_at) where pruned_at is null;

-- Deletes the details of scans that ended more than some days ago, but of a repository's last scan, and but for the last
-- sighting of each finding. Runs at the same time take different scans.
create function public.prune_scans(p_days integer, p_max_scans integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_scans uuid[];
  v_findings integer;
begin
  v_scans := array(
    select s.id from public.scans s
    where s.pruned_at is null and s.finished_at < clock_timestamp() - make_interval(days => p_days)
      and not exists (select from public.repositories r where r.last_scan_id = s.id)
    order by s.finished_at limit p_max_scans
    for update skip locked);
  delete from public.findings f
  where f.scan_id = any (v_scans) and not exists (
    select from public.finding_ledger l
    where l.repo_id = f.repo_id and l.fingerprint = f.fingerprint and l.last_scan_id = f.scan_id);
  get diagnostics v_findings = row_count;
  delete from public.scan_rules where scan_id = any (v_scans);
  delete from public.scan_inputs where scan_id = any (v_scans);
  delete from public.scan_facts where scan_id = any (v_scans);
  update public.scans set pruned_at = clock_timestamp() where id = any (v_scans);
  return jsonb_build_object('scans', coalesce(array_length(v_scans, 1), 0), 'findings', v_findings);
end
$$;

select internal.apply_grants();
