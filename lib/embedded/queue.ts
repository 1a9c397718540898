/** Runs tasks, and one when there is nothing else. */
export interface Turns {
  /** Runs a task as soon as it may. */
  readonly run: <T>(task: () => Promise<T>) => Promise<T>;
  /** Runs a task when no other one is left. */
  readonly runLast: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Runs tasks one after another, in the order they came; a failed one does not stop the next. */
export function oneByOne(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  const run: Turns['run'] = (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
  return { run, runLast: run };
}

/** Runs each task at once. */
export function allAtOnce(): Turns {
  const running = new Set<Promise<unknown>>();
  return {
    run(task) {
      const result = task();
      running.add(result);
      const forget = () => running.delete(result);
      void result.then(forget, forget);
      return result;
    },
    async runLast(task) {
      while (running.size > 0) await Promise.allSettled(running);
      return task();
    },
  };
}
