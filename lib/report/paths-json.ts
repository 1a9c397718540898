import { coverageJson, pathJson } from '#lib/combos/path-json.ts';
import { findingJson } from './json.ts';
import type { PathsReport } from './paths-report.ts';
import { printableJson } from './runner-commands.ts';

export function pathsToJson({ paths, coverage, fixFirst }: PathsReport): string {
  return printableJson(
    {
      combos: paths.map((path) => ({
        root: path.root,
        ...pathJson(
          path,
          path.findings.map((finding) => ({ rule_id: finding.ruleId, finding: findingJson(finding) })),
        ),
      })),
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
