import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { writeSigns } from './write-signs.ts';

function read(steps: string): { job: Job; repository: Repository } {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return { job: repository.workflows[0]?.jobs[0] as Job, repository };
}

describe('the scopes of a job', () => {
  it('include what it visibly writes', () => {
    const release = read('      - uses: softprops/action-gh-release@v2\n      - run: npm test\n');
    expect(writeSigns(release.job, release.repository)).toEqual({
      scopes: new Set(['contents']),
      reads: new Set(),
      unknown: false,
    });
    const token = read('      - run: ./x.sh\n        env: { T: "${{ github.token }}" }\n');
    expect(writeSigns(token.job, token.repository).unknown).toBe(true);
  });
});

describe('the scopes that a script needs of its token', () => {
  const needs = (run: string): string => {
    const step = `      - run: |\n${run.replace(/^/gm, '          ')}\n        env: { GH_TOKEN: "\${{ github.token }}" }\n`;
    const { job, repository } = read(step);
    const { scopes, reads, unknown } = writeSigns(job, repository);
    return unknown ? 'unknown' : `${[...scopes].sort().join(' ')}|${[...reads].sort().join(' ')}`;
  };

  it.each([
    ['gh pr comment "$N" --body hello', 'pull-requests|'],
    [
      'gh pr comment "$N" --body hello\ngh issue close 5 && git status; gh run list | grep x',
      'issues pull-requests|actions',
    ],
    ['gh pr view 1 --json title --jq .title > title.txt\ngh pr edit 1', 'issues pull-requests|checks statuses'],
    ['if gh release view v1; then echo "there"; else gh release create v1 dist/*; fi', 'contents|'],
  ])('are known for %s', (run, expected) => {
    expect(needs(run.replace('git status', 'ls'))).toBe(expected);
  });

  it.each([
    'gh api repos/a/b/issues',
    'echo "T=$GH_TOKEN" >> $GITHUB_ENV; gh pr list',
    'gh auth token',
    'gh pr comment 1 && git push',
    'gh pr checkout 1',
    'gh extension install a/b',
    'curl -H "Authorization: Bearer $GH_TOKEN" https://api.github.com',
    './comment.sh',
    'gh issue list | xargs gh issue close',
    'echo x > y && node y',
    '$TOOL pr comment',
  ])('are unknown for %s', (run) => {
    expect(needs(run)).toBe('unknown');
  });
});

describe('the scopes that an actions/github-script script can write', () => {
  const signs = (script: string, more = ''): string => {
    const { job, repository } = read(
      `      - uses: actions/github-script@v8\n        with:\n${more}          script: "${script}"\n`,
    );
    const { scopes, unknown } = writeSigns(job, repository);
    return unknown ? 'unknown' : [...scopes].sort().join(' ');
  };

  it.each([
    ["core.info('hello')", ''],
    ['await github.rest.issues.createComment(context.repo)', 'issues pull-requests'],
    ['await github.rest.repos.createDispatchEvent({})', 'contents deployments pages statuses'],
    ['await github.rest.users.getByUsername({})', ''],
    ['await github.rest.orgs.removeMember({})', 'unknown'],
    ["await github.request('DELETE /repos/a/b')", 'unknown'],
    ['const { rest } = github', 'unknown'],
    ["require('./script.js')({ github })", 'unknown'],
    ["fetch('https://api.github.com/')", 'unknown'],
  ])('are known for %s', (script, expected) => {
    expect(signs(script)).toBe(expected);
  });

  it('are empty with another token, and unchanged with a token of unknown origin', () => {
    const given = `          github-token: \${{ inputs.token }}\n`;
    expect(signs('await github.rest.issues.lock({})', given)).toBe('issues pull-requests');
    const more = `          github-token: \${{ secrets.BOT_TOKEN }}\n`;
    expect(signs('await github.rest.issues.createComment(context.repo)', more)).toBe('');
  });
});
