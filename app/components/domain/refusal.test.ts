import { expect, it } from 'vitest';
import { hardenFile } from '#lib/hardener/harden.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { adviceOf, isForReview } from './refusal.ts';

const TEXT = `on: pull_request_target
permissions: {}
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    if: contains('refs/heads/main refs/heads/next', github.ref)
    steps: [{ uses: actions/checkout@v5 }]
`;

it('tells fixes that change behaviour from findings without a fix, by the words of the hardener', () => {
  const path = '.github/workflows/a.yml';
  const { refused } = hardenFile(createRepository([{ path, text: TEXT }]), path);
  const of = (rule: string) => refused.find(({ ruleId }) => ruleId === rule) ?? { reason: '' };
  const [fixable, byHand] = [of('unsound-contains'), of('unpinned-uses')];
  expect([isForReview(fixable), isForReview(byHand)]).toEqual([true, false]);
  expect(adviceOf(fixable)).not.toContain('request');
  expect(adviceOf(fixable)).toMatch(/^[A-Z].+\.$/);
  expect(adviceOf(byHand)).toBe(byHand.reason);
  expect(byHand.reason).not.toBe('');
});
