import { describe, expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { servesLowValueTargets } from './low-value-jobs.ts';

const ACTION = 'name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - uses: acme/setup@v1\n';

function served(uses: string, options: { partial?: boolean; secret?: string; input?: string } = {}): boolean {
  const { partial = false, secret = 'CLOUD_TOKEN', input = 'token' } = options;
  const workflow = `on: push
permissions: { contents: read }
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: ${uses}
        with: { ${input}: "\${{ secrets.${secret} }}" }
`;
  const files = [
    { path: '.github/workflows/a.yml', text: workflow },
    { path: '.github/actions/setup/action.yml', text: ACTION },
  ];
  const repository = createRepository(files, 'acme/app', { partial });
  return servesLowValueTargets(repository.actions[0]?.steps[0] as Step, repository, 'acme');
}

describe('the value of an action’s callers to an attacker', () => {
  it.each(['./.github/actions/setup', './app/.github/actions/setup', 'Acme/App/.github/actions/setup@main'])(
    'is the value of the jobs that use it as %s',
    (uses) => {
      expect(served(uses)).toBe(false);
      expect(served(uses, { secret: 'ACME_TOKEN' })).toBe(true);
      expect(served(uses, { secret: 'ACME_TOKEN', input: 'github-token' })).toBe(false);
      expect(served(uses, { secret: 'GITHUB_TOKEN', input: 'github-token' })).toBe(true);
    },
  );

  it('is low if no job uses it, unless files may be missing', () => {
    expect(served('acme/other@v1')).toBe(true);
    expect(served('acme/other@v1', { partial: true })).toBe(false);
  });
});
