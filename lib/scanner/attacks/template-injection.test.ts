import { describe } from 'vitest';
import {
  CALLED,
  composite,
  type Files,
  jobs,
  LOCAL,
  main,
  missed,
  row,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const TITLE = '${{ github.event.issue.title }}';
const COMMENT = '${{ github.event.comment.body }}';
const BRANCH = '${{ github.head_ref }}';
const ENV = { T: TITLE };

const onIssue = (...steps: Parameters<typeof workflow>[1]): string => workflow('issues', steps);

const afterTests = (condition: string, ...started: string[]): Files =>
  main(
    workflow({ workflow_run: { workflows: ['Tests'] } }, ['echo ${{ github.event.workflow_run.head_branch }}'], {
      if: condition,
    }),
    { '.github/workflows/tests.yml': workflow(started, ['make'], {}, { name: 'Tests' }) },
  );

const afterScript = (...lines: string[]): string =>
  workflow({ workflow_run: { workflows: ['Tests'] } }, [
    { ...Object(script(lines.join('\n'))), id: 'a' },
    script('const v = "${{ steps.a.outputs.v }}"'),
  ]);
const PULL = 'const run = context.payload.workflow_run\nconst pr = run.pull_requests && run.pull_requests[0]';

const RUN = 'const run = context.payload.workflow_run;\nconst pulls = run.pull_requests;';

const DIRECT = [
  row('a title in a script', onIssue(`echo "${TITLE}"`)),
  row('a title in single quotes', onIssue(`echo '${TITLE}'`)),
  row('a field named by an index', onIssue("echo ${{ github.event['issue']['title'] }}")),
  row('a field in other letters', onIssue('echo ${{ GitHub.Event.Issue.Title }}')),
  row('the whole event as JSON', onIssue("echo '${{ toJSON(github.event) }}'")),
  row('the whole context as JSON', onIssue("echo '${{ toJSON(github) }}'")),
  row('a title behind format()', onIssue("echo ${{ format('title {0}', github.event.issue.title) }}")),
  row('a title behind a filter of all objects', onIssue("echo ${{ join(github.event.*.title, ',') }}")),
  row(
    'a title as the result of a condition',
    onIssue("echo ${{ github.event.issue && github.event.issue.title || '-' }}"),
  ),
  missed(
    'only members create labels',
    row(
      'the names of all labels of a pull request',
      workflow('pull_request_target', ["echo ${{ join(github.event.pull_request.labels.*.name, ' ') }}"]),
    ),
  ),
  row('the branch of a pull request', workflow('pull_request_target', [`git fetch origin ${BRANCH}`])),
  row('the label of a head', workflow('pull_request_target', ['echo ${{ github.event.pull_request.head.label }}'])),
  row(
    'the branch of an earlier run',
    workflow({ workflow_run: { workflows: ['CI'] } }, ['echo ${{ github.event.workflow_run.head_branch }}']),
  ),
  row(
    'the title of an earlier run',
    workflow({ workflow_run: { workflows: ['CI'] } }, ['echo "${{ github.event.workflow_run.display_title }}"']),
  ),
  row(
    'the message of the head commit of an earlier run',
    workflow({ workflow_run: { workflows: ['CI'] } }, ['echo "${{ github.event.workflow_run.head_commit.message }}"']),
  ),
  row('the body of a discussion', workflow('discussion', ['echo "${{ github.event.discussion.body }}"'])),
  missed(
    'a review starts no privileged run by itself',
    row(
      'the body of a review',
      workflow({ pull_request_review: {}, pull_request_target: {} }, ['echo "${{ github.event.review.body }}"']),
    ),
  ),
  row('the name of a wiki page', workflow('gollum', ['echo "${{ github.event.pages[0].page_name }}"'])),
  row('a comment in a working directory of a script', workflow('issue_comment', [{ run: `cd ${COMMENT}` }])),
  row('a title in a Python script', onIssue({ shell: 'python', run: `print("${TITLE}")` })),
  row('a title in a PowerShell script', onIssue({ shell: 'pwsh', run: `Write-Host "${TITLE}"` })),
  row('a title in a batch script', onIssue({ shell: 'cmd', run: `echo ${TITLE}` })),
  row('a title in github-script', onIssue(script(`console.log('${TITLE}')`))),
];

const RUNS = [
  row(
    'the branch of a run of any event but a push',
    afterTests("github.event.workflow_run.event != 'push'", 'push', 'pull_request'),
  ),
  row(
    'the branch of a run that another event of pull requests started',
    afterTests("github.event.workflow_run.event != 'pull_request'", 'pull_request', 'pull_request_target'),
  ),
  row(
    'the branch of a run of one of several events',
    afterTests(
      `contains(fromJSON('["push", "pull_request"]'), github.event.workflow_run.event)`,
      'push',
      'pull_request',
    ),
  ),
  row(
    'the branch of a run with a name of a branch that a fork can have',
    afterTests("startsWith(github.event.workflow_run.head_branch, 'feature/')", 'push', 'pull_request'),
  ),
];

const INDIRECT = [
  row('a variable of the workflow pasted back', workflow('issues', ['echo ${{ env.T }}'], {}, { env: ENV })),
  row('a variable of the job pasted back', workflow('issues', ['echo ${{ env.T }}'], { env: ENV })),
  row(
    'a variable of a variable',
    workflow('issues', [{ env: { U: '${{ env.T }}' }, run: 'echo ${{ env.U }} && eval "$U"' }], { env: ENV }),
  ),
  row(
    'a step output',
    onIssue({ id: 'a', env: ENV, run: 'echo "t=$T" >> "$GITHUB_OUTPUT"' }, 'echo ${{ steps.a.outputs.t }}'),
  ),
  row(
    'a word of the first line',
    onIssue(
      { id: 'a', env: ENV, run: `echo "t=$(echo "$T" | head -n1 | awk '{print $2}')" >> "$GITHUB_OUTPUT"` },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'a field of the line that is found',
    onIssue(
      { id: 'a', env: ENV, run: `echo "t=$(grep -m1 run <<< "$T" | cut -d' ' -f2)" >> "$GITHUB_OUTPUT"` },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'a step output named by an index',
    onIssue({ id: 'a', env: ENV, run: 'echo "t=$T" >> "$GITHUB_OUTPUT"' }, "echo ${{ steps['a'].outputs['t'] }}"),
  ),
  row(
    'a step output written with tee',
    onIssue({ id: 'a', env: ENV, run: 'echo "t=$T" | tee -a "$GITHUB_OUTPUT"' }, 'echo ${{ steps.a.outputs.t }}'),
  ),
  row(
    'a step output of several lines',
    onIssue(
      { id: 'a', env: ENV, run: '{ echo "t<<E"; echo "$T"; echo E; } >> $GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'a step output of Python',
    onIssue(
      {
        id: 'a',
        shell: 'python',
        env: ENV,
        run: 'import os\nwith open(os.environ["GITHUB_OUTPUT"], "a") as f:\n  f.write("t=" + os.environ["T"])\n',
      },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'a step output of PowerShell',
    onIssue(
      { id: 'a', shell: 'pwsh', env: ENV, run: '"t=$env:T" >> $env:GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'a step output in the old way',
    onIssue({ id: 'a', env: ENV, run: 'echo "::set-output name=t::$T"' }, 'echo ${{ steps.a.outputs.t }}'),
  ),
  row(
    'an output of github-script',
    onIssue(
      { ...Object(script("core.setOutput('t', context.payload.issue.title)")), id: 'a' },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row('the branch of a pull request of a run', afterScript(PULL, "core.setOutput('v', pr.head.ref)")),
  ...[
    ['pulls[0].head.ref'],
    ['pulls?.[0]?.head?.ref'],
    ["pulls[0]['head'].ref"],
    ['ref', 'const { ref } = pulls[0].head;'],
    ['branch', 'const { ref: branch } = pulls[0].head'],
    ['pr.head.ref', 'const [pr] = pulls;'],
    ['head.ref', 'const [, pr] = run.pull_requests', 'const { number, head } = pr;'],
    ['branch', 'const first = pulls[0];', 'const head = first.head;', 'const branch = head.ref;'],
    ['run.head_branch'],
    ['run.head_commit.message'],
    ['text', 'const { message: text } = run.head_commit'],
  ].map(([value = '', ...lines]) =>
    row(`${value} of a run ${lines.join(' ')}`, afterScript(RUN, ...lines, `core.setOutput('v', ${value})`)),
  ),
  row(
    'a comment in a variable of github-script',
    workflow('issue_comment', [
      { ...Object(script("const c = context.payload.comment\ncore.setOutput('v', c.body)")), id: 'a' },
      'echo ${{ steps.a.outputs.v }}',
    ]),
  ),
  row(
    'a result of github-script',
    onIssue({ ...Object(script('return context.payload.issue.title')), id: 'a' }, 'echo ${{ steps.a.outputs.result }}'),
  ),
  row(
    'a variable set for later steps',
    onIssue({ env: ENV, run: 'echo "U=$T" >> "$GITHUB_ENV"' }, 'echo ${{ env.U }}'),
  ),
  row(
    'an output of another job',
    jobs('issues', {
      a: { outputs: { t: TITLE }, steps: ['true'] },
      b: { needs: 'a', steps: ['echo ${{ needs.a.outputs.t }}'] },
    }),
  ),
  row(
    'an output of a step of another job',
    jobs('issues', {
      a: {
        outputs: { t: '${{ steps.s.outputs.t }}' },
        steps: [{ id: 's', env: ENV, run: 'echo "t=$T" >> "$GITHUB_OUTPUT"' }],
      },
      b: { needs: ['a'], steps: ['echo ${{ needs.a.outputs.t }}'] },
    }),
  ),
  row('a value of a matrix', workflow('issues', ['echo ${{ matrix.t }}'], { strategy: { matrix: { t: [TITLE] } } })),
  row(
    'a value of an included matrix',
    workflow('issues', ['echo ${{ matrix.t }}'], { strategy: { matrix: { include: [{ t: TITLE }] } } }),
  ),
  row(
    'an input of a local composite',
    main(
      onIssue({ uses: LOCAL, with: { t: TITLE } }),
      composite(['echo ${{ inputs.t }}'], { inputs: { t: { description: 'x' } } }),
    ),
  ),
  row(
    'an input of a composite that another passes on',
    main(onIssue({ uses: './.github/actions/outer', with: { t: TITLE } }), {
      ...composite(['echo ${{ inputs.t }}'], { inputs: { t: { description: 'x' } } }),
      '.github/actions/outer/action.yml': `name: o\ndescription: o\ninputs: { t: { description: x } }\nruns:\n  using: composite\n  steps:\n    - uses: ${LOCAL}\n      with: { t: "\${{ inputs.t }}" }\n`,
    }),
  ),
  row(
    'an output of a composite made of its input',
    main(
      onIssue({ id: 'a', uses: LOCAL, with: { t: TITLE } }, 'echo ${{ steps.a.outputs.t }}'),
      composite([{ id: 's', env: { T: '${{ inputs.t }}' }, run: 'echo "t=$T" >> "$GITHUB_OUTPUT"' }], {
        inputs: { t: { description: 'x' } },
        outputs: { t: { description: 'x', value: '${{ steps.s.outputs.t }}' } },
      }),
    ),
  ),
  row(
    'a variable of the job read inside a composite',
    main(workflow('issues', [{ uses: LOCAL }], { env: ENV }), composite(['echo ${{ env.T }}'])),
  ),
  row(
    'a variable of the step read inside a composite',
    main(onIssue({ uses: LOCAL, env: ENV }), composite(['echo ${{ env.T }}'])),
  ),
  row(
    'a variable of the job evaluated inside a composite',
    main(workflow('issues', [{ uses: LOCAL }], { env: ENV }), composite(['eval "echo $T"'])),
  ),
  row('event text inside a local composite', main(onIssue({ uses: LOCAL }), composite([`echo "${TITLE}"`]))),
  row(
    'event text in the default of an input',
    main(
      onIssue({ uses: LOCAL }),
      composite(["echo '${{ inputs.t }}'"], { inputs: { t: { description: 'x', default: TITLE } } }),
    ),
  ),
  row(
    'an input of a called workflow',
    main(jobs('issues', { a: { uses: CALLED, with: { t: TITLE } } }), {
      [CALLED.slice(2)]: workflow({ workflow_call: { inputs: { t: { type: 'string' } } } }, ['echo ${{ inputs.t }}']),
    }),
  ),
  row(
    'the default of an input of a called workflow',
    main(jobs('issues', { a: { uses: CALLED } }), {
      [CALLED.slice(2)]: workflow({ workflow_call: { inputs: { t: { type: 'string', default: TITLE } } } }, [
        'echo ${{ inputs.t }}',
      ]),
    }),
  ),
  row(
    'an output of a called workflow',
    main(jobs('issues', { a: { uses: CALLED }, b: { needs: 'a', steps: ['echo ${{ needs.a.outputs.t }}'] } }), {
      [CALLED.slice(2)]: jobs(
        { workflow_call: { outputs: { t: { value: '${{ jobs.x.outputs.t }}' } } } },
        { x: { outputs: { t: TITLE }, steps: ['true'] } },
      ),
    }),
  ),
  row(
    'event text of a called workflow',
    main(jobs('issues', { a: { uses: CALLED } }), { [CALLED.slice(2)]: workflow('workflow_call', [`echo ${TITLE}`]) }),
  ),
  row(
    'an environment shared by a YAML anchor',
    `on: issues\npermissions: { contents: write }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    env: &shared { T: "${TITLE}" }\n    steps: [{ run: 'true' }]\n  b:\n    runs-on: ubuntu-latest\n    env: *shared\n    steps: [{ run: 'eval "$T"' }]\n`,
  ),
  row(
    'a step shared by a YAML anchor',
    `on: issues\npermissions: { contents: write }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - &greet { run: 'echo ${TITLE}' }\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - *greet\n`,
  ),
];

const NEAR = [
  row('a number of an issue', onIssue('echo ${{ github.event.issue.number }}')),
  row('a login', onIssue('echo ${{ github.event.issue.user.login }}')),
  row("titles of an issue's milestone", onIssue("echo ${{ join(github.event.issue.*.title, ',') }}")),
  row(
    'a title as an argument in the shell of a step',
    onIssue({ shell: 'bash -c "echo {0} $T"', run: 'true', env: ENV }),
  ),
  row('a state', onIssue('echo ${{ github.event.issue.state }}')),
  row('an address', onIssue('echo ${{ github.event.issue.html_url }}')),
  row('a commit', workflow('pull_request_target', ['echo ${{ github.event.pull_request.head.sha }}'])),
  row('the branch that a pull request is for', workflow('pull_request_target', ['echo ${{ github.base_ref }}'])),
  row('the result of a comparison', onIssue("echo ${{ contains(github.event.issue.title, 'bug') }}")),
  row(
    'a title in a condition of a step',
    onIssue({ if: "contains(github.event.issue.title, 'bug')", run: 'echo bug' }),
  ),
  row('a title in the name of a step', onIssue({ name: `About ${TITLE}`, run: 'true' })),
  row(
    'a title in an input of an action that prints it',
    onIssue({ uses: 'peter-evans/create-or-update-comment@v4', with: { body: TITLE } }),
  ),
  row('a comment of a script', onIssue('# not the title\necho done')),
  row(
    'a title that github-script passes to the API',
    onIssue(
      script(
        'await github.rest.issues.createComment({ ...context.repo, issue_number: 1, body: context.payload.issue.title })',
      ),
    ),
  ),
  row(
    'arguments of exec.exec without a shell',
    onIssue(script("await exec.exec('echo', [context.payload.issue.title])")),
  ),
  row(
    'a program that reads the title from its input',
    onIssue({ env: ENV, run: 'printf "%s" "$T" | python report.py' }),
  ),
  row(
    'an output of a number',
    onIssue(
      { id: 'a', run: 'echo "n=$(gh pr view 1 --json number -q .number)" >> $GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.n }}',
    ),
  ),
  row(
    'a variable with another name in a composite',
    main(workflow('issues', [{ uses: LOCAL }], { env: { U: TITLE } }), composite(['echo ${{ env.T }}'])),
  ),
  row(
    'an input of a composite that is a number',
    main(
      onIssue({ uses: LOCAL, with: { t: '${{ github.event.issue.number }}' } }),
      composite(['echo "$T"'], { inputs: { t: { description: 'x' } } }),
    ),
  ),
  row('a title that a push does not have', workflow('push', [`echo "${TITLE}"`])),
  row(
    'a job that only members start',
    workflow('issue_comment', [`echo "${COMMENT}"`], { if: "github.event.comment.author_association == 'OWNER'" }),
  ),
  row(
    'a value of a matrix that the author wrote',
    workflow('issues', ['echo ${{ matrix.t }}'], { strategy: { matrix: { t: ['a', 'b'] } } }),
  ),
  row(
    'a length that a script computes',
    onIssue({ id: 'a', env: ENV, run: 'echo "n=${#T}" >> "$GITHUB_OUTPUT"' }, 'echo ${{ steps.a.outputs.n }}'),
  ),
  row(
    'a text that a script reduces to letters',
    onIssue(
      { id: 'a', env: ENV, run: 'echo "t=$(echo "$T" | tr -cd a-z)" >> "$GITHUB_OUTPUT"' },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row('the number of a pull request of a run', afterScript(PULL, "core.setOutput('v', pr.number)")),
  ...[
    ['pulls[0].number'],
    ['pulls?.[0]?.number'],
    ["pulls[0]['number']"],
    ['pulls.at(0).number'],
    ['`${pulls[0].id}`'],
    ['n', 'const n = pulls[0].number;'],
    ['number', 'const { number } = pulls[0];'],
    ['n', 'const { number: n } = run.pull_requests[0]'],
    ['number', 'const [pr] = run.pull_requests;', 'const { number } = pr;'],
    ['pr.head.sha', 'const [, pr] = pulls'],
    ['sha', 'const first = pulls[0];', 'const { sha } = first.head;'],
    ['run.node_id'],
    ['context.payload.workflow_run.pull_requests[0].number'],
  ].map(([value = '', ...lines]) =>
    row(`${value} of a run ${lines.join(' ')}`, afterScript(RUN, ...lines, `core.setOutput('v', ${value})`)),
  ),
  row('the number as a text', afterScript(PULL, "core.setOutput('v', `${pr.number}`)")),
  row('the hash of a pull request of a run', afterScript(PULL, "core.setOutput('v', pr.head.sha)")),
  row(
    'the number of a run',
    afterScript("const run = context.payload.workflow_run\ncore.setOutput('v', run.run_number.toString())"),
  ),
  row(
    'the number of an answer behind jq',
    workflow('issue_comment', [
      { id: 'a', run: 'echo "v=$(gh pr list --json title,number | jq \'.[0].number\')" >> "$GITHUB_OUTPUT"' },
      'echo ${{ steps.a.outputs.v }}',
    ]),
  ),
  row(
    'a value that github-script computes',
    onIssue(
      { ...Object(script("core.setOutput('t', context.payload.issue.title.includes('bug'))")), id: 'a' },
      'echo ${{ steps.a.outputs.t }}',
    ),
  ),
  row(
    'names of files of a push',
    workflow('push', [
      { uses: 'actions/checkout@v4' },
      { id: 'a', run: 'echo "f=$(git diff --name-only HEAD^ | xargs)" >> $GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.f }}',
    ]),
  ),
  row(
    'the branch of a run that no pull request started',
    afterTests(
      "github.event.workflow_run.event != 'pull_request' && startsWith(github.event.workflow_run.head_branch, 'feature/')",
      'push',
      'pull_request',
    ),
  ),
  row(
    'the branch of a run that a push started',
    afterTests("github.event.workflow_run.event == 'push'", 'push', 'pull_request'),
  ),
  row(
    'the branch of a run of one of several events of members',
    afterTests(
      `contains(fromJSON('["push", "schedule"]'), github.event.workflow_run.event)`,
      'push',
      'pull_request',
      'schedule',
    ),
  ),
];

describe('template injection', () => {
  testSuite({
    rules: ['template-injection', 'reusable-workflow-taint', 'argument-injection', 'output-clobbering'],
    attacks: [...DIRECT, ...RUNS, ...INDIRECT],
    nearMisses: NEAR,
  });
});
