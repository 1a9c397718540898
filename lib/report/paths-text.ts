import { createColors } from 'picocolors';
import { COMBO_SEVERITIES, type ComboSeverity } from '#lib/combos/combo.ts';
import { comboSeverityRank } from '#lib/combos/match.ts';
import type { Colors } from './frame.ts';
import { combinationUrl, hyperlink, type Links } from './links.ts';
import { chainOf, coverText, groupPaths, type PathGroup, placeOf } from './path-groups.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, REASONS } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { plural } from './summary.ts';
import type { TerminalOptions } from './terminal-options.ts';
import { oneLine } from './visible.ts';
import { wrap } from './wrap.ts';

const SHOWN_PLACES = 3;
const SHOWN_JOBS = 5;
const SHOWN_FIXES = 10;
const LISTED_PATHS = 10;
const LISTED_FIXES = 3;
const LAST = COMBO_SEVERITIES.length;

export function pathsToText(report: PathsReport, { color, width, verbose, links = 'none' }: TerminalOptions): string {
  const colors = createColors(color);
  const columns = Math.max(40, Math.min(width, 120));
  const lines = groupPaths(report.paths).flatMap((group) => [...drawn(group, { verbose, columns, colors, links }), '']);
  lines.push(...fixes(report, SHOWN_FIXES, colors), ...coverage(report, verbose, columns, colors));
  const counts = countsOf(report.paths);
  const paint = report.paths.length === 0 ? colors.green : colors.red;
  lines.push(colors.bold(paint(counts === '' ? 'No attack paths found' : counts)));
  return `${withoutCommands(lines.join('\n'))}\n`;
}

export function pathsSection(report: PathsReport, options: TerminalOptions, addedOnly: boolean): string[] {
  const { color, width, links = 'none' } = options;
  const colors = createColors(color);
  if (report.paths.length === 0) return [colors.green(colors.bold(noPaths(report, addedOnly))), ''];
  const columns = Math.max(40, Math.min(width, 120));
  const lines = [colors.bold('Attack paths')];
  const groups = groupPaths(report.paths);
  for (const { first, paths } of groups.slice(0, LISTED_PATHS)) {
    const title = hyperlink(colors.bold(first.title), combinationUrl(first.comboId), links);
    const more = paths.length > 1 ? ` and ${plural(paths.length - 1, 'more place')}` : '';
    lines.push(`${badge(first.severity, colors)} ${title}  ${colors.dim(`${oneLine(placeOf(first))}${more}`)}`);
    for (const line of wrap(oneLine(chainOf(first)), columns - 4)) lines.push(`   ${line}`);
    for (const line of wrap(`Break it: ${first.breakChain} (${first.breakChainRule})`, columns - 4)) {
      lines.push(`   ${colors.green(line)}`);
    }
  }
  const more = groups.length - LISTED_PATHS;
  if (more > 0) lines.push(colors.dim(`   … and ${plural(more, 'more path')}`));
  lines.push(colors.dim('   Run "chainbreak paths" for details.'), '', ...fixes(report, LISTED_FIXES, colors));
  return lines;
}

function noPaths({ coverage: entries }: PathsReport, addedOnly: boolean): string {
  if (addedOnly) return 'No new attack paths';
  const limited = entries.filter(({ blindedRepos, partialRepos }) => blindedRepos > 0 || partialRepos > 0).length;
  if (entries.length === 0 || limited === 0) return 'No attack paths found';
  return `No attack paths found: ${entries.length - limited} of ${entries.length} kinds were checked in full`;
}

function badge(severity: ComboSeverity, colors: Colors): string {
  const text = ` ${severity} `;
  if (severity === 'MEDIUM') return colors.bgYellow(colors.black(text));
  return severity === 'CRITICAL' ? colors.bold(colors.bgRed(colors.white(text))) : colors.bgRed(colors.white(text));
}

interface Drawing {
  readonly verbose: boolean;
  readonly columns: number;
  readonly colors: Colors;
  readonly links: Links;
}

