-- The accounts at the code host that a user signed in with: their numbers there, as decimal digits. The auth server wrote
-- them; nothing that users may edit is looked at.
create function public.scm_identities(p_user_id uuid) returns text[]
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(array_agg(i.provider_id::text order by i.provider_id::text), '{}')
  from auth.identities i
  where i.user_id = p_user_id and i.provider = 'github' and i.provider_id::text ~ '^[0-9]{1,20}$'
$$;

select internal.apply_grants();
