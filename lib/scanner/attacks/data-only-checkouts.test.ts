import { describe } from 'vitest';
import { row, type StepLike, script, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const REF = '${{ github.event.pull_request.head.sha }}';
const KEY = { KEY: '${{ secrets.KEY }}' };
const REPLY = script("await github.rest.issues.createComment({ ...context.repo, issue_number: 1, body: 'Done' })");
const BRANCH = { HEAD_REF: '${{ github.event.pull_request.head.ref }}' };

const checkout = (path?: string): StepLike => ({
  uses: 'actions/checkout@v4.1.0',
  with: { ref: REF, ...(path === undefined ? {} : { path }) },
});
const after = (name: string, ...steps: readonly StepLike[]): ReturnType<typeof row> =>
  row(name, workflow('pull_request_target', [checkout(), ...steps]));
const beside = (name: string, ...steps: readonly StepLike[]): ReturnType<typeof row> =>
  row(name, workflow('pull_request_target', [{ uses: 'actions/checkout@v4' }, checkout('pr'), ...steps]));
const talking = (name: string, run: StepLike, permissions: object): ReturnType<typeof row> =>
  row(
    name,
    workflow('pull_request_target', [{ uses: 'actions/checkout@v4' }, checkout('pr'), run], {}, { permissions }),
  );

const ATTACKS = [
  after('a tool that is not known', 'frobnicate --all'),
  after('an action that is not known', { uses: 'acme/lint@v1' }),
  after('a push to a named branch', 'git commit -am x && git push origin HEAD:main'),
  after('a push to the base', { env: { BASE_REF: '${{ github.base_ref }}' }, run: 'git push origin "HEAD:$BASE_REF"' }),
  after('a merge into another branch', 'git switch release\ngit merge pr\ngit push'),
  after('hooks among the files', 'git config core.hooksPath hooks\ngit commit -m x'),
  after('a rebase that runs a program', 'git rebase --exec ./test.sh origin/main'),
  after('a merge by the API', 'gh pr merge 1 --squash'),
  after('a change by the API', 'gh api -X PUT repos/acme/app/pulls/1/merge'),
  after('a filter that starts programs', "awk '{ system($1) }' list.txt"),
  after('variables of later steps', 'cat values.env >> "$GITHUB_ENV"'),
  after('a shell that is not read', { shell: 'pwsh', run: 'git diff' }),
  after('a script of the workspace', script("require('./tool.js')()")),
  beside('an own program in the folder', { run: './check.sh', 'working-directory': 'pr' }),
  beside('an own program that is given the folder', './scripts/format.sh pr'),
  beside('an own program that is given a script', './scripts/run.sh pr/build.sh'),
  beside('an own program that is given the folder by a variable', {
    run: './scripts/format.sh config.json',
    env: { TREE: 'pr' },
  }),
  beside('an own program that may know the folder', './scripts/format.sh'),
  beside('a folder that a step names', './scripts/format.sh "$TREE"'),
  beside('its own code', 'pip install ./pr', 'cat pr/list.txt'),
  beside('a push from another folder', 'cp -r pr/docs site', 'cd site && git add . && git push'),
  row(
    'a fetched pull request that is pushed',
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v4' },
      'git fetch origin "pull/${{ github.event.number }}/head" && git checkout FETCH_HEAD && git push',
    ]),
  ),
  talking('an unknown tool beside a secret', { run: 'frobnicate pr', env: KEY }, { 'pull-requests': 'write' }),
  talking('an unknown tool beside a token that pushes', 'frobnicate pr', { contents: 'write' }),
];

const NEAR = [
  after('nothing'),
  after('a difference', 'git diff --stat origin/main > diff.txt\nwc -l diff.txt', {
    uses: 'actions/upload-artifact@v4',
    with: { path: 'diff.txt' },
  }),
  after('a patch that goes back to the pull request', {
    env: BRANCH,
    run: 'git apply "$RUNNER_TEMP/x.patch"\ngit add -A\nif ! git push origin "HEAD:$HEAD_REF"; then exit 1; fi',
  }),
  after('a copy', 'cp "$RUNNER_TEMP/a.json" data/\ngit commit -am x\ngit push', REPLY),
  after('files of the base', 'git checkout origin/main -- tools/'),
  after('a parser of data', "jq -r .version package.json | grep -E '^[0-9.]+$'"),
  after('a reader of the API', 'gh pr view 1 --json files && gh api repos/acme/app/pulls/1/files'),
  after('a program of its own that is set up', { uses: 'actions/setup-python@v6' }, 'pip install requests==2.32.0'),
  after('a function', 'show() { cat "$1"; }\nshow list.txt'),
  beside('an own program that is given data', './scripts/read.py --config pr/config.json'),
  beside('an own program that is given data through a variable', {
    run: 'python3 scripts/read.py "$TREE/config.json"',
    env: { TREE: 'pr' },
  }),
  talking('an unknown tool beside a token that comments', 'frobnicate pr', { 'pull-requests': 'write' }),
];

describe('checkouts of which nothing runs', () => {
  testSuite({ rules: ['untrusted-checkout'], attacks: ATTACKS, nearMisses: NEAR });
});

const opted = (name: string, ...steps: readonly StepLike[]): ReturnType<typeof row> =>
  row(
    name,
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v7', with: { ref: REF, 'allow-unsafe-pr-checkout': true } },
      ...steps,
    ]),
  );

describe('checkouts that a workflow allows', () => {
  testSuite({
    rules: ['unsafe-pr-checkout-opt-in'],
    attacks: [
      opted('a tool that is not known', 'frobnicate --all'),
      opted('a program of it', 'make'),
      opted('a push to main', 'git push origin HEAD:main'),
    ],
    nearMisses: [opted('a commit', { env: BRANCH, run: 'git commit -am x && git push origin "HEAD:$HEAD_REF"' })],
  });
});

describe('privileged jobs that check outsiders’ files out', () => {
  testSuite({
    rules: ['dangerous-triggers'],
    attacks: [
      after('a tool that is not known', 'frobnicate --all'),
      after('text beside data', 'echo "${{ github.event.pull_request.title }}"'),
    ],
    nearMisses: [after('a commit', { env: BRANCH, run: 'git commit -am x && git push origin "HEAD:$HEAD_REF"' })],
  });
});
