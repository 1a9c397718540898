import { describe } from 'vitest';
import {
  CALLED,
  composite,
  type Files,
  jobs,
  LOCAL,
  main,
  row,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const BRANCH = '${{ github.head_ref }}';
const FOLLOWED = '${{ github.event.workflow_run.head_branch }}';
const SHOW = `echo "${BRANCH}"`;

const onPull = (condition: string, run = SHOW): Files =>
  main(workflow('pull_request_target', [run], { if: condition }));
const onComment = (condition: string): Files =>
  main(workflow('issue_comment', ['echo "${{ github.event.comment.body }}"'], { if: condition }));
const after = (branches: readonly string[] | undefined, condition?: string): Files =>
  main(workflow({ workflow_run: { workflows: ['Tests'], branches } }, [`echo "${FOLLOWED}"`], { if: condition }), {
    '.github/workflows/tests.yml': workflow(['push', 'pull_request'], ['make'], {}, { name: 'Tests' }),
  });
const RELEASE = "github.head_ref == 'release'";

const OPEN = [
  row('a branch that a filter names by its start', after(['main', 'release/**'])),
  row('a branch that a filter names by one sign', after(['v?'])),
  row('a filter without a branch', after([])),
  row('all branches but one', after(['**', '!main'])),
  row('a branch of another name', onPull("github.head_ref != 'release'")),
  row('a branch that begins with a name', onPull("startsWith(github.head_ref, 'release')")),
  row('one of two alternatives', onPull(`${RELEASE} || github.event.pull_request.draft`)),
  row('the opposite of a condition', onPull(`!(${RELEASE})`)),
  row('another value of the event', onPull(RELEASE, 'echo "${{ github.event.pull_request.title }}"')),
  row(
    'a value that the author of the pull request also writes',
    onPull('github.head_ref == github.event.pull_request.title'),
  ),
  row(
    'a list that the author of the pull request writes',
    onPull('contains(github.event.pull_request.body, github.head_ref)'),
  ),
  row('a comment with a word', onComment("contains(github.event.comment.body, '/deploy')")),
  row(
    'an alternative for another event',
    main(
      workflow(['pull_request_target', 'workflow_dispatch'], [SHOW], {
        if: `(github.event_name == 'workflow_dispatch' && ${RELEASE}) || github.event_name == 'pull_request_target'`,
      }),
    ),
  ),
  row(
    'a step behind one that is limited',
    jobs('pull_request_target', { a: { steps: [{ if: RELEASE, run: SHOW }, SHOW] } }),
  ),
  row(
    'a job that runs although the limited one did not',
    jobs('pull_request_target', {
      a: { if: RELEASE, steps: ['make'] },
      b: { needs: 'a', if: 'always()', steps: [SHOW] },
    }),
  ),
  row('a called workflow that another job calls without a limit', {
    '.github/workflows/main.yml': jobs('pull_request_target', {
      a: { if: RELEASE, uses: CALLED },
      b: { uses: CALLED },
    }),
    [CALLED.slice(2)]: workflow('workflow_call', [SHOW]),
  }),
];

const LIMITED = [
  row('the branch of a filter', after(['main'])),
  row('the branches of a filter', after(['main', 'release/v1'])),
  row('the branch of a condition', after(undefined, "github.event.workflow_run.head_branch == 'main'")),
  row(
    'the default branch',
    after(undefined, 'github.event.workflow_run.head_branch == github.event.repository.default_branch'),
  ),
  row('the branch of a variable', onPull('github.head_ref == vars.RELEASE_BRANCH')),
  row('a branch under its other name', onPull("github.event.pull_request.head.ref == 'release'")),
  row('a name on the left', onPull("'release' == github.head_ref && github.event.pull_request.merged")),
  row('one of two names', onPull(`${RELEASE} || github.head_ref == 'next'`)),
  row('one of a list of names', onPull(`contains(fromJSON('["release", "next"]'), github.head_ref)`)),
  row('a comment as a whole', onComment("github.event.comment.body == '/deploy'")),
  row('an alternative that this event never meets', onPull(`github.event_name == 'push' || ${RELEASE}`)),
  row('a step with the condition', jobs('pull_request_target', { a: { steps: [{ if: RELEASE, run: SHOW }] } })),
  row(
    'a job behind one that is limited',
    jobs('pull_request_target', { a: { if: RELEASE, steps: ['make'] }, b: { needs: 'a', steps: [SHOW] } }),
  ),
  row('a composite action that a limited step uses', {
    '.github/workflows/main.yml': jobs('pull_request_target', {
      a: { steps: [{ uses: 'actions/checkout@v4' }, { if: RELEASE, uses: LOCAL }] },
    }),
    ...composite([SHOW]),
  }),
  row('a called workflow whose only call is limited', {
    '.github/workflows/main.yml': jobs('pull_request_target', { a: { if: RELEASE, uses: CALLED } }),
    [CALLED.slice(2)]: workflow('workflow_call', [SHOW]),
  }),
];

describe('text that a condition limits to names that the files contain', () => {
  testSuite({ rules: ['template-injection'], attacks: OPEN, nearMisses: LIMITED });
});
