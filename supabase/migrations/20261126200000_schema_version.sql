-- The newest migration that was applied; null if none was recorded, as when files were applied by hand.
create function public.schema_version() returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_version text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(version) from supabase_migrations.schema_migrations' into v_version;
  end if;
  return v_version;
end
$$;

select internal.apply_grants();
