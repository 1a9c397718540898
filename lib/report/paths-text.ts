import { createColors } from 'picocolors';
import type { ComboSeverity } from '#lib/combos/combo.ts';
import { createPathsReport, type PathsReport, type RepositoryPaths, type ShownPath } from './paths-report.ts';
import { pathOf, REASONS } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { plural } from './summary.ts';
import { type TerminalOptions, wrap } from './terminal.ts';
import { oneLine } from './visible.ts';

type Colors = ReturnType<typeof createColors>;

const SHOWN_PLACES = 3;
const SHOWN_FIXES = 10;
const LISTED_PATHS = 10;

export function pathsToText(report: PathsReport, { color, width, verbose }: TerminalOptions): string {
  const colors = createColors(color);
  const columns = Math.max(40, Math.min(width, 120));
  const lines = report.paths.flatMap((path) => [...drawn(path, verbose, columns, colors), '']);
  lines.push(...fixes(report, colors), ...coverage(report, verbose, columns, colors));
  const counts = countsOf(report.paths);
  const paint = report.paths.length === 0 ? colors.green : colors.red;
  lines.push(colors.bold(paint(counts === '' ? 'No attack paths found' : counts)));
  return `${withoutCommands(lines.join('\n'))}\n`;
}

export function pathsSection(repositories: readonly RepositoryPaths[], { color, width }: TerminalOptions): string[] {
  const report = createPathsReport('', repositories);
  if (report.paths.length === 0) return [];
  const colors = createColors(color);
  const columns = Math.max(40, Math.min(width, 120));
  const lines = [colors.bold('Attack paths')];
  for (const path of report.paths.slice(0, LISTED_PATHS)) {
    lines.push(`${badge(path.severity, colors)} ${colors.bold(path.title)}  ${colors.dim(placeOf(path))}`);
    const chain = path.stages.map(({ title }) => title).join(' → ');
    for (const line of wrap(oneLine(chain), columns - 4)) lines.push(`   ${line}`);
    for (const line of wrap(`Break it: ${path.breakChain} (${path.breakChainRule})`, columns - 4)) {
      lines.push(`   ${colors.green(line)}`);
    }
  }
  const more = report.paths.length - LISTED_PATHS;
  if (more > 0) lines.push(colors.dim(`   … and ${plural(more, 'more path')}`));
  lines.push(colors.dim('   Run "chainbreak paths" for details.'), '', ...fixes(report, colors));
  return lines;
}

function badge(severity: ComboSeverity, colors: Colors): string {
  const text = ` ${severity} `;
  if (severity === 'MEDIUM') return colors.bgYellow(colors.black(text));
  return severity === 'CRITICAL' ? colors.bold(colors.bgRed(colors.white(text))) : colors.bgRed(colors.white(text));
}

function placeOf(path: ShownPath): string {
  const first = path.findings[0];
  const file = path.file ?? first?.file ?? null;
  const at =
    file === null ? (path.root === '.' ? 'repository settings' : path.root) : pathOf({ root: path.root, file });
  return oneLine(path.job === null ? at : `${at}, job ${path.job}`);
}

