import { AsyncLocalStorage } from 'node:async_hooks';

export type Outside = 'code_host' | 'database';

export type Attributes = Readonly<Record<string, string | number>>;

export interface Traces {
  readonly record: <T>(name: string, attributes: Attributes, task: () => Promise<T>) => Promise<T>;
  readonly describe: (attributes: Attributes) => void;
}

type Counts = Record<`${Outside}_requests`, number>;

/** On the global object, since bundles of the framework have modules of their own. */
const TRACES = Symbol.for('chainbreak.traces');

const counting = new AsyncLocalStorage<Counts>();

export function sendTracesTo(traces: Traces): void {
  Reflect.set(globalThis, TRACES, traces);
}

/** Runs a task; `counts` are its requests to the outside so far. */
export function counted<T>(task: (counts: Readonly<Counts>) => Promise<T>): Promise<T> {
  const counts: Counts = { code_host_requests: 0, database_requests: 0 };
  return counting.run(counts, () => task(counts));
}

/** Sends a request to the outside: counts it, and records a span if tracing is on. */
export function outside<T>(kind: Outside, name: string, send: () => Promise<T>): Promise<T> {
  const counts = counting.getStore();
  if (counts !== undefined) counts[`${kind}_requests`] += 1;
  return traced(name, { 'chainbreak.outside': kind }, send);
}

export function traced<T>(name: string, attributes: Attributes, task: () => Promise<T>): Promise<T> {
  return traces()?.record(name, attributes, task) ?? task();
}

export function describeRequest(attributes: Attributes): void {
  traces()?.describe(attributes);
}

function traces(): Traces | undefined {
  return Reflect.get(globalThis, TRACES) as Traces | undefined;
}
