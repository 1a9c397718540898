import { describe, expect, it } from 'vitest';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type Candidate, whyWorseElsewhere } from './candidate.ts';

const [model] = scanRepository(
  createRepository([{ path: '.github/workflows/other.yml', text: 'on: push\njobs: {}\n' }]),
).findings;

function finding(severity: Finding['severity'], fingerprint = 'a'): Finding {
  if (model === undefined) throw new Error('nothing found');
  return { ...model, ruleId: 'unpinned-uses', file: '.github/workflows/other.yml', severity, fingerprint };
}

function fixing(severity: Finding['severity']): Candidate {
  return { fix: { safety: 'safe', edits: [] }, findings: [finding(severity, 'fixed')], category: 'CICD-SEC-3' };
}

describe('a fix is reverted for damage to other files', () => {
  it.each<[string, readonly Finding[], readonly Finding[]]>([
    ['a new finding appears there', [], [finding('LOW')]],
    ['more findings appear there', [finding('LOW')], [finding('LOW'), finding('LOW', 'b')]],
    ['a finding there becomes more severe', [finding('LOW')], [finding('HIGH')]],
  ])('when %s', (_, before, after) => {
    expect(whyWorseElsewhere(before, after, [fixing('LOW')])).toEqual({
      refusal: 'It would cause a finding of unpinned-uses in .github/workflows/other.yml.',
      ofEach: false,
      brings: 'unpinned-uses',
    });
  });

  it.each<[string, readonly Finding[], readonly Finding[]]>([
    ['nothing changes there', [finding('LOW')], [finding('LOW')]],
    ['a finding there disappears', [finding('LOW')], []],
    [
      'one of two disappears, which changes the ordinal of the other',
      [finding('LOW'), finding('HIGH', 'b')],
      [finding('HIGH')],
    ],
    ['a finding there becomes less severe', [finding('HIGH')], [finding('LOW')]],
    ['a new finding there is less severe than the fixed one', [], [finding('INFO')]],
  ])('and kept when %s', (_, before, after) => {
    expect(whyWorseElsewhere(before, after, [fixing('LOW')])).toBeUndefined();
  });
});
