import { randomInt } from 'node:crypto';

/** True for the nightly run, which tries every combination and many random inputs. */
export const FULL = process.env['FULL'] === '1';

/** The seed of random inputs: the same for every change, another one each night. `FUZZ_SEED` repeats a run. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? (FULL ? randomInt(2 ** 31) : 20_261_120));

/** Returns how often fast-check tries a property, and with which seed. */
export function effort(runs: number, fullRuns: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: FULL ? fullRuns : runs, seed: SEED };
}

process.stderr.write(`Random inputs: FUZZ_SEED=${SEED}${FULL ? ' FULL=1' : ''}\n`);
