import { describe } from 'vitest';
import { row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

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

const ATTACKS = [
  row('a merge', forBot([MERGE])),
  row('a merge after a checkout of the base', forBot([checkout(), MERGE])),
  row('a merge by one of several bots', forBot([MERGE], `${BOT} || github.actor == 'renovate[bot]'`)),
  row('a push of the branch of the fork', forBot([checkout({ ref: BRANCH, repository: FORK }), PUSH])),
  row('a push of the head commit', forBot([checkout({ ref: '${{ github.event.pull_request.head.sha }}' }), PUSH])),
  row('a push of the merged pull request', forBot([checkout({ ref: `refs/pull/${NUMBER}/merge` }), PUSH])),
  row('a push after gh checks the pull request out', forBot([checkout(), `gh pr checkout ${NUMBER}\n${PUSH}`])),
];

const NEAR = [
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
