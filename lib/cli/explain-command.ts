import { createColors } from 'picocolors';
import { AppError } from '#lib/errors.ts';
import type { Example } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { readExample } from '#lib/scanner/testing/example.ts';
import type { Terminal } from './terminal.ts';

export function explainCommand(id: string, terminal: Terminal): void {
  const rule = rules.find((candidate) => candidate.id === id);
  if (rule === undefined) {
    const near = nearest(id);
    const hint = near === undefined ? 'Run "chainbreak rules" to list them.' : `Did you mean "${near}"?`;
    throw new AppError('usage', `Unknown rule "${id}". ${hint}`);
  }
  const colors = createColors(terminal.color);
  const { meta, examples } = rule;
  const lines = [
    `${colors.bold(rule.id)}  ${meta.title}`,
    colors.dim(`${meta.severity}, ${meta.confidence} confidence, ${meta.category}, since ${meta.since}`),
  ];
  const section = (title: string, text: string): void => {
    lines.push('', colors.bold(title), ...text.split('\n').map((line) => `  ${line}`));
  };
  section('Why it matters', meta.why);
  section('How it is exploited', meta.attack);
  section('How to fix it', meta.recommendation);
  const [bad] = examples.bad;
  const [good] = examples.good;
  if (bad !== undefined) section('Flagged', exampleText(bad));
  if (bad?.fixed !== undefined) section('Fixed', textOf(bad.fixed));
  else if (good !== undefined) section('Not flagged', exampleText(good));
  section('Limitations', meta.limits);
  if (meta.needs !== undefined) section('Needs', `${meta.needs.join(' and ')} (not assessed offline)`);
  section('How to suppress a finding', `# chainbreak: ignore[${rule.id}] the reason`);
  section('References', meta.references.join('\n'));
  terminal.stdout.write(`${lines.join('\n')}\n`);
}

function exampleText(example: Example): string {
  if (typeof example.yaml === 'string') return textOf(example.yaml);
  return Object.entries(example.yaml)
    .map(([path, text]) => `# ${path}\n${textOf(text)}`)
    .join('\n\n');
}

function textOf(source: string): string {
  return readExample(source).text.trimEnd();
}

function nearest(id: string): string | undefined {
  const pairs = (text: string): Set<string> =>
    new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
  const wanted = pairs(id);
  const scored = rules.map((rule) => {
    const own = pairs(rule.id);
    const shared = [...own].filter((pair) => wanted.has(pair)).length;
    return { id: rule.id, score: (2 * shared) / (own.size + wanted.size || 1) };
  });
  const best = scored.sort((a, b) => b.score - a.score)[0];
  return best !== undefined && best.score > 0.4 ? best.id : undefined;
}
