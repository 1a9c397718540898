import { describe, expect, it } from 'vitest';
import { replaceText } from '#lib/analysis/incremental/replace-text.ts';
import { stepsOf } from './model/model.ts';
import { createRepository, fileKind } from './repository.ts';

function parse(text: string, path = '.github/workflows/a.yml') {
  const repository = createRepository([{ path, text }]);
  const [file] = repository.files;
  if (file === undefined) throw new Error('no file');
  return { repository, file, definition: file.definition };
}

function diagnostics(text: string, path?: string): string[] {
  const { file } = parse(text, path);
  return file.diagnostics.map(({ message, span, severity }) => {
    const at = span === undefined ? undefined : file.source.position(span.start);
    return `${severity} ${at?.line ?? '-'}:${at?.column ?? '-'} ${message}`;
  });
}

describe('fileKind', () => {
  it.each([
    ['.github/workflows/a.yml', 'workflow'],
    ['.github/workflows/a.yaml', 'workflow'],
    ['.github/workflows/sub/a.yml', undefined],
    ['.github/workflows/sub/action.yml', 'action'],
    ['action.yml', 'action'],
    ['deep/er/action.yaml', 'action'],
    ['my-action.yml', undefined],
    ['.github/dependabot.yml', 'dependabot'],
    ['dependabot.yml', undefined],
    ['.github/chainbreak.yml', 'config'],
    ['.github/workflows/actions.lock', 'lockfile'],
    ['actions.lock', undefined],
  ])('%s is %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

describe('a workflow', () => {
  it.each([
    ['a word', 'on: push\n', ['push']],
    ['a list', 'on: [push, pull_request]\n', ['push', 'pull_request']],
    ['a mapping', 'on:\n  push:\n  issues: { types: [opened] }\n', ['push', 'issues']],
    ['a quoted key', '"on": push\n', ['push']],
  ])('takes its triggers from %s', (_, on, events) => {
    const { definition } = parse(`${on}jobs: {}\n`);
    expect(definition?.kind === 'workflow' && definition.triggers.map(({ event }) => event)).toEqual(events);
  });

  it('flattens the steps of a parallel group in order', () => {
    const { definition } = parse(
      'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: one\n      - parallel:\n          - run: two\n          - run: three\n      - run: four\n',
    );
    if (definition?.kind !== 'workflow') throw new Error('no workflow');
    expect([...stepsOf(definition)].map(({ run, index }) => `${index} ${run?.value}`)).toEqual([
      '0 one',
      '1 two',
      '2 three',
      '3 four',
    ]);
  });

  it('reads jobs from flow mappings, anchors and merge keys alike', () => {
    const { definition } = parse(
      'on: push\nx: &base { runs-on: ubuntu-latest, steps: [{ uses: a/b@v1 }] }\njobs:\n  a: *base\n  b: { <<: *base, name: B }\n',
    );
    expect(
      definition?.kind === 'workflow' &&
        definition.jobs.map((job) => [job.id, job.name?.value, job.steps[0]?.uses?.text.value]),
    ).toEqual([
      ['a', undefined, 'a/b@v1'],
      ['b', 'B', 'a/b@v1'],
    ]);
  });

  it('keeps the comment after a reference', () => {
    const commented = parse(
      'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1  #  v1.2.3 \n',
    ).definition;
    expect(commented?.kind === 'workflow' && commented.jobs[0]?.steps[0]?.uses?.comment).toBe('v1.2.3');
  });
});

describe('what the code host would reject is a diagnostic with its place', () => {
  const job = (body: string): string => `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${body}`;

  it.each([
    ['an unknown key', job('    stepz: []\n    steps: [{ run: x }]\n'), /^warning 5:5 Unexpected value 'stepz'/],
    ['an unknown event', 'on: pusj\njobs: {}\n', /^warning 1:5 /],
    ['a missing key', 'on: push\n', /^warning 1:1 Required property is missing: jobs/],
    ['an unknown context', job('    steps:\n      - run: echo ${{ nope.x }}\n'), /^warning 6:19 .*nope/],
    [
      'a broken expression in a block',
      job('    steps:\n      - run: |\n          one\n          two ${{ github. }}\n'),
      /^warning 8:\d+ /,
    ],
    [
      'an expression that is not closed',
      job('    steps:\n      - run: echo ${{ github.sha\n'),
      /^warning 6:14 The expression is not closed/,
    ],
    ['broken YAML', 'on: push\njobs: [\n', /^error \d+:\d+ /],
    ['no mapping at all', 'just text\n', /^error -:- A workflow must be a mapping/],
  ])('%s', (_, text, expected) => {
    expect(diagnostics(text)[0]).toMatch(expected);
  });

  it('leaves a partial model', () => {
    const { definition } = parse(job('    stepz: []\n    steps: [{ run: x }]\n'));
    expect(definition?.kind === 'workflow' && definition.jobs[0]?.steps.length).toBe(1);
  });

  it('does not occur in a realistic file', () => {
    expect(
      diagnostics(
        'name: CI\non:\n  push: { branches: [main] }\npermissions: { contents: read }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: make\n        if: ${{ !cancelled() }}\n',
      ),
    ).toEqual([]);
  });
});

describe('an action', () => {
  it('has its steps, inputs and kind', () => {
    const { definition } = parse(
      'name: A\ndescription: a\ninputs:\n  x: { description: x, default: "1" }\nruns:\n  using: composite\n  steps: [{ run: echo, shell: bash }]\n',
      'action.yml',
    );
    expect(definition).toMatchObject({
      kind: 'action',
      using: { value: 'composite' },
      inputs: [{ name: 'x', defaultValue: { value: '1' } }],
    });
    expect(definition?.kind === 'action' && definition.steps).toHaveLength(1);
  });

  it('is found by its folder', () => {
    const text = 'name: A\ndescription: a\nruns: { using: node24, main: x.js }\n';
    const repository = createRepository([
      { path: '.github/actions/one/action.yml', text },
      { path: 'action.yaml', text },
    ]);
    expect(repository.actionAt('.github/actions/one')?.source.path).toBe('.github/actions/one/action.yml');
    expect(repository.actionAt('')?.source.path).toBe('action.yaml');
    expect(repository.actionAt('nope')).toBeUndefined();
  });
});

describe('dependabot.yml', () => {
  it('has its updates and registries', () => {
    const { definition } = parse(
      'version: 2\nregistries: { npm: { type: npm-registry } }\nupdates:\n  - package-ecosystem: npm\n    directory: /\n',
      '.github/dependabot.yml',
    );
    expect(definition).toMatchObject({
      kind: 'dependabot',
      registries: ['npm'],
      updates: [{ ecosystem: { value: 'npm' } }],
    });
  });
});

describe('the owners of a repository', () => {
  const files = [
    { path: '.github/workflows/a.yml', text: "on: push\njobs: { a: { if: github.repository_owner == 'Acme' } }\n" },
  ];
  it('are what the caller knows, else what conditions compare with', () => {
    expect([...createRepository(files, 'Other').owners]).toEqual(['other']);
    expect([...createRepository(files).owners]).toEqual(['acme']);
    expect([...createRepository([]).owners]).toEqual([]);
    expect([...createRepository(files, 'Other/App').owners]).toEqual(['other']);
  });

  it('come with the full name if the caller knows it, also after a file changed', () => {
    const repository = createRepository(files, 'Other/App');
    expect(repository.fullName).toBe('other/app');
    expect(replaceText(repository, '.github/workflows/a.yml', 'on: push').fullName).toBe('other/app');
    expect(createRepository(files, 'Other').fullName).toBeUndefined();
    expect(createRepository(files).fullName).toBeUndefined();
  });
});

describe('a repository in which one file changes', () => {
  const call = (uses: string) => `on: push\njobs:\n  a:\n    uses: ${uses}\n`;
  const step = (uses: string) => `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: ${uses}\n`;
  const inputs = [
    { path: '.github/workflows/caller.yml', text: call('./.github/workflows/called.yml') },
    { path: '.github/workflows/called.yml', text: `on: workflow_call\n${step('./setup').slice('on: push\n'.length)}` },
    { path: '.github/workflows/user.yml', text: step('$/setup') },
    { path: '.github/workflows/alone.yml', text: step('actions/checkout@v4') },
    { path: '.github/workflows/after.yml', text: 'on: { workflow_run: { workflows: [First] } }\njobs: {}\n' },
    { path: '.github/workflows/first.yml', text: 'name: First\non: push\njobs: {}\n' },
    {
      path: 'setup/action.yml',
      text: 'name: s\nruns:\n  using: composite\n  steps:\n    - run: make\n      shell: bash\n',
    },
    { path: '.github/workflows/started.yml', text: 'on: workflow_dispatch\njobs: {}\n' },
    {
      path: '.github/workflows/starter.yml',
      text: 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: gh workflow run Nightly -f tag=$TAG\n',
    },
    { path: '.github/dependabot.yml', text: 'version: 2\nupdates: []\n' },
  ];
  const [alone, called, caller, user, setup] = [
    '.github/workflows/alone.yml',
    '.github/workflows/called.yml',
    '.github/workflows/caller.yml',
    '.github/workflows/user.yml',
    'setup/action.yml',
  ];
  const everything = inputs.map(({ path }) => path).sort();

  it.each([
    ['alone', alone, undefined, [alone]],
    ['a caller', caller, undefined, [caller, called, setup]],
    ['a called workflow', called, undefined, [called, caller, setup]],
    ['an action', setup, undefined, [setup, called, caller, user]],
    ['one that calls since then', alone, step('./setup'), [alone, setup]],
    [
      'one that starts another since then',
      alone,
      'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: gh workflow run called.yml\n',
      [alone],
    ],
    [
      'one that gives another what it starts with',
      alone,
      'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: gh workflow run started.yml -f tag=$TAG\n',
      [alone, '.github/workflows/started.yml'],
    ],
    ['one that called until then', user, 'on: push\njobs: {}\n', [user, setup]],
    [
      'one that another runs after',
      '.github/workflows/first.yml',
      undefined,
      ['.github/workflows/after.yml', '.github/workflows/first.yml'],
    ],
    ['one with another name', alone, 'name: x\non: push\njobs: {}\n', [alone]],
    [
      'one that another runs after since then',
      alone,
      'name: First\non: push\njobs: {}\n',
      [alone, '.github/workflows/after.yml'],
    ],
    [
      'one that another ran after until then',
      '.github/workflows/first.yml',
      'name: Other\non: push\njobs: {}\n',
      ['.github/workflows/after.yml', '.github/workflows/first.yml'],
    ],
    [
      'one that another starts by its name since then',
      alone,
      'name: Nightly\non: workflow_dispatch\njobs: {}\n',
      [alone, '.github/workflows/starter.yml'],
    ],
    ['one that runs after others', '.github/workflows/after.yml', undefined, everything],
    ['one that runs for a release since then', alone, 'on: release\njobs: {}\n', everything],
    ['the configuration of updates', '.github/dependabot.yml', undefined, everything],
  ])('parses dependent files again and keeps the rest: %s', (_, path, text, expected) => {
    const before = createRepository(inputs);
    const own = inputs.find((input) => input.path === path)?.text ?? '';
    const after = replaceText(before, path, text ?? `${own}# changed\n`);
    const kept = new Set(before.files.map(({ definition }) => definition));
    const anew = after.files.flatMap(({ source, definition }) => (kept.has(definition) ? [] : [source.path]));
    expect(after.files.map(({ source }) => source.path)).toEqual(everything);
    expect(anew.sort()).toEqual([...expected].sort());
  });

  it('stays unchanged if it lacks the file', () => {
    const repository = createRepository(inputs);
    expect(replaceText(repository, '.github/workflows/none.yml', 'on: push')).toBe(repository);
  });
});

it('an action’s look and description are not checked, which only the marketplace reads', () => {
  const read = (text: string): readonly string[] =>
    createRepository([{ path: 'action.yml', text }]).files.flatMap(({ diagnostics }) =>
      diagnostics.map(({ message }) => message),
    );
  const runs = 'runs: { using: node24, main: x.js }\n';
  expect(read(`name: A\nbranding: { icon: no-such-icon, color: mauve }\n${runs}`)).toEqual([]);
  expect(read(runs)).toEqual([]);
  expect(read(`name: A\nruns: { using: node24, main: x.js, brand: 1 }\n`)).not.toEqual([]);
  expect(read('name: A\ndescription: a\n')).not.toEqual([]);
});
