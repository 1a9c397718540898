import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Configures V8 for a short run of many functions: half of a scan's cost was the compiler. Names of settings differ by
 * version, and V8 rejects unknown ones.
 */
export function tune(nodeVersion: string): void {
  // Scans produce much garbage; with plenty of memory the heap would grow fourfold before a collection.
  setFlagsFromString('--heap-growing-percent=50');
  // Functions that a long scan no longer calls would be missing from the code that is kept for the next run.
  setFlagsFromString('--no-flush-bytecode');
  const major = Number.parseInt(nodeVersion, 10);
  // Functions must be ten times as busy as usual before optimization pays off.
  if (major === 20) setFlagsFromString('--interrupt-budget=1000000');
  if (major >= 22 && major <= 24) setFlagsFromString('--invocation-count-for-turbofan=30000');
}

const YOUNG_GENERATION = 16_777_216;

/**
 * Ends the growth of the young generation, which Node.js 24 lets reach 128 MB. To be called while a scan runs: V8 takes the
 * setting only from then on, and starts with a megabyte.
 */
export function limitYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (young !== undefined && young.space_size >= YOUNG_GENERATION) setFlagsFromString('--semi-space-growth-factor=1');
}

export function unlimitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

export function untune(nodeVersion: string): void {
  setFlagsFromString('--heap-growing-percent=0');
  setFlagsFromString('--flush-bytecode');
  unlimitYoungGeneration();
  const major = Number.parseInt(nodeVersion, 10);
  if (major === 20) setFlagsFromString('--interrupt-budget=67584');
  if (major >= 22 && major <= 24) setFlagsFromString('--invocation-count-for-turbofan=3000');
}
