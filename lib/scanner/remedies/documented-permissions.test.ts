import { describe, expect, it } from 'vitest';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import { type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';

const PATH = '.github/workflows/ci.yml';
const repositoryWith = (steps: string) =>
  createRepository([{ path: PATH, text: `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}` }]);

function signs(steps: string) {
  const repository = repositoryWith(steps);
  const job = repository.workflows[0]?.jobs[0];
  if (job === undefined) throw new Error('no job');
  const { unknown, likely } = writeSigns(job, repository);
  return likely === undefined ? { unknown } : { unknown, writes: [...likely.scopes].sort(), reads: [...likely.reads] };
}

const BACKPORT = '      - uses: korthout/backport-action@v4\n';

describe('documented permissions of an action', () => {
  it('are likely needs, while the job stays unknown', () => {
    expect(signs(BACKPORT)).toEqual({ unknown: true, writes: ['contents', 'pull-requests'], reads: [] });
    expect(signs('      - uses: wagoid/commitlint-github-action@v6\n')).toMatchObject({ reads: ['pull-requests'] });
  });

  it.each([
    ['at a branch', '      - uses: korthout/backport-action@main\n'],
    ['of another major version', '      - uses: korthout/backport-action@v1\n'],
    ['given a token', `${BACKPORT}        with: { github_token: x }\n`],
    ['beside an action that nobody knows', `${BACKPORT}      - uses: acme/unknown@v1\n`],
  ])('do not apply to an action %s', (_, steps) => {
    expect(signs(steps)).toEqual({ unknown: true });
  });

  it('lead only to fixes that need review', () => {
    const facts: Facts = {
      ...NO_FACTS,
      settings: { value: { workflowToken: { value: { default: 'write', canApprovePullRequests: false } } } },
    };
    const fixOf = (steps: string) => {
      const chosen = rules.filter(({ id }) => id === 'excessive-permissions');
      return scanRepository(repositoryWith(steps), { rules: chosen, facts }).findings.map(({ fix }) => fix);
    };
    expect(fixOf('      - uses: softprops/action-gh-release@v2\n')).toMatchObject([{ safety: 'safe' }]);
    const [likely] = fixOf(BACKPORT);
    expect(likely?.safety).toBe('review');
    expect(likely?.edits.map(({ text }) => text).join('')).toMatch(/contents: write\s+pull-requests: write/);
    expect(fixOf('      - uses: acme/unknown@v1\n')).toEqual([undefined]);
  });
});
