import { createColors } from 'picocolors';
import { severityRank } from '#lib/scanner/engine/finding.ts';
import type { Rule } from '#lib/scanner/engine/rule.ts';
import { isInRuleset, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import type { Terminal } from './terminal.ts';

export function rulesCommand(options: { readonly ruleset: Ruleset; readonly json: boolean }, terminal: Terminal): void {
  const chosen = rules
    .filter((rule) => isInRuleset(rule, options.ruleset))
    .sort((a, b) => severityRank(a.meta.severity) - severityRank(b.meta.severity) || (a.id < b.id ? -1 : 1));
  if (options.json) {
    terminal.stdout.write(`${JSON.stringify(chosen.map(entry), null, 2)}\n`);
    return;
  }
  const colors = createColors(terminal.color);
  const width = Math.max(...chosen.map(({ id }) => id.length));
  for (const { id, meta } of chosen) {
    const severity = meta.severity.padEnd(6);
    const painted =
      meta.severity === 'HIGH' ? colors.red(severity) : meta.severity === 'MEDIUM' ? colors.yellow(severity) : severity;
    terminal.stdout.write(`${painted}  ${colors.bold(id.padEnd(width))}  ${meta.title}\n`);
  }
  terminal.stdout.write(colors.dim(`${chosen.length} rules. Run "chainbreak explain <rule>" for details.\n`));
}

function entry({ id, meta }: Rule): Record<string, unknown> {
  return {
    id,
    category: meta.category,
    title: meta.title,
    default_severity: meta.severity,
    surface: meta.surface,
    description: meta.why,
    needs: meta.needs ?? [],
  };
}
