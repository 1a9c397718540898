import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf } from './report.ts';
import { plural } from './summary.ts';

export interface PathGroup {
  readonly first: ShownPath;
  readonly paths: readonly ShownPath[];
}

export function groupPaths(paths: readonly ShownPath[]): PathGroup[] {
  const groups = new Map<string, { first: ShownPath; paths: ShownPath[] }>();
  for (const path of paths) {
    const { comboId, severity, title, impact, breakChain, breakChainRule, mitigatedBy, stages } = path;
    const chain = stages.map((stage) => [stage.title, stage.description, stage.ruleId]);
    const key = JSON.stringify([comboId, severity, title, impact, breakChain, breakChainRule, mitigatedBy, chain]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: path, paths: [path] });
    else group.paths.push(path);
  }
  return [...groups.values()];
}

export function placeOf(path: ShownPath): string {
  const file = path.file ?? path.findings[0]?.file ?? null;
  const at =
    file === null ? (path.root === '.' ? 'repository settings' : path.root) : pathOf({ root: path.root, file });
  return path.job === null ? at : `${at}, job ${path.job}`;
}

export function chainOf({ stages }: Pick<ShownPath, 'stages'>): string {
  return stages.map(({ title }) => title).join(' → ');
}

export function coverText({ fixFirst, paths }: Pick<PathsReport, 'fixFirst' | 'paths'>): string | undefined {
  if (fixFirst.length === 0) return undefined;
  const ended = paths.filter(({ cuts, findings }) => {
    const known = new Set(findings.map(({ fingerprint }) => fingerprint));
    return cuts.some((cut) => cut.length > 0 && cut.every((fingerprint) => known.has(fingerprint)));
  }).length;
  const fixes = `${plural(fixFirst.length, 'fix', 'fixes')} ${fixFirst.length === 1 ? 'ends' : 'end'}`;
  if (ended < paths.length) return `${fixes} ${ended} of ${plural(paths.length, 'attack path')}`;
  return paths.length === 1 ? `${fixes} the attack path` : `${fixes} all ${paths.length} attack paths`;
}
