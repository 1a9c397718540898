import { describe } from 'vitest';
import { jobs, row, type StepLike, script, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const ASKS = "startsWith(github.event.comment.body, '/deploy')";
const GO: StepLike = { run: './deploy.sh', env: { KEY: '${{ secrets.KEY }}' } };
const commented = (name: string, condition: string, ...steps: readonly StepLike[]): ReturnType<typeof row> =>
  row(name, workflow('issue_comment', steps.length === 0 ? [GO, 'git push'] : steps, { if: condition }));
const failing = (name: string, condition: string, ...steps: readonly StepLike[]): ReturnType<typeof row> =>
  row(
    name,
    jobs('issue_comment', {
      command: { if: `github.event.comment.user.login == github.repository_owner && ${ASKS}`, steps: ['true'] },
      open: { if: ASKS, permissions: {}, steps: ['echo "$GITHUB_RUN_ID"'] },
      after: { needs: ['open'], if: condition, steps },
    }),
  );

const REPLY = script("await github.rest.issues.createComment({ ...context.repo, issue_number: 1, body: 'It failed' })");
const HANDLER = "const run = require('./.github/scripts/command.js')\nawait run({ github, context, core })";
const CHECKOUT: StepLike = { uses: 'actions/checkout@v4' };

const PULL: StepLike = { ...(CHECKOUT as object), with: { ref: 'refs/pull/${{ github.event.issue.number }}/head' } };

const COMMANDS = [
  commented('a command that pushes a pull request to main', ASKS, PULL, 'git push origin HEAD:main'),
  commented('a command that merges into main', ASKS, PULL, 'git checkout main && git merge - && git push'),
  commented('a command that publishes beside an update', ASKS, 'npm publish', PULL, 'git merge origin/next'),
  commented('a command of anyone', ASKS),
  commented(
    'a list that part of a name is in',
    `${ASKS} && contains('|alice|', format('{0}|', github.event.comment.user.login))`,
  ),
  commented('a list without ends', `${ASKS} && contains('|alice|', format('{0}', github.event.comment.body))`),
  commented('a list of letters', `${ASKS} && contains('xalicex', format('x{0}x', github.event.comment.user.login))`),
  commented(
    'a list of what the comment says',
    `${ASKS} && contains('|alice|', format('|{0}|', github.event.comment.body))`,
  ),
  commented(
    'a list that is an alternative',
    `${ASKS} && (github.event.issue.pull_request || contains('|alice|', format('|{0}|', github.actor)))`,
  ),
  failing('a job after any outcome', 'always()', 'git push'),
  failing('a job that may run after a success', "failure() || github.event.action == 'created'", 'git push'),
  failing('a release after a failure', 'failure()', 'git push'),
  failing('a failure that starts a program', 'failure()', GO, 'gh workflow run x.yml'),
  failing(
    'a failure with the text',
    'failure()',
    script(
      'await github.rest.issues.createComment({ ...context.repo, issue_number: 1, body: context.payload.comment.body })',
    ),
  ),
  failing(
    'a failure that merges',
    'failure()',
    script('await github.rest.pulls.merge({ ...context.repo, pull_number: 1 })'),
  ),
  failing('a failure in a shell that is not read', 'failure()', { shell: 'pwsh', run: 'git push' }),
  commented('a script without the event', ASKS, CHECKOUT, script("require('./.github/scripts/deploy.js')()")),
  commented('a script beside another step', ASKS, CHECKOUT, script(HANDLER), 'git push'),
  commented(
    'a script that also acts',
    ASKS,
    CHECKOUT,
    script(`${HANDLER}\nawait github.rest.repos.createRelease({ ...context.repo })`),
  ),
  commented('a command of all but strangers', `${ASKS} && github.event.comment.author_association != 'NONE'`),
  commented(
    'a command below the issue of a contributor',
    `${ASKS} && github.event.issue.author_association == 'CONTRIBUTOR'`,
  ),
  commented(
    'a command of contributors or of anyone in an issue',
    `${ASKS} && (github.event.comment.author_association == 'CONTRIBUTOR' || !github.event.issue.pull_request)`,
  ),
  commented(
    'a list with newcomers',
    `${ASKS} && contains(fromJSON('["FIRST_TIME_CONTRIBUTOR", "CONTRIBUTOR"]'), github.event.comment.author_association)`,
  ),
  commented('a script that prints and merges', ASKS, 'echo start', 'gh pr merge 1'),
  commented('a call of the API', ASKS, 'gh api -X PUT repos/acme/app/pulls/1/merge'),
  commented('an agent that answers everybody', ASKS, { uses: 'google-github-actions/run-gemini-cli@v1' }),
  row('a script of the pull request', workflow('issue_comment', [PULL, script(HANDLER)], { if: ASKS })),
];

const AUTHORIZED = [
  commented('a command that updates the pull request', ASKS, PULL, 'git merge origin/next', 'git push'),
  commented('a command of contributors', `${ASKS} && github.event.comment.author_association == 'CONTRIBUTOR'`),
  commented(
    'a list with contributors',
    `${ASKS} && contains(fromJSON('["OWNER", "CONTRIBUTOR"]'), github.event.comment.author_association)`,
  ),
  commented(
    'members or contributors',
    `(github.event.comment.author_association == 'MEMBER' || github.event.comment.author_association == 'CONTRIBUTOR') && ${ASKS}`,
  ),
  row(
    'a step for contributors',
    workflow('issue_comment', [{ if: ASKS, ...(GO as object) }], {
      if: "contains('OWNER MEMBER CONTRIBUTOR', github.event.comment.author_association)",
    }),
  ),
  commented('a job that prints', ASKS, 'echo "ref=refs/pull/$NUMBER/merge" >> "$GITHUB_OUTPUT"'),
  commented('an agent that answers members', ASKS, { uses: 'anomalyco/opencode/github@latest' }),
  row(
    'a workflow of another repository',
    jobs('issue_comment', {
      command: { if: ASKS, uses: 'acme/tools/.github/workflows/command.yml@main', secrets: 'inherit' },
    }),
  ),
  commented('a list of names', `${ASKS} && contains('|alice|bob|', format('|{0}|', github.event.comment.user.login))`),
  commented('a list with commas', `${ASKS} && contains(',alice,', format(',{0},', github.actor))`),
  commented('a list in a setting', `${ASKS} && contains(format(',{0},', vars.ADMINS), format(',{0},', github.actor))`),
  commented(
    'members or a list',
    `${ASKS} && (github.event.comment.author_association == 'MEMBER' || contains('|alice|', format('|{0}|', github.event.comment.user.login)))`,
  ),
  failing('a reply after a failure', "failure() && github.event_name != 'schedule'", REPLY),
  failing('a message after a failure', 'failure()', {
    run: 'gh issue comment 1 --body "It failed"',
    env: { GH_TOKEN: '${{ github.token }}' },
  }),
  commented('a script that gets the event', ASKS, CHECKOUT, script(HANDLER)),
  commented(
    'a script that is imported',
    ASKS,
    CHECKOUT,
    'yq -o json .github/roles.yml > .github/roles.json',
    script(
      'const { run } = await import(`${process.env.GITHUB_WORKSPACE}/.github/command.mjs`)\nawait run({ context, github })',
    ),
  ),
];

describe('commands in comments', () => {
  testSuite({ rules: ['missing-trigger-authorization'], attacks: COMMANDS, nearMisses: AUTHORIZED });
});
