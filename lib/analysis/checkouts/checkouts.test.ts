import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { enterpriseServer, GITHUB_COM } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { guardOf } from '../reachability/refused-checkouts.ts';
import { executionsAfter } from '../workspace/workspace-execution.ts';
import { type Checkout, checkoutsIn, outsiderCheckouts } from './checkouts.ts';

function read(...lines: readonly string[]): { readonly job: Job; readonly repository: Repository } {
  const repository = createRepository([{ path: '.github/workflows/a.yml', text: lines.join('\n') }]);
  return { job: repository.workflows[0]?.jobs[0] as Job, repository };
}

function steps(on: string, ...lines: readonly string[]): { readonly job: Job; readonly repository: Repository } {
  return read(
    `on: ${on}`,
    'jobs:',
    '  a:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    ...lines.map((l) => `      ${l}`),
  );
}

function checkoutsOf({ job, repository }: ReturnType<typeof read>): readonly Checkout[] {
  const trigger = job.workflow.triggers[0];
  if (trigger === undefined) throw new TypeError('no trigger');
  return checkoutsIn(job, { event: trigger.event, trigger }, repository);
}

const describeCheckout = ({ by, folder, foreign, guard }: Checkout): string =>
  [by, folder ?? '?', foreign?.ref ?? 'own', foreign?.moves === true ? 'moves' : 'fixed', guard].join(' ');

const SHA = `\${{ github.event.pull_request.head.sha }}`;
const NUMBER = `\${{ github.event.issue.number }}`;

