export interface Turns {
  readonly run: <T>(task: () => Promise<T>) => Promise<T>;
  readonly runLast: <T>(task: () => Promise<T>) => Promise<T>;
}

export function oneByOne(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  const run: Turns['run'] = (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
  return { run, runLast: run };
}

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
