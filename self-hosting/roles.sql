-- What a hosted Supabase project has: roles of requests, the roles that the API and Auth log in as, and Auth's schema.
\getenv password POSTGRES_PASSWORD
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit password :'password';
grant anon, authenticated, service_role to authenticator;
create role supabase_auth_admin login noinherit createrole password :'password';
create schema auth authorization supabase_auth_admin;
alter role supabase_auth_admin set search_path = auth;
grant usage on schema auth to anon, authenticated, service_role;
