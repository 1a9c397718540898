-- What release tags of actions named when a scan of the repository first saw them: a tag that names something else later
-- was moved. Each organization remembers for itself: what its installation sees of a private action is nobody else's.
create table public.observed_tags (
  repo_id uuid not null,
  org_id uuid not null,
  -- `owner/repo` in lower case.
  action text not null check (char_length(action) between 1 and 200),
  tag text not null check (char_length(tag) between 1 and 200),
  commit_sha text not null check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  first_seen_at timestamptz not null,
  -- When a scan last found it in the workflows.
  last_used_at timestamptz not null,
  primary key (repo_id, action, tag),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
alter table public.observed_tags enable row level security;

-- Notes what a scan saw, [{action, tag, commit}]. What was seen first stays, also of a tag that is gone (`commit` null);
-- what no workflow uses any more is forgotten after a while, and first when there is too much.
create function internal.observe_tags(p_repo_id uuid, p_tags jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  update public.observed_tags o set last_used_at = v_now
  from jsonb_to_recordset(p_tags) as t (action text, tag text)
  where o.repo_id = p_repo_id and o.action = t.action and o.tag = t.tag;
  insert into public.observed_tags (repo_id, org_id, action, tag, commit_sha, first_seen_at, last_used_at)
  select r.id, r.org_id, t.action, t.tag, t.commit, v_now, v_now
  from public.repositories r, jsonb_to_recordset(p_tags) as t (action text, tag text, commit text)
  where r.id = p_repo_id and t.commit is not null
  on conflict (repo_id, action, tag) do nothing;
  delete from public.observed_tags o
  where o.repo_id = p_repo_id and (o.last_used_at < v_now - interval '180 days' or (o.action, o.tag) in (
    select k.action, k.tag from public.observed_tags k where k.repo_id = p_repo_id
    order by k.last_used_at desc, k.action, k.tag offset 1000));
end
$$;

-- As before, with what the scan observed of tags.
create or replace function public.persist_scan(p_scan text, p_evidence text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_stored constant jsonb := internal.persist_scan(p_scan);
  v_scan constant jsonb := p_scan::jsonb;
  v_evidence constant jsonb := p_evidence::jsonb;
begin
  if v_stored is null then
    return null;
  end if;
  if v_evidence is not null then
    insert into public.scan_facts (scan_id, repo_id, org_id, evidence, whole, caches_read_only)
    select s.id, s.repo_id, s.org_id, v_evidence -> 'evidence', (v_evidence ->> 'whole')::boolean,
      (v_evidence ->> 'caches_read_only')::boolean
    from public.scans s where s.id = (v_stored ->> 'scan_id')::uuid;
  elsif (v_scan ->> 'same_as') is not null then
    insert into public.scan_facts (scan_id, repo_id, org_id, evidence, whole, caches_read_only)
    select (v_stored ->> 'scan_id')::uuid, f.repo_id, f.org_id, f.evidence, f.whole, f.caches_read_only
    from public.scan_facts f
    where f.scan_id = (v_scan ->> 'same_as')::uuid and f.repo_id = (v_stored ->> 'repo_id')::uuid;
  end if;
  if jsonb_typeof(v_scan -> 'observed_tags') = 'array' then
    perform internal.observe_tags((v_stored ->> 'repo_id')::uuid, v_scan -> 'observed_tags');
  end if;
  return v_stored;
end
$$;

-- As before, with what former scans observed of tags.
create or replace function internal.target_json(p_repo public.repositories, p_user_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'repo_id', p_repo.id, 'org_id', p_repo.org_id, 'user_id', p_user_id, 'scm_id', p_repo.scm_id,
    'installation_id', p_repo.installation_id::text, 'full_name', p_repo.full_name,
    'disabled_rules', internal.disabled_rules(p_repo.org_id, p_repo.id),
    'observed_tags', (
      select coalesce(jsonb_agg(jsonb_build_object('action', o.action, 'tag', o.tag, 'commit', o.commit_sha,
        'at', internal.rfc3339(o.first_seen_at)) order by o.action collate "C", o.tag collate "C"), '[]')
      from public.observed_tags o where o.repo_id = p_repo.id),
    'last_scan', (
      select jsonb_build_object('scan_id', s.id, 'ruleset', s.ruleset, 'workflow_files', s.workflow_files,
        'suppressed', s.suppressed, 'tree', i.tree, 'digest', i.digest,
        'completed', to_jsonb(r.completed), 'not_assessed', r.not_assessed)
      from public.scans s join public.scan_inputs i on i.scan_id = s.id join public.scan_rules r on r.scan_id = s.id
      where s.id = p_repo.last_scan_id))
$$;

select internal.apply_grants();
