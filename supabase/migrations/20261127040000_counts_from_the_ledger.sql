-- Counts come from the ledger alone. Joined with the findings, whose statistics know nothing of a new scan, the planner
-- compares each finding of a large scan with each other one: five seconds for 5,000.
create or replace function internal.recount(p_repo_id uuid) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_counts record;
begin
  select count(*) filter (where l.severity = 'HIGH') as high, count(*) filter (where l.severity = 'MEDIUM') as medium,
    count(*) filter (where l.severity = 'LOW') as low, count(*) filter (where l.severity = 'INFO') as info
  into v_counts
  from public.finding_ledger l
  where l.repo_id = p_repo_id and l.present and l.status = 'open';
  update public.scans s
  set high = v_counts.high, medium = v_counts.medium, low = v_counts.low, info = v_counts.info
  from public.repositories r
  where r.id = p_repo_id and s.id = r.last_scan_id;
  return to_jsonb(v_counts);
end
$$;

create or replace function internal.persist_scan(p_scan text) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_scan constant jsonb := p_scan::jsonb;
  v_repo constant public.repositories := internal.lock_repository((v_scan ->> 'repo_id')::uuid);
  v_same_as constant uuid := (v_scan ->> 'same_as')::uuid;
  v_completed constant text[] := array(select jsonb_array_elements_text(v_scan -> 'completed'));
  v_now constant timestamptz := clock_timestamp();
  v_id uuid;
  v_findings integer;
  v_new integer;
  v_counts jsonb;
begin
  if v_repo.id is null or v_repo.removed_at is not null then
    perform internal.refuse('not-found', 'There is no such repository.');
  end if;
  if v_repo.last_scan_id is distinct from (v_scan ->> 'after_scan_id')::uuid then
    return null;
  end if;
  if v_same_as is not null and v_same_as is distinct from v_repo.last_scan_id then
    raise exception 'Only the findings of the last scan can be those of the next.';
  end if;
  insert into public.scans (repo_id, org_id, user_id, trigger, ruleset, commit_sha, workflow_files, suppressed,
    not_assessed, diagnostics, started_at, finished_at)
  values (v_repo.id, v_repo.org_id, (v_scan ->> 'user_id')::uuid, v_scan ->> 'trigger', v_scan ->> 'ruleset',
    v_scan ->> 'commit_sha', (v_scan ->> 'workflow_files')::integer, (v_scan ->> 'suppressed')::integer,
    v_scan -> 'not_assessed', case when v_same_as is null then nullif(v_scan -> 'diagnostics', 'null')
      else (select s.diagnostics from public.scans s where s.id = v_same_as) end,
    (v_scan ->> 'started_at')::timestamptz, v_now)
  returning id into v_id;

  if v_same_as is null then
    insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
      file, line, "column", end_line, end_column, snippet, description, recommendation, fixable)
    select v_id, v_repo.id, v_repo.org_id, f.fingerprint, f.rule_id, f.severity, f.confidence, f.category, f.title,
      f.file, f.line, f."column", f.end_line, f.end_column, f.snippet, f.description, f.recommendation, f.fixable
    from jsonb_to_recordset(v_scan -> 'findings') as f (fingerprint text, rule_id text, severity text, confidence text,
      category text, title text, file text, line integer, "column" integer, end_line integer, end_column integer,
      snippet text, description text, recommendation text, fixable boolean);
  else
    insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
      file, line, "column", end_line, end_column, snippet, description, recommendation, fixable)
    select v_id, f.repo_id, f.org_id, f.fingerprint, f.rule_id, f.severity, f.confidence, f.category, f.title,
      f.file, f.line, f."column", f.end_line, f.end_column, f.snippet, f.description, f.recommendation, f.fixable
    from public.findings f where f.scan_id = v_same_as and f.repo_id = v_repo.id;
  end if;
  get diagnostics v_findings = row_count;

  insert into public.finding_ledger as old (repo_id, org_id, fingerprint, rule_id, first_seen_at, first_scan_id,
    last_seen_at, last_scan_id, severity, severity_rank, confidence, category, title, file, line, fixable, present)
  select f.repo_id, f.org_id, f.fingerprint, f.rule_id, v_now, v_id, v_now, v_id, f.severity,
    internal.severity_rank(f.severity), f.confidence, f.category, f.title, f.file, f.line, f.fixable, true
  from public.findings f where f.scan_id = v_id
  -- In one order everywhere: two transactions never wait for each other.
  order by f.fingerprint
  on conflict (repo_id, fingerprint) do update
  set last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, resolved_at = null,
    returned_at = case when old.resolved_at is null then old.returned_at else excluded.last_seen_at end,
    severity = excluded.severity, severity_rank = excluded.severity_rank, confidence = excluded.confidence,
    category = excluded.category, title = excluded.title, file = excluded.file, line = excluded.line, fixable = excluded.fixable, present = true;
  select count(*) into v_new from public.finding_ledger where first_scan_id = v_id;

  update public.finding_ledger
  set present = false, resolved_at = case
    when resolved_at is null and rule_id = any (v_completed) then v_now else resolved_at end
  where repo_id = v_repo.id and last_scan_id <> v_id
    and (present or (resolved_at is null and rule_id = any (v_completed)));

  insert into public.scan_rules (scan_id, completed, not_assessed)
  values (v_id, v_completed, v_scan -> 'not_assessed');
  insert into public.scan_inputs (scan_id, tree, digest) values (v_id, v_scan ->> 'tree', v_scan ->> 'digest');
  update public.scans set findings = v_findings, new_findings = v_new where id = v_id;
  update public.repositories
  set last_scan_id = v_id, full_name = v_scan ->> 'full_name', html_url = v_scan ->> 'html_url',
    private = (v_scan ->> 'private')::boolean, default_branch = v_scan ->> 'default_branch',
    archived = (v_scan ->> 'archived')::boolean, updated_at = v_now
  where id = v_repo.id;
  v_counts := internal.recount(v_repo.id);

  return jsonb_build_object('scan_id', v_id, 'repo_id', v_repo.id,
    'workflow_files', (v_scan ->> 'workflow_files')::integer,
    'counts', v_counts, 'findings', v_findings, 'new_findings', v_new,
    'new_high', (
      select coalesce(jsonb_agg(jsonb_build_object('fingerprint', l.fingerprint, 'rule_id', l.rule_id,
        'title', l.title, 'file', l.file, 'line', l.line) order by l.file, l.line, l.rule_id), '[]')
      from public.finding_ledger l
      where l.repo_id = v_repo.id and l.first_scan_id = v_id and l.severity = 'HIGH'));
end
$$;

select internal.apply_grants();
