-- Actions that the repositories of an organization use, without repositories that left, most used first, at most 1,000.
create function public.read_used_actions(p_org_id uuid)
returns table (owner text, name text, repositories bigint, uses bigint)
language sql
stable
set search_path = ''
as $$
  select max(u.owner), max(u.name), count(distinct u.repo_id), count(*)
  from public.action_uses u
    join public.repositories r on r.id = u.repo_id and r.org_id = u.org_id
    join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
  where u.org_id = p_org_id and r.removed_at is null and i.removed_at is null
  group by lower(u.owner), lower(u.name)
  order by 3 desc, 4 desc, lower(u.owner), lower(u.name)
  limit 1000
$$;

select internal.apply_grants();
