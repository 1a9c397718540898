import { describe } from 'vitest';
import { row, script, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const TITLE = '${{ github.event.issue.title }}';
const ENV = { T: TITLE };

const onIssue = (...steps: Parameters<typeof workflow>[1]): string => workflow('issues', steps);

const choosing = (pattern: string): string => `case "$T" in\n  ${pattern}) ;;\n  *) exit 1 ;;\nesac\neval "echo $T"`;

const EVALUATED = [
  row('eval of a variable', onIssue({ env: ENV, run: 'eval "$T"' })),
  ...['[0-9]*', '*[0-9]', 'v[0-9]*.[0-9]*', 'a|b*'].map((pattern) =>
    row(`eval of what starts or ends like ${pattern}`, onIssue({ env: ENV, run: choosing(pattern) })),
  ),
  row('a command string for bash', onIssue({ env: ENV, run: 'bash -c "echo $T"' })),
  row('a pipe into a shell', onIssue({ env: ENV, run: 'printf "%s" "$T" | bash' })),
  row('a here-string for a shell', onIssue({ env: ENV, run: 'bash <<< "echo $T"' })),
  row('a here-document for a shell', onIssue({ env: ENV, run: 'bash <<EOF\necho $T\nEOF' })),
  row('a here-document for another host', onIssue({ env: ENV, run: 'ssh host bash <<EOF\necho $T\nEOF' })),
  row('a function that evaluates its argument', onIssue({ env: ENV, run: 'f() { eval "$1"; }\nf "$T"' })),
  row('a function that evaluates a variable', onIssue({ env: ENV, run: 'f() { eval "echo $T"; }\nf' })),
  row('a command of ssh', onIssue({ env: ENV, run: 'ssh host "echo $T"' })),
  row('a shell in a container', onIssue({ env: ENV, run: 'docker exec app sh -c "echo $T"' })),
  row('a shell in a new container', onIssue({ env: ENV, run: 'docker run --rm alpine sh -c "echo $T"' })),
  row('a shell that xargs starts', onIssue({ env: ENV, run: 'echo "$T" | xargs -I{} sh -c "echo {}"' })),
  row('a shell under sudo', onIssue({ env: ENV, run: 'sudo bash -c "echo $T"' })),
  row('a shell under su', onIssue({ env: ENV, run: 'su app -c "echo $T"' })),
  row('a file that is written and run', onIssue({ env: ENV, run: 'echo "echo $T" > x.sh\nbash x.sh' })),
  row(
    'a here-document that is written and run',
    onIssue({ env: ENV, run: 'cat > x.sh <<EOF\necho $T\nEOF\nchmod +x x.sh\n./x.sh' }),
  ),
  row('a file that a later step runs', onIssue({ env: ENV, run: 'echo "echo $T" > x.sh' }, 'bash x.sh')),
  row('a variable of make', onIssue({ env: ENV, run: 'make X="$T"' })),
  row('a program text of Python', onIssue({ env: ENV, run: 'python -c "print(\'$T\')"' })),
  row('a program text of Node.js', onIssue({ env: ENV, run: 'node -e "console.log(\'$T\')"' })),
  row('a program text of Perl', onIssue({ env: ENV, run: 'perl -e "print \'$T\'"' })),
  row('a program text of Ruby', onIssue({ env: ENV, run: 'ruby -e "puts \'$T\'"' })),
  row('a variable of a batch script', onIssue({ shell: 'cmd', env: ENV, run: 'echo %T%' })),
  row(
    'an expression that PowerShell invokes',
    onIssue({ shell: 'pwsh', env: ENV, run: 'Invoke-Expression "echo $env:T"' }),
  ),
  row(
    'an expression that PowerShell invokes by its alias',
    onIssue({ shell: 'pwsh', env: ENV, run: 'iex "echo $($env:T)"' }),
  ),
  row(
    'a block of code that PowerShell creates',
    onIssue({ shell: 'pwsh', env: ENV, run: '& ([ScriptBlock]::Create("echo $env:T"))' }),
  ),
  row(
    'a command that printf puts together',
    onIssue({ env: ENV, run: 'printf -v command \'gh issue edit 1 --title "%s"\' "$T"\neval "$command"' }),
  ),
  row(
    'a program that github-script starts in a shell',
    onIssue(script("require('child_process').spawnSync(`echo ${context.payload.issue.title}`, { shell: true })")),
  ),
  row(
    'a program that github-script starts in a named shell',
    onIssue(script("spawn(`echo ${process.env.T}`, [], { shell: '/bin/bash' })", { env: ENV })),
  ),
  row(
    'a system call of Python',
    onIssue({ shell: 'python', env: ENV, run: 'import os\nt = os.environ["T"]\nos.system(f"echo {t}")' }),
  ),
  row(
    'a subprocess of Python with a shell',
    onIssue({
      shell: 'python',
      env: ENV,
      run: 'import os, subprocess\nsubprocess.run("echo " + os.environ["T"], shell=True)',
    }),
  ),
  row(
    'a command of github-script with the payload',
    onIssue(script("require('child_process').execSync(`echo ${context.payload.issue.title}`)")),
  ),
  row(
    'a command of github-script with a variable',
    onIssue(script("const t = context.payload.issue.title;\nrequire('child_process').execSync('echo ' + t)")),
  ),
  row(
    'a command of github-script with a destructured field',
    onIssue(
      script(
        "const { title } = context.payload.issue;\nconst { execSync } = require('child_process');\nexecSync(`echo ${title}`)",
      ),
    ),
  ),
  row(
    'exec.exec of github-script with a shell',
    onIssue(script("const t = context.payload.issue.title;\nawait exec.exec('bash', ['-c', `echo ${t}`])")),
  ),
  row(
    'a variable of the environment in github-script',
    onIssue(script("require('child_process').execSync('echo ' + process.env.T)", { env: ENV })),
  ),
  row('eval of github-script', onIssue(script('eval(context.payload.issue.body)'))),
  row('a new function of github-script', onIssue(script('new Function(context.payload.issue.body)()'))),
];

const asOutput = (read: string): string =>
  workflow('issue_comment', [
    { id: 'a', env: { N: '${{ github.event.issue.number }}' }, run: `${read}\necho "b=$b" >> "$GITHUB_OUTPUT"` },
    'B="${{ steps.a.outputs.b }}"',
  ]);

const ANSWERS = [
  row(
    'a title from the API in a command string',
    workflow('issue_comment', ['bash -c "echo $(gh issue view 1 --json title --jq .title)"']),
  ),
  row(
    'a title from the API in a variable',
    workflow('issue_comment', ['t=$(gh pr view 1 --json title -q .title)\neval "echo $t"']),
  ),
  row(
    'a branch from the API as an output',
    workflow('issue_comment', [
      { id: 'a', run: 'echo "b=$(gh pr view 1 --json headRefName -q .headRefName)" >> $GITHUB_OUTPUT' },
      'git push origin HEAD:${{ steps.a.outputs.b }}',
    ]),
  ),
  row(
    'a comment from the API',
    workflow('issue_comment', [
      'b=$(gh api repos/$GITHUB_REPOSITORY/issues/1/comments --jq ".[0].body")\nbash -c "$b"',
    ]),
  ),
  row('eval of the payload read with jq', workflow('issues', ['eval "$(jq -r .issue.title "$GITHUB_EVENT_PATH")"'])),
  row('the payload read with jq', workflow('issues', ['t=$(jq -r .issue.title "$GITHUB_EVENT_PATH")\neval "echo $t"'])),
  row(
    'the payload read with jq as an output',
    workflow('issues', [
      { id: 'a', run: 'echo "t=$(jq -r .issue.title $GITHUB_EVENT_PATH)" >> $GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.t }}',
    ]),
  ),
  row(
    'the title from a request with curl',
    workflow('issue_comment', [
      't=$(curl -s "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/1" | jq -r .title)\neval "echo $t"',
    ]),
  ),
  row(
    'the branch from an answer in a variable',
    asOutput('d=$(curl -s "https://api.github.com/repos/acme/app/pulls/$N")\nb=$(echo "$d" | jq -r .head.ref)'),
  ),
  row(
    'the branch from an answer in a here-string',
    asOutput('d=$(gh api "repos/acme/app/pulls/$N")\nb=$(jq -r \'.head.ref // ""\' <<< "$d")'),
  ),
  row(
    'the branch from an answer in a file',
    asOutput('gh pr view "$N" --json title,headRefName > pr.json\nb=$(jq --raw-output .headRefName pr.json)'),
  ),
  row(
    'the branch from an answer that curl saves',
    asOutput('curl -s -o pr.json "$GITHUB_API_URL/repos/acme/app/pulls/$N"\nb=$(jq -r .head.ref < pr.json)'),
  ),
  row(
    'the branch from an answer that wget saves',
    asOutput('wget -qO pr.json "$GITHUB_API_URL/repos/acme/app/pulls/$N"\nb=$(cat pr.json | jq -r .head.ref)'),
  ),
  row(
    'the branch behind two filters',
    asOutput('b=$(gh pr list --json headRefName,number | jq ".[0]" | jq --arg n x -r .headRefName)'),
  ),
  row(
    'a title from the second of two steps',
    workflow('issue_comment', [
      'gh pr view 1 --json title > "$RUNNER_TEMP/pr.json"',
      { id: 'a', run: 'echo "b=$(jq -r .title "$RUNNER_TEMP/pr.json")" >> $GITHUB_OUTPUT' },
      'echo "${{ steps.a.outputs.b }}"',
    ]),
  ),
  row(
    'a branch from a query in GraphQL',
    asOutput('b=$(gh api graphql -f query="$Q" --jq .data.repository.pullRequest.headRefName)'),
  ),
  row(
    'the branch from an action',
    workflow('issue_comment', [
      { id: 'a', uses: 'xt0rted/pull-request-comment-branch@v2' },
      'git checkout ${{ steps.a.outputs.head_ref }}',
    ]),
  ),
  row(
    'names of files from an action',
    workflow('pull_request_target', [
      { id: 'a', uses: 'tj-actions/changed-files@v45' },
      'for f in ${{ steps.a.outputs.all_changed_files }}; do echo $f; done',
    ]),
  ),
  row(
    'names of files that the pull request changes',
    workflow('pull_request_target', [
      { id: 'a', run: 'echo "f=$(gh pr diff 1 --name-only | xargs)" >> $GITHUB_OUTPUT' },
      'echo ${{ steps.a.outputs.f }}',
    ]),
  ),
  row(
    'names of files of fetched commits',
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v4' },
      {
        id: 'a',
        run: 'git fetch origin pull/${{ github.event.number }}/head:pr\necho "f=$(git diff --name-only main...pr | xargs)" >> $GITHUB_OUTPUT',
      },
      'for f in ${{ steps.a.outputs.f }}; do echo $f; done',
    ]),
  ),
  row(
    'subjects of fetched commits',
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v4' },
      {
        id: 'a',
        run: 'git fetch origin pull/${{ github.event.number }}/head:pr\necho "s=$(git log -1 --format=%s pr)" >> $GITHUB_OUTPUT',
      },
      'echo "${{ steps.a.outputs.s }}"',
    ]),
  ),
];

