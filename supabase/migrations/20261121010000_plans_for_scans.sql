-- A connection keeps the plan of a statement that it has run a few times. One made while the tables were nearly empty
-- compares every finding with every other: seconds for a large scan. These statements cost more than their planning.
alter function public.persist_scan(text) set plan_cache_mode = force_custom_plan;
alter function internal.recount(uuid) set plan_cache_mode = force_custom_plan;

select internal.apply_grants();
