import { coverageJson } from '#lib/combos/path-json.ts';
import { shownPathJson } from './json.ts';
import type { PathsReport } from './paths-report.ts';
import { printableJson } from './runner-commands.ts';

export function pathsToJson({ paths, coverage, fixFirst }: PathsReport): string {
  return printableJson(
    {
      combos: paths.map(shownPathJson),
      coverage: coverage.map(coverageJson),
      fix_first: fixFirst.map(({ fingerprint, ruleId, breaks, finding }) => ({
        root: finding.root,
        fingerprint,
        rule_id: ruleId,
        file: finding.file,
        line: finding.line,
        breaks,
      })),
    },
    2,
  );
}
