-- What a campaign opens or reuses. `attempt` counts the claims of a row, so that whoever lost a claim changes nothing.
alter table public.campaign_repos
  add column attempt integer not null default 0 check (attempt >= 0),
  add unique (campaign_id, repo_id, org_id),
  add check (status not in ('running', 'succeeded', 'failed') or started_at is not null),
  add check ((finished_at is not null) = (status in ('succeeded', 'failed'))),
  add check (error is not null or status <> 'failed'),
  add check (char_length(error) between 1 and 2000);

alter table public.fix_pull_requests
  -- The commit on the default branch that a merge made, where the code host named it.
  add column merge_commit_sha text check (merge_commit_sha ~ '^[0-9a-f]{40,64}$'),
  -- When the code host last told the state.
  add column checked_at timestamptz,
  add unique (id, repo_id, org_id),
  add check (verified_at is null or state = 'merged');
create index fix_pull_requests_open on public.fix_pull_requests (repo_id, number) where state = 'open';
create index fix_pull_requests_unverified on public.fix_pull_requests (repo_id)
  where state = 'merged' and verified_at is null;

-- The pull requests of a row. Several campaigns may use one.
create table public.campaign_pull_requests (
  campaign_id uuid not null,
  pull_request_id uuid not null,
  repo_id uuid not null,
  org_id uuid not null,
  -- The pull request was there before the campaign asked for it.
  reused boolean not null,
  primary key (campaign_id, pull_request_id),
  foreign key (campaign_id, repo_id, org_id) references public.campaign_repos (campaign_id, repo_id, org_id) on delete cascade,
  foreign key (pull_request_id, repo_id, org_id) references public.fix_pull_requests (id, repo_id, org_id) on delete cascade
);
create index campaign_pull_requests_by_pull_request on public.campaign_pull_requests (pull_request_id);
create index campaign_pull_requests_by_organization on public.campaign_pull_requests (org_id);
alter table public.campaign_pull_requests enable row level security;
create policy members_read on public.campaign_pull_requests for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- Merges and proofs are counted by file, as `prs_opened` is.
create view public.campaign_rollups with (security_invoker = true) as
select c.id, c.org_id, c.ruleset, c.status, c.created_by, c.created_at, c.updated_at, r.total, r.pending, r.running,
  r.succeeded, r.partial, r.failed, r.prs_opened, p.prs_merged, p.prs_verified
from public.campaigns c
  cross join lateral (
    select count(*)::integer as total,
      count(*) filter (where r.status = 'pending')::integer as pending,
      count(*) filter (where r.status = 'running')::integer as running,
      count(*) filter (where r.status = 'succeeded' and r.error is null)::integer as succeeded,
      count(*) filter (where r.status = 'succeeded' and r.error is not null)::integer as partial,
      count(*) filter (where r.status = 'failed')::integer as failed,
      coalesce(sum(r.prs_opened), 0)::integer as prs_opened
    from public.campaign_repos r where r.campaign_id = c.id) r
  cross join lateral (
    select count(distinct (l.repo_id, p.file)) filter (where p.state = 'merged')::integer as prs_merged,
      count(distinct (l.repo_id, p.file)) filter (where p.verified_at is not null)::integer as prs_verified
    from public.campaign_pull_requests l join public.fix_pull_requests p on p.id = l.pull_request_id
    where l.campaign_id = c.id) p;

create function internal.campaign_repo_json(p_row public.campaign_repos) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('repo_id', p_row.repo_id,
    'full_name', (select r.full_name from public.repositories r where r.id = p_row.repo_id),
    'status', p_row.status, 'prs_opened', p_row.prs_opened, 'error', p_row.error,
    'pull_requests', (
      select coalesce(jsonb_agg(jsonb_build_object('file', p.file, 'number', p.number, 'url', p.url,
        'state', p.state, 'reused', l.reused) order by p.file collate "C", p.number), '[]')
      from public.campaign_pull_requests l join public.fix_pull_requests p on p.id = l.pull_request_id
      where l.campaign_id = p_row.campaign_id and l.repo_id = p_row.repo_id),
    'started_at', internal.rfc3339(p_row.started_at), 'finished_at', internal.rfc3339(p_row.finished_at))
$$;

create function internal.campaign_json(p_campaign_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'campaign', jsonb_build_object('id', c.id, 'org_id', c.org_id, 'ruleset', c.ruleset, 'status', c.status,
      'created_by', c.created_by, 'created_at', internal.rfc3339(c.created_at),
      'updated_at', internal.rfc3339(c.updated_at)),
    'rollup', jsonb_build_object('total', c.total, 'pending', c.pending, 'running', c.running,
      'succeeded', c.succeeded, 'partial', c.partial, 'failed', c.failed, 'prs_opened', c.prs_opened,
      'prs_merged', c.prs_merged, 'prs_verified', c.prs_verified),
    'repos', (
      select jsonb_agg(internal.campaign_repo_json(t) order by r.full_name collate "C", r.id)
      from public.campaign_repos t join public.repositories r on r.id = t.repo_id
      where t.campaign_id = c.id))
  from public.campaign_rollups c where c.id = p_campaign_id
