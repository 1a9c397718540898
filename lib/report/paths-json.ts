import { coverageJson } from '#lib/combos/path-json.ts';
import { shownPathJson } from './json.ts';
import type { PathsReport } from './paths-report.ts';
import { printableJson } from './runner-commands.ts';

export function pathsToJson({ paths, coverage, fixFirst }: PathsReport): string {
  return printableJson(
    {
      combos: paths.map(shownPathJson),
      coverage: coverage.map(coverageJson),
      fix_first: fixFirst.map(({ finding, breaks }) => ({
        root: finding.root,
        fingerprint: finding.fingerprint,
        rule_id: finding.ruleId,
        file: finding.file,
        line: finding.line,
        breaks,
      })),
    },
    2,
  );
}
