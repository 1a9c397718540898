export const EXIT = {
  clean: 0,
  found: 1,
  usage: 2,
  failed: 3,
} as const;
