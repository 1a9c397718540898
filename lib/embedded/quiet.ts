import { AsyncLocalStorage } from 'node:async_hooks';

const inside = new AsyncLocalStorage<true>();
let patched = false;

/**
 * Runs a database task without its console output, which contains users' data and secrets. The caller receives errors
 * anyway.
 */
export function quietly<T>(task: () => T): T {
  if (!patched) {
    patched = true;
    for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const) {
      const print = console[method];
      console[method] = (...values: unknown[]) => {
        if (inside.getStore() === undefined) print.apply(console, values);
      };
    }
  }
  return inside.run(true, task);
}
