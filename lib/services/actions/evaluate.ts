import { type Counts, countBySeverity } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { type Attempt, evaluate } from '#lib/scorer/evaluate.ts';
import { publisherCi } from '#lib/scorer/publisher-ci.ts';
import type { Fetched, Signal } from '#lib/scorer/signal.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import type { RawFacts } from './collect.ts';

export interface Evaluated {
  readonly attempt: Attempt;
  readonly findingCounts: Counts;
}

/** Scores what was collected. Runs as a task, because it parses files of strangers. */
export function evaluateAction(
  raw: RawFacts,
  publisherFiles: Fetched<readonly InputFile[]>,
  previous: readonly Signal[],
): Evaluated {
  const { owner, name } = raw.action;
  const paths: Fetched<ReturnType<typeof publisherCi>> =
    'value' in publisherFiles ? { value: publisherCi(publisherFiles.value, owner, name) } : publisherFiles;
  const files = 'value' in raw.tree ? raw.tree.value.files : new Map<string, string>();
  const definitions = [...files]
    .filter(([path]) => /(?:^|\/)action\.ya?ml$/.test(path))
    .map(([path, text]): InputFile => ({ path, text }));
  const { findings, suppressed } = scanRepository(createRepository(definitions, `${owner}/${name}`));
  return {
    attempt: evaluate({ ...raw, publisherCi: paths }, previous),
    findingCounts: countBySeverity([...findings, ...suppressed.map(({ finding }) => finding)]),
  };
}
