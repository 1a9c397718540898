import { expect, it } from 'vitest';
import { wordsOf } from './filter-words.ts';
import { type Filters, UNFILTERED } from './filters.ts';

it('names the status always, and no filter that is not set', () => {
  expect(wordsOf({ ...UNFILTERED, q: ' ' }, undefined)).toEqual(['Status: Open']);
  expect(wordsOf({ ...UNFILTERED, status: 'any' }, undefined)).toEqual(['Status: any']);
});

it('names every filter that is set as the page does', () => {
  const all: Filters = {
    status: 'false_positive',
    sev: ['HIGH', 'LOW'],
    rule: 'artipacked',
    repo: '11111111-1111-4111-8111-111111111111',
    cat: 'CICD-SEC-6',
    conf: 'low',
    fix: false,
    age: 30,
    seen: 'missed',
    q: ' deploy ',
  };
  const words = wordsOf(all, 'acme/storefront');
  expect(words).toHaveLength(Object.keys(all).length);
  expect(words).toEqual([
    'Status: False positive',
    'Severity: High, Low',
    'Rule: artipacked',
    'Repository: acme/storefront',
    expect.stringMatching(/^Category: \w/),
    'Confidence: Low',
    'Fix: By hand',
    'First seen: In the last 30 days',
    'Last scan: Did not look for it',
    'Title or file: “deploy”',
  ]);
});
