export const EXIT = {
  /** Nothing at or above the threshold. */
  clean: 0,
  /** Something at or above the threshold. */
  found: 1,
  /** Usage error. */
  usage: 2,
  /** Nothing, or not everything, could be scanned. */
  failed: 3,
} as const;