describe('what a step checks out', () => {
  it.each([
    ['', 'action  own fixed absent'],
    [`ref: "${SHA}"`, 'action  sha fixed enforced'],
    [`ref: "${SHA}", path: ./pr/`, 'action pr sha fixed enforced'],
    [`ref: "${SHA}", path: "\${{ env.X }}"`, 'action ? sha fixed enforced'],
    [`ref: "${SHA}", allow-unsafe-pr-checkout: true`, 'action  sha fixed opted-out'],
    [`ref: "${SHA}", allow-unsafe-pr-checkout: false`, 'action  sha fixed enforced'],
    [`ref: "\${{ github.head_ref }}"`, 'action  own fixed absent'],
    [
      `ref: "\${{ github.head_ref }}", repository: "\${{ github.event.pull_request.head.repo.full_name }}"`,
      'action  branch moves enforced',
    ],
    [`ref: "refs/pull/\${{ github.event.number }}/merge"`, 'action  merge moves enforced'],
    [`ref: "\${{ format('refs/pull/{0}/head', github.event.number) }}"`, 'action  branch moves enforced'],
    [`ref: "\${{ github.event.pull_request.merge_commit_sha }}"`, 'action  merge fixed enforced'],
    [`ref: "\${{ github.event.pull_request.base.sha }}"`, 'action  own fixed absent'],
    [
      `ref: "\${{ github.event_name == 'push' && github.event.pull_request.head.sha || '' }}"`,
      'action  own fixed absent',
    ],
  ])('with { %s } is %s', (inputs, expected) => {
    const job = steps('pull_request_target', `- { uses: actions/checkout@v4, with: { ${inputs} } }`);
    expect(checkoutsOf(job).map(describeCheckout)).toEqual([expected]);
  });

  it('is traced through env, outputs of steps and jobs, and callers’ inputs', () => {
    const repository = createRepository([
      {
        path: '.github/workflows/called.yml',
        text: [
          'on: { workflow_call: { inputs: { ref: { type: string } } } }',
          'jobs:',
          '  a:',
          '    runs-on: ubuntu-latest',
          '    env: { REF: "${{ inputs.ref }}" }',
          '    steps: [{ uses: actions/checkout@v4.1.0, with: { ref: "${{ env.REF }}" } }]',
        ].join('\n'),
      },
      {
        path: '.github/workflows/caller.yml',
        text: [
          'on: pull_request_target',
          'jobs:',
          '  call:',
          '    uses: ./.github/workflows/called.yml',
          `    with: { ref: "${SHA}" }`,
        ].join('\n'),
      },
    ]);
    const job = repository.workflowAt('.github/workflows/called.yml')?.jobs[0] as Job;
    expect(outsiderCheckouts(job, repository).map(describeCheckout)).toEqual(['action  sha fixed absent']);
  });

  function inLastJob(files: Readonly<Record<string, string>>): string[] {
    const repository = createRepository(
      Object.entries(files).map(([name, text]) => ({
        path: name.includes('/') ? name : `.github/workflows/${name}`,
        text,
      })),
    );
    const job = repository.workflowAt('.github/workflows/a.yml')?.jobs.at(-1) as Job;
    return outsiderCheckouts(job, repository).map(describeCheckout);
  }

  const checkout = (ref: string): string =>
    `    runs-on: x\n    steps: [{ uses: actions/checkout@v4.1.0, with: { ref: "\${{ ${ref} }}" } }]\n`;

  it('is traced through a matrix', () => {
    const job = (key: string): string =>
      `on: pull_request_target\njobs:\n  a:\n    strategy: { matrix: { head: ["${SHA}"], base: [main] } }\n${checkout(`matrix.${key}`)}`;
    expect(inLastJob({ 'a.yml': job('head') })).toEqual(['action  sha fixed absent']);
    expect(inLastJob({ 'a.yml': job('base') })).toEqual([]);
  });

  it('is traced through the outputs of a called workflow, and the inputs of that call', () => {
    const called =
      'on:\n  workflow_call:\n    inputs: { ref: { type: string } }\n    outputs: { ref: { value: "${{ jobs.b.outputs.ref }}" } }\njobs:\n  b:\n    runs-on: x\n    outputs: { ref: "${{ inputs.ref }}" }\n    steps: [run: make]\n';
    const calls = (call: string): string =>
      `on: pull_request_target\njobs:\n  head: { uses: ./.github/workflows/b.yml, with: { ref: "${SHA}" } }\n  base: { uses: ./.github/workflows/b.yml, with: { ref: main } }\n  a:\n    needs: [head, base]\n${checkout(`needs.${call}.outputs.ref`)}`;
    expect(inLastJob({ 'b.yml': called, 'a.yml': calls('head') })).toEqual(['action  sha fixed absent']);
    expect(inLastJob({ 'b.yml': called, 'a.yml': calls('base') })).toEqual([]);
  });

  it('is traced through the outputs of a composite action', () => {
    const action =
      'inputs: { ref: {} }\noutputs: { ref: { value: "${{ steps.x.outputs.ref }}" } }\nruns:\n  using: composite\n  steps:\n    - id: x\n      shell: bash\n      env: { REF: "${{ inputs.ref }}" }\n      run: echo "ref=$REF" >> "$GITHUB_OUTPUT"\n';
    const text = (passed: string): string =>
      `on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - { id: ref, uses: ./act, with: { ref: "${passed}" } }\n      - { uses: actions/checkout@v4.1.0, with: { ref: "\${{ steps.ref.outputs.ref }}" } }\n`;
    expect(inLastJob({ 'act/action.yml': action, 'a.yml': text(SHA) })).toEqual(['action  sha fixed absent']);
    expect(inLastJob({ 'act/action.yml': action, 'a.yml': text('main') })).toEqual([]);
  });

  it.each([
    ['a here-document', `cat << EOF >> "$GITHUB_OUTPUT"\nref=$HEAD\nEOF`],
    ['a group of commands', `{ echo "x=1"; echo "ref=$HEAD"; } >> "$GITHUB_OUTPUT"`],
    ['printf', `printf 'ref=%s\\n' "$HEAD" >> "$GITHUB_OUTPUT"`],
    ['tee', `echo "ref=$HEAD" | tee -a "$GITHUB_OUTPUT"`],
    ['a variable that is made of itself', `HEAD="\${HEAD#x}"; echo "ref=$HEAD" >> "$GITHUB_OUTPUT"`],
  ])('is traced through an output written by %s', (_, script) => {
    const job = steps(
      'pull_request_target',
      `- id: x`,
      `  env: { HEAD: "${SHA}" }`,
      '  run: |',
      ...script.split('\n').map((line) => `    ${line}`),
      '- { uses: actions/checkout@v4.1.0, with: { ref: "${{ steps.x.outputs.ref }}" } }',
    );
    expect(checkoutsOf(job).map(describeCheckout)).toEqual(['action  sha fixed absent']);
  });

  it('combines a number in a variable with the ref around it', () => {
    const job = steps(
      'pull_request_target',
      '- uses: actions/checkout@v4.1.0',
      '  env: { N: "${{ github.event.number }}" }',
      '  with: { ref: "refs/pull/${{ env.N }}/merge" }',
    );
    expect(checkoutsOf(job).map(describeCheckout)).toEqual(['action  merge moves absent']);
  });

  it('ignores values of other events, and the base of a looked-up pull request', () => {
    expect(
      checkoutsOf(
        steps(
          'pull_request_target',
          '- { uses: actions/checkout@v4, with: { ref: "${{ github.event.inputs.sha || github.sha }}" } }',
        ),
      ).map(describeCheckout),
    ).toEqual(['action  own fixed absent']);
    const job = steps(
      'issue_comment',
      '- run: |',
      '    PR=$(gh pr view $N --json headRefOid,baseRefOid)',
      `    BASE=$(jq -r '.base.sha' <<< "$PR")`,
      '    git checkout "$BASE"',
    );
    expect(checkoutsOf(job)).toEqual([]);
  });

  it('is not protected by the guard if the commit is looked up, since the author may have pushed since', () => {
    const job = steps(
      'pull_request_target',
      '- id: pr',
      '  uses: actions/github-script@v8',
      '  with:',
      "    script: core.setOutput('sha', (await github.rest.pulls.get(context.issue)).data.head.sha)",
      '- { uses: actions/checkout@v7, with: { ref: "${{ steps.pr.outputs.sha }}" } }',
    );
    expect(checkoutsOf(job).map(describeCheckout)).toEqual(['action  sha moves absent']);
  });

  it.each([
    ['gh pr checkout "$N"', ['gh  branch moves absent']],
    ['gh pr checkout 12', []],
    ['git fetch origin "pull/$N/head:pr"', []],
    ['git fetch origin "pull/$N/head:pr" && git diff main...pr', []],
    ['git fetch origin "pull/$N/head:pr" && git checkout pr', ['git  branch moves absent']],
    ['git fetch origin "refs/pull/$N/merge"; git checkout -b x FETCH_HEAD', ['git  merge moves absent']],
    ['git fetch fork "refs/pull/*/merge:refs/remotes/fork/*"; git checkout fork/1', ['git  merge moves absent']],
    [
      'git fetch up refs/pull/*/merge:refs/remotes/up/pull/*/merge; git checkout up/pull/$N/merge -b x',
      ['git  merge moves absent'],
    ],
    ['git pull origin "pull/$N/head"', ['git  branch moves absent']],
    ['git fetch origin main; git checkout FETCH_HEAD', []],
    ['git checkout main', ['git  own fixed absent']],
    ['cd sub && git -C deeper pull origin "pull/$N/head"', ['git sub/deeper branch moves absent']],
    ['S=$(gh pr view $N --json headRefOid --jq .headRefOid); git checkout "$S"', ['git  sha moves absent']],
  ])('%s', (command, expected) => {
    const job = steps('issue_comment', '- run: |', `    ${command}`, `  env: { N: "${NUMBER}" }`);
    expect(checkoutsOf(job).map(describeCheckout)).toEqual(expected);
  });
});