function drawn({ first, paths }: PathGroup, { verbose, columns, colors, links }: Drawing): string[] {
  const id = hyperlink(colors.bold(first.comboId), combinationUrl(first.comboId), links);
  const lines = [`${badge(first.severity, colors)} ${id}  ${first.title}`];
  const jobs = verbose ? paths : paths.slice(0, SHOWN_JOBS);
  for (const path of jobs) lines.push(`   ${colors.dim(oneLine(placeOf(path)))}`);
  if (paths.length > jobs.length) {
    lines.push(`   ${colors.dim(`… and ${plural(paths.length - jobs.length, 'more place')}`)}`);
  }
  if (links === 'url') lines.push(`   ${colors.dim(combinationUrl(first.comboId))}`);
  const room = columns - 8;
  for (const [order, { title, description, ruleId }] of first.stages.entries()) {
    const mark = ruleId === null ? '○' : '●';
    lines.push(`   ${colors.cyan(mark)} ${colors.bold(title)}${ruleId === null ? '' : `  ${colors.yellow(ruleId)}`}`);
    for (const line of wrap(description, room)) lines.push(`   ${colors.cyan('│')}   ${colors.dim(line)}`);
    const places = placesOf(paths, order);
    const shown = verbose ? places : places.slice(0, Math.max(SHOWN_PLACES, jobs.length));
    for (const place of shown) lines.push(`   ${colors.cyan('│')}   ${oneLine(place)}`);
    if (places.length > shown.length) {
      lines.push(
        `   ${colors.cyan('│')}   ${colors.dim(`… and ${plural(places.length - shown.length, 'more place')}`)}`,
      );
    }
    lines.push(`   ${colors.cyan('▼')}`);
  }
  for (const [index, line] of wrap(first.impact, room).entries()) {
    lines.push(`   ${index === 0 ? colors.red('✖') : ' '} ${colors.bold(line)}`);
  }
  const cut = wrap(`${first.breakChain} (${first.breakChainRule})`, room - 10);
  for (const [index, line] of cut.entries()) {
    lines.push(`   ${colors.green(index === 0 ? '= break   ' : '          ')}${line}`);
  }
  for (const reason of first.mitigatedBy) {
    for (const [index, line] of wrap(reason, room - 10).entries()) {
      lines.push(colors.dim(`   ${index === 0 ? '= less    ' : '          '}${line}`));
    }
  }
  return lines;
}

function placesOf(paths: readonly ShownPath[], order: number): string[] {
  const places = paths.flatMap(({ stages, findings }) => {
    const wanted = new Set(stages[order]?.fingerprints);
    return findings
      .filter(({ fingerprint }) => wanted.has(fingerprint))
      .map((finding) => `${pathOf(finding)}${finding.line === null ? '' : `:${finding.line}`}`);
  });
  return [...new Set(places)];
}

function fixes(report: PathsReport, most: number, colors: Colors): string[] {
  const { fixFirst } = report;
  const cover = coverText(report);
  if (cover === undefined) return [];
  const lines = [colors.bold(`Fix first: ${cover}`)];
  for (const { finding, breaks } of byWorst(report).slice(0, most)) {
    const at = finding.line === null ? '' : `:${finding.line}`;
    const fix = finding.fixable ? colors.green(finding.fix?.safety === 'review' ? ' [fix --unsafe]' : ' [fix]') : '';
    const ends = breaks === 0 ? 'with others' : `ends ${breaks}`;
    lines.push(`   ${colors.dim(ends.padEnd(11))}  ${finding.ruleId}  ${oneLine(pathOf(finding))}${at}${fix}`);
  }
  if (fixFirst.length > most) lines.push(colors.dim(`   … and ${fixFirst.length - most} more`));
  return [...lines, ''];
}

function byWorst({ fixFirst, paths }: PathsReport): PathsReport['fixFirst'] {
  const worst = new Map<string, number>();
  const keyOf = (root: string, fingerprint: string): string => `${root}\n${fingerprint}`;
  for (const { root, cuts, severity } of paths) {
    for (const fingerprint of cuts.flat()) {
      const key = keyOf(root, fingerprint);
      worst.set(key, Math.min(worst.get(key) ?? LAST, comboSeverityRank(severity)));
    }
  }
  const rank = ({ repository, finding }: PathsReport['fixFirst'][number]): number =>
    worst.get(keyOf(repository, finding.fingerprint)) ?? LAST;
  return [...fixFirst].sort((a, b) => rank(a) - rank(b));
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
