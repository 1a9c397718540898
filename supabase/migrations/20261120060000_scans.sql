create table public.scans (
  id uuid primary key default gen_random_uuid(),
  repo_id uuid not null,
  org_id uuid not null,
  -- Who asked for it; of a push, who monitors the repository.
  user_id uuid not null,
  trigger text not null check (trigger in ('manual', 'push')),
  ruleset text not null check (ruleset in ('all', 'owasp')),
  -- The default branch's head; null when the repository had no commit.
  commit_sha text check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  workflow_files integer not null check (workflow_files >= 0),
  -- Open findings only: they change with every triage while this is the repository's last scan.
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  info integer not null default 0,
  findings integer not null default 0,
  new_findings integer not null default 0,
  -- Left out because the repository itself says so.
  suppressed integer not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz not null default clock_timestamp(),
  unique (id, repo_id, org_id),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
create index scans_by_repository on public.scans (repo_id, finished_at desc);
create index scans_by_organization on public.scans (org_id, finished_at desc);
alter table public.scans enable row level security;

alter table public.repositories
  add foreign key (last_scan_id, id, org_id) references public.scans (id, repo_id, org_id) deferrable initially deferred;
create index repositories_by_last_scan on public.repositories (last_scan_id);


create table public.findings (
  id uuid primary key default gen_random_uuid(),
  scan_id uuid not null,
  repo_id uuid not null,
  org_id uuid not null,
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  rule_id text not null,
  severity text not null check (severity in ('HIGH', 'MEDIUM', 'LOW', 'INFO')),
  confidence text not null check (confidence in ('high', 'medium', 'low')),
  category text not null,
  title text not null,
  -- All of the place is null for a repository setting.
  file text,
  line integer,
  "column" integer,
  end_line integer,
  end_column integer,
  snippet text,
  description text not null,
  recommendation text not null,
  fixable boolean not null,
  unique (scan_id, fingerprint),
  foreign key (scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id) on delete cascade
);
create index findings_by_repository on public.findings (repo_id, scan_id);
create index findings_by_organization on public.findings (org_id, severity, rule_id);
alter table public.findings enable row level security;

-- What is known of a finding across scans.
create table public.finding_ledger (
  repo_id uuid not null,
  org_id uuid not null,
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  rule_id text not null,
  status text not null default 'open' check (status in ('open', 'dismissed', 'accepted', 'false_positive', 'snoozed')),
  reason text check (char_length(reason) <= 2000),
  expires_at timestamptz,
  first_seen_at timestamptz not null,
  first_scan_id uuid not null,
  last_seen_at timestamptz not null,
  last_scan_id uuid not null,
  -- When a scan whose rule completed did not find it any more.
  resolved_at timestamptz,
  updated_by uuid,
  updated_at timestamptz not null default now(),
  primary key (repo_id, fingerprint),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade,
  -- Without a cascade: whoever deletes old scans must not take the triage of what they found first with them.
  foreign key (first_scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id),
  foreign key (last_scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id),
  check ((expires_at is not null) = (status in ('accepted', 'snoozed')))
);
create index finding_ledger_by_organization on public.finding_ledger (org_id, status);
create index finding_ledger_lapsing on public.finding_ledger (expires_at) where expires_at is not null;
create index finding_ledger_by_first_scan on public.finding_ledger (first_scan_id);
create index finding_ledger_by_last_scan on public.finding_ledger (last_scan_id);
alter table public.finding_ledger enable row level security;

create table public.triage_events (
  id uuid primary key default gen_random_uuid(),
  repo_id uuid not null,
  org_id uuid not null,
  fingerprint text not null,
  from_status text not null,
  to_status text not null,
  reason text,
  expires_at timestamptz,
  -- Null when time did it.
  actor uuid,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (repo_id, fingerprint) references public.finding_ledger (repo_id, fingerprint) on delete cascade,
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
create index triage_events_by_finding on public.triage_events (repo_id, fingerprint, created_at desc);
create index triage_events_by_organization on public.triage_events (org_id, created_at desc);
alter table public.triage_events enable row level security;

-- How each rule of a scan's ruleset ended.
create table public.scan_rules (
  scan_id uuid primary key references public.scans (id) on delete cascade,
  completed text[] not null,
  -- [{rule_id, reason}]
  not_assessed jsonb not null check (jsonb_typeof(not_assessed) = 'array')
);
alter table public.scan_rules enable row level security;

-- What a scan's result followed from: when neither changed, neither does the result.
create table public.scan_inputs (
  scan_id uuid primary key references public.scans (id) on delete cascade,
  tree text not null,
  digest text not null
);
alter table public.scan_inputs enable row level security;

create policy members_read on public.scans for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.findings for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.finding_ledger for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.triage_events for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- Counts the open findings of a repository's last scan again.
create function internal.recount(p_repo_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_counts record;
begin
  select count(*) filter (where f.severity = 'HIGH') as high, count(*) filter (where f.severity = 'MEDIUM') as medium,
    count(*) filter (where f.severity = 'LOW') as low, count(*) filter (where f.severity = 'INFO') as info
  into v_counts
  from public.repositories r
    join public.findings f on f.repo_id = r.id and f.scan_id = r.last_scan_id
    join public.finding_ledger l on l.repo_id = r.id and l.fingerprint = f.fingerprint and l.status = 'open'
  where r.id = p_repo_id;
  update public.scans s
  set high = v_counts.high, medium = v_counts.medium, low = v_counts.low, info = v_counts.info
  from public.repositories r
  where r.id = p_repo_id and s.id = r.last_scan_id;
  return to_jsonb(v_counts);
end
$$;

-- Stores a whole scan, or nothing. Another scan that ended since the one that this one began after makes it stale:
-- null then, and whoever scans looks again. The scan comes as text: not every driver passes JSON through. With
-- `same_as` the findings are those of that scan, whose input was the same.
create function public.persist_scan(p_scan text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_scan constant jsonb := p_scan::jsonb;
  v_repo constant public.repositories := internal.lock_repository((v_scan ->> 'repo_id')::uuid);
  v_same_as constant uuid := (v_scan ->> 'same_as')::uuid;
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
    started_at, finished_at)
  values (v_repo.id, v_repo.org_id, (v_scan ->> 'user_id')::uuid, v_scan ->> 'trigger', v_scan ->> 'ruleset',
    v_scan ->> 'commit_sha', (v_scan ->> 'workflow_files')::integer, (v_scan ->> 'suppressed')::integer,
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

  insert into public.finding_ledger (repo_id, org_id, fingerprint, rule_id, first_seen_at, first_scan_id, last_seen_at,
    last_scan_id)
  select f.repo_id, f.org_id, f.fingerprint, f.rule_id, v_now, v_id, v_now, v_id
  from public.findings f where f.scan_id = v_id
  -- In one order everywhere: two transactions never wait for each other.
  order by f.fingerprint
  on conflict (repo_id, fingerprint) do update
  set last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, resolved_at = null;
  select count(*) into v_new from public.finding_ledger where first_scan_id = v_id;

  update public.finding_ledger
  set resolved_at = v_now
  where repo_id = v_repo.id and resolved_at is null and last_scan_id <> v_id
    and rule_id in (select jsonb_array_elements_text(v_scan -> 'completed'));

  insert into public.scan_rules (scan_id, completed, not_assessed)
  values (v_id, array(select jsonb_array_elements_text(v_scan -> 'completed')), v_scan -> 'not_assessed');
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
      select coalesce(jsonb_agg(jsonb_build_object('rule_id', f.rule_id, 'title', f.title, 'file', f.file, 'line', f.line)
        order by f.file, f.line, f.rule_id), '[]')
      from public.findings f join public.finding_ledger l on l.repo_id = f.repo_id and l.fingerprint = f.fingerprint
      where f.scan_id = v_id and f.severity = 'HIGH' and l.first_scan_id = v_id));
end
$$;

create function internal.note_triage(p_old public.finding_ledger, p_status text, p_reason text,
  p_expires_at timestamptz, p_actor uuid) returns void
language sql
set search_path = ''
as $$
  insert into public.triage_events (repo_id, org_id, fingerprint, from_status, to_status, reason, expires_at, actor)
  values (p_old.repo_id, p_old.org_id, p_old.fingerprint, p_old.status, p_status, p_reason, p_expires_at, p_actor)
$$;

-- Whether the time is allowed was checked before. Answers the status and what is open now.
create function public.triage_finding(p_user_id uuid, p_repo_id uuid, p_fingerprint text, p_status text,
  p_reason text default null, p_expires_at timestamptz default null) returns jsonb
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
  update public.finding_ledger
  set status = p_status, reason = p_reason, expires_at = p_expires_at, updated_by = p_user_id, updated_at = clock_timestamp()
  where repo_id = v_repo.id and fingerprint = p_fingerprint;
  perform internal.note_triage(v_old, p_status, p_reason, p_expires_at, p_user_id);
  return jsonb_build_object('status', p_status, 'counts', internal.recount(v_repo.id));
end
$$;

-- Opens again what was accepted or snoozed until now, of so many repositories at most; `more` says that some are left.
create function public.expire_triage(p_max_repositories integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_lapsed uuid[] := array(
    select r.id from public.repositories r
    where r.id in (select l.repo_id from public.finding_ledger l where l.expires_at <= now())
    -- The order in which others lock many.
    order by r.scm_id collate "C", r.id
    limit p_max_repositories + 1);
  v_repo_id uuid;
  v_old public.finding_ledger;
  v_expired integer := 0;
  v_repositories integer := 0;
  v_before integer;
begin
  foreach v_repo_id in array v_lapsed[1:p_max_repositories] loop
    perform internal.lock_repository(v_repo_id);
    v_before := v_expired;
    -- Another run may have been faster: what it opened has no time any more.
    for v_old in
      select * from public.finding_ledger where repo_id = v_repo_id and expires_at <= now() order by fingerprint
    loop
      update public.finding_ledger
      set status = 'open', reason = null, expires_at = null, updated_by = null, updated_at = clock_timestamp()
      where repo_id = v_old.repo_id and fingerprint = v_old.fingerprint;
      perform internal.note_triage(v_old, 'open', null, null, null);
      v_expired := v_expired + 1;
    end loop;
    if v_expired > v_before then
      perform internal.recount(v_repo_id);
      v_repositories := v_repositories + 1;
    end if;
  end loop;
  return jsonb_build_object('expired', v_expired, 'repositories', v_repositories,
    'more', coalesce(array_length(v_lapsed, 1), 0) > p_max_repositories);
end
$$;

select internal.apply_grants();