describe('the guard of actions/checkout', () => {
  it.each([
    ['v4', 'enforced'],
    ['v7', 'enforced'],
    ['v1', 'absent'],
    ['main', 'enforced'],
    ['v4.3.1', 'absent'],
    ['v4.4.0', 'enforced'],
    ['v6.0.3', 'absent'],
    ['v6.1.2', 'enforced'],
    ['v8.0.0', 'enforced'],
    ['11d5960a326750d5838078e36cf38b85af677262', 'enforced'],
    ['08eba0b27e820071cde6df949e0beb9ba4906955 # v4.4.0', 'absent'],
    ['0000000000000000000000000000000000000000', 'absent'],
    ['0000000000000000000000000000000000000000 # v9.0.0', 'enforced'],
  ])('of %s is %s', (ref, expected) => {
    const { job } = steps('pull_request_target', `- uses: actions/checkout@${ref}`);
    expect(job.steps.map((step) => guardOf(step, { platform: GITHUB_COM }))).toEqual([expected]);
  });

  it.each([
    ['v4', 'absent'],
    ['main', 'absent'],
    ['v4.4.0', 'enforced'],
    ['11d5960a326750d5838078e36cf38b85af677262', 'enforced'],
  ])('of %s is %s on Enterprise Server, which may mirror an older release', (ref, expected) => {
    const platform = enterpriseServer('3.19');
    const { job } = steps('pull_request_target', `- uses: actions/checkout@${ref}`);
    expect(job.steps.map((step) => (platform === undefined ? '' : guardOf(step, { platform })))).toEqual([expected]);
  });

  it.each(['3.19', '3.19.2', '3.20.0'])('accepts a version such as %s', (version) => {
    expect(enterpriseServer(version)?.does('read-only-cache')).toBe(false);
  });

  it.each(['', 'v3', 'latest', '3.x', '1e9'])('rejects the version "%s"', (version) => {
    expect(enterpriseServer(version)).toBeUndefined();
  });
});

