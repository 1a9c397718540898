import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { untrustedFilesBefore } from './untrusted-files.ts';

function filesAfter(...steps: readonly string[]): readonly { from: string; folder: string | undefined }[] {
  const lines = [...steps, 'run: make'].map((step) => `      - ${step.replaceAll('\n', '\n        ')}\n`).join('');
  const text = `on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${lines}`;
  const action =
    'runs:\n  using: composite\n  steps:\n    - shell: bash\n      run: gh pr checkout ${{ github.event.number }}\n';
  const repository = createRepository([
    { path: '.github/workflows/a.yml', text },
    { path: 'code/action.yml', text: action },
  ]);
  const last = repository.workflows[0]?.jobs[0]?.steps.at(-1);
  if (last === undefined) throw new Error('no step');
  return untrustedFilesBefore(last, repository).map(({ from, folder }) => ({ from, folder }));
}

const HEAD = '${{ github.event.pull_request.head.sha }}';

describe('untrusted files before a step', () => {
  it('come from every checkout of a pull request’s code, in its folder', () => {
    expect(filesAfter(`uses: actions/checkout@v6.0.0\nwith: { ref: "${HEAD}" }`)).toEqual([
      { from: 'checkout', folder: '' },
    ]);
    expect(filesAfter(`uses: actions/checkout@v6.0.0\nwith: { ref: "${HEAD}", path: ./pr }`)).toEqual([
      { from: 'checkout', folder: 'pr' },
    ]);
    expect(filesAfter('run: cd pr && gh pr checkout ${{ github.event.number }}')).toEqual([
      { from: 'checkout', folder: 'pr' },
    ]);
    expect(filesAfter('uses: ./code')).toHaveLength(1);
  });

  it('excludes checkouts that refuse a fork’s code or use the repository’s own', () => {
    expect(filesAfter(`uses: actions/checkout@v7.0.1\nwith: { ref: "${HEAD}" }`)).toEqual([]);
    expect(
      filesAfter(`uses: actions/checkout@v7.0.1\nwith: { ref: "${HEAD}", allow-unsafe-pr-checkout: true }`),
    ).toHaveLength(1);
    expect(filesAfter('uses: actions/checkout@v6.0.0')).toEqual([]);
  });
});
