-- What combinations need of a scan beside the rows of its findings: the engine's evidence, as it wrote it. With it,
-- attack paths follow from settings and triage without another scan. A scan from before this table has no row.
create table public.scan_facts (
  scan_id uuid primary key,
  repo_id uuid not null,
  org_id uuid not null,
  evidence jsonb not null check (jsonb_typeof(evidence) = 'object'),
  -- False when there was more than is kept.
  whole boolean not null,
  -- Where runs that outsiders cause can only read the caches of the default branch.
  caches_read_only boolean not null,
  foreign key (scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id) on delete cascade
);
create index scan_facts_by_repository on public.scan_facts (repo_id);
alter table public.scan_facts enable row level security;

-- The attack paths of each repository's last scan, as they were when somebody last needed them. `basis` says what they
-- followed from; as long as it is that of now, they are those of now.
create table public.repository_paths (
  repo_id uuid primary key,
  org_id uuid not null,
  scan_id uuid not null,
  basis text not null,
  -- As the service wrote them, findings by fingerprint alone.
  paths jsonb not null check (jsonb_typeof(paths) = 'array'),
  -- Those findings, by fingerprint.
  findings jsonb not null check (jsonb_typeof(findings) = 'object'),
  -- [{fingerprint, rule_id, breaks}]
  fix_first jsonb not null check (jsonb_typeof(fix_first) = 'array'),
  -- Combinations found, with those that others contain.
  matched text[] not null,
  -- [{rule_id, reason}]: rules of combinations without a complete answer.
  missing jsonb not null check (jsonb_typeof(missing) = 'array'),
  foreign key (repo_id, org_id) references public.repositories (id, org_id) on delete cascade,
  foreign key (scan_id, repo_id, org_id) references public.scans (id, repo_id, org_id) on delete cascade
);
create index repository_paths_by_scan on public.repository_paths (scan_id);
alter table public.repository_paths enable row level security;

-- What people decided: few among many.
create index finding_ledger_decided on public.finding_ledger (org_id, repo_id) where status <> 'open';

-- The scan and the evidence for it land together. `p_evidence` is {whole, caches_read_only, evidence}; of a scan that
-- repeats another one, null.
alter function public.persist_scan(text) set schema internal;

