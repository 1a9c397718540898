-- Derives the tag and the totals only when no stored paths are outdated.

-- Of the repositories that an organization shows, or of exactly one: {stale: [id]} when paths have to be computed first,
-- else {tag} when that is the one given, else all of {tag, org_id, total, critical, high, coverage: [{gaps, disabled,
-- repos, matched: {combination: repos}}], repos}: those with paths, which are read by their basis, or the `p_limit`
-- whose paths are worst. The tag is of the whole.
create or replace function internal.attack_paths(p_org_id uuid, p_repo_id uuid, p_engine text, p_rules text, p_tag text,
  p_limit integer) returns jsonb
language plpgsql
stable
set search_path = ''
-- Plans made for a few repositories are wrong for thousands.
set plan_cache_mode = force_custom_plan
as $$
declare
  v_rules constant text[] := array(select jsonb_array_elements_text(p_rules::jsonb));
  v_off constant text[] := array(
    select s.rule_id from public.rule_settings s
    where s.org_id = p_org_id and not s.enabled and s.rule_id = any (v_rules) order by s.rule_id collate "C");
begin
  return (
    with switched as materialized (
      select o.repo_id, array_agg(o.rule_id) filter (where o.enabled) as enabled,
        array_agg(o.rule_id) filter (where not o.enabled) as disabled
      from public.rule_overrides o
      where o.org_id = p_org_id and o.rule_id = any (v_rules) and (p_repo_id is null or o.repo_id = p_repo_id)
      group by o.repo_id
    ), scanned as (
      select r.id, r.full_name, r.html_url, r.last_scan_id, r.private,
        case when w.repo_id is null then v_off else array(
          select rule from (
            select unnest(v_off) as rule union select unnest(w.disabled) except select unnest(w.enabled)) as rules
          order by rule collate "C") end as disabled
      from public.repositories r
        join public.installations i on i.org_id = r.org_id and i.installation_id = r.installation_id
        left join switched w on w.repo_id = r.id
      where r.org_id = p_org_id and r.last_scan_id is not null
        and case when p_repo_id is null then r.removed_at is null and i.removed_at is null else r.id = p_repo_id end
    ), shown as materialized (
      select n.id, n.full_name, n.html_url, n.disabled, s.basis, s.gaps_key, s.matched, s.total, s.critical, s.high,
        s.worst_rank, s.worst_id, s.worst_file,
        s.repo_id is null or s.scan_id <> n.last_scan_id or s.private <> n.private or s.engine <> p_engine
          or n.id in (select c.repo_id from public.attack_path_changes c where c.org_id = p_org_id)
          or (s.disabled <> n.disabled and exists (
            select from unnest(s.rules) as u (rule) where (u.rule = any (s.disabled)) <> (u.rule = any (n.disabled))))
          as stale
      from scanned n left join public.attack_path_sets s on s.repo_id = n.id and s.org_id = p_org_id
    ), outdated as materialized (
      select array_agg(id order by id) as ids from shown where stale
    ), digested as materialized (
      -- Order does not matter, and sorting names takes longer than all else.
      select count(*) as repos, bit_xor(hashtextextended(n.text, 0)) as one, bit_xor(hashtextextended(n.text, 1)) as other
      from (
        select concat_ws(' ', id, basis, full_name, html_url, case when disabled <> v_off then disabled end) as text
        from shown) as n
    ), named as materialized (
      select encode(sha256(convert_to(concat_ws(e'\n', p_engine, array_to_string(v_off, ' '), repos, one, other), 'UTF8')),
        'hex') as tag
      from digested
    ), kinds as materialized (
      select gaps_key, disabled, matched, count(*) as repos, min(id::text)::uuid as example
      from shown group by gaps_key, disabled, matched
    ), page as (
      select id, full_name, html_url, basis from shown where total > 0
      order by worst_rank, worst_id collate "C", coalesce(worst_file, e'\uFFFF') collate "C", full_name collate "C"
      limit p_limit
    )
    select case
      when o.ids is not null then jsonb_build_object('stale', to_jsonb(o.ids))
      when (select tag from named) = p_tag then jsonb_build_object('tag', p_tag)
      else (select jsonb_build_object('tag', (select tag from named), 'org_id', p_org_id,
        'total', coalesce(sum(total), 0), 'critical', coalesce(sum(critical), 0), 'high', coalesce(sum(high), 0))
        from shown)
        || jsonb_build_object(
        'coverage', (
          select coalesce(jsonb_agg(jsonb_build_object('disabled', g.disabled, 'repos', g.repos,
            'gaps', (select s.gaps from public.attack_path_sets s where s.repo_id = g.example),
            'matched', coalesce((
              select jsonb_object_agg(m.id, m.repos) from (
                select u.id, sum(k.repos) as repos from kinds k cross join unnest(k.matched) as u (id)
                where k.gaps_key = g.gaps_key and k.disabled = g.disabled group by u.id) as m), '{}'))), '[]')
          from (
            select gaps_key, disabled, sum(repos) as repos, min(example::text)::uuid as example
            from kinds group by gaps_key, disabled) as g),
        'repos', (
          select coalesce(jsonb_agg(jsonb_build_object('repo_id', id, 'full_name', full_name, 'html_url', html_url,
            'basis', basis) order by full_name collate "C"), '[]') from page))
      end
    from outdated o);
end
$$;

select internal.apply_grants();
