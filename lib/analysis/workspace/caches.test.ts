import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { cacheWritingEvent, keepsCachesToTags, mayRestoreCaches } from './caches.ts';

const PULL = '"refs/pull/${{ github.event.client_payload.number }}/merge"';

function eventOf(on: string, condition: string, job = ''): string | undefined {
  const text = `on: ${on}
jobs:
  test:
    runs-on: ubuntu-latest
${job}    steps:
      - if: ${condition}
        uses: actions/checkout@v5
        with: { ref: ${PULL} }
      - run: npm ci
`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return cacheWritingEvent(repository.workflows[0]?.jobs[0] as Job, repository);
}

describe('the event on which pull request code can write shared caches', () => {
  it.each([
    [
      '[workflow_dispatch, repository_dispatch]',
      "github.event_name == 'repository_dispatch'",
      '',
      'repository_dispatch',
    ],
    ['[push, workflow_dispatch]', "github.event_name != 'push'", '', 'workflow_dispatch'],
    ['[schedule, push]', 'true', "    if: github.event_name == 'push'\n", 'push'],
    ['[push, schedule]', 'success()', '', 'push'],
  ])('of %s is one that the condition %s allows', (on, condition, job, event) => {
    expect(eventOf(on, condition, job)).toBe(event);
  });

  it('does not exist if the conditions leave only events that cannot write them', () => {
    expect(eventOf('[push, merge_group]', "github.event_name == 'merge_group'")).toBeUndefined();
    expect(eventOf('[push, workflow_dispatch]', 'true', '    if: false\n')).toBeUndefined();
  });
});

function firstJob(text: string, ...others: readonly { path: string; text: string }[]): [Job, Repository] {
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }, ...others]);
  return [repository.workflows[0]?.jobs[0] as Job, repository];
}

describe('a job', () => {
  const workflow = (steps: string, job = ''): string =>
    `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n${job}    steps:\n      - ${steps}\n`;
  const restores = (...[steps, job]: Parameters<typeof workflow>): boolean =>
    mayRestoreCaches(...firstJob(workflow(steps, job)));

  it.each([
    'uses: actions/cache@v4',
    'uses: actions/cache/restore@v4',
    "{ uses: actions/cache@v4, if: github.ref_type != 'tag', with: { path: x, key: x } }",
    '{ uses: actions/setup-python@v5, with: { cache: pip } }',
    'uses: actions/setup-go@v5',
    "{ uses: astral-sh/setup-uv@v6, if: github.event_name != 'release' }",
    'uses: actions/setup-node@v5',
    'uses: golangci/golangci-lint-action@v6',
    'uses: acme/restore-cache@v1',
    "{ uses: acme/build@v1, with: { use-cache: '1' } }",
    "{ uses: docker/bake-action@v6, with: { set: '*.cache-from=type=gha' } }",
    'run: docker buildx build --cache-from type=gha .',
    'run: SCCACHE_GHA_ENABLED=true cargo build',
  ])('with %s may restore a cache', (step) => {
    expect(restores(step)).toBe(true);
  });

  it.each([
    'uses: actions/checkout@v6',
    'uses: actions/setup-python@v5',
    'uses: actions/setup-node@v4',
    '{ uses: actions/setup-go@v5, with: { cache: false } }',
    '{ uses: acme/build@v1, with: { cache: false } }',
    'run: docker build --no-cache --cache-from=acme/app .',
    'run: make clean-cache',
  ])('with %s alone restores none', (step) => {
    expect(restores(step)).toBe(false);
  });

  it('restores what its actions and workflows elsewhere may restore', () => {
    const inner = 'name: A\ndescription: A\nruns: { using: composite, steps: [{ uses: actions/cache@v4 }] }\n';
    const action = { path: '.github/actions/a/action.yml', text: inner };
    expect(mayRestoreCaches(...firstJob(workflow('uses: ./.github/actions/a'), action))).toBe(true);
    expect(mayRestoreCaches(...firstJob(workflow('run: make'), action))).toBe(false);
    const called = (from: string): string => `on: push\njobs:\n  b:\n    uses: ${from}/.github/workflows/b.yml`;
    expect(mayRestoreCaches(...firstJob(`${called('acme/ci')}@main\n`))).toBe(true);
    expect(mayRestoreCaches(...firstJob(`${called('.')}\n`))).toBe(false);
  });

  it('restores none if it may not read caches', () => {
    expect(restores('uses: actions/cache@v4', '    cache-mode: write-only\n')).toBe(false);
    expect(restores('uses: actions/cache@v4', '    cache-mode: read\n')).toBe(true);
  });

  it.each([
    ['{ push: { tags: [v*] } }', true],
    ['{ push: { tags: [v*] }, release: { types: [published] } }', true],
    ['{ push: { tags: [v*], branches: [main] } }', false],
    ['{ push: { tags: [v*], branches-ignore: [wip] } }', false],
    ['{ push: { tags: [v*] }, workflow_dispatch: }', false],
    ['push', false],
  ])('started by %s keeps its caches to tags: %s', (on, expected) => {
    const [job] = firstJob(workflow('run: make').replace('on: push', `on: ${on}`));
    expect(keepsCachesToTags(job)).toBe(expected);
  });
});