create function public.persist_scan(p_scan text, p_evidence text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_stored constant jsonb := internal.persist_scan(p_scan);
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
  elsif (p_scan::jsonb ->> 'same_as') is not null then
    insert into public.scan_facts (scan_id, repo_id, org_id, evidence, whole, caches_read_only)
    select (v_stored ->> 'scan_id')::uuid, f.repo_id, f.org_id, f.evidence, f.whole, f.caches_read_only
    from public.scan_facts f
    where f.scan_id = (p_scan::jsonb ->> 'same_as')::uuid and f.repo_id = (v_stored ->> 'repo_id')::uuid;
  end if;
  return v_stored;
end
$$;

-- Scanned repositories of an organization, those that left it aside, or exactly the ones named; each with the rules
-- that are off there and a text that is the same as long as its paths are. `p_rules` are the rules that count.
create function internal.path_states(p_org_id uuid, p_repo_ids uuid[], p_engine text, p_rules text[])
returns table (repo_id uuid, scan_id uuid, disabled text[], decided jsonb, basis text)
language sql
stable
rows 50
set search_path = ''
as $$
  with off as materialized (
    select coalesce(array_agg(s.rule_id order by s.rule_id collate "C"), '{}') as rules
    from public.rule_settings s
    where s.org_id = p_org_id and not s.enabled and s.rule_id = any (p_rules)
  ), switched as materialized (
    select o.repo_id, array_agg(o.rule_id) filter (where o.enabled) as enabled,
      array_agg(o.rule_id) filter (where not o.enabled) as disabled
    from public.rule_overrides o
    where o.org_id = p_org_id and o.rule_id = any (p_rules) and (p_repo_ids is null or o.repo_id = any (p_repo_ids))
    group by o.repo_id
  ), decided as materialized (
    select l.repo_id, jsonb_object_agg(l.fingerprint, l.status) as findings
    from public.finding_ledger l
    where l.org_id = p_org_id and l.status <> 'open' and (p_repo_ids is null or l.repo_id = any (p_repo_ids))
    group by l.repo_id
  ), state as (
    select r.id as repo_id, r.last_scan_id as scan_id, r.private,
      case when w.repo_id is null then off.rules else array(
        select rule from (
          select unnest(off.rules) as rule union select unnest(w.disabled) except select unnest(w.enabled)) as rules
        order by rule collate "C") end as disabled,
      coalesce(d.findings, '{}') as decided
    from public.repositories r
      join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
      cross join off
      left join switched w on w.repo_id = r.id
      left join decided d on d.repo_id = r.id
    where r.org_id = p_org_id and r.last_scan_id is not null
      and case when p_repo_ids is null then r.removed_at is null and i.removed_at is null else r.id = any (p_repo_ids) end
  )
  select state.repo_id, state.scan_id, state.disabled, state.decided,
    encode(sha256(convert_to(concat_ws(e'\n', p_engine, state.scan_id, state.private,
      array_to_string(state.disabled, ' '), state.decided), 'UTF8')), 'hex')
  from state
$$;

-- Of these repositories {stale: [id]} when paths have to be computed first, else {tag} when that is the one given, else
-- all of {tag, coverage: [{missing, repos, matched: {combination: repos}}], org_id, repos}, those with paths, which are
-- read by their basis. The tag is of the whole.
create function internal.paths_of(p_org_id uuid, p_repo_ids uuid[], p_engine text, p_rules text, p_tag text)
returns jsonb
language plpgsql
stable
set search_path = ''
-- Plans made for a few repositories are wrong for thousands.
set plan_cache_mode = force_custom_plan
as $$
declare
  v_rules constant text[] := array(select jsonb_array_elements_text(p_rules::jsonb));
  v_ids uuid[];
  v_stale uuid[];
  v_tag text;
begin
  select array_agg(s.repo_id order by s.repo_id), array_agg(s.repo_id) filter (where p.basis is distinct from s.basis),
    encode(sha256(convert_to(
      coalesce(string_agg(concat_ws(' ', s.repo_id, s.basis, r.full_name, r.html_url), e'\n' order by s.repo_id), '')
      || e'\n' || p_engine, 'UTF8')), 'hex')
  into v_ids, v_stale, v_tag
  from internal.path_states(p_org_id, p_repo_ids, p_engine, v_rules) s
    join public.repositories r on r.id = s.repo_id
    left join public.repository_paths p on p.repo_id = s.repo_id;
  if v_stale is not null then
    return jsonb_build_object('stale', to_jsonb(v_stale));
  end if;
  if v_tag = p_tag then
    return jsonb_build_object('tag', v_tag);
  end if;
  return jsonb_build_object(
    'tag', v_tag,
    'coverage', (
      select coalesce(jsonb_agg(jsonb_build_object('missing', c.missing, 'repos', c.repos,
        'matched', coalesce(m.matched, '{}'))), '[]')
      from (
          select p.missing, count(*) as repos
          from public.repository_paths p where p.repo_id = any (v_ids)
          group by p.missing) as c
        left join (
          select f.missing, jsonb_object_agg(f.id, f.repos) as matched
          from (
            select p.missing, u.id, count(*) as repos
            from public.repository_paths p cross join unnest(p.matched) as u (id)
            where p.repo_id = any (v_ids)
            group by p.missing, u.id) as f
          group by f.missing) as m using (missing)),
    'org_id', p_org_id,
    'repos', (
      select coalesce(jsonb_agg(jsonb_build_object('repo_id', r.id, 'full_name', r.full_name, 'html_url', r.html_url,
        'basis', p.basis) order by r.full_name collate "C"), '[]')
      from public.repository_paths p join public.repositories r on r.id = p.repo_id
      where p.repo_id = any (v_ids) and p.paths <> '[]'));
end
$$;

-- For a member of the organization; see internal.paths_of.
create function public.org_attack_paths(p_user_id uuid, p_org_id uuid, p_engine text, p_rules text,
  p_tag text default null) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return internal.paths_of(p_org_id, null, p_engine, p_rules, p_tag);
end
$$;

-- For a member of the repository's organization; see internal.paths_of. One that left still has its last scan.
create function public.repository_attack_paths(p_user_id uuid, p_repo_id uuid, p_engine text, p_rules text)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_repo constant public.repositories := internal.require_repository(p_user_id, p_repo_id);
begin
  return internal.paths_of(v_repo.org_id, array[v_repo.id], p_engine, p_rules, null);
end
$$;

-- The stored paths of [{repo_id, basis}], as far as they are still the ones of that basis.
create function public.stored_paths(p_user_id uuid, p_org_id uuid, p_rows text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(jsonb_build_object('repo_id', p.repo_id, 'paths', p.paths, 'findings', p.findings,
      'fix_first', p.fix_first)), '[]')
    from jsonb_to_recordset(p_rows::jsonb) as n (repo_id uuid, basis text)
      join public.repository_paths p on p.repo_id = n.repo_id and p.basis = n.basis
    where p.org_id = p_org_id);
