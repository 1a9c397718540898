import { describe } from 'vitest';
import { CALLED, jobs, main, row, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const TITLE = '${{ github.event.issue.title }}';
const BRANCH = '${{ github.event.pull_request.head.ref }}';

const ATTACKS = [
  row('a title in a workflow that only other repositories call', workflow('workflow_call', [`echo "${TITLE}"`])),
  row(
    'a comment that a workflow of other repositories looks for',
    workflow('workflow_call', [
      { id: 'f', uses: 'peter-evans/find-comment@v3', with: { 'issue-number': '1', 'body-includes': 'x' } },
      'test -z "${{ steps.f.outputs.comment-body }}"',
    ]),
  ),
  row(
    'a title through an output in a workflow of other repositories',
    workflow({ workflow_call: { inputs: { x: { type: 'string' } } } }, [
      { id: 'a', env: { T: TITLE }, run: 'echo "t=$T" >> "$GITHUB_OUTPUT"' },
      'echo ${{ steps.a.outputs.t }}',
    ]),
  ),
];

const NEAR = [
  row(
    'the branch of a pull request in a workflow that only other repositories call',
    workflow('workflow_call', [`git log ${BRANCH}`]),
  ),
  row(
    'a comment of a bot that a workflow looks for',
    workflow('issue_comment', [
      { id: 'f', uses: 'peter-evans/find-comment@v3', with: { 'comment-author': 'github-actions[bot]' } },
      'echo "${{ steps.f.outputs.comment-body }}"',
    ]),
  ),
  row(
    'a title in a workflow that a push calls',
    main(jobs('push', { a: { uses: CALLED } }), { [CALLED.slice(2)]: workflow('workflow_call', [`echo "${TITLE}"`]) }),
  ),
  row(
    'a number in a workflow that only other repositories call',
    workflow('workflow_call', ['echo ${{ github.event.issue.number }}']),
  ),
];

describe('workflows that only other repositories call', () => {
  testSuite({ rules: ['template-injection', 'reusable-workflow-taint'], attacks: ATTACKS, nearMisses: NEAR });
});
