-- Which attack paths an anonymous scan found, by kind, and how many rules of each category ran and
-- how many of them found nothing: for the page of a report.
-- Unknown for scans stored before.
alter table public.public_scans
  add column attack_paths jsonb check (jsonb_typeof(attack_paths) = 'array'),
  add column path_fixes integer check (path_fixes >= 0),
  add column checks jsonb check (jsonb_typeof(checks) = 'array');

-- A stored scan as it is served, without who it is to the service.
create or replace function internal.public_scan_report(p_scan public.public_scans) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'slug', p_scan.slug,
    'repo', p_scan.repo,
    'default_branch', p_scan.default_branch,
    'commit_sha', p_scan.commit_sha,
    'engine_version', p_scan.engine_version,
    'workflow_files', p_scan.workflow_files,
    'counts', jsonb_build_object(
      'HIGH', p_scan.high, 'MEDIUM', p_scan.medium, 'LOW', p_scan.low, 'INFO', p_scan.info),
    'top_findings', p_scan.top_findings,
    'not_assessed', p_scan.not_assessed,
    'attack_paths', p_scan.attack_paths,
    'path_fixes', p_scan.path_fixes,
    'checks', p_scan.checks,
    'scanned_at', internal.rfc3339(p_scan.scanned_at))
$$;

-- Stores a scan and gives up the claim, both or neither. The scan comes as text: not every driver passes JSON through.
create or replace function public.finish_public_scan(p_claim uuid, p_scan text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_scan jsonb := p_scan::jsonb;
  v_key text := lower(v_scan ->> 'repo');
  v_row public.public_scans;
begin
  -- One name after the other and one repository after the other, so that exactly one row stays the latest.
  perform pg_advisory_xact_lock(hashtextextended('public_scans', 0));
  update public.public_scans set latest = false
  where latest and (scm_id = v_scan ->> 'scm_id' or repo_key = v_key);
  insert into public.public_scans (slug, repo_key, scm_id, repo, default_branch, commit_sha, engine_version,
    workflow_files, high, medium, low, info, top_findings, not_assessed, rule_counts, attack_paths, path_fixes,
    checks, scanned_at)
  values (v_scan ->> 'slug', v_key, v_scan ->> 'scm_id', v_scan ->> 'repo', v_scan ->> 'default_branch',
    v_scan ->> 'commit_sha', v_scan ->> 'engine_version',
    (v_scan ->> 'workflow_files')::integer, (v_scan -> 'counts' ->> 'HIGH')::integer,
    (v_scan -> 'counts' ->> 'MEDIUM')::integer, (v_scan -> 'counts' ->> 'LOW')::integer,
    (v_scan -> 'counts' ->> 'INFO')::integer, v_scan -> 'top_findings', v_scan -> 'not_assessed',
    v_scan -> 'rule_counts', v_scan -> 'attack_paths', (v_scan ->> 'path_fixes')::integer,
    v_scan -> 'checks', clock_timestamp())
  returning * into v_row;
  delete from public.public_scan_claims where repo_key = v_key and claim = p_claim;
  return internal.public_scan_report(v_row);
end
$$;

select internal.apply_grants();
