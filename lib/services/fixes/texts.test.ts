import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import type { Proposal } from './proposals.ts';
import { hideSecretNames } from './secret-names.ts';
import { branchOf, digestIn, fixDigest, textsOf } from './texts.ts';

const FILE = '.github/workflows/build.yml';
const AROUND = {
  webUrl: 'https://chainbreak.example',
  htmlUrl: 'https://github.com/acme/shop',
  commit: 'a'.repeat(40),
};

function proposal(changes: Partial<Proposal> = {}): Proposal {
  return {
    file: FILE,
    before: 'a',
    after: 'b',
    diff: '',
    fixes: [{ rule_id: 'unpinned-uses', line: 3, description: 'It is not pinned.' }],
    refused: [],
    rule_ids: ['unpinned-uses'],
    fingerprints: ['f1'],
    ...changes,
  };
}

describe('the branch of a fix', () => {
  it('follows from the path alone, and is a valid name for any path', () => {
    expect(branchOf(FILE)).toMatch(/^chainbreak\/fix-build-[0-9a-f]{8}$/);
    expect(branchOf(FILE)).toBe(branchOf(FILE));
    expect(branchOf('a/action.yml')).not.toBe(branchOf('b/action.yml'));
    expect(branchOf('.github/workflows/…..yml')).toMatch(/^chainbreak\/fix-[0-9a-f]{8}$/);
    expect(branchOf(`${'x'.repeat(300)}.yml`).length).toBeLessThan(80);
  });
});

describe('the texts of a pull request', () => {
  it('identify a fix by the findings that it resolves', () => {
    const { commitBody } = textsOf(proposal(), AROUND);
    expect(digestIn(commitBody)).toBe(fixDigest(proposal()));
    expect(fixDigest(proposal({ after: 'c' }))).toBe(fixDigest(proposal()));
    expect(fixDigest(proposal({ fingerprints: ['f1', 'f2'] }))).not.toBe(fixDigest(proposal()));
    expect(digestIn('ci: something else')).toBeUndefined();
  });

  it('link lines and rules, and escape what comes from the repository', () => {
    const description = 'See @ada, #1, https://evil.example <img src=x> | [click](https://evil.example)';
    const file = '.github/workflows/a b`|.yml';
    const { pullBody, headline } = textsOf(
      proposal({ file, fixes: [{ rule_id: 'unpinned-uses', line: 3, description }] }),
      AROUND,
    );
    expect(headline).toBe('ci: fix 1 weakness in a_b__.yml');
    expect(pullBody).toContain(
      `[3](https://github.com/acme/shop/blob/${AROUND.commit}/.github/workflows/a%20b%60%7C.yml#L3)`,
    );
    expect(pullBody).toContain('[`unpinned-uses`](https://chainbreak.example/rules/unpinned-uses)');
    for (const active of ['@ada', '#1,', 'https://evil', '<img', '[click]']) expect(pullBody).not.toContain(active);
  });

  it('fit into a pull request however much there is to say', () => {
    const fixes = Array.from({ length: 3_000 }, (_, index) => ({
      rule_id: 'unpinned-uses',
      line: index + 1,
      description: '<'.repeat(1_600),
    }));
    const { pullBody, commitBody } = textsOf(proposal({ fixes }), AROUND);
    expect(pullBody.length).toBeLessThanOrEqual(65_536);
    expect(pullBody).toContain('## Not wanted?');
    expect(commitBody.length).toBeLessThan(5_000);
  });
});

describe('names of secrets', () => {
  const text = `on:
  workflow_call:
    secrets: { token: { required: true }, NPM_KEY: { required: true } }
jobs:
  a:
    runs-on: ubuntu-latest
    env: { A: "\${{ secrets.DeployKey }}", B: "\${{ secrets['OTHER'] }}", C: "\${{ secrets.GITHUB_TOKEN }}" }
    steps: [{ run: make }]
`;
  const hide = hideSecretNames(createRepository([{ path: FILE, text }]), FILE);

  it('are hidden wherever they stand', () => {
    expect(hide('It reads secrets.DeployKey, secrets["OTHER"] and OTHER; NPM_KEY too.')).toBe(
      'It reads secrets.***, secrets.*** and ***; *** too.',
    );
  });

  it('leave words and the job’s token readable', () => {
    expect(hide('The token is secrets.GITHUB_TOKEN.')).toBe('The token is secrets.GITHUB_TOKEN.');
    expect(hide('The secret secrets.token')).toBe('The secret secrets.***');
  });
});
