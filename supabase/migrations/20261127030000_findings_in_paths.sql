create policy members_read on public.attack_path_sets for select to authenticated
  using (org_id = any (array(select internal.my_orgs())));

-- Of [{repo_id, fingerprint}], those that take part in attack paths of their repository's last scan, and in how many.
create function public.read_findings_in_paths(p_org_id uuid, p_findings text)
returns table (repo_id uuid, fingerprint text, paths bigint)
language sql
stable
set search_path = ''
as $$
  select n.repo_id, n.fingerprint, count(*)
  from (
      select distinct f.repo_id, f.fingerprint
      from jsonb_to_recordset(p_findings::jsonb) as f (repo_id uuid, fingerprint text) limit 1000) as n
    join public.attack_path_sets s on s.repo_id = n.repo_id
    join public.repositories r on r.id = s.repo_id and r.last_scan_id = s.scan_id
    cross join jsonb_array_elements(s.paths) as p (path)
  where s.org_id = p_org_id and p.path -> 'components' ? n.fingerprint
  group by n.repo_id, n.fingerprint
$$;

select internal.apply_grants();
