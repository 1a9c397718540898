import { describe } from 'vitest';
import {
  CALLED,
  composite,
  jobs,
  LOCAL,
  main,
  missed,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const SHA = '${{ github.event.pull_request.head.sha }}';
const REF = '${{ github.event.pull_request.head.ref }}';
const FORK = '${{ github.event.pull_request.head.repo.full_name }}';
const NUMBER = '${{ github.event.number }}';

const onTarget = (...steps: StepLike[]): string => workflow('pull_request_target', steps);
const onComment = (...steps: StepLike[]): string => workflow('issue_comment', steps);
const checkout = (inputs: object, version = 'v4.1.0'): StepLike => ({
  uses: `actions/checkout@${version}`,
  with: inputs,
});
const HEAD = checkout({ ref: SHA });

const twoCheckouts = (condition: string, inputs: object = { ref: `refs/pull/${NUMBER}/head` }): string =>
  workflow(
    ['issue_comment', 'pull_request_target'],
    [
      {
        if: "github.event_name == 'issue_comment'",
        ...(checkout({ ref: 'refs/pull/${{ github.event.issue.number }}/head' }) as object),
      },
      { if: condition, ...(checkout(inputs) as object) },
      { if: "github.event_name == 'issue_comment'", run: 'make' },
    ],
    { if: "contains(github.event.comment.body, '/preview') || github.event.pull_request.user.login == 'acme'" },
  );

const REFS = [
  row('the head commit', onTarget(HEAD, 'make')),
  row('the head branch of the fork', onTarget(checkout({ ref: REF, repository: FORK }), 'make')),
  row('the merge ref', onTarget(checkout({ ref: `refs/pull/${NUMBER}/merge` }), 'make')),
  row('the head ref', onTarget(checkout({ ref: `pull/${NUMBER}/head` }), 'make')),
  row('the merge commit', onTarget(checkout({ ref: '${{ github.event.pull_request.merge_commit_sha }}' }), 'make')),
  row(
    'a ref of format()',
    onTarget(checkout({ ref: "${{ format('refs/pull/{0}/merge', github.event.number) }}" }), 'make'),
  ),
  row(
    'a ref of a condition',
    onTarget(
      checkout({ ref: "${{ github.event_name == 'push' && github.sha || github.event.pull_request.head.sha }}" }),
      'make',
    ),
  ),
  row(
    'a ref from a variable of the job',
    workflow('pull_request_target', [checkout({ ref: '${{ env.R }}' }), 'make'], { env: { R: SHA } }),
  ),
  row(
    'a ref from a matrix',
    workflow('pull_request_target', [checkout({ ref: '${{ matrix.r }}' }), 'make'], {
      strategy: { matrix: { r: ['main', SHA] } },
    }),
  ),
  row(
    'a ref from a step output',
    onTarget(
      { id: 'a', run: `echo "r=${SHA}" >> $GITHUB_OUTPUT` },
      checkout({ ref: '${{ steps.a.outputs.r }}' }),
      'make',
    ),
  ),
  row(
    'a ref from github-script',
    onComment(
      {
        ...Object(
          script(
            'const { data } = await github.rest.pulls.get({ ...context.repo, pull_number: context.issue.number });\nreturn data.head.sha',
          ),
        ),
        id: 'a',
      },
      checkout({ ref: '${{ steps.a.outputs.result }}' }),
      'make',
    ),
  ),
  row(
    'a ref from the API',
    onComment(
      { id: 'a', run: 'echo "r=$(gh pr view 1 --json headRefOid -q .headRefOid)" >> $GITHUB_OUTPUT' },
      checkout({ ref: '${{ steps.a.outputs.r }}' }),
      'make',
    ),
  ),
  row(
    'a ref from a request with jq',
    onComment(
      { id: 'a', run: 'r=$(curl -s $URL/pulls/1 | jq -r .head.sha)\necho "r=$r" >> $GITHUB_OUTPUT' },
      checkout({ ref: '${{ steps.a.outputs.r }}' }),
      'make',
    ),
  ),
  row(
    'a ref from another job',
    jobs('issue_comment', {
      a: {
        outputs: { r: '${{ steps.s.outputs.r }}' },
        steps: [{ id: 's', run: 'echo "r=$(gh pr view 1 --json headRefOid -q .headRefOid)" >> $GITHUB_OUTPUT' }],
      },
      b: { needs: 'a', steps: [checkout({ ref: '${{ needs.a.outputs.r }}' }), 'make'] },
    }),
  ),
  row(
    'a ref from a called workflow',
    main(
      jobs('issue_comment', {
        a: { uses: CALLED },
        b: { needs: 'a', steps: [checkout({ ref: '${{ needs.a.outputs.r }}' }), 'make'] },
      }),
      {
        [CALLED.slice(2)]: jobs(
          { workflow_call: { outputs: { r: { value: '${{ jobs.x.outputs.r }}' } } } },
          {
            x: {
              outputs: { r: '${{ steps.s.outputs.r }}' },
              steps: [{ id: 's', run: 'echo "r=$(gh pr view 1 --json headRefOid -q .headRefOid)" >> $GITHUB_OUTPUT' }],
            },
          },
        ),
      },
    ),
  ),
  row(
    'a ref from an action that looks up the pull request',
    onComment(
      { id: 'a', uses: 'xt0rted/pull-request-comment-branch@v2' },
      checkout({ ref: '${{ steps.a.outputs.head_sha }}' }),
      'make',
    ),
  ),
  row(
    'a ref from an unknown action',
    onTarget({ id: 'a', uses: 'acme/pr-data@v1' }, checkout({ ref: '${{ steps.a.outputs.head_sha }}' }), 'make'),
  ),
  row(
    'a ref that an unknown action passes on',
    onTarget(
      { id: 'a', uses: 'acme/choose@v1', with: { value: SHA } },
      checkout({ ref: '${{ steps.a.outputs.value }}' }),
      'make',
    ),
  ),
  row(
    'a ref of an input of a called workflow',
    main(jobs('pull_request_target', { a: { uses: CALLED, with: { r: SHA } } }), {
      [CALLED.slice(2)]: workflow({ workflow_call: { inputs: { r: { type: 'string' } } } }, [
        checkout({ ref: '${{ inputs.r }}' }),
        'make',
      ]),
    }),
  ),
  row(
    'a ref of an input of a composite',
    main(
      onTarget({ uses: LOCAL, with: { r: SHA } }),
      composite([checkout({ ref: '${{ inputs.r }}' }), 'make'], { inputs: { r: { description: 'x' } } }),
    ),
  ),
  row(
    'a checkout and a build by one script of a composite',
    main(onComment({ uses: LOCAL }), composite(['gh pr checkout ${{ github.event.issue.number }}\n./bench.sh'])),
  ),
  row('a checkout by a composite and a build by the job', main(onTarget({ uses: LOCAL }, 'make'), composite([HEAD]))),
  row(
    'the commit of an earlier run',
    workflow({ workflow_run: { workflows: ['CI'] } }, [
      checkout({ ref: '${{ github.event.workflow_run.head_sha }}' }),
      'make',
    ]),
  ),
  row(
    'the branch of an earlier run in its repository',
    workflow({ workflow_run: { workflows: ['CI'] } }, [
      checkout({
        ref: '${{ github.event.workflow_run.head_branch }}',
        repository: '${{ github.event.workflow_run.head_repository.full_name }}',
      }),
      'make',
    ]),
  ),
  missed(
    'only who may write starts a dispatch; the workflow that starts it is not known',
    row(
      'a payload of a dispatch',
      workflow('repository_dispatch', [
        checkout({
          ref: '${{ github.event.client_payload.ref }}',
          repository: '${{ github.event.client_payload.repo }}',
        }),
        'make',
      ]),
    ),
  ),
  row(
    'a number that a comment asks for',
    workflow('issue_comment', [checkout({ ref: 'refs/pull/${{ github.event.issue.number }}/head' }), 'make'], {
      if: "contains(github.event.comment.body, '/test')",
    }),
  ),
  ...[
    "github.event_name == 'pull_request_target'",
    "github.event_name != 'issue_comment'",
    'github.event.pull_request != null',
    "!github.event.comment && github.event_name == 'pull_request_target'",
  ].map((condition) => row(`a checkout for comments before one if ${condition}`, twoCheckouts(condition))),
  row(
    'a step shared by a YAML anchor',
    `on: pull_request_target\npermissions: { contents: write }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - &checkout { uses: actions/checkout@v4.1.0, with: { ref: "${SHA}" } }\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - *checkout\n      - run: make\n`,
  ),
];

const DISPATCHED = 'github.event.client_payload.pull_request.head';

const COMMANDS = [
  row(
    'a commit that a comment names',
    onComment({
      env: { BODY: '${{ github.event.comment.body }}' },
      run: 'TARGET=$(echo "$BODY" | cut -d" " -f2)\ngit fetch origin "$TARGET"\ngit checkout -B pick "$TARGET" && make',
    }),
  ),
  row(
    'a remote-tracking branch of the fork that took the name',
    onTarget({
      env: { BRANCH: '${{ github.head_ref }}' },
      run: `git remote remove origin\ngit remote add origin https://github.com/${FORK}.git\ngit fetch origin\ngit checkout -B pr "origin/$BRANCH" && make`,
    }),
  ),
  row(
    'a new branch that starts at the head',
    onTarget({
      env: { SHA: '${{ github.event.pull_request.head.sha }}' },
      run: 'git switch -c "try-$SHA" "$SHA" && make',
    }),
  ),
  row(
    'a new branch of the head that was fetched before',
    onTarget({
      env: { BRANCH: '${{ github.head_ref }}' },
      run: `git fetch origin pull/${NUMBER}/head\ngit checkout FETCH_HEAD\ngit checkout -b "$BRANCH" && make`,
    }),
  ),
  row('gh pr checkout', onComment('gh pr checkout ${{ github.event.issue.number }} && make')),
  row('hub pr checkout', onComment('hub pr checkout ${{ github.event.issue.number }} && make')),
  row('a fetch of the head', onTarget(`git fetch origin pull/${NUMBER}/head\ngit checkout FETCH_HEAD`, 'make')),
  row('a fetch with a name of its own', onTarget(`git fetch origin pull/${NUMBER}/head:pr && git switch pr`, 'make')),
  row('a pull of the fork', onTarget(`git pull https://github.com/${FORK}.git main`, 'make')),
  row('a clone of the fork by gh', onTarget(`gh repo clone ${FORK} x -- --depth 1 && cd x && make`)),
  row('a clone of a variable by gh', onTarget({ env: { R: FORK }, run: 'gh repo clone "$R" src\nmake -C src' })),
  row('a clone of the fork', onTarget(`git clone https://github.com/${FORK} x && cd x && make`)),
  row(
    'a clone of the fork and a later folder',
    onTarget(`git clone https://github.com/${FORK} x`, { 'working-directory': 'x', run: 'make' }),
  ),
  row(
    'a clone with options that take values',
    onTarget({
      env: { B: '${{ github.head_ref }}', URL: '${{ github.event.pull_request.head.repo.html_url }}' },
      run: 'git clone --depth 1 -b "$B" "$URL" x\ncd x && make',
    }),
  ),
  row(
    'a worktree beside the workspace',
    onTarget(checkout({}), `git fetch --depth 1 origin +refs/pull/${NUMBER}/head:pr\ngit worktree add -b try ../x pr`, {
      'working-directory': '../x',
      run: 'make',
    }),
  ),
  row(
    'a clone in a variable',
    onTarget({
      env: { URL: '${{ github.event.pull_request.head.repo.clone_url }}' },
      run: 'git clone "$URL" x\nmake -C x',
    }),
  ),
  row(
    'a remote of the fork',
    onTarget(`git remote add fork https://github.com/${FORK}\ngit fetch fork\ngit checkout fork/main\nmake`),
  ),
  row(
    'a merge of the head',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit merge FETCH_HEAD`, 'make'),
  ),
  row('a reset to the head', onTarget(checkout({}), `git fetch origin ${SHA}\ngit reset --hard ${SHA}`, 'make')),
  row(
    'a worktree of the head',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit worktree add x FETCH_HEAD\ncd x && make`),
  ),
  row(
    'a file of the head',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit show FETCH_HEAD:x.sh > x.sh\nbash x.sh`),
  ),
  row(
    'a folder of the head',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit checkout FETCH_HEAD -- scripts\n./scripts/x.sh`),
  ),
  row(
    'an archive of the head',
    onTarget(`curl -sL https://github.com/${FORK}/archive/${SHA}.tar.gz | tar xz --strip 1`, 'make'),
  ),
  row('a tarball from the API', onTarget(`gh api repos/${FORK}/tarball/${SHA} > x.tgz\ntar xzf x.tgz --strip 1\nmake`)),
  row(
    'a tarball by its address',
    onTarget(`curl -sL $GITHUB_API_URL/repos/${FORK}/tarball/${SHA} -o x.tgz && tar xf x.tgz && make`),
  ),
  row('a patch from gh', onTarget(checkout({}), 'gh pr diff ${{ github.event.number }} | git apply', 'make')),
  row(
    'a patch by its address',
    onTarget(checkout({}), 'curl -sL ${{ github.event.pull_request.patch_url }} | git am', 'make'),
  ),
  row(
    'a diff by its address',
    onTarget(checkout({}), 'curl -sL "${{ github.event.pull_request.diff_url }}" -o p.diff\ngit apply p.diff\nmake'),
  ),
  row('a raw file of the head', onTarget(`curl -s https://raw.githubusercontent.com/${FORK}/${SHA}/x.sh | bash`)),
  row('a package of the head', onTarget(`pip install git+https://github.com/${FORK}@${SHA}`)),
  row('a package of the head with npm', onTarget(`npm install github:${FORK}#${SHA}`)),
  row('a build of the head as a remote context', onTarget(`docker build https://github.com/${FORK}.git#${SHA}`)),
  row(
    'a build action with the head as its context',
    onTarget({ uses: 'docker/build-push-action@v6', with: { context: `https://github.com/${FORK}.git#${SHA}` } }),
  ),
  row(
    'a patch in a file',
    onTarget(checkout({}), 'gh pr diff ${{ github.event.number }} > x.diff', 'patch -p1 < x.diff', 'make'),
  ),
  row(
    'an archive that git makes of the head',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit archive FETCH_HEAD | tar x -C x\nmake -C x`),
  ),
  row(
    'a command that a called workflow takes from comments',
    main(jobs('issue_comment', { a: { uses: CALLED } }), {
      [CALLED.slice(2)]: workflow('workflow_call', [
        {
          uses: 'peter-evans/slash-command-dispatch@v5',
          with: { token: '${{ github.token }}', commands: 'format', permission: 'none' },
        },
      ]),
      '.github/workflows/format.yml': workflow({ repository_dispatch: { types: ['format-command'] } }, [
        checkout({ repository: `\${{ ${DISPATCHED}.repo.full_name }}`, ref: `\${{ ${DISPATCHED}.ref }}` }, 'v7'),
        'make format',
      ]),
    }),
  ),
  row('the checkout of another publisher', onTarget({ uses: 'acme/checkout@v1', with: { ref: SHA } }, 'make')),
];

const ASKED = { env: { BODY: '${{ github.event.comment.body }}' } };

const NAMES = { env: { BRANCH: '${{ github.head_ref }}', SHA: '${{ github.event.pull_request.head.sha }}' } };

const NEAR = [
  ...['checkout -b', 'checkout -B', 'switch -c', 'switch -C', 'switch --create', 'switch --orphan'].map((how) =>
    row(`a name for a new branch, ${how}`, onTarget(checkout({}), { ...NAMES, run: `git ${how} "fix/$SHA"` }, 'make')),
  ),
  row(
    'a name for a new branch of another one',
    onTarget(checkout({}), { ...NAMES, run: 'git checkout -b "$BRANCH" main' }, 'make'),
  ),
  ...["github.event_name == 'issue_comment'", 'github.event.issue.pull_request', 'always()'].map((condition) =>
    row(`a checkout for comments that the base replaces if ${condition}`, twoCheckouts(condition, {})),
  ),
  row(
    'a branch of the repository that a comment names',
    onComment(
      'git fetch --prune',
      {
        ...ASKED,
        run: 'TARGET=$(echo "$BODY" | cut -d" " -f2)\ngit checkout -B "pick-$TARGET" "origin/$TARGET"',
      },
      'make',
    ),
  ),
  row(
    'a build before the checkout in one script of a composite',
    main(onComment({ uses: LOCAL }), composite(['./bench.sh\ngh pr checkout ${{ github.event.issue.number }}'])),
  ),
  row('the base of the pull request', onTarget(checkout({}), 'make')),
  row('the base commit', onTarget(checkout({ ref: '${{ github.event.pull_request.base.sha }}' }), 'make')),
  row(
    'the head in an unprivileged run',
    workflow('pull_request', [HEAD, 'make'], {}, { permissions: { contents: 'read' } }),
  ),
  row(
    'the head in a folder and a build of the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'make'),
  ),
  row(
    'a checkout that refuses forks',
    workflow({ pull_request_target: { types: ['opened'] } }, [checkout({ ref: SHA }, 'v7'), 'make']),
  ),
  row(
    'a checkout that refuses forks, in other letters',
    workflow({ pull_request_target: { types: ['opened'] } }, [
      checkout({ ref: 'refs/pull/${{ GitHub.event.number }}/merge' }, 'v7'),
      `gh pr checkout ${NUMBER} && make`,
    ]),
  ),
  row(
    'a job of the same repository alone',
    workflow('pull_request_target', [HEAD, 'make'], {
      if: 'github.event.pull_request.head.repo.full_name == github.repository',
    }),
  ),
  row(
    'a job for members alone',
    workflow('pull_request_target', [HEAD, 'make'], { if: "github.event.pull_request.author_association == 'OWNER'" }),
  ),
  row(
    'a job for a bot by its login',
    workflow('pull_request_target', [HEAD, 'make'], {
      if: "github.event.pull_request.user.login == 'dependabot[bot]'",
    }),
  ),
  row(
    'a tag of a release',
    workflow({ release: { types: ['published'] } }, [checkout({ ref: '${{ github.ref }}' }), 'make']),
  ),
  row(
    'a branch chosen by a member',
    workflow({ workflow_dispatch: { inputs: { r: { type: 'string' } } } }, [
      checkout({ ref: '${{ inputs.r }}' }),
      'make',
    ]),
  ),
  row('a base that is checked out again', onTarget(HEAD, checkout({}), 'make')),
  row('another repository', onTarget(checkout({ repository: 'acme/tools', ref: 'v1.0.0' }), 'make')),
  row('a fetch of the base', onTarget('git fetch origin main\ngit checkout FETCH_HEAD', 'make')),
  row(
    'an output of an action that is a number',
    onTarget({ id: 'a', uses: 'acme/pr-data@v1' }, 'echo ${{ steps.a.outputs.number }}'),
  ),
  row(
    'an archive of the base',
    onTarget('curl -sL "https://github.com/$GITHUB_REPOSITORY/archive/$GITHUB_SHA.tar.gz" | tar xz --strip 1\nmake'),
  ),
  row(
    'an archive of the head that is only listed',
    onTarget(checkout({}), `curl -sL https://github.com/${FORK}/archive/${SHA}.tar.gz | tar tz`, 'make'),
  ),
  row(
    'a patch that is only counted',
    onTarget(checkout({}), 'gh pr diff ${{ github.event.number }} > x.diff\nwc -l x.diff', 'make'),
  ),
  row(
    'a file of the head that is only read',
    onTarget(checkout({}), `git fetch origin pull/${NUMBER}/head\ngit show FETCH_HEAD:VERSION > head.txt`, 'make'),
  ),
  row('a package of the base', onTarget('pip install git+https://github.com/$GITHUB_REPOSITORY@main')),
  row('a diff that is only printed', onTarget('gh pr diff 1', checkout({}), 'make')),
  row(
    'the commit of an earlier run on the default branch',
    workflow(
      { workflow_run: { workflows: ['CI'], branches: ['main'] } },
      [checkout({ ref: '${{ github.event.workflow_run.head_sha }}' }), 'make'],
      { if: "github.event.workflow_run.event == 'push'" },
    ),
  ),
];

describe('untrusted checkout', () => {
  testSuite({
    rules: ['untrusted-checkout-exec', 'unverified-script-exec'],
    attacks: [...REFS, ...COMMANDS],
    nearMisses: NEAR,
  });
});
