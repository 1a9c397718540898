import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf } from './report.ts';
import { oneLine } from './visible.ts';

/** Renderers refuse longer charts. */
const MAX_PATHS = 20;

export function pathsToMermaid({ paths }: PathsReport): string {
  const lines = ['flowchart LR'];
  for (const [index, path] of paths.slice(0, MAX_PATHS).entries()) lines.push(...chain(path, `p${index}`));
  if (paths.length > MAX_PATHS) lines.push(`  more["… and ${paths.length - MAX_PATHS} more paths"]`);
  if (paths.length === 0) lines.push('  none["No attack paths found"]');
  lines.push(
    '  classDef finding stroke-width:3px',
    '  classDef cut stroke-dasharray:5 3',
    '  classDef impact stroke-width:3px,stroke-dasharray:2 2',
  );
  return `${lines.join('\n')}\n`;
}

function chain(path: ShownPath, id: string): string[] {
  const title = `${path.severity}: ${path.title}`;
  const lines = [`  subgraph ${id}["${escape(title)}"]`, '    direction LR'];
  const cut = path.stages.findLast(({ ruleId }) => ruleId === path.breakChainRule)?.order;
  for (const { order, title: text, ruleId, fingerprints } of path.stages) {
    const finding = path.findings.find(({ fingerprint }) => fingerprint === fingerprints[0]);
    const place = finding === undefined ? '' : `<br/>${escape(`${pathOf(finding)}:${finding.line ?? 1}`)}`;
    const name = ruleId === null ? '' : `<br/>${escape(ruleId)}`;
    const style = ruleId === null ? '' : ':::finding';
    lines.push(`    ${id}s${order}["${escape(text)}${name}${place}"]${style}`);
    if (order > 0) lines.push(`    ${id}s${order - 1} --> ${id}s${order}`);
  }
  lines.push(`    ${id}i(["${escape(path.impact)}"]):::impact`, `    ${id}s${path.stages.length - 1} --> ${id}i`);
  if (cut !== undefined) {
    lines.push(`    ${id}b{{"${escape(path.breakChain)}"}}:::cut`, `    ${id}b -. breaks .-> ${id}s${cut}`);
  }
  return [...lines, '  end'];
}

function escape(text: string): string {
  return oneLine(text.slice(0, 300)).replace(
    /[^\p{L}\p{N} .,:/_\u2026\u2019\u2018-]/gu,
    (character) => `#${character.codePointAt(0) ?? 0};`,
  );
}
