import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { passesFilesOn } from './passed-on-files.ts';

const upload = (name?: string): object => ({ uses: 'actions/upload-artifact@v4', with: { path: 'dist', name } });
const download = (given: object): object => ({ uses: 'actions/download-artifact@v4', with: given });
const cache = (key: string, action = 'actions/cache'): object => ({
  uses: `${action}@v4`,
  with: { path: 'dist', key },
});
const RUN = 'dist-${{ github.run_id }}';
const LOCK = "npm-${{ hashFiles('package-lock.json') }}";
const job = (steps: readonly object[], rest: object = {}): object => ({ 'runs-on': 'ubuntu-latest', ...rest, steps });

function passes(build: readonly object[], publish: object, others: Readonly<Record<string, object>> = {}): boolean {
  const first = { on: { push: {}, workflow_call: {} }, jobs: { build: job(build), publish } };
  const texts = Object.entries({ 'main.yml': first, ...others });
  const files = texts.map(([name, content]) => ({ path: `.github/workflows/${name}`, text: stringify(content) }));
  const repository = createRepository(files);
  const main = repository.workflowAt('.github/workflows/main.yml');
  return passesFilesOn(main?.jobs[0] as Job, repository);
}

const after = (...steps: object[]): object => job(steps, { needs: 'build' });

describe('what a job passes on', () => {
  it.each([
    ['an artifact of its name', [upload('dist')], after(download({ name: 'dist' }))],
    ['an artifact without a name', [upload()], after(download({ name: 'artifact' }))],
    ['any artifact', [upload('dist')], after(download({ path: 'all' }))],
    ['artifacts of a pattern', [upload('dist-linux')], after(download({ pattern: 'dist-*' }))],
    ['artifacts of a pattern of several names', [upload('dist')], after(download({ pattern: '{dist,docs}' }))],
    ['an artifact whose name is computed', [upload('dist-${{ matrix.os }}')], after(download({ name: 'dist-linux' }))],
    ['an artifact whose reader computes its name', [upload('dist')], after(download({ name: '${{ inputs.name }}' }))],
    ['an artifact that a command fetches', [upload('dist')], after({ run: 'gh run download -n dist' })],
    [
      'an artifact that a script fetches',
      [upload('dist')],
      after({ uses: 'actions/github-script@v7', with: { script: 'github.rest.actions.downloadArtifact({})' } }),
    ],
    ['an artifact that is merged', [upload('dist-linux')], after({ uses: 'actions/upload-artifact/merge@v4' })],
    ['an artifact that another action fetches', [upload('dist')], after({ uses: 'acme/download-artifact@v1' })],
    [
      'an artifact to a workflow elsewhere',
      [upload('dist')],
      { needs: 'build', uses: 'acme/ci/.github/workflows/a.yml@v1' },
    ],
    ['a cache of the run', [cache(RUN)], after(cache(RUN))],
    [
      'a cache of the run by the start of its key',
      [cache(RUN)],
      after({ uses: 'actions/cache@v4', with: { path: 'dist', key: 'x', 'restore-keys': 'docs-\ndist-\n' } }),
    ],
    [
      'a cache of the run that is only restored',
      [cache(RUN, 'actions/cache/save')],
      after(cache(RUN, 'actions/cache/restore')),
    ],
  ])('is %s', (_, build, publish) => {
    expect(passes(build, publish)).toBe(true);
  });

  it.each([
    ['an artifact that no job downloads', [upload('logs')], after({ run: 'npm publish' })],
    ['an artifact beside another', [upload('logs')], after(download({ name: 'dist' }))],
    ['an artifact outside a pattern', [upload('logs')], after(download({ pattern: 'dist-*' }))],
    ['an upload after an upload', [upload('logs')], after(upload('dist'))],
    ['a cache of dependencies', [cache(LOCK)], after(cache(LOCK))],
    ['a cache of the run under another key', [cache(RUN)], after(cache('docs-${{ github.run_id }}'))],
    ['a cache that it only restores', [cache(RUN, 'actions/cache/restore')], after(cache(RUN))],
    ['a cache of the run to a job that runs beside it', [cache(RUN)], job([cache(RUN)])],
    ['nothing', [{ run: 'make' }], after(download({ name: 'dist' }))],
  ])('is not %s', (_, build, publish) => {
    expect(passes(build, publish)).toBe(false);
  });

  it('includes what a caller’s jobs and runs that follow download', () => {
    const calls = { build: { uses: './.github/workflows/main.yml' }, publish: after(download({ name: 'dist' })) };
    const caller = { on: 'push', jobs: calls };
    expect(passes([upload('dist')], after({ run: 'make' }), { 'release.yml': caller })).toBe(true);
    const follower = {
      on: { workflow_run: { workflows: ['main'] } },
      jobs: { get: job([download({ name: 'dist' })]) },
    };
    expect(passes([upload('dist')], after({ run: 'make' }), { 'release.yml': follower })).toBe(true);
    expect(passes([upload('logs')], after({ run: 'make' }), { 'release.yml': caller })).toBe(false);
  });
});
