-- As before; with `p_if_status`, only a finding that still has this status is triaged.
drop function public.triage_finding(uuid, uuid, text, text, text, timestamptz);

create function public.triage_finding(p_user_id uuid, p_repo_id uuid, p_fingerprint text, p_status text,
  p_reason text default null, p_expires_at timestamptz default null, p_if_status text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_repo public.repositories := internal.require_repository(p_user_id, p_repo_id);
  v_old public.finding_ledger;
begin
  perform internal.lock_repository(v_repo.id);
  select l.* into v_old from public.finding_ledger l where l.repo_id = v_repo.id and l.fingerprint = p_fingerprint;
  if v_old.repo_id is null then
    perform internal.refuse('not-found', 'No scan of this repository has found this.');
  end if;
  if p_if_status <> v_old.status then
    perform internal.refuse('changed-meanwhile', 'The finding has another status now: ' || v_old.status || '.');
  end if;
  update public.finding_ledger
  set status = p_status, reason = p_reason, expires_at = p_expires_at, updated_by = p_user_id, updated_at = clock_timestamp()
  where repo_id = v_repo.id and fingerprint = p_fingerprint;
  perform internal.note_triage(v_old, p_status, p_reason, p_expires_at, p_user_id);
  return jsonb_build_object('status', p_status, 'counts', internal.recount(v_repo.id));
end
$$;

-- Triages [{repo_id, fingerprint, status, reason, expires_at, if_status}] of one organization, as far as each can be, and
-- answers {applied, results: [{repo_id, fingerprint, outcome}]} in the order given. Whether the times are allowed was
-- checked before, and that no finding is named twice.
create function public.triage_findings(p_user_id uuid, p_org_id uuid, p_changes text) returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_changes constant jsonb := p_changes::jsonb;
  v_repo_ids uuid[];
  v_results jsonb;
  v_applied integer;
  v_repo_id uuid;
begin
  perform internal.require_member(p_user_id, p_org_id);
  -- In the order of internal.lock_repositories.
  perform from public.repositories r
  where r.org_id = p_org_id and r.id in (select (c.value ->> 'repo_id')::uuid from jsonb_array_elements(v_changes) as c)
  order by r.scm_id collate "C", r.id
  for no key update;

  with asked as materialized (
    select c.*, l.status as from_status, case
        when l.repo_id is null then 'not-found'
        when c.if_status <> l.status then 'changed-meanwhile'
        else 'applied' end as outcome
    from rows from (jsonb_to_recordset(v_changes) as (repo_id uuid, fingerprint text, status text, reason text,
        expires_at timestamptz, if_status text)) with ordinality
        as c (repo_id, fingerprint, status, reason, expires_at, if_status, place)
      left join public.finding_ledger l
        on l.repo_id = c.repo_id and l.fingerprint = c.fingerprint and l.org_id = p_org_id
  ), triaged as (
    update public.finding_ledger l
    set status = a.status, reason = a.reason, expires_at = a.expires_at, updated_by = p_user_id,
      updated_at = clock_timestamp()
    from asked a
    where a.outcome = 'applied' and l.repo_id = a.repo_id and l.fingerprint = a.fingerprint
  ), noted as (
    insert into public.triage_events (repo_id, org_id, fingerprint, from_status, to_status, reason, expires_at, actor)
    select a.repo_id, p_org_id, a.fingerprint, a.from_status, a.status, a.reason, a.expires_at, p_user_id
    from asked a where a.outcome = 'applied' order by a.place
  )
  select jsonb_agg(jsonb_build_object('repo_id', a.repo_id, 'fingerprint', a.fingerprint, 'outcome', a.outcome)
      order by a.place),
    count(*) filter (where a.outcome = 'applied'),
    coalesce(array_agg(distinct a.repo_id) filter (where a.outcome = 'applied'), '{}')
  into v_results, v_applied, v_repo_ids
  from asked a;

  foreach v_repo_id in array v_repo_ids loop
    perform internal.recount(v_repo_id);
  end loop;
  return jsonb_build_object('applied', v_applied, 'results', v_results);
end
$$;

select internal.apply_grants();
