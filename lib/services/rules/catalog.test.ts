import { describe, expect, it } from 'vitest';
import { RULESETS } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { findRules, type RuleFilter, sizesOfRulesets } from './catalog.ts';

const idsOf = (filter: RuleFilter) => findRules(filter).rows.map(({ id }) => id);

it('lists every rule by category, the most serious first', () => {
  const { rows, total } = findRules({});
  expect([rows.length, total]).toEqual([rules.length, rules.length]);
  const order = rows.map(
    ({ category, severity, id }) =>
      `${category.slice(9).padStart(2, '0')} ${['HIGH', 'MEDIUM', 'LOW', 'INFO'].indexOf(severity)} ${id}`,
  );
  expect(order).toEqual([...order].sort());
});

describe('finds rules', () => {
  it('that contain all words, case-insensitively', () => {
    expect(idsOf({ text: 'persist-credentials  CHECKOUT' })).toContain('artipacked');
    expect(idsOf({ text: 'artipacked' })).toEqual(['artipacked']);
    expect(idsOf({ text: 'artipacked pineapple' })).toEqual([]);
  });

  it('of one of several severities', () => {
    const severities = new Set(findRules({ severities: ['HIGH', 'INFO'] }).rows.map(({ severity }) => severity));
    expect(severities).toEqual(new Set(['HIGH', 'INFO']));
  });

  it('of a category, of a surface and of a ruleset at once', () => {
    expect(idsOf({ category: 'CICD-SEC-5', surface: 'repo-settings', ruleset: 'slsa-source-l4' })).toContain(
      'actions-can-approve-prs',
    );
    expect(idsOf({ category: 'CICD-SEC-4', surface: 'repo-settings' })).toEqual(['fork-pr-policy']);
  });
});

it('counts the rules of each choice, with the other fields unchanged', () => {
  const chosen = { severities: ['HIGH'], category: 'CICD-SEC-6' } as const;
  const { counts } = findRules(chosen);
  expect(counts.severity('MEDIUM')).toBe(idsOf({ severities: ['MEDIUM'], category: 'CICD-SEC-6' }).length);
  expect(counts.category('CICD-SEC-4')).toBe(idsOf({ severities: ['HIGH'], category: 'CICD-SEC-4' }).length);
  expect(counts.surface('workflow')).toBe(idsOf({ ...chosen, surface: 'workflow' }).length);
  expect(counts.ruleset('slsa')).toBe(idsOf({ ...chosen, ruleset: 'slsa' }).length);
});

it('counts the rules of each ruleset, which never shrink with the level', () => {
  const sizes = new Map(sizesOfRulesets().map(({ ruleset, rules }) => [ruleset, rules]));
  expect([...sizes.keys()]).toEqual(RULESETS);
  expect(sizes.get('all')).toBe(rules.length);
  expect(sizes.get('owasp')).toBeLessThan(rules.length);
  expect(sizes.get('slsa-build-l3')).toBeGreaterThanOrEqual(sizes.get('slsa-build-l2') ?? Number.NaN);
});