function drawn(path: ShownPath, verbose: boolean, columns: number, colors: Colors): string[] {
  const lines = [
    `${badge(path.severity, colors)} ${colors.bold(path.comboId)}  ${path.title}`,
    `   ${colors.dim(placeOf(path))}`,
  ];
  const room = columns - 8;
  for (const { title, description, ruleId, fingerprints } of path.stages) {
    const mark = ruleId === null ? '○' : '●';
    lines.push(`   ${colors.cyan(mark)} ${colors.bold(title)}${ruleId === null ? '' : `  ${colors.yellow(ruleId)}`}`);
    for (const line of wrap(description, room)) lines.push(`   ${colors.cyan('│')}   ${colors.dim(line)}`);
    const places = path.findings.filter(({ fingerprint }) => fingerprints.includes(fingerprint));
    const shown = verbose ? places : places.slice(0, SHOWN_PLACES);
    for (const finding of shown) {
      lines.push(
        `   ${colors.cyan('│')}   ${oneLine(pathOf(finding))}${finding.line === null ? '' : `:${finding.line}`}`,
      );
    }
    if (places.length > shown.length) {
      lines.push(
        `   ${colors.cyan('│')}   ${colors.dim(`… and ${plural(places.length - shown.length, 'more place')}`)}`,
      );
    }
    lines.push(`   ${colors.cyan('▼')}`);
  }
  for (const [index, line] of wrap(path.impact, room).entries()) {
    lines.push(`   ${index === 0 ? colors.red('✖') : ' '} ${colors.bold(line)}`);
  }
  const cut = wrap(`${path.breakChain} (${path.breakChainRule})`, room - 10);
  for (const [index, line] of cut.entries()) {
    lines.push(`   ${colors.green(index === 0 ? '= break   ' : '          ')}${line}`);
  }
  for (const reason of path.mitigatedBy) {
    for (const [index, line] of wrap(reason, room - 10).entries()) {
      lines.push(colors.dim(`   ${index === 0 ? '= less    ' : '          '}${line}`));
    }
  }
  return lines;
}

function fixes({ fixFirst, paths }: PathsReport, colors: Colors): string[] {
  if (fixFirst.length === 0) return [];
  const scope = `${plural(fixFirst.length, 'finding')} behind ${plural(paths.length, 'attack path')}`;
  const lines = [colors.bold(`Fix first: ${scope}`)];
  for (const { finding, breaks } of fixFirst.slice(0, SHOWN_FIXES)) {
    const at = finding.line === null ? '' : `:${finding.line}`;
    lines.push(
      `   ${(breaks === 0 ? '+' : String(breaks)).padStart(3)}  ${finding.ruleId}  ${oneLine(pathOf(finding))}${at}`,
    );
  }
  if (fixFirst.length > SHOWN_FIXES) lines.push(colors.dim(`   … and ${fixFirst.length - SHOWN_FIXES} more`));
  return [...lines, ''];
}

function coverage({ coverage: entries }: PathsReport, verbose: boolean, columns: number, colors: Colors): string[] {
  const blinded = entries.filter(({ blindedRepos }) => blindedRepos > 0);
  const partial = entries.filter(({ blindedRepos, partialRepos }) => blindedRepos === 0 && partialRepos > 0);
  const searched = entries.length - blinded.length - partial.length;
  const parts = [`${plural(entries.length, 'attack path')} checked: ${searched} fully`];
  if (partial.length > 0) parts.push(`${partial.length} partly`);
  if (blinded.length > 0) parts.push(`${blinded.length} not everywhere`);
  const lines = [colors.dim(parts.join(', '))];
  const reasons = new Map<string, Set<string>>();
  for (const { blindedBy } of [...blinded, ...partial]) {
    for (const { ruleId, reason } of blindedBy) {
      reasons.set(REASONS[reason], (reasons.get(REASONS[reason]) ?? new Set()).add(ruleId));
    }
  }
  for (const [reason, ids] of reasons) {
    for (const line of wrap(`   ${reason}: ${[...ids].sort().join(', ')}`, columns))
      lines.push(colors.dim(`   ${line.trim()}`));
  }
  if (verbose) for (const { id } of blinded) lines.push(colors.dim(`   not checked everywhere: ${id}`));
  return [...lines, ''];
}

function countsOf(paths: readonly ShownPath[]): string {
  const severities: readonly ComboSeverity[] = ['CRITICAL', 'HIGH', 'MEDIUM'];
  const parts = severities.flatMap((severity) => {
    const count = paths.filter((path) => path.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity.toLowerCase()}`];
  });
  return parts.length === 0 ? '' : `${parts.join(', ')} ${paths.length === 1 ? 'attack path' : 'attack paths'}`;
}
