import { type Hover, MarkupKind, type Position, type Range } from 'vscode-languageserver';
import { HAS_HOMEPAGE, ruleUrl } from '#lib/report/links.ts';
import { codeSpan, escapeForeign, escapeProse } from '#lib/report/markdown-text.ts';
import { oneLine } from '#lib/report/visible.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';

const MAX_SHOWN = 3;

export interface Placed {
  readonly finding: Finding;
  readonly range: Range;
}

export function hoverAt(position: Position, placed: readonly Placed[], markdown: boolean): Hover | undefined {
  const here = placed.filter(({ range }) => contains(range, position));
  const [first] = here;
  if (first === undefined) return undefined;
  const parts = here.slice(0, MAX_SHOWN).map(({ finding }) => explain(finding, markdown));
  if (here.length > MAX_SHOWN) parts.push(`and ${here.length - MAX_SHOWN} more`);
  const value = parts.join(markdown ? '\n\n---\n\n' : '\n\n');
  return { contents: { kind: markdown ? MarkupKind.Markdown : MarkupKind.PlainText, value }, range: first.range };
}

function explain(finding: Finding, markdown: boolean): string {
  const { ruleId, severity, confidence, description, recommendation, advice, fix } = finding;
  const meta = rules.find(({ id }) => id === ruleId)?.meta;
  const fixed =
    fix === undefined ? '' : fix.safety === 'safe' ? ' A safe fix is available.' : ' A fix is available; review it.';
  const about: readonly (readonly [string, string])[] = [
    ['Why it matters.', meta?.why ?? ''],
    ['How it is exploited.', meta?.attack ?? ''],
  ];
  if (!markdown) {
    const told = about.map(([name, text]) => `${name} ${text}`);
    const end = `How to fix it. ${oneLine(advice ?? recommendation)}${fixed}`;
    return [`${ruleId} (${severity}, confidence ${confidence})`, oneLine(description), ...told, end].join('\n\n');
  }
  const link = HAS_HOMEPAGE ? `[${ruleId}](${ruleUrl(ruleId)})` : `**${ruleId}**`;
  const more = HAS_HOMEPAGE ? '' : `\n\nExamples: ${codeSpan(`chainbreak explain ${ruleId}`)}`;
  return [
    `${link} · ${severity} · confidence ${confidence}`,
    escapeForeign(description),
    ...about.map(([name, text]) => `**${name}** ${escapeProse(text)}`),
    `**How to fix it.** ${advice === undefined ? escapeProse(recommendation) : escapeForeign(advice)}${fixed}${more}`,
  ].join('\n\n');
}

function contains({ start, end }: Range, { line, character }: Position): boolean {
  const after = line > start.line || (line === start.line && character >= start.character);
  const before = line < end.line || (line === end.line && character <= end.character);
  return after && before;
}
