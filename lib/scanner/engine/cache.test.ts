import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceText } from '#lib/analysis/incremental/replace-text.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import { ScanCache } from './cache.ts';
import { type Rule, type RuleContext } from './rule.ts';

const pathOf = (name: string): string => `.github/workflows/${name}.yml`;
const [ci, release, build] = ['ci', 'release', 'build'].map(pathOf) as [string, string, string];
const FILES = [
  { path: ci, text: 'on: push\njobs:\n  a:\n    runs-on: x\n    steps: [run: make]\n' },
  { path: release, text: 'on: push\njobs:\n  b:\n    uses: ./.github/workflows/build.yml\n' },
  { path: build, text: 'on: workflow_call\njobs:\n  c:\n    runs-on: x\n    steps: [run: make]\n' },
];

function callersOf(path: string, repository: Repository): readonly Job[] {
  const workflow = repository.workflowAt(path);
  return workflow === undefined ? [] : repository.callersOf(workflow);
}

/** A rule that notes where it looked. */
function watching(looks: string[], look: (context: RuleContext) => unknown = () => undefined): Rule {
  const model = rules.find(({ id }) => id === 'unpinned-uses');
  if (model === undefined) throw new Error('no rules');
  return {
    ...model,
    check: {
      *workflow(workflow, context) {
        looks.push(workflow.source.path);
        look(context);
        yield { message: Object.keys(model.meta.messages)[0] ?? '', at: workflow, span: { start: 0, end: 2 } };
      },
    },
  };
}

