import { describe, expect, it } from 'vitest';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { gitUse, runsForeignCode, runsWorkspaceCode, writeSigns } from './token-usage.ts';

function read(steps: string, action?: string): { job: Job; step: Step; repository: Repository } {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  const files = [{ path: '.github/workflows/a.yml', text }];
  if (action !== undefined) files.push({ path: 'tools/action.yml', text: action });
  const repository = createRepository(files);
  const job = repository.workflows[0]?.jobs[0] as Job;
  return { job, step: job.steps[0] as Step, repository };
}

function useOf(steps: string, action?: string): string {
  const { step, repository } = read(steps, action);
  return gitUse(step, repository);
}

const COMPOSITE = (run: string): string =>
  `name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: ${run}\n`;

describe('the use of the stored token by a step', () => {
  it.each([
    ['git push origin main', 'uses'],
    ['git -C sub fetch --tags', 'uses'],
    ['git submodule update --init', 'uses'],
    ['npx semantic-release', 'uses'],
    ['git config --get http.https://github.com/.extraheader', 'uses'],
    ['npm ci && npm test', 'no'],
    ['git describe --tags', 'no'],
    ['echo "done" >> $GITHUB_STEP_SUMMARY', 'no'],
    ['gh issue close 5', 'no'],
    ['gh pr create --fill', 'uses'],
    ['gh pr checkout 5', 'uses'],
    ['gh api user', 'may'],
    ['./release.sh', 'may'],
    ['npm run deploy', 'may'],
    ['make all', 'may'],
    ['python tools/x.py', 'may'],
  ])('is for "%s": %s', (run, expected) => {
    expect(useOf(`      - run: ${run}\n`)).toBe(expected);
  });

  it('is known for actions that push and for those that do not, and unknown for others', () => {
    expect(useOf('      - uses: peaceiris/actions-gh-pages@v4\n')).toBe('uses');
    expect(useOf('      - uses: actions/setup-node@v5\n')).toBe('no');
    expect(useOf('      - uses: acme/unknown@v1\n')).toBe('may');
  });

  it('includes the steps of local composite actions', () => {
    expect(useOf('      - uses: ./tools\n', COMPOSITE('git push'))).toBe('uses');
    expect(useOf('      - uses: ./tools\n', COMPOSITE('npm ci'))).toBe('no');
    expect(useOf('      - uses: ./tools\n')).toBe('may');
  });

  it.each([
    ['jq -r .version package.json | xargs', false],
    ['cat names | xargs -I {} echo {}', false],
    ['cat names | xargs -n 1 npm install', true],
    ['cat names | xargs -0 sh -c "$0"', true],
    ['echo "$TYPES" | paste -sd "|"', false],
  ])('includes the command that xargs runs: "%s"', (run, expected) => {
    expect(runsForeignCode(read(`      - run: '${run}'\n`).step)).toBe(expected);
  });

  it.each([
    ['echo "No test required"', false],
    ["Write-Host 'done'", false],
    ['echo "$(npm test)"', true],
    ['echo $env:NAME; npm test', true],
    ['npm test', true],
  ])('recognizes a script that only prints, even in a shell that is not parsed: %s', (run, expected) => {
    expect(runsForeignCode(read(`      - shell: pwsh\n        run: |\n          ${run}\n`).step)).toBe(expected);
  });

  it.each([
    ['languages: javascript', false],
    ['languages: javascript, python', false],
    ['languages: javascript, java', true],
    ['languages: ${{ matrix.language }}', true],
    ['queries: security-extended', true],
  ])('recognizes that CodeQL builds nothing for interpreted languages: %s', (given, expected) => {
    const init = `      - uses: github/codeql-action/init@v4\n        with: { ${given.replace(': ', ': "')}" }\n`;
    const build = read(`${init}      - uses: github/codeql-action/autobuild@v4\n`).job.steps[1] as Step;
    expect(runsForeignCode(build)).toBe(expected);
  });

  it('distinguishes untrusted code from mere preparation', () => {
    expect(runsForeignCode(read('      - uses: actions/cache@v4\n').step)).toBe(false);
    expect(runsForeignCode(read('      - run: mkdir dist\n').step)).toBe(false);
    expect(runsForeignCode(read('      - run: npm ci\n').step)).toBe(true);
    expect(runsForeignCode(read('      - uses: acme/lint@v1\n').step)).toBe(true);
    expect(runsWorkspaceCode(read('      - uses: acme/lint@v1\n').step)).toBe(false);
  });

  it('collects the scopes that a job visibly writes', () => {
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
