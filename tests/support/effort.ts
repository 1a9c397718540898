import { randomInt } from 'node:crypto';

export const FULL = process.env['FULL'] === '1';

export const SEED = Number(process.env['FUZZ_SEED'] ?? (FULL ? randomInt(2 ** 31) : 20_261_120));

export function effort(runs: number, fullRuns: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: FULL ? fullRuns : runs, seed: SEED };
}

process.stderr.write(`Random inputs: FUZZ_SEED=${SEED}${FULL ? ' FULL=1' : ''}\n`);
