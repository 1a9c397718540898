import { describe, expect, it } from 'vitest';
import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths, foldPaths } from '#lib/combos/match.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { repositoryOf } from '#lib/scanner/testing/example.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { FULL } from '../support/effort.ts';
import { constructs, type GrowingFiles, repeatedExamples } from '../support/growing-files.ts';

const SIZES = (FULL ? [30, 60, 120, 240, 480, 960] : [25, 100]).map((kilobytes) => kilobytes * 1_000);
const LARGEST = Math.max(...SIZES);
const MAX_GROWTH = 2.5;
/** In milliseconds. Below it, garbage collection and compilation dominate, above all between sizes that are close. */
const FLOOR = FULL ? 200 : 125;
/** Other programs, compilation and garbage collection only add time, so the fastest of several scans counts. */
const REPEATS = 4;

interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly cpu: number;
  readonly growth: number;
}

type Files = ReturnType<GrowingFiles['files']>;

function bytesOf(files: Files): number {
  return files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

function scanCost({ rule, example, facts = NO_FACTS }: GrowingFiles, files: Files): number {
  return cpuTimeOf(() => {
    const repository = example === undefined ? createRepository(files) : repositoryOf(example, files);
    const { findings } = scanRepository(repository, { facts, ...(rule === undefined ? {} : { rules: [rule] }) });
    foldPaths(findPaths(collectEvidence(repository, findings, facts)));
  });
}

function measure(growing: GrowingFiles): Measured[] {
  const measured: Measured[] = [];
  scanCost(growing, growing.files(3_000));
  let before: Files | undefined;
  for (const size of SIZES) {
    const files = growing.files(size);
    const bytes = bytesOf(files);
    const last = measured.at(-1);
    if (before !== undefined && last !== undefined && bytes < last.bytes * 1.2) break;
    let cpu = scanCost(growing, files);
    let growth = last === undefined ? 0 : growthOf(last, { bytes, cpu });
    if (before !== undefined && last !== undefined && growth > MAX_GROWTH) {
      const again = (each: Files): number[] => Array.from({ length: REPEATS }, () => scanCost(growing, each));
      const smaller = Math.min(last.cpu, ...again(before));
      cpu = Math.min(cpu, ...again(files));
      growth = growthOf({ bytes: last.bytes, cpu: smaller }, { bytes, cpu });
    }
    measured.push({ name: growing.name, bytes, cpu, growth });
    before = files;
    // Even quadratic growth could not exceed the limit.
    const doublings = Math.log2(LARGEST / size);
    if (cpu * 4 ** doublings < FLOOR * MAX_GROWTH ** doublings) break;
  }
  return measured;
}

function growthOf(before: Pick<Measured, 'bytes' | 'cpu'>, after: Pick<Measured, 'bytes' | 'cpu'>): number {
  const ratio = Math.max(after.cpu, FLOOR) / Math.max(before.cpu, FLOOR);
  return ratio ** (1 / Math.log2(after.bytes / before.bytes));
}

function show(title: string, measured: readonly Measured[]): void {
  const worst = [...measured].sort((a, b) => b.growth - a.growth || b.cpu - a.cpu).slice(0, 10);
  const lines = worst.map(
    ({ name, bytes, cpu, growth }) =>
      `  ${`x${growth.toFixed(2)}`.padStart(6)} ${`${Math.round(cpu)} ms`.padStart(9)} ${`${Math.round(bytes / 1_000)} kB`.padStart(8)}  ${name}`,
  );
  process.stdout.write(`${title}: growth for twice the size, processor time\n${lines.join('\n')}\n`);
}

describe('a scan with its attack paths takes at most 2.5 times as long for twice', () => {
  it.each([
    ['of each construct', constructs()],
    ['the steps of each rule’s example', repeatedExamples('steps')],
    ...(FULL ? ([['the jobs of each rule’s example', repeatedExamples('jobs')]] as const) : []),
  ] as const)(
    '%s',
    (title, all) => {
      const measured = all.flatMap(measure);
      show(title, measured);
      const tooFast = measured.filter(({ growth }) => growth > MAX_GROWTH);
      expect(tooFast.map(({ name, bytes, growth }) => `${name}, ${bytes} bytes: x${growth.toFixed(2)}`)).toEqual([]);
    },
    FULL ? 3_600_000 : 600_000,
  );
});
