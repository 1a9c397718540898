import { describe } from 'vitest';
import { jobs, main, row, type StepLike, script, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const BRANCH = '${{ github.head_ref }}';
const FORK = '${{ github.event.pull_request.head.repo.full_name }}';
const NUMBER = '${{ github.event.number }}';
const LABEL = "contains(github.event.pull_request.labels.*.name, 'ok-to-test')";
const BOT = "github.actor == 'dependabot[bot]'";

const checkout = (inputs: object = {}): StepLike => ({ uses: 'actions/checkout@v4.1.0', with: inputs });
const forBot = (steps: readonly StepLike[], condition = BOT): string =>
  workflow('pull_request_target', steps, { if: condition });

const PUSH = 'make sync\ngit commit -am sync\ngit push';
const MERGE = 'gh pr merge --auto "$URL"';

const APPROVE = 'gh pr review --approve "$URL"';
const elsewhere = (text: string): Readonly<Record<string, string>> => ({ '.github/workflows/other.yml': text });
const create = (id: string): StepLike => ({ id, uses: 'peter-evans/create-pull-request@v7' });

const ATTACKS = [
  row('an approval and a merge', forBot([APPROVE, MERGE])),
  row('an approval, and a merge by the same script', forBot([`${APPROVE}\n${MERGE}`])),
  row(
    'an approval, and a merge of what is approved elsewhere',
    main(forBot([APPROVE]), elsewhere(workflow('pull_request_review', [MERGE]))),
  ),
  row(
    'an approval, and a script that merges now and then',
    main(forBot([APPROVE]), elsewhere(workflow('schedule', [script('await github.rest.pulls.merge({ ...pull });')]))),
  ),
  row(
    'an approval, and a call that merges',
    main(forBot([APPROVE]), elsewhere(workflow('check_suite', ['gh api -X PUT "repos/o/r/pulls/$N/merge"']))),
  ),
  row(
    'an approval, and an action that merges',
    main(forBot([APPROVE]), elsewhere(workflow('status', [{ uses: 'acme/merge-ready@v1' }]))),
  ),
  row(
    'an approval, and a workflow of another repository that merges',
    main(forBot([APPROVE]), elsewhere(jobs('status', { all: { uses: 'acme/shared/.github/workflows/merge.yml@v1' } }))),
  ),
  row(
    'an approval, and a script of the repository that merges',
    main(forBot([APPROVE]), elsewhere(workflow('schedule', ['node tools/auto-merge.js']))),
  ),
  row(
    'an approval, and a run for auto-merge',
    main(forBot([APPROVE]), elsewhere(workflow({ pull_request: { types: ['auto_merge_enabled'] } }, ['make']))),
  ),
  row(
    'an approval, and a merge of another pull request than the one created before',
    main(
      forBot([APPROVE]),
      elsewhere(
        workflow('schedule', [create('made'), 'gh pr merge --auto "${{ steps.found.outputs.pull-request-number }}"']),
      ),
    ),
  ),
  row('a merge', forBot([MERGE])),
  row('a merge after a checkout of the base', forBot([checkout(), MERGE])),
  row('a merge by one of several bots', forBot([MERGE], `${BOT} || github.actor == 'renovate[bot]'`)),
  row('a push of the branch of the fork', forBot([checkout({ ref: BRANCH, repository: FORK }), PUSH])),
  row('a push of the head commit', forBot([checkout({ ref: '${{ github.event.pull_request.head.sha }}' }), PUSH])),
  row('a push of the merged pull request', forBot([checkout({ ref: `refs/pull/${NUMBER}/merge` }), PUSH])),
  row('a push after gh checks the pull request out', forBot([checkout(), `gh pr checkout ${NUMBER}\n${PUSH}`])),
];

const NEAR = [
  row('an approval that nothing merges', forBot([APPROVE])),
  row('an approval by an action that nothing merges', forBot([{ uses: 'hmarr/auto-approve-action@v4' }])),
  row(
    'an approval, and git merging branches elsewhere',
    main(
      forBot([APPROVE]),
      elsewhere(
        workflow('merge_group', [
          checkout({ ref: `refs/pull/${NUMBER}/merge` }),
          'git merge origin/main',
          { uses: 'actions/download-artifact@v5', with: { 'merge-multiple': true } },
        ]),
      ),
    ),
  ),
  row(
    'an approval, and a merge of a pull request created before',
    main(
      forBot([APPROVE]),
      elsewhere(
        workflow('schedule', [create('made'), 'gh pr merge --auto "${{ steps.made.outputs.pull-request-number }}"']),
      ),
    ),
  ),
  row('a push of a branch of the repository itself', forBot([checkout({ ref: BRANCH }), PUSH])),
  row('a push of the base', forBot([checkout(), PUSH])),
  row('a push of the base, with a label', forBot([checkout({ ref: BRANCH }), PUSH], `${LABEL} && ${BOT}`)),
  row('a merge after a label', forBot([MERGE], `${LABEL} && ${BOT}`)),
  row("a merge of the author's", forBot([MERGE], "github.event.pull_request.user.login == 'dependabot[bot]'")),
  row(
    'a push of the fork that somebody labels',
    forBot([checkout({ ref: BRANCH, repository: FORK }), PUSH], `${LABEL} && ${BOT}`),
  ),
];

describe('the last actor is a bot', () => {
  testSuite({ rules: ['confused-deputy-auto-merge'], atLeast: 'HIGH', attacks: ATTACKS, nearMisses: NEAR });
});

describe('a condition on the last actor', () => {
  testSuite({ rules: ['bot-conditions'], atLeast: 'HIGH', attacks: ATTACKS, nearMisses: NEAR });
});