describe('a scan that remembers', () => {
  it.each([
    ['nothing else', ci, [ci]],
    ['what it calls', release, [build, release]],
    ['what calls it', build, [build, release]],
  ])('looks at the file that changed and at %s', (_, path, expected) => {
    const looks: string[] = [];
    const options = { rules: [watching(looks)], memory: new ScanCache() };
    const before = createRepository(FILES);
    scanRepository(before, options);
    looks.length = 0;
    const text = `${FILES.find((file) => file.path === path)?.text}# changed\n`;
    const { findings } = scanRepository(replaceText(before, path, text), options);
    expect(looks).toEqual(expected);
    expect(findings).toHaveLength(3);
  });

  it.each<[string, (context: RuleContext) => unknown]>([
    ['all workflows', ({ repository }) => repository.workflows],
    ['all actions', ({ repository }) => repository.actions],
    ['all files', ({ repository }) => repository.files],
    ['who calls one of them', ({ repository }) => callersOf(build, repository)],
  ])('looks everywhere again for a rule that wants to know %s', (_, look) => {
    const looks: string[] = [];
    const options = { rules: [watching(looks, look)], memory: new ScanCache() };
    const before = createRepository(FILES);
    scanRepository(before, options);
    looks.length = 0;
    scanRepository(replaceText(before, ci, 'on: push\njobs: {}\n'), options);
    expect(looks).toEqual([build, ci, release]);
  });

  it('forgets everything when the facts are others', () => {
    const looks: string[] = [];
    const options = { rules: [watching(looks)], memory: new ScanCache() };
    const repository = createRepository(FILES);
    scanRepository(repository, options);
    scanRepository(repository, options);
    expect(looks).toHaveLength(3);
    scanRepository(repository, { ...options, facts: { ...NO_FACTS } });
    expect(looks).toHaveLength(6);
  });

  it('asks a rule again that failed', () => {
    let fails = true;
    const looks: string[] = [];
    const rule = watching(looks, () => {
      if (fails) throw new Error('not today');
    });
    const options = { rules: [rule], memory: new ScanCache() };
    const repository = createRepository(FILES);
    expect(scanRepository(repository, options).notAssessed).toHaveLength(1);
    fails = false;
    const { notAssessed, findings } = scanRepository(repository, options);
    expect([notAssessed, findings.length]).toEqual([[], 3]);
  });

  it('finds what comes of a change in a file that another one only names in an input', () => {
    const build = (event: string): string =>
      `on: ${event}\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: make\n      - uses: actions/upload-artifact@v4\n        with: { name: bin, path: bin }\n`;
    const use =
      'on: issue_comment\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: dawidd6/action-download-artifact@v21\n        with: { workflow: ci.yml, allow_forks: true, name: bin, path: bin }\n      - run: bash bin/run.sh\n';
    const files = (event: string) => [
      { path: ci, text: build(event) },
      { path: release, text: use },
    ];
    const memory = new ScanCache();
    const before = createRepository(files('push'));
    const ids = (repository: Repository): string[] =>
      scanRepository(repository, { memory }).findings.flatMap(({ file, ruleId }) => (file === release ? [ruleId] : []));
    expect(ids(before)).not.toContain('artifact-poisoning');
    expect(ids(replaceText(before, ci, build('pull_request')))).toContain('artifact-poisoning');
  });

  it.each<[string, Readonly<Record<string, string>>, string, string, string]>([
    [
      'what starts another caller of what it calls',
      {
        called: `on: { workflow_call: { outputs: { t: { value: "\${{ jobs.j.outputs.t }}" } } } }\njobs:\n  j:\n    runs-on: x\n    outputs: { t: "\${{ steps.c.outputs.all_changed_files }}" }\n    steps:\n      - { id: c, uses: tj-actions/changed-files@v40 }\n`,
        caller: 'on: push\njobs:\n  c:\n    uses: ./.github/workflows/called.yml\n',
        user: `on: pull_request\njobs:\n  c:\n    uses: ./.github/workflows/called.yml\n  d:\n    needs: c\n    runs-on: x\n    steps:\n      - run: echo \${{ needs.c.outputs.t }}\n`,
      },
      'caller',
      'on: push\n',
      'on: pull_request_target\n',
    ],
    [
      'what starts what a follower calls',
      {
        first: 'name: CI\non: push\njobs:\n  a:\n    runs-on: x\n    steps: [run: make]\n',
        follower: 'on: { workflow_run: { workflows: [CI] } }\njobs:\n  a:\n    uses: ./.github/workflows/work.yml\n',
        work: `on: workflow_call\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with: { ref: "\${{ github.event.workflow_run.head_sha }}" }\n      - run: npm ci\n`,
      },
      'first',
      'on: push\n',
      'on: pull_request\n',
    ],
    [
      'what signs in an action of the release that another workflow makes',
      {
        publish:
          'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: npm publish\n        env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}" }\n',
        release: 'on: release\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: ./.github/actions/sign\n',
      },
      '.github/actions/sign/action.yml',
      'run: cosign sign a',
      'run: make a',
    ],
    [
      'how many starts there are',
      {
        many: `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${'      - run: gh workflow run nothing.yml -f a=b\n'.repeat(500)}`,
        starter: `on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: gh workflow run target.yml -f t="\${{ github.event.issue.title }}"\n`,
        target: `on: { workflow_dispatch: { inputs: { t: { type: string } } } }\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo \${{ inputs.t }}\n`,
      },
      'many',
      '      - run: gh workflow run nothing.yml -f a=b\n',
      '      - run: make\n',
    ],
  ])('finds the same as one that does not when a change decides %s', (_, texts, changed, from, to) => {
    const action = 'name: s\nruns:\n  using: composite\n  steps:\n    - { run: cosign sign a, shell: bash }\n';
    const files = [
      ...Object.entries(texts).map(([name, text]) => ({ path: pathOf(name), text })),
      { path: '.github/actions/sign/action.yml', text: action },
    ];
    const path = changed.includes('/') ? changed : pathOf(changed);
    const text = files.find((file) => file.path === path)?.text.replace(from, to) ?? '';
    const memory = new ScanCache();
    const before = createRepository(files, 'acme/app');
    const first = scanRepository(before, { memory });
    const fresh = scanRepository(
      createRepository(
        files.map((file) => (file.path === path ? { ...file, text } : file)),
        'acme/app',
      ),
    );
    expect(scanRepository(replaceText(before, path, text), { memory })).toEqual(fresh);
    const elsewhere = ({ findings }: typeof fresh) =>
      findings.flatMap(({ file, ruleId, severity }) => (file === path ? [] : [`${file} ${ruleId} ${severity}`]));
    expect(elsewhere(fresh)).not.toEqual(elsewhere(first));
  });

  it('finds the same as an uncached scan, however files depend on each other', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(repositories, fc.nat(), workflows, (texts, index, text) => {
        const files = texts.map((each, number) => ({ path: pathOf(NAMES[number] ?? ''), text: each }));
        const memory = new ScanCache();
        const before = createRepository([...files, ACTION], 'acme/app');
        scanRepository(before, { memory });
        const changed = files[index % files.length]?.path ?? '';
        const after = scanRepository(replaceText(before, changed, text), { memory });
        const fresh = [...files.map((file) => (file.path === changed ? { ...file, text } : file)), ACTION];
        expect(after).toEqual(scanRepository(createRepository(fresh, 'acme/app')));
      }),
      { numRuns: 150 },
    );
  });
});

