import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { isOnDemand, isSingleUse, runnerKind, runnerKindFor, runnerKindIn } from './runners.ts';

function jobOn(runsOn: string, matrix = '{}'): Job {
  const text = `on: push\njobs:\n  a:\n    runs-on: ${runsOn}\n    strategy: { matrix: ${matrix} }\n    steps: []\n`;
  const [workflow] = createRepository([{ path: '.github/workflows/w.yml', text }]).workflows;
  return workflow?.jobs[0] as Job;
}

describe('the runner of a job', () => {
  it.each([
    ['ubuntu-latest', 'hosted'],
    ['macOS-latest', 'hosted'],
    ['ubuntu-slim', 'hosted'],
    ['[ubuntu-latest]', 'hosted'],
    ['ubuntu-18.04', 'hosted'],
    ['macos-13-xlarge', 'hosted'],
    ['ubuntu-2404-2core', 'hosted'],
    ['ubuntu-2404-8x-x64', 'hosted'],
    ['ubuntu-latest-32-cores', 'hosted'],
    ['ubuntu-24.04-xl', 'hosted'],
    ['github-ubuntu-24.04-x86_64-8', 'hosted'],
    ['windows-2022-xl', 'hosted'],
    ['blacksmith-4vcpu-ubuntu-2404', 'hosted'],
    ['depot-ubuntu-24.04-arm-16', 'hosted'],
    ['namespace-profile-macos-15', 'hosted'],
    ['warp-ubuntu-latest-x64-4x', 'hosted'],
    ['codspeed-macro', 'hosted'],
    ["'runs-on,runner=4cpu-linux-${{ matrix.arch }},run-id=${{ github.run_id }}'", 'hosted'],
    ['"runs-on=${{ github.run_id }}/family=x8i.2xlarge"', 'hosted'],
    ['self-hosted', 'self-hosted'],
    ['Self-Hosted', 'self-hosted'],
    ['[self-hosted, public, linux, x64]', 'self-hosted'],
    ['[self-hosted, "${{ matrix.runner }}"]', 'self-hosted'],
    ['{ group: big, labels: [self-hosted, linux] }', 'self-hosted'],
    ["${{ github.event_name == 'push' && 'self-hosted' || 'ubuntu-latest' }}", 'self-hosted'],
    ['${{ fromJSON(\'["self-hosted", "gpu"]\') }}', 'self-hosted'],
    ['linux.2xlarge', 'own-label'],
    ['electron-arc-centralus-linux-amd64-32core', 'own-label'],
    ['karpenter-ci-1es-pool', 'own-label'],
    ['[linux, x64]', 'self-hosted'],
    ['[linux, gpu]', 'own-label'],
    ['[Windows, X64, gpu-lab]', 'self-hosted'],
    ['[Linux, ARM64, lab]', 'self-hosted'],
    ['[linux, x64, blacksmith-4vcpu]', 'own-label'],
    ['{ group: big, labels: [Linux, X64] }', 'unknown'],
    ['16-core-ubuntu', 'hosted'],
    ['app-ubuntu24-64-core', 'hosted'],
    ['16-core-box', 'own-label'],
    ['ubuntu-arm64-large', 'hosted'],
    ['windows-x64-2xlarge', 'hosted'],
    ['ubuntu-arm64-lab', 'own-label'],
    ['lab-arm64-large', 'own-label'],
    ['{ group: aws-g6e-4xlarge }', 'unknown'],
    ['{ group: big, labels: ubuntu-latest }', 'unknown'],
    ['${{ inputs.runner }}', 'unknown'],
    ["${{ vars.UBUNTU_SMALL || 'ubuntu-latest' }}", 'unknown'],
    ['${{ matrix.os }}', 'unknown'],
    ['${{ matrix.os }}-latest', 'unknown'],
    ["${{ github.repository == 'astral-sh/ruff' && 'depot-ubuntu-22.04-32' || 'ubuntu-latest' }}", 'hosted'],
    ['macos-${{ matrix.version }}', 'hosted'],
    ['ubuntu-26.04${{ inputs.suffix }}', 'hosted'],
  ] as const)('%s is %s', (runsOn, expected) => {
    expect(runnerKind(jobOn(runsOn))).toBe(expected);
  });

  it.each([
    ['${{ matrix.os }}', '{ os: [ubuntu-latest, windows-latest] }', 'hosted'],
    ['${{ matrix.os }}', '{ include: [{ os: ubuntu-24.04 }, { os: self-hosted }] }', 'self-hosted'],
    ['${{ matrix.OS }}', '{ Os: [ubuntu-latest] }', 'hosted'],
    ['${{ matrix.platform.runner }}', '{ platform: [{ runner: macos-15 }, { runner: windows-2025 }] }', 'hosted'],
    ['${{ matrix.os }}', '{ os: [[self-hosted, linux], ubuntu-latest] }', 'self-hosted'],
    ['${{ matrix.os }}', '{ os: [linux-arm, ubuntu-latest] }', 'own-label'],
    ['${{ matrix.on }}', '{ include: [{ on: { labels: [Linux, X64, lab] } }, { on: ubuntu-latest }] }', 'self-hosted'],
    ['${{ matrix.on }}', '{ include: [{ on: { labels: ubuntu-latest } }] }', 'hosted'],
    ['${{ matrix.on }}', '{ include: [{ on: { group: cloud, labels: [Linux, X64] } }] }', 'unknown'],
    ['${{ matrix.os }}', '{ os: "${{ fromJSON(needs.plan.outputs.os) }}" }', 'unknown'],
    ['${{ matrix.os }}', '{ os: ["${{ inputs.os }}", ubuntu-latest] }', 'unknown'],
    ['${{ matrix.os }}', '{ os: ["${{ matrix.os }}"] }', 'unknown'],
    [
      '${{ matrix.os.on[matrix.arch] }}',
      '{ arch: [arm, x], os: [{ on: { arm: [Linux, ARM64], x: macos-15 } }] }',
      'self-hosted',
    ],
    [
      '${{ matrix.os.on[matrix.arch.key] }}',
      '{ arch: [{ key: X }], os: [{ on: { arm: box, x: macos-15 } }] }',
      'hosted',
    ],
    [
      '${{ matrix.on[matrix.arch] }}',
      '{ arch: [x], include: [{ on: { x: { labels: [self-hosted] } } }] }',
      'self-hosted',
    ],
    ['${{ matrix.on[inputs.arch] }}', '{ on: [{ arm: box, x: macos-15 }] }', 'own-label'],
    ['${{ matrix.on[matrix.arch] }}', '{ arch: [y], on: [{ arm: box, x: macos-15 }] }', 'unknown'],
    ['${{ needs.plan.outputs[matrix.arch] }}', '{ arch: [x] }', 'unknown'],
    ['${{ matrix.os }}', `{ os: [${"'${{ matrix.os }}', ".repeat(2_000)}] }`, 'unknown'],
    ['${{ matrix.os[0] }}', '{ os: [[ubuntu-latest, 3.12]] }', 'unknown'],
  ] as const)('%s with the matrix %s is %s', (runsOn, matrix, expected) => {
    expect(runnerKind(jobOn(runsOn, matrix))).toBe(expected);
  });

  it.each([
    ['[self-hosted, ephemeral]', true],
    ['[self-hosted, 1ES.Pool=images]', true],
    ['electron-arc-centralus-linux', true],
    ['[self-hosted, linux]', false],
    ['[self-hosted, march]', false],
    ['app-ci-1es-pool', true],
    ['[self-hosted, 1ESPool]', false],
  ] as const)('%s promises a single-use machine: %s', (runsOn, expected) => {
    expect(isSingleUse(jobOn(runsOn))).toBe(expected);
  });

  it.each([
    ['[self-hosted, linux, cpu, on-demand]', true],
    ['[self-hosted, autoscaled]', true],
    ['[self-hosted, aws, 4c]', true],
    ['[self-hosted, linux, x64, 4xlarge]', true],
    ['[self-hosted, c5.metal]', true],
    ['[self-hosted, macOS, ARM64, "ghcr.io/acme/macos-xcode:latest"]', true],
    ['[self-hosted, macOS, ARM64, acme.example]', false],
    ['[self-hosted, "pool/macos:latest"]', false],
    ['[self-hosted, linux, large]', false],
    ['[self-hosted, xlarge-lab]', false],
    ['[self-hosted, linux, cpu]', false],
    ['[self-hosted, aws]', false],
    ['[self-hosted, demand]', false],
  ] as const)('%s says that the machine is started for the job: %s', (runsOn, expected) => {
    expect(isOnDemand(jobOn(runsOn))).toBe(expected);
  });
});

