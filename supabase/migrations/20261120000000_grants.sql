-- Policies call auth.uid() with the rights of whoever asks.
grant usage on schema auth to anon, authenticated, service_role;

-- Functions for policies and migrations; PostgREST does not expose this schema.
create schema internal;
grant usage on schema internal to authenticated, service_role;

-- Who may do what in the schema that PostgREST exposes, derived from the policies alone: a signed-in client may read a
-- table that has a policy letting `authenticated` read it, and nothing else; nobody but the service writes or calls
-- functions. Each migration that makes a table, view, function or policy ends with a call of this function. It can
-- run any number of times: the embedded database grants everything at each start, and this takes it back.
create function internal.apply_grants() returns void
language plpgsql
set search_path = ''
as $$
declare
  relation record;
begin
  alter default privileges in schema public revoke all on tables from anon, authenticated;
  alter default privileges in schema public revoke all on sequences from anon, authenticated;
  alter default privileges in schema public revoke all on functions from anon, authenticated;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all functions in schema public from public, anon, authenticated;
  grant usage on schema public to anon, authenticated, service_role;
  grant all on all tables in schema public to service_role;
  grant all on all sequences in schema public to service_role;
  grant execute on all functions in schema public to service_role;
  for relation in
    select c.oid::regclass as name, c.relkind, c.relrowsecurity,
           exists (
             select from pg_catalog.pg_policy p
             where p.polrelid = c.oid and p.polcmd in ('r', '*') and 'authenticated'::regrole::oid = any (p.polroles)
           ) as readable
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  loop
    if relation.relkind in ('r', 'p') and not relation.relrowsecurity then
      raise exception 'table % has no row-level security', relation.name;
    end if;
    execute format('revoke all on %s from public, anon, authenticated', relation.name);
    if relation.readable then
      execute format('grant select on %s to authenticated', relation.name);
    end if;
  end loop;
end
$$;
revoke all on function internal.apply_grants() from public;

select internal.apply_grants();
