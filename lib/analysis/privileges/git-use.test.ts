import { describe, expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { gitUse } from './git-use.ts';

function useOf(steps: string, action?: string): string {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  const files = [{ path: '.github/workflows/a.yml', text }];
  if (action !== undefined) files.push({ path: 'tools/action.yml', text: action });
  const repository = createRepository(files);
  return gitUse(repository.workflows[0]?.jobs[0]?.steps[0] as Step, repository);
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
});
