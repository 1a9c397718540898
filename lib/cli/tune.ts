import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8 for a program that runs many functions for some seconds: half of what a scan cost was the compiler, on cores
 * that further threads can use. Names of settings differ by version, and V8 complains about ones it does not know.
 */
export function tune(nodeVersion: string): void {
  // A scan makes much that is soon of no use. On a machine with plenty of memory the heap would grow to four times what
  // is kept before it is cleaned.
  setFlagsFromString('--heap-growing-percent=50');
  const major = Number.parseInt(nodeVersion, 10);
  // A function has to be ten times as busy as usual, or more, before it is worth optimizing.
  if (major === 20) setFlagsFromString('--interrupt-budget=1000000');
  if (major >= 22 && major <= 24) setFlagsFromString('--invocation-count-for-turbofan=30000');
}
