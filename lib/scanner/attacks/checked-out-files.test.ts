import { describe } from 'vitest';
import { composite, LOCAL, main, row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const HEAD: StepLike = {
  uses: 'actions/checkout@v4.1.0',
  with: { ref: '${{ github.event.pull_request.head.sha }}' },
};
const BASE: StepLike = { uses: 'actions/checkout@v4.1.0' };
const VALUE = '${{ steps.read.outputs.value }}';
const USE = `pip install tool==${VALUE}`;

const onTarget = (...steps: StepLike[]): string => workflow('pull_request_target', steps);
const reads = (run: string): StepLike => ({ id: 'read', run });
const action = (uses: string, given: object): StepLike => ({ id: 'read', uses, with: given });
const prints = (from: string): StepLike => reads(`echo "value=$(${from})" >> "$GITHUB_OUTPUT"`);
const NUMBER = { issue: '${{ github.event.issue.number }}' };
const PROCESSOR = 'other/issue-form-processor@v1';

describe('text from files of a checkout', () => {
  testSuite({
    rules: ['template-injection'],
    attacks: [
      row('a file that cat prints', onTarget(HEAD, prints('cat VERSION'), USE)),
      row('a field that jq prints', onTarget(HEAD, prints('jq -r .version package.json'), USE)),
      row('a line that grep finds', onTarget(HEAD, prints("grep '^version' setup.cfg"), USE)),
      row('a file in a variable', onTarget(HEAD, reads('v=$(<VERSION)\necho "value=$v" >> "$GITHUB_OUTPUT"'), USE)),
      row(
        'a file in a folder of its own',
        onTarget(
          { uses: 'actions/checkout@v4.1.0', with: { ref: '${{ github.event.pull_request.head.sha }}', path: 'pr' } },
          prints('cat pr/VERSION'),
          USE,
        ),
      ),
      row(
        'a file that a composite reads',
        main(onTarget(HEAD, { uses: LOCAL }), composite([prints('cat VERSION'), USE])),
      ),
      row('an action that reads a file', onTarget(HEAD, action('other/read-yaml@v1', { config: 'a.yml' }), USE)),
      row(
        'an action that is given a full path',
        onTarget(HEAD, action('other/json-parser@v2', { file: '${{ github.workspace }}/a.json' }), USE),
      ),
      row('an action that reads an issue', workflow('issues', [action(PROCESSOR, NUMBER), `echo "${VALUE}"`])),
    ],
    nearMisses: [
      row('the same of the repository’s own files', onTarget(BASE, prints('cat VERSION'), USE)),
      row('a file read before the checkout', onTarget(BASE, prints('cat VERSION'), HEAD, USE)),
      row('a file of a later checkout of the base', onTarget(HEAD, BASE, prints('cat VERSION'), USE)),
      row('a file of the system', onTarget(HEAD, prints('cat /etc/os-release'), USE)),
      row(
        'a file beside the folder of the checkout',
        onTarget(
          BASE,
          { ...HEAD, with: { ...(HEAD as { with: object }).with, path: 'pr' } },
          prints('cat VERSION'),
          USE,
        ),
      ),
      row(
        'a value that a pattern checks',
        onTarget(
          HEAD,
          reads('v=$(cat VERSION)\n[[ "$v" =~ ^[0-9.]+$ ]] || exit 1\necho "value=$v" >> "$GITHUB_OUTPUT"'),
          USE,
        ),
      ),
      row(
        'a value in a variable',
        onTarget(HEAD, prints('cat VERSION'), { run: 'pip install "tool==$V"', env: { V: VALUE } }),
      ),
      row(
        'an action of the host that reads a version',
        onTarget(HEAD, action('actions/setup-node@v4', { 'node-version-file': 'package.json' }), USE),
      ),
      row('an action that is given no file', onTarget(HEAD, action('other/read-yaml@v1', { text: 'a' }), USE)),
      row('an action that builds', onTarget(HEAD, action('other/deployer@v1', { config: 'a.yml' }), USE)),
      row(
        'a run without privileges',
        workflow('pull_request', [BASE, prints('cat VERSION'), USE], {}, { permissions: { contents: 'read' } }),
      ),
      row(
        'the number of an issue',
        workflow('issues', [action(PROCESSOR, NUMBER), 'echo "${{ steps.read.outputs.issue-id }}"']),
      ),
      row(
        'an action that labels issues',
        workflow('issues', [action('other/issue-labeler@v1', NUMBER), `echo "${VALUE}"`]),
      ),
    ],
  });
});