const NEAR = [
  row('a text that printf puts together', onIssue({ env: ENV, run: 'printf -v text "%s" "$T"\necho "$text"' })),
  row(
    'a program that github-script starts without a shell',
    onIssue(script("require('child_process').spawnSync('echo', [context.payload.issue.title], { shell: false })")),
  ),
  row('a quoted variable', onIssue({ env: ENV, run: 'echo "$T"' })),
  row('a variable in a condition', onIssue({ env: ENV, run: 'if [[ "$T" == "[bug]"* ]]; then echo yes; fi' })),
  row('a title that github-script reads from the payload', onIssue(script('console.log(context.payload.issue.title)'))),
  row('a title as an argument of a program', onIssue({ env: ENV, run: 'python report.py "$T"' })),
  row('a title in a file that is data', onIssue({ env: ENV, run: 'echo "$T" > title.txt\ncat title.txt' })),
  row(
    'a number from a request with curl',
    workflow('issue_comment', [
      't=$(curl -s "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/1" | jq -r .number)\neval "echo $t"',
    ]),
  ),
  row(
    'a hash from an answer in a variable',
    asOutput('d=$(curl -s "https://api.github.com/repos/acme/app/pulls/$N")\nb=$(echo "$d" | jq -r .head.sha)'),
  ),
  row(
    'a number from an answer in a here-string',
    asOutput('d=$(gh api "repos/acme/app/pulls/$N")\nb=$(jq -r .number <<< "$d")'),
  ),
  row(
    'a state from an answer in a file',
    asOutput('gh pr view "$N" --json title,state > pr.json\nb=$(jq -r .state pr.json)'),
  ),
  row('a hash behind two filters', asOutput('b=$(gh pr list --json title,headRefOid | jq ".[0]" | jq -r .headRefOid)')),
  row(
    'a branch from an answer without other characters',
    asOutput('d=$(gh api "repos/acme/app/pulls/$N")\nb=$(echo "$d" | jq -r .head.ref | tr -cd "a-z0-9")'),
  ),
  row(
    'a branch from an answer about the repository',
    asOutput('d=$(gh api repos/acme/app)\nb=$(echo "$d" | jq -r .default_branch)'),
  ),
  row('a function that prints its argument', onIssue({ env: ENV, run: 'f() { echo "$1"; }\nf "$T"' })),
  row('a shell with positional arguments', onIssue({ env: ENV, run: `bash -c 'echo "$1"' _ "$T"` })),
  ...['build|test', '[0-9]', 'v[0-9].[0-9][0-9]'].map((pattern) =>
    row(`eval of what a case names: ${pattern}`, onIssue({ env: ENV, run: choosing(pattern) })),
  ),
  row(
    'eval of what a case refuses other characters in',
    onIssue({ env: ENV, run: `case "$T" in ''|*[!0-9]*) exit 1 ;; esac\neval "echo $T"` }),
  ),
  row('a here-document of cat', onIssue({ env: ENV, run: 'cat <<EOF\n$T\nEOF' })),
];

describe('template injection through evaluated values', () => {
  testSuite({
    rules: ['template-injection', 'reusable-workflow-taint', 'argument-injection', 'output-clobbering'],
    attacks: [...EVALUATED, ...ANSWERS],
    nearMisses: NEAR,
  });
});