const NAMES = ['one', 'two', 'three', 'four', 'five'];
const ACTION = {
  path: 'setup/action.yml',
  text: `name: setup
inputs: { ref: { default: main } }
outputs: { ref: { value: "\${{ inputs.ref }}" } }
runs:
  using: composite
  steps:
    - run: git checkout "\${{ inputs.ref }}"
      shell: bash
`,
};

const triggers = fc.constantFrom(
  'push',
  'pull_request_target',
  'release',
  'workflow_dispatch: { inputs: { ref: { type: string } } }',
  'workflow_call: { inputs: { ref: { type: string } } }',
  'workflow_run: { workflows: [two, .github/workflows/one.yml] }',
  'issue_comment',
);
const others = fc.constantFrom(...NAMES);
const jobs = fc.oneof(
  others.map((name) => `    uses: ./.github/workflows/${name}.yml\n    with: { ref: "\${{ github.head_ref }}" }\n`),
  fc
    .subarray([
      '      - uses: ./setup\n        id: set\n        with: { ref: "${{ github.event.comment.body }}" }\n',
      '      - run: echo ${{ steps.set.outputs.ref }} ${{ inputs.ref }}\n',
      '      - uses: actions/checkout@v4\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n',
      '      - run: npm ci && npm publish\n        env: { NODE_AUTH_TOKEN: "${{ secrets.NPM_TOKEN }}" }\n',
      '      - run: gh workflow run two.yml -f ref="${{ github.event.issue.title }}"\n',
      '      - uses: dawidd6/action-download-artifact@v5\n        with: { workflow: one.yml, path: bin }\n      - run: ./bin/run\n',
      '      - uses: actions/cache@v4\n        with: { path: a, key: b }\n',
      '      - uses: actions/upload-artifact@v4\n        with: { name: dist, path: dist }\n',
    ])
    .map((steps) => `    runs-on: ubuntu-latest\n    steps:\n      - run: make\n${steps.join('')}`),
);
const workflows = fc
  .tuple(
    fc.option(others),
    fc.uniqueArray(triggers, { minLength: 1, maxLength: 2 }),
    fc.array(jobs, { minLength: 1, maxLength: 2 }),
  )
  .map(
    ([name, on, list]) =>
      `${name === null ? '' : `name: ${name}\n`}on:\n${on.map((each) => `  ${each}${each.includes(':') ? '' : ':'}\n`).join('')}jobs:\n${list.map((job, index) => `  j${index}:\n${job}`).join('')}`,
  );
const repositories = fc.array(workflows, { minLength: 2, maxLength: NAMES.length });
