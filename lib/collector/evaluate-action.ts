import type { Counts } from '#lib/scanner/engine/finding.ts';
import { type Attempt, evaluate } from '#lib/scorer/evaluate.ts';
import { publisherCi } from '#lib/scorer/publisher-ci.ts';
import type { Fetched, Signal } from '#lib/scorer/signal.ts';
import { readAction } from '#lib/scorer/static/read-action.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import type { RawFacts } from './collect.ts';

export interface Evaluated {
  readonly attempt: Attempt;
  readonly findingCounts: Counts;
}

const NO_FINDINGS: Counts = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };

/** Scores what was collected. Runs as a task, because it parses files of strangers. */
export function evaluateAction(
  raw: RawFacts,
  publisherFiles: Fetched<readonly InputFile[]>,
  previous: readonly Signal[],
): Evaluated {
  const { owner, name } = raw.action;
  const paths: Fetched<ReturnType<typeof publisherCi>> =
    'value' in publisherFiles ? { value: publisherCi(publisherFiles.value, owner, name) } : publisherFiles;
  const read = 'value' in raw.tree ? readAction(raw.tree.value, raw.action) : undefined;
  return {
    attempt: evaluate({ ...raw, publisherCi: paths }, previous),
    findingCounts: read?.findingCounts ?? NO_FINDINGS,
  };
}
