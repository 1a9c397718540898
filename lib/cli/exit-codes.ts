/** What the program's exit tells a script. */
export const EXIT = {
  /** Nothing at or above the threshold. */
  clean: 0,
  /** Something at or above the threshold. */
  found: 1,
  /** The command line was wrong. */
  usage: 2,
  /** Nothing could be scanned, or not completely. */
  failed: 3,
} as const;
