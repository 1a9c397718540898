-- What to fix first follows from the paths that are shown, which the stored paths hold now with their cuts.
alter table public.repository_paths drop column fix_first;

-- The stored paths of [{repo_id, basis}], as far as they are still the ones of that basis.
create or replace function public.stored_paths(p_user_id uuid, p_org_id uuid, p_rows text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  perform internal.require_member(p_user_id, p_org_id);
  return (
    select coalesce(jsonb_agg(jsonb_build_object('repo_id', p.repo_id, 'paths', p.paths, 'findings', p.findings)), '[]')
    from jsonb_to_recordset(p_rows::jsonb) as n (repo_id uuid, basis text)
      join public.repository_paths p on p.repo_id = n.repo_id and p.basis = n.basis
    where p.org_id = p_org_id);
end
$$;

-- Keeps computed paths [{repo_id, scan_id, basis, paths, used, matched, missing}], with the findings whose fingerprints
-- are `used`. Paths that something changed meanwhile are kept too: their basis tells.
create or replace function public.store_paths(p_rows text) returns void
language sql
set search_path = ''
as $$
  insert into public.repository_paths (repo_id, org_id, scan_id, basis, paths, findings, matched, missing)
  select n.repo_id, s.org_id, n.scan_id, n.basis, n.paths, (
    select coalesce(jsonb_object_agg(f.fingerprint,
      to_jsonb(f) - array['id', 'scan_id', 'repo_id', 'org_id']), '{}')
    from public.findings f where f.scan_id = n.scan_id and f.fingerprint = any (n.used)), n.matched, n.missing
  from jsonb_to_recordset(p_rows::jsonb) as n (repo_id uuid, scan_id uuid, basis text, paths jsonb, used text[],
      matched text[], missing jsonb)
    join public.scans s on s.id = n.scan_id and s.repo_id = n.repo_id
  -- In one order everywhere: two transactions never wait for each other.
  order by n.repo_id
  on conflict (repo_id) do update
  set scan_id = excluded.scan_id, basis = excluded.basis, paths = excluded.paths, findings = excluded.findings,
    matched = excluded.matched, missing = excluded.missing
$$;

-- Paths stored without cuts are computed again.
delete from public.repository_paths;

select internal.apply_grants();
