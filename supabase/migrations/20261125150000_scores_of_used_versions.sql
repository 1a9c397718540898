-- The scores of used actions: of the version that each ref names, and of the newest release. Uses come as a JSON list of
-- {name, ref}; a ref is a commit, a tag or a branch.
drop function public.read_action_scores(text);
create function public.read_action_scores(p_uses text) returns jsonb
language sql
stable
set search_path = ''
as $$
  with used as (
    select distinct a.id, n.name_key, a.score, a.scored_at, u.ref
    from jsonb_to_recordset(p_uses::jsonb) as u (name text, ref text)
      join public.action_names n on n.name_key = u.name
      join public.actions a on a.id = n.action_id
    where a.score is not null
  ), judged as (
    select used.*, v.score as ref_score, v.evaluated_at as ref_scored_at
    from used left join lateral (
      select e.score, e.evaluated_at
      from public.action_versions v join public.action_evaluations e on e.version_id = v.id
      where v.action_id = used.id and v.path = '' and v.commit_sha = case
        when used.ref ~ '^[0-9a-f]{40,64}$' then used.ref
        else (
          select o.commit_sha from public.ref_observations o
          where o.action_id = used.id and o.ref in ('refs/tags/' || used.ref, 'refs/heads/' || used.ref)
          order by o.last_seen_at desc, o.first_seen_at desc, o.ref desc limit 1) end
      order by e.evaluated_at desc, e.id limit 1) as v on true
  )
  select coalesce(jsonb_agg(jsonb_build_object('name', name_key, 'score', score, 'at', internal.rfc3339(scored_at),
    'refs', refs) order by name_key collate "C"), '[]')
  from (
    select name_key, score, scored_at, coalesce(jsonb_agg(jsonb_build_object('ref', ref, 'score', ref_score, 'at',
      internal.rfc3339(ref_scored_at)) order by ref collate "C") filter (where ref_score is not null), '[]') as refs
    from judged group by name_key, score, scored_at) as named
$$;

select internal.apply_grants();
