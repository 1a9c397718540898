import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import { hardenFile } from './harden.ts';
import { Proof } from './prove.ts';

const PATH = '.github/workflows/a.yml';
const TEXT = `on: issues
permissions: {}
jobs:
  a:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.issue.title }}"
`;
const files: readonly InputFile[] = [{ path: PATH, text: TEXT }];
const parse = (given: readonly InputFile[]) => createRepository(given);
const result = hardenFile(parse(files), PATH);
const proof = new Proof(files, parse, NO_FACTS);

describe('a proof', () => {
  it('names the findings that are gone', () => {
    expect(result.applied.map(({ ruleId }) => ruleId)).toContain('template-injection');
    expect(proof.check(result)).toEqual({
      resolved: expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{64}$/)]),
    });
  });

  it.each([
    ['has errors', 'on: [\n', 'The fixed file would have errors.'],
    ['leaves the finding', TEXT, 'The fix would leave a finding of template-injection.'],
    [
      'has a new finding',
      result.after.replace('permissions: {}\n', 'permissions: write-all\n'),
      'The fix would cause a finding of excessive-permissions.',
    ],
  ])('refuses a file that %s', (_, after, reason) => {
    expect(proof.check({ ...result, after })).toEqual({ reason });
  });
});
