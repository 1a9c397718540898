import { type CoverageEntry, coverageOf } from '#lib/combos/coverage.ts';
import { type FirstFix, fixFirst } from '#lib/combos/fix-first.ts';
import { type AttackPath, comparePaths } from '#lib/combos/match.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { NotAssessed } from '#lib/scanner/engine/scan.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Rooted } from './report.ts';

export interface RepositoryPaths {
  readonly root: string;
  readonly findings: readonly Finding[];
  readonly notAssessed: readonly NotAssessed[];
  readonly found: readonly AttackPath[];
  readonly paths: readonly AttackPath[];
}

export interface PathsReport {
  readonly version: string;
  readonly paths: readonly ShownPath[];
  readonly coverage: readonly CoverageEntry[];
  readonly fixFirst: readonly FirstFix<Rooted<Finding>, string>[];
}

export interface ShownPath extends AttackPath {
  readonly root: string;
  readonly findings: readonly Rooted<Finding>[];
}

export function createPathsReport(version: string, repositories: readonly RepositoryPaths[]): PathsReport {
  const byRoot = new Map(
    repositories.map(({ root, findings }) => [
      root,
      new Map(findings.map((finding) => [finding.fingerprint, { ...finding, root }])),
    ]),
  );
  const paths = repositories.flatMap(({ root, paths: own }) =>
    own.map((path) => ({
      ...path,
      root,
      findings: path.components.flatMap(({ fingerprint }) => byRoot.get(root)?.get(fingerprint) ?? []),
    })),
  );
  return {
    version,
    paths: paths.sort((a, b) => comparePaths(a, b) || compareText(a.root, b.root)),
    coverage: coverageOf(
      repositories.map(({ notAssessed, found }) => ({
        notAssessed,
        matched: new Set(found.map(({ comboId }) => comboId)),
      })),
    ),
    fixFirst: fixFirst(
      repositories.map(({ root, paths: own }) => ({
        id: root,
        name: root,
        paths: own,
        findings: byRoot.get(root) ?? new Map<string, Rooted<Finding>>(),
      })),
    ),
  };
}
