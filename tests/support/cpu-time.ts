export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns the first processor time of `work` below `limit` milliseconds, or the shortest of five runs. One run alone may
 * include the collection of garbage that earlier tests left.
 */
export function leastCpuTimeOf(limit: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && least >= limit; run += 1) least = Math.min(least, cpuTimeOf(work));
  return least;
}
