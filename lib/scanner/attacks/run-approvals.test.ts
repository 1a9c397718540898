import { describe } from 'vitest';
import {
  type Files,
  main,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const HEAD = '${{ github.head_ref }}';
const OWN = 'repos/$GITHUB_REPOSITORY/actions/runs';
const MEMBER = 'contains(fromJSON(\'["OWNER", "MEMBER"]\'), github.event.comment.author_association)';
const LABELLED = { pull_request_target: { types: ['labeled'] } };
const LABEL = "github.event.label.name == 'ok-to-test'";
const MACHINE = workflow('pull_request', ['make'], { 'runs-on': 'self-hosted' }, { permissions: {} });
const APPROVE = `gh api -X POST "${OWN}/$ID/approve"`;

const given = (run: string, env: object = { BRANCH: HEAD }): StepLike => ({ run, env });
const asked = (query: string, filter = '.workflow_runs[0].id'): string =>
  `ID=$(gh api "${OWN}?${query}" --jq '${filter}')\n${APPROVE}`;
const code = (lines: string): StepLike => script(lines);
const CALL =
  'for (const { id } of data.workflow_runs) await github.rest.actions.approveWorkflowRun({ ...context.repo, run_id: id });';

function files(
  steps: readonly StepLike[],
  on: unknown = LABELLED,
  condition = LABEL,
  others: Files = { '.github/workflows/ci.yml': MACHINE },
): Files {
  return main(workflow(on, steps, { if: condition }, { permissions: { actions: 'write' } }), others);
}

const commented = (steps: readonly StepLike[]): Files => files(steps, 'issue_comment', MEMBER);

const ATTACKS = [
  row('a query with the branch', files([given(asked('branch=$BRANCH&event=pull_request'))])),
  row('a query whose first condition is another', files([given(asked('event=pull_request&branch=${BRANCH}'))])),
  row('an expression in the query', files([asked(`branch=${HEAD}`)])),
  row(
    'the branch of the whole job',
    main(
      workflow(
        LABELLED,
        [asked('branch=$BRANCH')],
        { env: { BRANCH: HEAD }, if: LABEL },
        { permissions: { actions: 'write' } },
      ),
      { '.github/workflows/ci.yml': MACHINE },
    ),
  ),
  row(
    'a query in an earlier step',
    files([
      {
        id: 'find',
        ...(given(
          `echo "id=$(gh api "${OWN}?branch=$BRANCH" --jq '.workflow_runs[0].id')" >> "$GITHUB_OUTPUT"`,
        ) as object),
      },
      { run: APPROVE, env: { ID: '${{ steps.find.outputs.id }}' } },
    ]),
  ),
  row(
    'curl',
    files([
      given(
        `ID=$(curl -s "https://api.github.com/${OWN}?branch=$BRANCH" | jq '.workflow_runs[0].id')\ncurl -X POST "https://api.github.com/${OWN}/$ID/approve"`,
      ),
    ]),
  ),
  row(
    'a branch that is looked up',
    commented([
      `BRANCH=$(gh pr view \${{ github.event.issue.number }} --json headRefName --jq .headRefName)\n${asked('branch=$BRANCH')}`,
    ]),
  ),
  row(
    'a script',
    files([
      code(
        `const branch = context.payload.pull_request.head.ref;\nconst { data } = await github.request(\`GET /repos/acme/app/actions/runs?branch=\${branch}\`);\n${CALL}`,
      ),
    ]),
  ),
  row(
    'a script that looks the branch up',
    commented([
      code(
        `const pull = await github.rest.pulls.get({ ...context.repo, pull_number: context.issue.number });\nconst branch = pull.data.head.ref;\nconst { data } = await github.request(\`GET /repos/acme/app/actions/runs?event=pull_request&branch=\${branch}\`);\n${CALL}`,
      ),
    ]),
  ),
  row(
    'a deployment, on any machine',
    files(
      [
        given(
          `ID=$(gh api "${OWN}?branch=$BRANCH" --jq '.workflow_runs[0].id')\ngh api -X POST "${OWN}/$ID/pending_deployments" -f state=approved -f comment=ok`,
        ),
      ],
      LABELLED,
      LABEL,
      {},
    ),
  ),
];

const NAMED = [
  row('an encoded name', files([given(`NAME=$(jq -rn --arg b "$BRANCH" '$b|@uri')\n${asked('branch=$BRANCH')}`)])),
  row(
    'a name that gh encodes',
    files([given(`ID=$(gh run list --branch "$BRANCH" --json databaseId --jq '.[0].databaseId')\n${APPROVE}`)]),
  ),
  row(
    'a field of the query',
    files([given(`ID=$(gh api -X GET "${OWN}" -f branch="$BRANCH" --jq '.workflow_runs[0].id')\n${APPROVE}`)]),
  ),
  row(
    'a name that a script gives',
    files([
      code(
        `const { data } = await github.rest.actions.listWorkflowRunsForRepo({ ...context.repo, branch: context.payload.pull_request.head.ref });\n${CALL}`,
      ),
    ]),
  ),
];

const NEAR = [
  row('the commit', files([given(asked('head_sha=$SHA'), { SHA: '${{ github.event.pull_request.head.sha }}' })])),
  row('the branch and the commit', files([given(asked('branch=$BRANCH&head_sha=$SHA'))])),
  row(
    'a filter by the commit',
    files([given(asked('branch=$BRANCH', '.workflow_runs[] | select(.head_sha == env.SHA) | .id'))]),
  ),
  row(
    'a filter by the repository of the head',
    files([given(asked('branch=$BRANCH', '.workflow_runs[] | select(.head_repository.full_name == env.FORK) | .id'))]),
  ),
  row(
    'a script that asks for the commit',
    files([
      code(
        `const { data } = await github.rest.actions.listWorkflowRunsForRepo({ ...context.repo, head_sha: context.payload.pull_request.head.sha });\n${CALL}`,
      ),
    ]),
  ),
  row('a branch of the base', files([given(asked('branch=$BRANCH'), { BRANCH: '${{ github.base_ref }}' })])),
  row('a branch with a fixed name', files([asked('branch=main')])),
  row('a query without an approval', files([given(`gh api "${OWN}?branch=$BRANCH" --jq .total_count`)])),
  row(
    'a review of the deployment that rejects',
    files([
      given(
        `ID=$(gh api "${OWN}?branch=$BRANCH" --jq '.workflow_runs[0].id')\ngh api -X POST "${OWN}/$ID/pending_deployments" -f state=rejected`,
      ),
    ]),
  ),
  row(
    'a token that only reads',
    main(workflow(LABELLED, [given(asked('branch=$BRANCH'))], {}, { permissions: { actions: 'read' } })),
  ),
  row(
    'no fork',
    files(
      [given(asked('branch=$BRANCH'))],
      'pull_request_target',
      'github.event.pull_request.head.repo.full_name == github.repository',
    ),
  ),
  row(
    'a run by hand',
    files(
      [given(asked('branch=$BRANCH'), { BRANCH: '${{ inputs.branch }}' })],
      { workflow_dispatch: { inputs: { branch: {} } } },
      'always()',
    ),
  ),
  row('a push', files([given(asked('branch=$BRANCH'), { BRANCH: '${{ github.ref_name }}' })], 'push', 'always()')),
  row(
    'an approval of the repository’s own',
    files([
      {
        id: 'find',
        ...(given(
          `echo "id=$(gh api "${OWN}?branch=$BRANCH" --jq '.workflow_runs[0].id')" >> "$GITHUB_OUTPUT"`,
        ) as object),
      },
      {
        run: APPROVE,
        env: { ID: '${{ steps.find.outputs.id }}' },
        if: 'github.event.pull_request.head.repo.full_name == github.repository',
      },
    ]),
  ),
  row(
    'a schedule',
    files(
      [`BRANCH=$(gh pr view updates --json headRefName --jq .headRefName)\n${asked('branch=$BRANCH')}`],
      { schedule: [{ cron: '0 0 * * *' }] },
      'always()',
    ),
  ),
];

describe('a run is approved by the name of a branch', () => {
  testSuite({ rules: ['confused-deputy-auto-merge'], atLeast: 'HIGH', attacks: ATTACKS, nearMisses: NAMED });
  testSuite({ rules: ['confused-deputy-auto-merge'], atLeast: 'LOW', attacks: NAMED, nearMisses: NEAR });
});

describe('an approved run on hosted machines', () => {
  const hosted = files([given(asked('branch=$BRANCH'))], LABELLED, LABEL, {});
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'MEDIUM',
    attacks: [row('by a branch', hosted)],
    nearMisses: [],
  });
  testSuite({
    rules: ['confused-deputy-auto-merge'],
    atLeast: 'HIGH',
    attacks: [],
    nearMisses: [row('by a branch', hosted)],
  });
});
