import { expect, it } from 'vitest';
import { readRuleFilter } from './rule-filter.ts';

it('reads what the form sends and ignores empty fields', () => {
  const query = { q: '  script  ', severity: ['HIGH', 'LOW'], category: 'CICD-SEC-4', surface: '', ruleset: 'owasp' };
  expect(readRuleFilter(query)).toEqual({
    filter: { text: 'script', severities: ['HIGH', 'LOW'], category: 'CICD-SEC-4', ruleset: 'owasp' },
    unknown: [],
  });
  expect(readRuleFilter({})).toEqual({ filter: {}, unknown: [] });
});

it('drops invalid values and reports them', () => {
  const query = { severity: ['HIGH', 'high'], category: 'CICD-SEC-11', surface: '__proto__', ruleset: 'x'.repeat(500) };
  expect(readRuleFilter(query)).toEqual({
    filter: { severities: ['HIGH'] },
    unknown: ['severity=high', 'category=CICD-SEC-11', 'surface=__proto__', `ruleset=${'x'.repeat(100)}`],
  });
});

it('limits the search to a hundred characters, and ignores unknown fields', () => {
  expect(readRuleFilter({ q: 'a'.repeat(200), utm_source: 'x' })).toEqual({
    filter: { text: 'a'.repeat(100) },
    unknown: [],
  });
});
