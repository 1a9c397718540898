import { JOBS, job, PATH, STEPS, steps, upTo } from './growing-parts.ts';

const AFTER_BUILD = '{ workflow_run: { workflows: [Build], types: [completed] } }';
const BUILD = {
  '.github/workflows/build.yml':
    'name: Build\non: pull_request\njobs: { a: { runs-on: x, steps: [{ run: make }, { uses: actions/upload-artifact@v4, with: { name: out, path: out } }] } }\n',
};
const DOWNLOAD =
  '    - { uses: actions/download-artifact@v4, with: { name: out, path: out, run-id: "${{ github.event.workflow_run.id }}", github-token: "${{ github.token }}" } }\n';
const composite = (bytes: number, each: (index: number) => string): string =>
  `runs:\n  using: composite\n  steps:\n${upTo(bytes, (index) => `    - { shell: bash, run: '${each(index)}' }\n`, STEPS)}`;

export const GROWING_REPOSITORIES: Readonly<Record<string, (bytes: number) => Record<string, string>>> = {
  'small files': (bytes) =>
    Object.fromEntries(
      Array.from({ length: Math.round(bytes / 250) }, (_, index) => [
        `.github/workflows/w${index}.yml`,
        job(`    - uses: a/b@v1\n    - run: echo \${{ github.head_ref }}\n`).padEnd(250, '#'),
      ]),
    ),
  'workflows that call each other': (bytes) =>
    Object.fromEntries(
      Array.from({ length: Math.round(bytes / 300) }, (_, index) => [
        `.github/workflows/w${index}.yml`,
        `on: { workflow_call: { inputs: { v: { type: string } } }, issues: }\njobs:\n  a:\n    uses: ./.github/workflows/w${index + 1}.yml\n    with: { v: "\${{ inputs.v }}" }\n  b:\n    runs-on: x\n    steps: [{ run: "echo \${{ inputs.v }}" }]\n`,
      ]),
    ),
  'a workflow that all others call': (bytes) => ({
    '.github/workflows/called.yml': `on: workflow_call\njobs:\n${upTo(
      bytes / 2,
      (index) =>
        `  j${index}:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with: { ref: "\${{ github.event.pull_request.head.ref }}" }\n      - run: make\n`,
      JOBS,
    )}`,
    ...Object.fromEntries(
      Array.from({ length: Math.round(bytes / 200) }, (_, index) => [
        `.github/workflows/w${index}.yml`,
        `on: { pull_request_target: { types: [labeled] } }\njobs: { a: { uses: ./.github/workflows/called.yml } }\n`,
      ]),
    ),
  }),
  'jobs that need calls of a workflow with many jobs': (bytes) => ({
    '.github/workflows/called.yml': `on: workflow_call\njobs:\n${upTo(
      bytes / 2,
      (index) => `  j${index}: { runs-on: x, steps: [{ run: "make \${{ github.head_ref }}" }] }\n`,
      JOBS,
    )}`,
    [PATH]: `on: pull_request_target\njobs:\n${upTo(
      bytes / 2,
      (index) =>
        `  j${index}:\n    needs: [${index === 0 ? '' : `j${index - 1}`}]\n    uses: ./.github/workflows/called.yml\n`,
      JOBS,
    )}`,
  }),
  'workflows that wait for each other': (bytes) =>
    Object.fromEntries(
      Array.from({ length: Math.round(bytes / 250) }, (_, index) => [
        `.github/workflows/w${index}.yml`,
        `name: w${index}\non: { workflow_run: { workflows: [w${index - 1}, w${index + 1}], types: [completed] } }\njobs: { a: { runs-on: x, steps: [{ uses: actions/download-artifact@v4 }, { run: make }] } }\n`,
      ]),
    ),
  'actions that call each other': (bytes) => ({
    [PATH]: job('    - uses: ./a0\n      with: { v: "${{ github.head_ref }}" }\n'),
    ...Object.fromEntries(
      Array.from({ length: Math.round(bytes / 250) }, (_, index) => [
        `a${index}/action.yml`,
        `inputs: { v: { required: true } }\nruns:\n  using: composite\n  steps:\n    - uses: ./a${index + 1}\n      with: { v: "\${{ inputs.v }}" }\n    - run: echo \${{ inputs.v }}\n      shell: bash\n`,
      ]),
    ),
  }),
  'steps that each download an artifact': (bytes) => ({
    [PATH]: job(
      upTo(
        bytes,
        (index) =>
          `    - run: 'gh run download "$RUN" -n out -D o${index}; bash o${index}/x; echo "A=$(cat o${index}/y)" >> $GITHUB_ENV'\n`,
        STEPS,
      ),
      AFTER_BUILD,
    ),
    ...BUILD,
  }),
  'downloads of artifacts': (bytes) => ({
    [PATH]: job(
      upTo(bytes, () => `${DOWNLOAD}    - run: cat x\n`, STEPS / 2),
      AFTER_BUILD,
    ),
    ...BUILD,
  }),
  'uses and steps of an action after a download': (bytes) => ({
    [PATH]: job(DOWNLOAD + upTo(bytes / 2, () => '    - uses: ./x\n', STEPS - 1), AFTER_BUILD),
    'x/action.yml': composite(bytes / 2, (index) => `echo ${index} > f${index}; bash f${index}`),
    ...BUILD,
  }),
  'uses and steps of an action that merges': (bytes) => ({
    [PATH]: `permissions: write-all\n${steps(bytes / 2, () => '    - uses: ./x\n')}`,
    'x/action.yml': composite(bytes / 2, () => 'gh pr merge --admin "$N"'),
  }),
  'updates of Dependabot': (bytes) => ({
    '.github/dependabot.yml': `version: 2\nupdates:\n${upTo(bytes, (index) => `  - package-ecosystem: npm\n    directory: /d${index}\n    schedule: { interval: daily }\n`)}`,
  }),
  'entries of a lockfile': (bytes) => ({
    [PATH]: steps(bytes / 2, (index) => `    - uses: a/b${index}@v1\n`),
    '.github/workflows/actions.lock': `version: 1\nworkflows:\n  .github/workflows/a.yml:\n${upTo(bytes / 4, (index) => `    - a/b${index}@v1\n`)}actions:\n${upTo(bytes / 4, (index) => `  a/b${index}@v1: { commit: ${String(index).padStart(40, '0')} }\n`)}`,
  }),
  'entries of the configuration': (bytes) => ({
    [PATH]: steps(bytes / 2, () => '    - uses: a/b@v1\n'),
    '.github/chainbreak.yml': `ignore:\n${upTo(bytes / 2, (index) => `  - { rule: unpinned-uses, path: x${index}.yml, reason: r }\n`)}`,
  }),
};