end
$$;

-- What the paths of these repositories of one organization follow from. With `p_previous`, the evidence is that of the
-- scan before the last, under the settings of now; a repository without one is left out.
create function public.path_inputs(p_repo_ids text, p_engine text, p_rules text, p_previous boolean default false)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rules constant text[] := array(select jsonb_array_elements_text(p_rules::jsonb));
  v_repo_ids constant uuid[] := array(select jsonb_array_elements_text(p_repo_ids::jsonb)::uuid);
  v_org_id constant uuid := (select org_id from public.repositories where id = v_repo_ids[1]);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'repo_id', s.repo_id, 'scan_id', u.scan_id, 'basis', s.basis, 'private', r.private,
      'disabled', to_jsonb(s.disabled), 'decided', s.decided,
      'completed', array(select unnest(u.completed) intersect select unnest(v_rules)),
      'not_assessed', u.not_assessed,
      'evidence', f.evidence, 'whole', f.whole, 'caches_read_only', f.caches_read_only)), '[]')
    from internal.path_states(v_org_id, v_repo_ids, p_engine, v_rules) as s
      join public.repositories r on r.id = s.repo_id
      join public.scan_rules u on u.scan_id = case when not p_previous then s.scan_id else (
        select b.id from public.scans b
        where b.repo_id = s.repo_id and b.id <> s.scan_id
        order by b.finished_at desc limit 1) end
      left join public.scan_facts f on f.scan_id = u.scan_id);
end
$$;

-- Keeps computed paths [{repo_id, scan_id, basis, paths, used, fix_first, matched, missing}], with the findings whose
-- fingerprints are `used`. Paths that something changed meanwhile are kept too: their basis tells.
create function public.store_paths(p_rows text) returns void
language sql
set search_path = ''
as $$
  insert into public.repository_paths (repo_id, org_id, scan_id, basis, paths, findings, fix_first, matched, missing)
  select n.repo_id, s.org_id, n.scan_id, n.basis, n.paths, (
    select coalesce(jsonb_object_agg(f.fingerprint,
      to_jsonb(f) - array['id', 'scan_id', 'repo_id', 'org_id']), '{}')
    from public.findings f where f.scan_id = n.scan_id and f.fingerprint = any (n.used)), n.fix_first, n.matched, n.missing
  from jsonb_to_recordset(p_rows::jsonb) as n (repo_id uuid, scan_id uuid, basis text, paths jsonb, used text[],
      fix_first jsonb, matched text[], missing jsonb)
    join public.scans s on s.id = n.scan_id and s.repo_id = n.repo_id
  -- In one order everywhere: two transactions never wait for each other.
  order by n.repo_id
  on conflict (repo_id) do update
  set scan_id = excluded.scan_id, basis = excluded.basis, paths = excluded.paths, findings = excluded.findings,
    fix_first = excluded.fix_first, matched = excluded.matched, missing = excluded.missing
$$;

select internal.apply_grants();
