import { NO_FACTS } from '#lib/facts/facts.ts';
import type { Example, Rule } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { repositoryOf } from '#lib/scanner/testing/example.ts';
import { type Files, type Operator, plain } from './mutant-operators.ts';

export interface Mutant {
  readonly rule: string;
  readonly operator: string;
  readonly kind: 'bad' | 'good';
  readonly example: number;
  readonly files: Files;
  readonly lost: number;
}

const ACROSS_FILES: Readonly<Record<string, readonly string[]>> = {
  'template-injection': ['reusable-workflow-taint'],
  'reusable-workflow-taint': ['template-injection'],
};

export function mutantsOf(rule: Rule, operators: readonly Operator[]): Mutant[] {
  return (['bad', 'good'] as const).flatMap((kind) =>
    rule.examples[kind].flatMap((example, index) => {
      const files = plain(filesOf(example));
      const before = countOf(rule, files, example);
      // Without its comments the example may mean something else.
      if (kind === 'bad' ? before === 0 : before > 0) return [];
      return operators.flatMap(({ id, rewrite }): Mutant[] => {
        const other = rewrite(filesOf(example));
        if (other === undefined) return [];
        const after = countOf(rule, other, example);
        const lost = kind === 'bad' ? Math.max(0, before - after) : after;
        return [{ rule: rule.id, operator: id, kind, example: index + 1, files: other, lost }];
      });
    }),
  );
}

function filesOf({ yaml }: Example): Files {
  return typeof yaml === 'string' ? { '.github/workflows/example.yml': yaml } : yaml;
}

function countOf(rule: Rule, files: Files, example: Example): number {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const ids = [rule.id, ...(ACROSS_FILES[rule.id] ?? [])];
  const { findings } = scanRepository(repositoryOf(example, inputs), {
    rules: rules.filter(({ id }) => ids.includes(id)),
    facts: example.facts ?? NO_FACTS,
  });
  return findings.length;
}
