import { setTimeout as sleep } from 'node:timers/promises';
import type { Turns } from './queue.ts';
import { quietly } from './quiet.ts';
import type { OpenStore } from './store.ts';

/** Tables that a server would vacuum or analyze by now under its defaults, and large ones that were never analyzed. */
const DUE = `
  select name, crowded from (
    select s.relid::regclass::text as name, c.reltuples < 0 and pg_catalog.pg_relation_size(c.oid) > 65536 as unknown,
      s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0) as changed,
      s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
        or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0) as crowded
    from pg_catalog.pg_stat_user_tables s join pg_catalog.pg_class c on c.oid = s.relid) as t
  where unknown or changed or crowded`;

/**
 * Vacuums and analyzes changed tables, now and at intervals, until the returned function is called. A server does so by
 * itself; otherwise queries are planned as if all tables were empty.
 */
export function keepUp({ sql }: Pick<OpenStore, 'sql'>, turns: Turns, everyMs: number): () => Promise<void> {
  const end = new AbortController();
  const look = async () => {
    for (const { name, crowded } of await turns.run(() => sql(DUE, []))) {
      if (end.signal.aborted) return;
      await turns.run(() => sql(`${crowded === true ? 'vacuum (analyze)' : 'analyze'} ${String(name)}`, []));
    }
  };
  const loop = async () => {
    while (!end.signal.aborted) {
      await quietly(look).catch(() => {});
      await sleep(everyMs, undefined, { ref: false, signal: end.signal }).catch(() => {});
    }
  };
  const ended = loop();
  return () => {
    end.abort();
    return ended;
  };
}