function runs(on: string, ...lines: readonly string[]): string[] {
  const job = steps(on, ...lines);
  const all = checkoutsOf(job);
  return all.flatMap((checkout) =>
    checkout.foreign === undefined ? [] : executionsAfter(checkout, all).map((found) => `${found.runs} ${found.what}`),
  );
}

describe('what runs after a checkout', () => {
  const atRoot = `- { uses: actions/checkout@v4, with: { ref: "${SHA}" } }`;
  const below = `- { uses: actions/checkout@v4, with: { ref: "${SHA}", path: pr } }`;

  it.each([
    ['npm ci', ['certain npm ci']],
    ['npm ci --ignore-scripts', []],
    ['npm install -g typescript', []],
    ['npm --version', []],
    ['timeout 60 npm test', ['certain timeout 60 npm test']],
    ['./build.sh', ['certain ./build.sh']],
    ['curl -o tool https://example.org/tool; ./tool', ['likely ./tool']],
    ['curl -o tool https://example.org/tool; ./tool --version', []],
    ['bash scripts/a.sh', ['certain bash scripts/a.sh']],
    ['bash -c "echo hi"', []],
    ['source .venv/bin/activate', []],
    ['pip install -r requirements.txt', ['certain pip install -r requirements.txt']],
    ['pip install black', []],
    ['python -m pip download -r requirements.txt', []],
    ['go build ./...', []],
    ['go test ./...', ['certain go test ./...']],
    ['cd /tmp && make', []],
    ['git diff; grep -r x .; cat README.md', []],
  ])('includes commands in the workspace: %s', (command, expected) => {
    expect(
      runs('pull_request_target', atRoot, '- run: |', ...command.split('\n').map((line) => `    ${line}`)),
    ).toEqual(expected);
  });

  it.each([
    ['npm ci', []],
    ['cd pr && npm ci', ['certain npm ci']],
    ['(cd pr && make) \nmake', ['certain make']],
    ['npm --prefix pr ci', ['certain npm --prefix pr ci']],
    ['make -C pr/sub', ['certain make -C pr/sub']],
    ['make -C prx', []],
    ['./pr/a.sh', ['certain ./pr/a.sh']],
    ['cd pr/.. && make', []],
  ])('includes commands in the folder pr: %s', (command, expected) => {
    expect(runs('pull_request_target', below, '- run: |', ...command.split('\n').map((line) => `    ${line}`))).toEqual(
      expected,
    );
  });

  it('ends when the repository’s own code is checked out again', () => {
    expect(runs('pull_request_target', '- run: make', atRoot, '- uses: actions/checkout@v4', '- run: make')).toEqual(
      [],
    );
    expect(runs('pull_request_target', below, '- uses: ./pr/action', '- uses: ./action')).toEqual([
      'certain the action ./pr/action',
    ]);
    expect(
      runs('pull_request_target', atRoot, '- { uses: actions/checkout@v4, with: { path: base } }', '- uses: ./base'),
    ).toEqual([]);
  });
});
