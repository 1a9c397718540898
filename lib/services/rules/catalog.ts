import { AppError } from '#lib/errors.ts';
import { severityRank } from '#lib/scanner/engine/finding.ts';
import type { Category, Rule, RuleMeta, Severity } from '#lib/scanner/engine/rule.ts';
import { isInRuleset, RULESETS, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

const ids: ReadonlySet<string> = new Set(rules.map(({ id }) => id));

export function isRule(id: string): boolean {
  return ids.has(id);
}

export function requireRule(id: string): void {
  if (isRule(id)) return;
  const message = 'There is no such rule in the catalog.';
  throw new AppError('validation-failed', message, { errors: [{ path: 'rule_id', message }] });
}

export function listRules() {
  return rules.map(({ id, meta: { category, title, severity, surface, why } }) => ({
    id,
    category,
    title,
    default_severity: severity,
    surface,
    description: why,
    doc_url: `/rules/${id}`,
  }));
}

export function severitiesOfRules(): Readonly<Record<string, Severity>> {
  return Object.fromEntries(rules.map(({ id, meta }) => [id, meta.severity]));
}

type Surface = RuleMeta['surface'];

export interface RuleFilter {
  readonly text?: string;
  readonly severities?: readonly Severity[];
  readonly category?: Category;
  readonly surface?: Surface;
  readonly ruleset?: Ruleset;
}

export interface RuleRow {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly surface: Surface;
  readonly gain: string;
  readonly fixable: boolean;
}

export interface FoundRules {
  readonly rows: readonly RuleRow[];
  readonly total: number;
  readonly counts: {
    readonly severity: (severity: Severity) => number;
    readonly category: (category: Category) => number;
    readonly surface: (surface: Surface) => number;
    readonly ruleset: (ruleset: Ruleset) => number;
  };
}

export function findRules(filter: RuleFilter): FoundRules {
  const count = (choice: RuleFilter) => rules.filter((rule) => fits(rule, { ...filter, ...choice })).length;
  return {
    rows: rules
      .filter((rule) => fits(rule, filter))
      .map(({ id, meta: { title, severity, category, surface, attack }, examples }) => ({
        id,
        title,
        severity,
        category,
        surface,
        gain: firstSentence(attack),
        fixable: examples.bad.some(({ fixed }) => fixed !== undefined),
      }))
      .sort(
        (a, b) =>
          numberOf(a.category) - numberOf(b.category) ||
          severityRank(a.severity) - severityRank(b.severity) ||
          compareText(a.id, b.id),
      ),
    total: rules.length,
    counts: {
      severity: (severity) => count({ severities: [severity] }),
      category: (category) => count({ category }),
      surface: (surface) => count({ surface }),
      ruleset: (ruleset) => count({ ruleset }),
    },
  };
}

export function sizesOfRulesets(): { readonly ruleset: Ruleset; readonly rules: number }[] {
  return RULESETS.map((ruleset) => ({ ruleset, rules: rules.filter((rule) => isInRuleset(rule, ruleset)).length }));
}

export function isRuleset(text: string): text is Ruleset {
  return RULESETS.some((ruleset) => ruleset === text);
}

function fits(rule: Rule, { text = '', severities = [], category, surface, ruleset }: RuleFilter): boolean {
  const { meta } = rule;
  if (severities.length > 0 && !severities.includes(meta.severity)) return false;
  if (category !== undefined && meta.category !== category) return false;
  if (surface !== undefined && meta.surface !== surface) return false;
  if (ruleset !== undefined && !isInRuleset(rule, ruleset)) return false;
  const searched = [rule.id, meta.title, meta.why, meta.attack, meta.recommendation].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

function numberOf(category: Category): number {
  return Number(category.slice('CICD-SEC-'.length));
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

function firstSentence(text: string): string {
  for (const { segment } of SENTENCES.segment(text)) return segment.trim();
  return text;
}
