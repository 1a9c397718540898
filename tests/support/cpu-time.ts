/** The processor time in milliseconds that this process spends on `work`: on a busy machine a clock would count the others too. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