it.each([
  ['acme/app', 'hosted'],
  ['acme/app-enterprise', 'self-hosted'],
  [undefined, 'self-hosted'],
] as const)('labels that %s does not choose are no part of its runner: %s', (name, expected) => {
  const runsOn =
    "${{ endsWith(github.repository, '-enterprise') && fromJSON('[\"self-hosted\", \"linux\"]') || 'ubuntu-latest' }}";
  const text = `on: push\njobs:\n  a:\n    runs-on: ${runsOn}\n    steps: []\n`;
  const repository = createRepository([{ path: '.github/workflows/w.yml', text }], name);
  expect(runnerKindIn(repository.workflows[0]?.jobs[0] as Job, repository)).toBe(expected);
});

it.each([
  ["${{ github.event_name == 'schedule' && 'self-hosted' || 'ubuntu-latest' }}", 'pull_request', 'hosted'],
  ["${{ github.event_name == 'schedule' && 'self-hosted' || 'ubuntu-latest' }}", 'schedule', 'self-hosted'],
  ["${{ github.event_name != 'schedule' && 'ubuntu-latest' || 'self-hosted' }}", 'pull_request', 'hosted'],
  ["${{ github.event_name == 'push' && 'box' || inputs.on || 'ubuntu-latest' }}", 'pull_request', 'unknown'],
  ["${{ vars.BOX && 'self-hosted' || 'ubuntu-latest' }}", 'pull_request', 'self-hosted'],
  ["${{ (github.event_name == 'push' || vars.BOX) && 'box' || 'ubuntu-latest' }}", 'pull_request', 'own-label'],
] as const)('%s on %s is %s', (runsOn, event, expected) => {
  const repository = createRepository([]);
  expect(runnerKindFor(jobOn(runsOn), [{ event }], repository)).toBe(expected);
});

