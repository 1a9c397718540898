import { describe } from 'vitest';
import { type Files, main, row, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const afterTests = (text: string, started: readonly string[], condition?: string, named = 'Tests'): Files =>
  main(
    workflow(
      { workflow_run: { workflows: ['Tests'] } },
      [`echo "\${{ github.event.workflow_run.${text} }}"`],
      condition === undefined ? {} : { if: condition },
    ),
    { '.github/workflows/tests.yml': workflow(started, ['make'], {}, { name: named }) },
  );

const ATTACKS = [
  row('the branch of a run that a pull request started', afterTests('head_branch', ['pull_request', 'issue_comment'])),
  row(
    'the branch of a run of a workflow that no file shows',
    afterTests('head_branch', ['issues'], undefined, 'Other'),
  ),
  row(
    'the branch of a run that a comment did not start',
    afterTests('head_branch', ['pull_request', 'issues'], "github.event.workflow_run.event != 'issues'"),
  ),
  row('the message of the commit of a pull request', afterTests('head_commit.message', ['pull_request'])),
  row('the name of a run, which a pull request sets by `run-name`', afterTests('name', ['pull_request'])),
  row('the path of a file that a pull request gave the name of another', afterTests('path', ['pull_request'])),
  row('the title of a run that a comment started', afterTests('display_title', ['issue_comment'])),
  row(
    'the title of a run on the default branch that a comment started',
    afterTests(
      'display_title',
      ['issue_comment'],
      'github.event.workflow_run.head_repository.full_name == github.repository',
    ),
  ),
  row(
    'the title of a run of no fork that a comment started',
    afterTests('display_title', ['issues'], '!github.event.workflow_run.head_repository.fork'),
  ),
];

const NEAR = [
  row(
    'the branch of a run on the default branch',
    afterTests('head_branch', ['issue_comment', 'issues', 'discussion', 'schedule', 'workflow_dispatch']),
  ),
  row('the branch of a run that follows another one', afterTests('head_branch', ['workflow_run'])),
  row(
    'the branch of a run that a comment started, by its condition',
    afterTests('head_branch', ['pull_request', 'issue_comment'], "github.event.workflow_run.event == 'issue_comment'"),
  ),
  row('the message of a commit of the default branch', afterTests('head_commit.message', ['issue_comment'])),
  row('the name of the repository of a run of an issue', afterTests('head_repository.description', ['issues'])),
  row(
    'the title of a pull request of the repository itself',
    afterTests(
      'display_title',
      ['pull_request', 'issue_comment'],
      'github.event.workflow_run.head_repository.full_name == github.repository',
    ),
  ),
];

describe('text of the run that a workflow follows', () => {
  testSuite({ rules: ['template-injection'], attacks: ATTACKS, nearMisses: NEAR });
});
