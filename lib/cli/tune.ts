import { setFlagsFromString } from 'node:v8';

/**
 * Configures V8 for a short run of many functions: half of a scan's cost was the compiler. Names of settings differ by
 * version, and V8 rejects unknown ones.
 */
export function tune(nodeVersion: string): void {
  // Scans produce much garbage; with plenty of memory the heap would grow fourfold before a collection.
  setFlagsFromString('--heap-growing-percent=50');
  const major = Number.parseInt(nodeVersion, 10);
  // Functions must be ten times as busy as usual before optimization pays off.
  if (major === 20) setFlagsFromString('--interrupt-budget=1000000');
  if (major >= 22 && major <= 24) setFlagsFromString('--invocation-count-for-turbofan=30000');
}

/** Takes back what {@link tune} set, for a program that goes on running. */
export function untune(nodeVersion: string): void {
  setFlagsFromString('--heap-growing-percent=0');
  const major = Number.parseInt(nodeVersion, 10);
  if (major === 20) setFlagsFromString('--interrupt-budget=67584');
  if (major >= 22 && major <= 24) setFlagsFromString('--invocation-count-for-turbofan=3000');
}
