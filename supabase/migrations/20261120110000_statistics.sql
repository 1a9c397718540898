-- Totals over the latest scan of each repository, whoever scanned it: anonymous visitors or an organization. Exact:
-- whoever serves them makes them coarse.
create or replace function public.public_statistics() returns jsonb
language sql
stable
set search_path = ''
as $$
  with scanned as (
    select s.scm_id, s.slug, null::uuid as scan_id, s.workflow_files, s.high + s.medium + s.low + s.info as findings,
      s.scanned_at
    from public.public_scans s where s.latest
    union all
    select r.scm_id, null, s.id, s.workflow_files, s.findings, s.finished_at
    from public.repositories r join public.scans s on s.id = r.last_scan_id
  ), newest as materialized (
    select distinct on (scm_id) * from scanned order by scm_id, scanned_at desc, slug, scan_id
  ), fired as (
    select each.key as rule_id, each.value::bigint as times
    from newest join public.public_scans s on s.slug = newest.slug, jsonb_each_text(s.rule_counts) as each
    union all
    select f.rule_id, count(*)
    from newest join public.findings f on f.scan_id = newest.scan_id
    group by f.rule_id
  )
  select jsonb_build_object(
    'repositories', (select count(*) from newest),
    'workflows', (select coalesce(sum(workflow_files), 0) from newest),
    'findings', (select coalesce(sum(findings), 0) from newest),
    'actions', 0,
    'rules', (
      select coalesce(jsonb_object_agg(rule_id, times), '{}')
      from (select rule_id, sum(times) as times from fired group by rule_id) as totals),
    'recent', (
      select coalesce(jsonb_agg(internal.public_scan_report(s) order by s.scanned_at desc), '[]')
      from (select * from public.public_scans where latest order by scanned_at desc limit 10) as s))
$$;

select internal.apply_grants();
