create table public.campaigns (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references public.organizations (id) on delete cascade,
  ruleset text not null check (char_length(ruleset) between 1 and 40),
  status text not null default 'pending' check (status in ('pending', 'running', 'completed')),
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (id, org_id)
);
create index campaigns_by_organization on public.campaigns (org_id, created_at desc);
alter table public.campaigns enable row level security;

create table public.campaign_repos (
  campaign_id uuid not null,
  repo_id uuid not null,
  org_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'succeeded', 'failed')),
  prs_opened integer not null default 0 check (prs_opened >= 0),
  error text,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (campaign_id, repo_id),
  foreign key (campaign_id, org_id) references public.campaigns (id, org_id) on delete cascade,
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade
);
create index campaign_repos_by_repository on public.campaign_repos (repo_id);
create index campaign_repos_by_organization on public.campaign_repos (org_id);
alter table public.campaign_repos enable row level security;

create table public.fix_pull_requests (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  repo_id uuid not null,
  campaign_id uuid,
  file text not null,
  number integer not null check (number > 0),
  url text not null,
  branch text not null,
  rule_ids text[] not null,
  fingerprints text[] not null,
  state text not null default 'open' check (state in ('open', 'closed', 'merged')),
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  merged_at timestamptz,
  -- When a scan found nothing of it any more.
  verified_at timestamptz,
  unique (repo_id, number),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade,
  foreign key (campaign_id, org_id) references public.campaigns (id, org_id) on delete cascade,
  check ((merged_at is not null) = (state = 'merged'))
);
create index fix_pull_requests_by_campaign on public.fix_pull_requests (campaign_id);
create index fix_pull_requests_by_organization on public.fix_pull_requests (org_id, opened_at desc);
alter table public.fix_pull_requests enable row level security;

create policy members_read on public.campaigns for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.campaign_repos for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));
create policy members_read on public.fix_pull_requests for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- Notes how a pull request of ours ended, in every organization that knows it; answers in how many.
create function public.record_fix_outcome(p_scm_id text, p_number integer, p_merged_at timestamptz,
  p_closed_at timestamptz) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_rows integer;
begin
  update public.fix_pull_requests p
  set state = case when p_merged_at is null then 'closed' else 'merged' end, merged_at = p_merged_at,
    closed_at = coalesce(p_closed_at, p_merged_at, now())
  from public.repositories r
  where r.id = p.repo_id and r.scm_id = p_scm_id and p.number = p_number;
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;

select internal.apply_grants();
