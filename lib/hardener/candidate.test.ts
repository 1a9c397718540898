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

describe('a fix is reverted for the damage it does to other files', () => {
  it.each<[string, readonly Finding[], readonly Finding[]]>([
    ['something is found there that was not', [], [finding('LOW')]],
    ['more is found there', [finding('LOW')], [finding('LOW'), finding('LOW', 'b')]],
    ['what was found there is more serious', [finding('LOW')], [finding('HIGH')]],
  ])('when %s', (_, before, after) => {
    expect(whyWorseElsewhere(before, after, [fixing('LOW')])).toEqual({
      refusal: 'It would cause a finding of unpinned-uses in .github/workflows/other.yml.',
      ofEach: false,
      brings: 'unpinned-uses',
    });
  });

  it.each<[string, readonly Finding[], readonly Finding[]]>([
    ['nothing changes there', [finding('LOW')], [finding('LOW')]],
    ['what was found there is gone', [finding('LOW')], []],
    [
      'one of two is gone, and the other is told apart otherwise',
      [finding('LOW'), finding('HIGH', 'b')],
      [finding('HIGH')],
    ],
    ['what was found there is less serious', [finding('HIGH')], [finding('LOW')]],
    ['what comes there is less serious than what is fixed', [], [finding('INFO')]],
  ])('and not when %s', (_, before, after) => {
    expect(whyWorseElsewhere(before, after, [fixing('LOW')])).toBeUndefined();
  });
});
