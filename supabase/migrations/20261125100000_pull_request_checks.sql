-- The newest head that is known of each pull request, so that only its check is sent. Nothing of a check's result is kept.
create table public.pull_request_checks (
  installation_id bigint not null check (installation_id > 0),
  -- The repository's number at the code host.
  scm_id text not null check (scm_id ~ '^[0-9]{1,20}$'),
  number integer not null check (number > 0),
  head_sha text not null check (head_sha ~ '^[0-9a-f]{40,64}$'),
  base_sha text not null check (base_sha ~ '^[0-9a-f]{40,64}$'),
  -- The head before this one, when the code host told it.
  before_sha text,
  -- When the code host last changed the pull request, in whole seconds.
  changed_at timestamptz not null,
  -- The run that may send its result.
  claim uuid not null,
  updated_at timestamptz not null default now(),
  primary key (installation_id, scm_id, number)
);
create index pull_request_checks_by_head on public.pull_request_checks (scm_id, head_sha);
create index pull_request_checks_by_age on public.pull_request_checks (updated_at);
alter table public.pull_request_checks enable row level security;

-- Makes a run the one for its pull request, unless a newer head is known. Deliveries arrive in any order.
create function public.begin_pull_request_check(p_check text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_check constant public.pull_request_checks :=
    jsonb_populate_record(null::public.pull_request_checks, p_check::jsonb);
begin
  if random() < 0.01 then
    delete from public.pull_request_checks where (installation_id, scm_id, number) in (
      select installation_id, scm_id, number from public.pull_request_checks
      where updated_at < now() - interval '180 days' order by updated_at limit 1000 for update skip locked);
  end if;
  insert into public.pull_request_checks as known
    (installation_id, scm_id, number, head_sha, base_sha, before_sha, changed_at, claim)
  values (v_check.installation_id, v_check.scm_id, v_check.number, v_check.head_sha, v_check.base_sha,
    v_check.before_sha, v_check.changed_at, v_check.claim)
  on conflict (installation_id, scm_id, number) do update
  set head_sha = excluded.head_sha, base_sha = excluded.base_sha, before_sha = excluded.before_sha,
    changed_at = excluded.changed_at, claim = excluded.claim, updated_at = now()
  where known.changed_at < excluded.changed_at
    or known.changed_at = excluded.changed_at and known.before_sha is distinct from excluded.head_sha;
  return found;
end
$$;

-- Makes another run the one for the pull requests whose newest head is this commit, and returns them.
create function public.repeat_pull_request_checks(p_installation_id text, p_scm_id text, p_head_sha text, p_claim uuid)
returns jsonb
language sql
set search_path = ''
as $$
  with repeated as (
    update public.pull_request_checks set claim = p_claim, updated_at = now()
    where installation_id = p_installation_id::bigint and scm_id = p_scm_id and head_sha = p_head_sha
    returning number, head_sha, base_sha)
  select coalesce(jsonb_agg(jsonb_build_object('number', number, 'head', head_sha, 'base', base_sha) order by number), '[]')
  from repeated
$$;

create function public.is_current_pull_request_check(p_installation_id text, p_scm_id text, p_number integer,
  p_claim uuid) returns boolean
language sql
stable
set search_path = ''
as $$
  select exists (
    select from public.pull_request_checks
    where installation_id = p_installation_id::bigint and scm_id = p_scm_id and number = p_number and claim = p_claim)
$$;

-- What every organization that linked the installation wants of checks of a repository. An organization that has not
-- listed the repository yet has a policy and rules of its own all the same.
create function public.pull_request_policies(p_installation_id text, p_scm_id text) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'org_id', o.id, 'repo_id', r.id, 'fail_on', o.pr_gate_fail_on, 'new_only', o.pr_gate_new_only,
    'disabled_rules', internal.disabled_rules(o.id, r.id),
    'decided', coalesce((
      select jsonb_object_agg(l.fingerprint, l.status) from public.finding_ledger l
      where l.org_id = o.id and l.repo_id = r.id and l.status <> 'open'), '{}')) order by o.id), '[]')
  from public.installations i
    join public.organizations o on o.id = i.org_id
    left join public.repositories r on r.org_id = i.org_id and r.scm_id = p_scm_id and r.removed_at is null
  where i.installation_id = p_installation_id::bigint and i.removed_at is null
$$;

select internal.apply_grants();