$$;

-- A campaign for those of the repositories that the organization has; refused if it has none of them.
create function public.create_campaign(p_user_id uuid, p_org_id uuid, p_ruleset text, p_repo_ids text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform internal.require_admin(p_user_id, p_org_id);
  insert into public.campaigns (org_id, ruleset, created_by) values (p_org_id, p_ruleset, p_user_id) returning id into v_id;
  insert into public.campaign_repos (campaign_id, repo_id, org_id)
  select v_id, r.id, r.org_id
  from public.repositories r
    join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
  where r.org_id = p_org_id and r.removed_at is null and i.removed_at is null
    and r.id::text in (select lower(jsonb_array_elements_text(p_repo_ids::jsonb)))
  order by r.id;
  if not found then
    perform internal.refuse('validation-failed', 'None of the repositories belongs to the organization.');
  end if;
  return internal.campaign_json(v_id);
end
$$;

create function public.get_campaign(p_user_id uuid, p_campaign_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if not exists (
    select from public.campaigns c join public.org_members m on m.org_id = c.org_id and m.user_id = p_user_id
    where c.id = p_campaign_id
  ) then
    perform internal.refuse('not-found', 'There is no such campaign.');
  end if;
  return internal.campaign_json(p_campaign_id);
end
$$;

create function internal.derive_campaign(p_campaign_id uuid) returns void
language sql
set search_path = ''
as $$
  update public.campaigns c
  set updated_at = clock_timestamp(), status = (
    select case when bool_and(r.status = 'pending') then 'pending'
      when bool_and(r.status in ('succeeded', 'failed')) then 'completed' else 'running' end
    from public.campaign_repos r where r.campaign_id = c.id)
  where c.id = p_campaign_id
$$;

-- Makes a row running for one caller: a pending or failed one, or one that has run for too long. Answers what there is to
-- do; `target` is null if the repository left the installation.
create function public.claim_remediation(p_user_id uuid, p_org_id uuid, p_campaign_id uuid, p_repo_id uuid,
  p_stale_seconds integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_campaign public.campaigns;
  v_role text;
  v_row public.campaign_repos;
begin
  -- Rows of a campaign change one after another, so that its status follows from all of them.
  select c.* into v_campaign from public.campaigns c where c.id = p_campaign_id for no key update;
  select m.role into v_role from public.org_members m where m.org_id = v_campaign.org_id and m.user_id = p_user_id;
  if v_role is null or v_campaign.org_id <> p_org_id then
    perform internal.refuse('not-found', 'There is no such campaign.');
  end if;
  if v_role <> 'admin' then
    perform internal.refuse('forbidden', 'Only an admin of the organization may do this.');
  end if;
  select r.* into v_row from public.campaign_repos r where r.campaign_id = p_campaign_id and r.repo_id = p_repo_id;
  if v_row.repo_id is null then
    perform internal.refuse('not-found', 'The campaign has no such repository.');
  end if;
  if v_row.status = 'succeeded' then
    perform internal.refuse('already-finished', 'The campaign is done with this repository.');
  end if;
  if v_row.status = 'running' and v_row.started_at > clock_timestamp() - make_interval(secs => p_stale_seconds) then
    perform internal.refuse('already-running', 'The repository is being remediated.');
  end if;
  update public.campaign_repos
  set status = 'running', attempt = attempt + 1, started_at = clock_timestamp(), finished_at = null, error = null
  where campaign_id = p_campaign_id and repo_id = p_repo_id
  returning attempt into v_row.attempt;
  perform internal.derive_campaign(p_campaign_id);
  return jsonb_build_object('attempt', v_row.attempt, 'ruleset', v_campaign.ruleset, 'target', (
    select jsonb_build_object('repo_id', r.id, 'installation_id', r.installation_id::text, 'scm_id', r.scm_id,
      'full_name', r.full_name, 'disabled_rules', internal.disabled_rules(r.org_id, r.id),
      'triaged', (
        select coalesce(jsonb_agg(l.fingerprint order by l.fingerprint), '[]')
        from public.finding_ledger l where l.repo_id = r.id and l.status <> 'open'))
    from public.repositories r
      join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
    where r.id = p_repo_id and r.removed_at is null and i.removed_at is null));
end
$$;

-- The row, held by whoever has the attempt.
create function internal.held_row(p_campaign_id uuid, p_repo_id uuid, p_attempt integer) returns public.campaign_repos
language plpgsql
set search_path = ''
as $$
declare
  v_row public.campaign_repos;
begin
  perform from public.campaigns where id = p_campaign_id for no key update;
  select r.* into v_row from public.campaign_repos r
  where r.campaign_id = p_campaign_id and r.repo_id = p_repo_id and r.attempt = p_attempt and r.status = 'running';
  if v_row.repo_id is null then
    perform internal.refuse('already-running', 'Another call took over this repository.');
  end if;
  return v_row;
end
$$;

-- Stores pull requests [{file, number, url, branch, rule_ids, fingerprints, reused, opened_at}] as soon as they are open.
create function public.record_fix_pull_requests(p_campaign_id uuid, p_repo_id uuid, p_attempt integer,
  p_pull_requests text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_row constant public.campaign_repos := internal.held_row(p_campaign_id, p_repo_id, p_attempt);
begin
  with given as materialized (
    select g.*
    from jsonb_to_recordset(p_pull_requests::jsonb) as g (file text, number integer, url text, branch text,
      rule_ids text[], fingerprints text[], reused boolean, opened_at timestamptz)
  ), stored as (
    insert into public.fix_pull_requests as old (org_id, repo_id, campaign_id, file, number, url, branch, rule_ids,
      fingerprints, opened_at, checked_at)
    select v_row.org_id, v_row.repo_id, v_row.campaign_id, g.file, g.number, g.url, g.branch, g.rule_ids, g.fingerprints,
      g.opened_at, clock_timestamp()
    from given g order by g.number
    on conflict (repo_id, number) do update
    set file = excluded.file, url = excluded.url, branch = excluded.branch, rule_ids = excluded.rule_ids,
      fingerprints = excluded.fingerprints, checked_at = excluded.checked_at,
      state = case when old.state = 'merged' then old.state else 'open' end,
      closed_at = case when old.state = 'merged' then old.closed_at end
    returning old.id, old.number
  )
  insert into public.campaign_pull_requests (campaign_id, pull_request_id, repo_id, org_id, reused)
  select v_row.campaign_id, s.id, v_row.repo_id, v_row.org_id, g.reused
  from stored s join given g on g.number = s.number order by s.id
  on conflict (campaign_id, pull_request_id) do nothing;

  update public.campaign_repos r
  set prs_opened = (
    select count(distinct p.file)
    from public.campaign_pull_requests l join public.fix_pull_requests p on p.id = l.pull_request_id
    where l.campaign_id = r.campaign_id and l.repo_id = r.repo_id)
  where r.campaign_id = p_campaign_id and r.repo_id = p_repo_id;
end
$$;

-- Ends an attempt; again is harmless. An error beside pull requests, or beside files without need of one, is a partial success.
create function public.finish_remediation(p_campaign_id uuid, p_repo_id uuid, p_attempt integer, p_status text,
  p_error text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_row public.campaign_repos;
begin
  select r.* into v_row from public.campaign_repos r
  where r.campaign_id = p_campaign_id and r.repo_id = p_repo_id and r.attempt = p_attempt and r.finished_at is not null;
  if v_row.repo_id is not null then
    return internal.campaign_repo_json(v_row);
  end if;
  v_row := internal.held_row(p_campaign_id, p_repo_id, p_attempt);
  update public.campaign_repos r
  set status = p_status, error = p_error, finished_at = clock_timestamp()
  where r.campaign_id = p_campaign_id and r.repo_id = p_repo_id
  returning * into v_row;
  perform internal.derive_campaign(p_campaign_id);
  return internal.campaign_repo_json(v_row);
end
$$;

-- Notes the first scan at or after a merge in which none of the pull request's findings is open. A finding that no stored
-- scan has seen counts as gone only if the scan completed the rules.
create function internal.verify_fixes(p_repo_id uuid) returns void
language sql
set search_path = ''
as $$
  update public.fix_pull_requests p
  set verified_at = s.finished_at
  from public.repositories r
    join public.scans s on s.id = r.last_scan_id
    join public.scan_rules c on c.scan_id = s.id
  where r.id = p_repo_id and p.repo_id = r.id and p.state = 'merged' and p.verified_at is null
    and (s.started_at >= p.merged_at or s.commit_sha = p.merge_commit_sha)
    and not exists (
      select from unnest(p.fingerprints) as f (fingerprint)
        left join public.finding_ledger l on l.repo_id = p.repo_id and l.fingerprint = f.fingerprint
      where case when l.fingerprint is null then not p.rule_ids <@ c.completed
        else l.status = 'open' and l.resolved_at is null end)
$$;

create function internal.verify_fixes_of_scan() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform internal.verify_fixes(new.id);
  return null;
end
$$;

-- In the transaction that stores a scan, whichever function does.
create trigger verify_fixes after update of last_scan_id on public.repositories
for each row when (new.last_scan_id is distinct from old.last_scan_id)
execute function internal.verify_fixes_of_scan();

drop function public.record_fix_outcome(text, integer, timestamptz, timestamptz);

-- Stores what the code host says of pull requests [{scm_id, number, state, merged_at, closed_at, merge_commit_sha}], in
-- every organization that knows them; answers how many it knows. A merge is final, and an open one tells only the time.
create function public.record_fix_outcomes(p_outcomes text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_outcomes constant jsonb := p_outcomes::jsonb;
  v_repo_id uuid;
  v_merged uuid[];
  v_known integer;
begin
  -- In the order in which others lock many.
  perform from public.repositories r
  where r.scm_id in (select o.scm_id from jsonb_to_recordset(v_outcomes) as o (scm_id text))
  order by r.scm_id collate "C", r.id for no key update;
  select count(*) into v_known
  from jsonb_to_recordset(v_outcomes) as o (scm_id text, number integer)
    join public.repositories r on r.scm_id = o.scm_id
    join public.fix_pull_requests p on p.repo_id = r.id and p.number = o.number;
  with told as (
    update public.fix_pull_requests p
    set state = case when o.state = 'open' then p.state else o.state end,
      closed_at = case when o.state = 'open' then p.closed_at else coalesce(o.closed_at, o.merged_at, now()) end,
      merged_at = case when o.state = 'merged' then coalesce(o.merged_at, o.closed_at, now()) end,
      merge_commit_sha = case when o.state = 'merged' then o.merge_commit_sha end,
      checked_at = clock_timestamp()
    from jsonb_to_recordset(v_outcomes) as o (scm_id text, number integer, state text, merged_at timestamptz,
        closed_at timestamptz, merge_commit_sha text)
      join public.repositories r on r.scm_id = o.scm_id
    where p.repo_id = r.id and p.number = o.number and p.state <> 'merged'
    returning p.repo_id, p.state
  )
  select array_agg(distinct told.repo_id) filter (where told.state = 'merged') into v_merged from told;
  foreach v_repo_id in array coalesce(v_merged, '{}') loop
    perform internal.verify_fixes(v_repo_id);
  end loop;
  return v_known;
end
$$;

-- The pull requests without an outcome whose repository the app can see, by installation, after one of them.
create function public.open_fix_pull_requests(p_after text, p_limit integer) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(page) order by page.installation_id::bigint, page.scm_id collate "C", page.number), '[]')
  from (
    select distinct on (r.installation_id, r.scm_id collate "C", p.number)
      r.installation_id::text as installation_id, r.scm_id, r.full_name, p.number
    from public.fix_pull_requests p
      join public.repositories r on r.id = p.repo_id
      join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
    where p.state = 'open' and r.removed_at is null and i.removed_at is null
      and (p_after is null or (r.installation_id, r.scm_id collate "C", p.number) > (
        (p_after::jsonb ->> 'installation_id')::bigint, p_after::jsonb ->> 'scm_id', (p_after::jsonb ->> 'number')::integer))
    order by r.installation_id, r.scm_id collate "C", p.number, r.id
    limit p_limit) as page
$$;

-- As before, and a view that asks with the rights of whoever reads it may be read; what it shows is up to its tables.
create or replace function internal.apply_grants() returns void
language plpgsql
set search_path = ''
as $$
declare
  relation record;
begin
  alter default privileges in schema public revoke all on tables from anon, authenticated;
  alter default privileges in schema public revoke all on sequences from anon, authenticated;
  alter default privileges in schema public revoke all on functions from anon, authenticated;
  -- What everybody may by birth can only be taken back for all schemas at once.
  alter default privileges revoke execute on functions from public;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all functions in schema public from public, anon, authenticated;
  revoke all on all functions in schema internal from public, anon, authenticated;
  grant usage on schema public to anon, authenticated, service_role;
  grant all on all tables in schema public to service_role;
  grant all on all sequences in schema public to service_role;
  grant execute on all functions in schema public to service_role;
  grant execute on all functions in schema internal to service_role;
  grant execute on function internal.my_orgs() to authenticated;
  for relation in
    select c.oid::regclass as name, c.relkind, c.relrowsecurity,
           exists (
             select from pg_catalog.pg_policy p
             where p.polrelid = c.oid and p.polcmd in ('r', '*') and 'authenticated'::regrole::oid = any (p.polroles)
           ) or (c.relkind = 'v' and coalesce('security_invoker=true' = any (c.reloptions), false)) as readable
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  loop
    if relation.relkind in ('r', 'p') and not relation.relrowsecurity then
      raise exception 'table % has no row-level security', relation.name;
    end if;
    execute format('revoke all on %s from public, anon, authenticated', relation.name);
    if relation.readable then
      execute format('grant select on %s to authenticated', relation.name);
    end if;
  end loop;
end
$$;

select internal.apply_grants();