describe('inputs of callers', () => {
  const CHOSEN = "${{ inputs.private == true && 'self-hosted' || 'ubuntu-latest' }}";
  const LABELLED =
    "${{ inputs.labels && inputs.private && (inputs.other || inputs.name) || inputs.private && 'self-hosted' || 'ubuntu-latest' }}";
  const INPUTS =
    'private: { type: boolean, default: false }, labels: { type: boolean }, other: { type: string, default: "" }, name: { type: string }';

  function kindWhen(runsOn: string, callers: readonly string[], on = '', matrix = 'os: [a]'): string {
    const called = `on: { workflow_call: { inputs: { ${INPUTS} } }${on} }\njobs:\n  a:\n    strategy: { matrix: { ${matrix} } }\n    runs-on: ${runsOn}\n    steps: []\n`;
    const jobs = callers.map(
      (given, index) => `  c${index}: { uses: ./.github/workflows/called.yml, with: { ${given} } }\n`,
    );
    const files = [{ path: '.github/workflows/called.yml', text: called }];
    if (jobs.length > 0)
      files.push({ path: '.github/workflows/ci.yml', text: `on: pull_request\njobs:\n${jobs.join('')}` });
    const repository = createRepository(files, 'acme/app');
    const job = repository.workflows.find(({ source }) => source.path.endsWith('called.yml'))?.jobs[0] as Job;
    return runnerKindIn(job, repository);
  }

  it.each([
    [CHOSEN, [], 'self-hosted'],
    [CHOSEN, [''], 'hosted'],
    [CHOSEN, ['private: false'], 'hosted'],
    [CHOSEN, ['private: true'], 'self-hosted'],
    [CHOSEN, ['', 'private: true'], 'self-hosted'],
    [CHOSEN, ['private: "${{ true }}"'], 'self-hosted'],
    [CHOSEN, ['private: "${{ vars.PRIVATE }}"'], 'self-hosted'],
    [CHOSEN, ['private: "${{ github.event_name == \'push\' }}"'], 'self-hosted'],
    ["${{ inputs.name || 'self-hosted' }}", [''], 'self-hosted'],
    ["${{ inputs.name || 'self-hosted' }}", ['name: ubuntu-latest'], 'hosted'],
    ["${{ inputs.name || 'self-hosted' }}", ['name: "${{ matrix.os }}"'], 'self-hosted'],
    ['${{ fromJSON(inputs.name) }}', ['name: \'["self-hosted"]\''], 'self-hosted'],
    ['${{ fromJSON(inputs.name) }}', ['name: \'"ubuntu-latest"\''], 'hosted'],
    [LABELLED, ['name: prod'], 'hosted'],
    [LABELLED, ['name: prod, private: true'], 'self-hosted'],
    [LABELLED, ['name: prod, private: true, labels: true'], 'own-label'],
    [LABELLED, ['name: prod, private: true, labels: true, other: self-hosted'], 'self-hosted'],
  ] as const)('%s called with %j is %s', (runsOn, callers, expected) => {
    expect(kindWhen(runsOn, callers)).toBe(expected);
  });

  it.each([
    ['people can start it by hand', ', workflow_dispatch: { inputs: { private: { type: boolean } } }', 'self-hosted'],
    ['it also follows pushes', ', push: {}', 'hosted'],
  ] as const)('a caller that passes nothing, where %s', (_, on, expected) => {
    expect(kindWhen(CHOSEN, [''], on)).toBe(expected);
  });

  it('reads inputs in the matrix of the called job', () => {
    const matrix = "os: [\"${{ inputs.private && 'self-hosted' || 'ubuntu-latest' }}\"]";
    expect(kindWhen('${{ matrix.os }}', [''], '', matrix)).toBe('hosted');
    expect(kindWhen('${{ matrix.os }}', ['private: true'], '', matrix)).toBe('self-hosted');
  });

  it.each([
    ['private: "${{ inputs.own }}"', 'own: true', 'self-hosted'],
    ['private: "${{ inputs.own }}"', '', 'hosted'],
    ['', 'own: true', 'hosted'],
  ])('follows a call that passes { %s } from one that passes { %s }', (inner, outer, expected) => {
    const repository = createRepository(
      [
        {
          path: '.github/workflows/called.yml',
          text: `on: { workflow_call: { inputs: { ${INPUTS} } } }\njobs: { a: { runs-on: "${CHOSEN}", steps: [] } }\n`,
        },
        {
          path: '.github/workflows/middle.yml',
          text: `on: { workflow_call: { inputs: { own: { type: boolean } } } }\njobs: { b: { uses: ./.github/workflows/called.yml, with: { ${inner} } } }\n`,
        },
        {
          path: '.github/workflows/ci.yml',
          text: `on: push\njobs: { c: { uses: ./.github/workflows/middle.yml, with: { ${outer} } } }\n`,
        },
      ],
      'acme/app',
    );
    const job = repository.workflows.find(({ source }) => source.path.endsWith('called.yml'))?.jobs[0] as Job;
    expect(runnerKindIn(job, repository)).toBe(expected);
  });

  it('counts any label as possible after too many callers, and ends in a workflow that calls itself', () => {
    const many = Array.from({ length: 60 }, (_, index) => `name: box-${index}`);
    expect(kindWhen(CHOSEN, many)).toBe('self-hosted');
    const text = `on: { push: {}, workflow_call: { inputs: { ${INPUTS} } } }\njobs:\n  a: { runs-on: "${CHOSEN}", steps: [] }\n  b: { uses: ./.github/workflows/a.yml, with: { private: true } }\n`;
    const repository = createRepository([{ path: '.github/workflows/a.yml', text }], 'acme/app');
    expect(runnerKindIn(repository.workflows[0]?.jobs[0] as Job, repository)).toBe('self-hosted');
  });
});
