import { createColors } from 'picocolors';
import { combos } from '#lib/combos/combos/index.ts';
import { AppError } from '#lib/errors.ts';
import { diffLines } from '#lib/report/line-diff.ts';
import { combinationUrl, hyperlink, ruleUrl } from '#lib/report/links.ts';
import { wrap } from '#lib/report/wrap.ts';
import type { Example, Rule } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { readExample } from '#lib/scanner/testing/example.ts';
import { hintFor } from './rule-names.ts';
import { type Terminal, widthOf } from './terminal.ts';

type Colors = ReturnType<typeof createColors>;

const MAX_WIDTH = 100;
const MAX_PATHS = 5;

export function explainCommand(id: string, terminal: Terminal): void {
  const rule = rules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw new AppError('usage', `Unknown rule "${id}". ${hintFor(id)}`);
  const colors = createColors(terminal.color);
  const width = Math.max(40, Math.min(widthOf(terminal), MAX_WIDTH));
  const { links = 'none' } = terminal;
  const { meta, examples } = rule;
  const lines = [
    `${hyperlink(colors.bold(rule.id), ruleUrl(rule.id), links)}  ${meta.title}`,
    colors.dim(`${meta.severity}, ${meta.confidence} confidence, ${meta.category}, since ${meta.since}`),
  ];
  if (links === 'url') lines.push(colors.dim(ruleUrl(rule.id)));
  const section = (title: string, body: readonly string[]): void => {
    lines.push('', colors.bold(colors.cyan(title)), ...body.map((line) => (line === '' ? '' : `  ${line}`)));
  };
  const prose = (text: string): string[] => wrap(text, width - 2).map((line) => codePainted(line, colors));
  section('Why it matters', prose(meta.why));
  section('How it is exploited', prose(meta.attack));
  section('How to fix it', prose(meta.recommendation));
  const bad = plainest(examples.bad);
  const good = plainest(examples.good);
  if (bad !== undefined) section('Flagged', exampleLines(bad, colors));
  if (bad?.fixed !== undefined) section('Fixed', fixLines(bad, bad.fixed, colors));
  else if (good !== undefined) section('Not flagged', exampleLines(good, colors));
  section('Limitations', prose(meta.limits));
  if (meta.needs !== undefined) section('Needs', prose(`${meta.needs.join(' and ')} (not assessed offline)`));
  const paths = pathsOf(rule);
  if (paths.length > 0) {
    const shown = paths.slice(0, MAX_PATHS).map(({ id: name, title }) => {
      return `${hyperlink(name, combinationUrl(name), links)}  ${colors.dim(title)}`;
    });
    section('Attack paths it is part of', [
      ...shown,
      ...(paths.length > MAX_PATHS ? [colors.dim(`… and ${paths.length - MAX_PATHS} more`)] : []),
    ]);
  }
  section('How to suppress a finding', [`# chainbreak: ignore[${rule.id}] the reason`]);
  section('References', meta.references);
  terminal.stdout.write(`${lines.join('\n')}\n`);
}

function pathsOf({ id }: Rule): typeof combos {
  return combos.filter(({ slots }) =>
    Object.values(slots).some(({ any }) => any.some((source) => 'rule' in source && source.rule === id)),
  );
}

function plainest(examples: readonly Example[]): Example | undefined {
  const length = ({ yaml }: Example): number =>
    (typeof yaml === 'string' ? [yaml] : Object.values(yaml)).reduce((sum, text) => sum + text.length, 0);
  return [...examples].sort(
    (a, b) => Number(b.fixed !== undefined) - Number(a.fixed !== undefined) || length(a) - length(b),
  )[0];
}

function exampleLines({ yaml }: Example, colors: Colors): string[] {
  if (typeof yaml === 'string') return markedLines(yaml, colors);
  return Object.entries(yaml).flatMap(([path, text], index) => [
    ...(index === 0 ? [] : ['']),
    colors.dim(`# ${path}`),
    ...markedLines(text, colors),
  ]);
}

function markedLines(source: string, colors: Colors): string[] {
  const { text, marked } = readExample(source);
  const lines = text.trimEnd().split('\n');
  if (marked.length === 0) return lines;
  return lines.map((line, index) => (marked.includes(index + 1) ? colors.red(`> ${line}`) : `  ${line}`));
}

function fixLines({ yaml }: Example, fixed: string, colors: Colors): string[] {
  const after = readExample(fixed).text;
  const texts = typeof yaml === 'string' ? [yaml] : Object.values(yaml);
  const before = texts.map((text) => readExample(text).text).find((text) => text !== after);
  if (texts.length !== 1 || before === undefined) return after.trimEnd().split('\n');
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return diffLines(before, after).flatMap((hunk, index) => [
    ...(index === 0 ? [] : [colors.dim('  …')]),
    ...hunk.map(({ kind, before: from, after: to }) => {
      if (kind === 'added') return colors.green(`+ ${fresh[(to ?? 1) - 1] ?? ''}`);
      return kind === 'removed' ? colors.red(`- ${old[(from ?? 1) - 1] ?? ''}`) : `  ${old[(from ?? 1) - 1] ?? ''}`;
    }),
  ]);
}

function codePainted(line: string, colors: Colors): string {
  return line.replace(/`[^`]+`/g, (code) => colors.yellow(code));
}
