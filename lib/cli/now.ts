/** SOURCE_DATE_EPOCH makes output repeatable: https://reproducible-builds.org/specs/source-date-epoch/ */
export function nowOf(environment: NodeJS.ProcessEnv): Date {
  const seconds = Number(environment['SOURCE_DATE_EPOCH']);
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1_000) : new Date();
}
