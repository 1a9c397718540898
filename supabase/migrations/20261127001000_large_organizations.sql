-- Before the table has statistics, the planner expects a few repositories and compares each one with each listed one:
-- ten seconds for 10,000 of them.
alter function public.sync_repositories(uuid, uuid, text) set enable_nestloop = off;

select internal.apply_grants();
