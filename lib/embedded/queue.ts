/** Runs a task when those before it have ended. */
export type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks one after another, in the order they came; a failed one does not stop the next. */
export function createQueue(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}

/** Runs each task at once. */
export const atOnce: InTurn = (task) => task();
