import { describe } from 'vitest';
import {
  composite,
  jobs,
  LOCAL,
  main,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const BODY = '${{ github.event.issue.body }}';
const ENV = { B: BODY };
const LATER: StepLike = { run: 'npm publish', env: { KEY: '${{ secrets.KEY }}' } };

const onIssue = (...steps: StepLike[]): string => workflow('issues', [...steps, LATER]);
const writes = (name: string, run: string, rest: object = {}): ReturnType<typeof row> =>
  row(name, onIssue({ env: ENV, ...rest, run }));
const SHA = '${{ github.event.pull_request.head.sha }}';
const HEAD: StepLike = { uses: 'actions/checkout@v4.1.0', with: { ref: SHA } };
const overHead = (name: string, run: string): ReturnType<typeof row> =>
  row(name, workflow('pull_request_target', [HEAD, run, LATER]));

const WRITES = [
  writes('a pasted body', `echo "X=${BODY}" >> "$GITHUB_ENV"`, { env: {} }),
  writes('a variable', 'echo "X=$B" >> "$GITHUB_ENV"'),
  writes('a body without some characters', 'echo "X=${B//[;&]/}" >> "$GITHUB_ENV"'),
  writes('a body that keeps its spaces', 'echo "X=${B//[^[:print:][:space:]]/}" >> "$GITHUB_ENV"'),
  writes('a body beside its letters', 'echo "X=${B//[^a-z]/} $B" >> "$GITHUB_ENV"'),
  writes('a body whose first other character goes', 'echo "X=${B/[^a-z]/}" >> "$GITHUB_ENV"'),
  writes('a variable in braces', 'echo "X=${B}" >> ${GITHUB_ENV}'),
  writes('a file in the old syntax of expressions', 'echo "X=$B" >> ${{ github.env }}'),
  writes('a variable with printf', `printf 'X=%s\\n' "$B" >> "$GITHUB_ENV"`),
  writes('a variable with tee', 'echo "X=$B" | tee -a "$GITHUB_ENV"'),
  writes('a variable with tee in silence', 'echo "X=$B" | tee -a "$GITHUB_ENV" > /dev/null'),
  writes('a here-document of cat', 'cat >> "$GITHUB_ENV" <<EOF\nX=$B\nEOF'),
  writes('a here-document of cat after it', 'cat <<EOF >> "$GITHUB_ENV"\nX=$B\nEOF'),
  writes('a here-document of tee', 'tee -a "$GITHUB_ENV" <<EOF\nX=$B\nEOF'),
  writes('a group of commands', '{\n  echo "A=1"\n  echo "X=$B"\n} >> "$GITHUB_ENV"'),
  writes('a subshell', '( echo "X=$B" ) >> "$GITHUB_ENV"'),
  writes(
    'a value of several lines with a fixed delimiter',
    '{\n  echo "X<<EOF"\n  echo "$B"\n  echo "EOF"\n} >> "$GITHUB_ENV"',
  ),
  writes(
    'a value of several lines, one by one',
    'echo "X<<EOF" >> $GITHUB_ENV\necho "$B" >> $GITHUB_ENV\necho "EOF" >> $GITHUB_ENV',
  ),
  writes('a loop', 'for l in $B; do echo "$l" >> $GITHUB_ENV; done'),
  writes('a loop that reads lines', 'while read -r l; do echo "$l" >> $GITHUB_ENV; done <<< "$B"'),
  writes('a copy of the variable', 'x="$B"\necho "X=$x" >> "$GITHUB_ENV"'),
  writes('a part of the variable', 'echo "X=${B#/run }" >> "$GITHUB_ENV"'),
  writes('a variable cut with sed', 'echo "X=$(echo "$B" | sed s/a/b/)" >> "$GITHUB_ENV"'),
  writes('a file in a variable', 'f="$GITHUB_ENV"\necho "X=$B" >> "$f"'),
  writes('a function', 'set_env() { echo "$1=$2" >> "$GITHUB_ENV"; }\nset_env X "$B"'),
  writes('the payload with jq', 'jq -r .issue.body "$GITHUB_EVENT_PATH" >> "$GITHUB_ENV"', { env: {} }),
  writes('a line of the payload with jq', 'echo "X=$(jq -r .issue.body "$GITHUB_EVENT_PATH")" >> "$GITHUB_ENV"', {
    env: {},
  }),
  writes('a body from the API', 'echo "X=$(gh issue view 1 --json body -q .body)" >> "$GITHUB_ENV"', { env: {} }),
  writes('an answer of the API as it is', 'gh issue view 1 --json body -q .body >> "$GITHUB_ENV"', { env: {} }),
  writes(
    'a program of Node.js',
    `node -e "require('fs').appendFileSync(process.env.GITHUB_ENV, 'X=' + process.env.B)"`,
  ),
  writes(
    'a program of Python',
    `python -c "import os; open(os.environ['GITHUB_ENV'], 'a').write('X=' + os.environ['B'])"`,
  ),
  writes('PowerShell', '"X=$env:B" >> $env:GITHUB_ENV', { shell: 'pwsh' }),
  writes('PowerShell with Out-File', 'echo "X=$env:B" | Out-File -FilePath $env:GITHUB_ENV -Append', { shell: 'pwsh' }),
  writes('PowerShell with Add-Content', 'Add-Content -Path $env:GITHUB_ENV -Value "X=$env:B"', { shell: 'pwsh' }),
  writes('a batch script', 'echo X=%B% >> %GITHUB_ENV%', { shell: 'cmd' }),
  writes(
    'a script of Python',
    'import os\nwith open(os.environ["GITHUB_ENV"], "a") as f:\n    f.write("X=" + os.environ["B"])',
    { shell: 'python' },
  ),
  writes(
    'a pasted body in a script of Python',
    `import os\nwith open(os.environ["GITHUB_ENV"], "a") as f:\n    f.write("X=""" + """${BODY}""")`,
    { shell: 'python', env: {} },
  ),
  writes('a folder for the path', 'echo "$B" >> "$GITHUB_PATH"'),
  writes('a title that names the variable', 'echo "$T" >> "$GITHUB_ENV"', {
    env: { T: '${{ github.event.issue.title }}' },
  }),
  writes('a name of a variable', 'echo "$B=1" >> "$GITHUB_ENV"'),
  writes('the old command', 'echo "::set-env name=X::$B"', {
    env: { ...ENV, ACTIONS_ALLOW_UNSECURE_COMMANDS: 'true' },
  }),
  row('github-script', onIssue(script("core.exportVariable('NODE_OPTIONS', context.payload.issue.body)"))),
  row(
    'github-script with a name of the payload',
    onIssue(script('core.exportVariable(context.payload.issue.title, context.payload.issue.body)')),
  ),
  row('github-script with the path', onIssue(script('core.addPath(context.payload.issue.body)'))),
  row(
    'github-script with the file',
    onIssue(script("require('fs').appendFileSync(process.env.GITHUB_ENV, `X=${context.payload.issue.body}`)")),
  ),
  row(
    'an output of a step',
    onIssue(
      { id: 'a', env: ENV, run: 'echo "b=$B" >> "$GITHUB_OUTPUT"' },
      'echo "X=${{ steps.a.outputs.b }}" >> "$GITHUB_ENV"',
    ),
  ),
  row(
    'an output of a job',
    jobs('issues', {
      a: { outputs: { b: BODY }, steps: ['true'] },
      b: { needs: 'a', steps: ['echo "X=${{ needs.a.outputs.b }}" >> "$GITHUB_ENV"', LATER] },
    }),
  ),
  row(
    'a composite',
    main(
      onIssue({ uses: LOCAL, with: { b: BODY } }),
      composite([{ env: { B: '${{ inputs.b }}' }, run: 'echo "X=$B" >> "$GITHUB_ENV"' }], {
        inputs: { b: { description: 'x' } },
      }),
    ),
  ),
  row('an action that sets variables', onIssue({ uses: 'allenevans/set-env@v4', with: { X: BODY } })),
];

const FILES = [
  overHead('a file of the head', 'cat .env >> "$GITHUB_ENV"'),
  overHead('a line of a file of the head', 'echo "V=$(cat VERSION)" >> "$GITHUB_ENV"'),
  overHead('a line of a file of the head by redirection', 'echo "V=$(<VERSION)" >> "$GITHUB_ENV"'),
  overHead('a search in a file of the head', 'grep -v "^#" .env >> "$GITHUB_ENV"'),
  overHead('a field of a file of the head', 'echo "V=$(jq -r .version package.json)" >> "$GITHUB_ENV"'),
  overHead(
    'a field of a file of the head with Node.js',
    `echo "V=$(node -p "require('./package.json').version")" >> "$GITHUB_ENV"`,
  ),
  overHead('all but a line of a file of the head', 'echo "V=$(sed 1d VERSION)" >> "$GITHUB_ENV"'),
  overHead('the beginning of a file of the head', 'echo "V=$(sed 2q VERSION)" >> "$GITHUB_ENV"'),
  overHead('lines of a file of the head', 'echo "V=$(sed -n 2,3p VERSION)" >> "$GITHUB_ENV"'),
  overHead('two lines of a file of the head', 'echo "V=$(head -n 2 VERSION)" >> "$GITHUB_ENV"'),
  overHead('the first lines of two files of the head', 'echo "V=$(head -q -n1 VERSION NAME)" >> "$GITHUB_ENV"'),
  overHead('the end of a file of the head', 'echo "V=$(tail -n +1 VERSION)" >> "$GITHUB_ENV"'),
  overHead('the records of a file of the head', `echo "V=$(awk 'NR>1' VERSION)" >> "$GITHUB_ENV"`),
  overHead('a copy of a file of the head', 'cp .env "$GITHUB_ENV"'),
  overHead('a folder of the head', 'echo "$PWD/bin" >> "$GITHUB_PATH"'),
  overHead('a search with sed', 'sed -n "s/^ENV //p" Dockerfile >> $GITHUB_ENV'),
  overHead('the subject of a commit of the head', 'echo "S=$(git log -1 --format=%s)" >> "$GITHUB_ENV"'),
  overHead('the message of a commit of the head', 'git log -1 --format=%B >> "$GITHUB_ENV"'),
  overHead('names of files of the head', 'echo "F=$(ls)" >> "$GITHUB_ENV"'),
  overHead('a field of each line that is found', `echo "V=$(grep v VERSION | awk '{print $3}')" >> "$GITHUB_ENV"`),
  overHead('a field of a line of each file', `echo "V=$(grep -m1 v *.txt | awk '{print $2}')" >> "$GITHUB_ENV"`),
  overHead('the first lines of all files', 'echo "V=$(head -qn1 *.txt)" >> "$GITHUB_ENV"'),
  overHead('the first records of all files', `echo "V=$(awk 'FNR==1{print $2}' *.txt)" >> "$GITHUB_ENV"`),
  overHead('a find and what follows it', 'echo "V=$(grep -m1 -A2 v VERSION | cut -d: -f2)" >> "$GITHUB_ENV"'),
  overHead('all matches in a line', 'echo "V=$(grep -m1 -oE "v=[^,]+" VERSION)" >> "$GITHUB_ENV"'),
  overHead('each word of a line', 'echo "V=$(head -n1 VERSION | tr " " "\\n")" >> "$GITHUB_ENV"'),
  overHead('the text of files with xargs', 'echo "V=$(ls VERSION | xargs cat)" >> "$GITHUB_ENV"'),
  overHead('lines apart by null bytes', 'echo "V=$(grep -z -m1 V VERSION)" >> "$GITHUB_ENV"'),
  overHead('each word of a line with xargs', 'echo "V=$(head -n1 VERSION | xargs -n1)" >> "$GITHUB_ENV"'),
  overHead('a line that sed breaks', `echo "V=$(head -n1 VERSION | sed 's/,/\\n/g')" >> "$GITHUB_ENV"`),
  overHead('a line that awk breaks', `echo "V=$(head -n1 VERSION | awk '{print $1; print $2}')" >> "$GITHUB_ENV"`),
  overHead('a line with other separators', `echo "V=$(awk -v RS=, 'NR==1{print $2}' VERSION)" >> "$GITHUB_ENV"`),
  overHead('a line that is decoded', 'echo "V=$(head -n1 VERSION | base64 -d)" >> "$GITHUB_ENV"'),
  overHead('the whole first line', 'head -n1 .env >> "$GITHUB_ENV"'),
  overHead('a word that names the variable', `grep -m1 set .env | awk '{print $2}' >> "$GITHUB_ENV"`),
  overHead('a line that is copied', 'line=$(head -n1 .env)\necho "$line" >> "$GITHUB_ENV"'),
  overHead('lines without their keys', `echo "V=$(sed 's/[^=]*=//' .env)" >> "$GITHUB_ENV"`),
  overHead('lines without control characters', 'tr -cd "[:print:]\\n" < .env >> "$GITHUB_ENV"'),
  overHead(
    'texts of some length',
    `echo "V=$(jq -r '.[] | select(.text | length > 3) | .text' list.json)" >> "$GITHUB_ENV"`,
  ),
  overHead('a file that a loop reads', 'while read -r l; do echo "$l" >> "$GITHUB_ENV"; done < .env'),
];

const NEAR = [
  writes('a constant', 'echo "X=1" >> "$GITHUB_ENV"'),
  writes('a commit', 'echo "X=$GITHUB_SHA" >> "$GITHUB_ENV"'),
  writes('a number', 'echo "X=${{ github.event.issue.number }}" >> "$GITHUB_ENV"'),
  writes('a login', 'echo "X=${{ github.event.issue.user.login }}" >> "$GITHUB_ENV"'),
  writes('a date', 'echo "X=$(date +%F)" >> "$GITHUB_ENV"'),
  writes('a body that is printed', 'echo "$B"\necho "X=1" >> "$GITHUB_ENV"'),
  writes('a body in a file of its own', 'echo "X=$B" >> notes.txt'),
  writes('a quoted here-document', "cat >> $GITHUB_ENV <<'EOF'\nX=$B\nEOF"),
  writes(
    'a delimiter that nobody can guess',
    'd=$(openssl rand -hex 16)\n{\n  echo "X<<$d"\n  echo "$B"\n  echo "$d"\n} >> "$GITHUB_ENV"',
  ),
  writes('a checked body', '[[ "$B" =~ ^[a-z]+$ ]] || exit 1\necho "X=$B" >> "$GITHUB_ENV"'),
  writes('a body reduced to digits', 'echo "X=$(echo "$B" | tr -cd 0-9)" >> "$GITHUB_ENV"'),
  writes('a body without other characters', 'N=${B//[^a-zA-Z0-9\\-\\.]/}\necho "X=$N" >> "$GITHUB_ENV"'),
  writes('a body with other characters replaced', 'echo "X=${B//[^[:alnum:]_]/-}" >> "$GITHUB_ENV"'),
  writes('a length of the body', 'echo "X=${#B}" >> "$GITHUB_ENV"'),
  writes('a hash of the body', 'echo "X=$(echo "$B" | sha256sum)" >> "$GITHUB_ENV"'),
  overHead('the second line of a file', 'echo "V=$(sed "2q;d" VERSION)" >> "$GITHUB_ENV"'),
  overHead('the third line of a file', 'echo "V=$(sed -n 3p VERSION)" >> "$GITHUB_ENV"'),
  overHead('a line and no more', `echo "V=$(sed -n '2{p;q;}' VERSION)" >> "$GITHUB_ENV"`),
  overHead('all lines but one deleted', `echo "V=$(sed '1!d' VERSION)" >> "$GITHUB_ENV"`),
  overHead('the first line of a file', 'echo "V=$(head -1 VERSION)" >> "$GITHUB_ENV"'),
  overHead('the first line, in words', 'echo "V=$(head --lines=1 VERSION)" >> "$GITHUB_ENV"'),
  overHead('the last line of a file', 'echo "V=$(tail -n 1 VERSION)" >> "$GITHUB_ENV"'),
  overHead('a record of a file', `echo "V=$(awk 'NR == 2 { print $1; exit }' VERSION)" >> "$GITHUB_ENV"`),
  overHead('a word of a find', `echo "V=$(grep -m 1 '<!-- V' VERSION | awk '{print $3}')" >> "$GITHUB_ENV"`),
  overHead('a field of a find', `echo "V=$(grep --max-count=1 v VERSION | cut -d' ' -f2)" >> "$GITHUB_ENV"`),
  overHead('a field of a find in a pipe', `echo "V=$(cat VERSION | grep -Em1 '^v' | cut -d= -f2)" >> "$GITHUB_ENV"`),
  overHead('a field of the first line', `echo "V=$(head -n1 VERSION | cut -d' ' -f2)" >> "$GITHUB_ENV"`),
  overHead('a field of a record', `echo "V=$(awk 'NR==1{print $2}' VERSION)" >> "$GITHUB_ENV"`),
  overHead(
    'a field of the first of all files',
    `echo "V=$(awk 'NR==1 {if ($1 ~ /a/) print $2}' *.x)" >> "$GITHUB_ENV"`,
  ),
  overHead('a field of the record that is found', `echo "V=$(awk -F= '/^v/ { print $2; exit }' x)" >> "$GITHUB_ENV"`),
  overHead('a field of a line of sed', `echo "V=$(sed -n 1p VERSION | awk '{print $NF}')" >> "$GITHUB_ENV"`),
  overHead('a line without its key', `echo "V=$(grep -m1 v VERSION | sed 's/.*=//')" >> "$GITHUB_ENV"`),
  overHead('a line in small letters', `v=$(head -n1 VERSION | tr A-Z a-z)\necho "V=$v" >> "$GITHUB_ENV"`),
  overHead('a line after its name', 'line="V=$(head -n1 VERSION)"\necho "$line" >> "$GITHUB_ENV"'),
  overHead('a line that sed names', `head -n1 VERSION | sed 's/^/V=/' >> "$GITHUB_ENV"`),
  overHead('an amount of JSON', `echo "N=$(jq '.items | length' list.json)" >> "$GITHUB_ENV"`),
  overHead('an amount of what is chosen', `echo "N=$(jq -r 'map(select(.a == "b")) | length' x)" >> "$GITHUB_ENV"`),
  overHead('an amount of lines', 'echo "N=$(grep -c v VERSION)" >> "$GITHUB_ENV"'),
  overHead('letters and digits of a file', `echo "V=$(sed 's/[^a-z0-9]//g' VERSION)" >> "$GITHUB_ENV"`),
  overHead('the first line of a pipe', 'echo "V=$(cat VERSION | head -n1)" >> "$GITHUB_ENV"'),
  writes('a body for the summary', 'echo "$B" >> "$GITHUB_STEP_SUMMARY"'),
  writes('a test of the body', 'if grep -q bug <<< "$B"; then echo "X=bug" >> "$GITHUB_ENV"; fi'),
  row('a value of github-script', onIssue(script("core.exportVariable('X', context.issue.number)"))),
  row('a harmless name of github-script', onIssue(script("core.exportVariable('TITLE', context.payload.issue.title)"))),
  row(
    'a file of its own in Python',
    onIssue({
      shell: 'python',
      env: ENV,
      run: 'import os\nwith open("x.txt", "a") as f:\n    f.write(os.environ["B"])',
    }),
  ),
  row(
    'a length in Python',
    onIssue({
      shell: 'python',
      env: ENV,
      run: 'import os\nwith open(os.environ["GITHUB_ENV"], "a") as f:\n    f.write(f"N={len(os.environ[\'B\'])}")',
    }),
  ),
  row(
    'a folder of the base',
    workflow('pull_request_target', [{ uses: 'actions/checkout@v4' }, 'echo "$PWD/bin" >> "$GITHUB_PATH"', LATER]),
  ),
  row('a summary of github-script', onIssue(script('await core.summary.addRaw(context.payload.issue.body).write()'))),
  row(
    'a file of the base',
    workflow('pull_request_target', [{ uses: 'actions/checkout@v4' }, 'cat .env >> "$GITHUB_ENV"', LATER]),
  ),
  row('a file of a push', workflow('push', [{ uses: 'actions/checkout@v4' }, 'cat .env >> "$GITHUB_ENV"', LATER])),
  row(
    'the head commit of a pull request',
    workflow('pull_request_target', [`echo "X=${SHA}" >> "$GITHUB_ENV"`, LATER]),
  ),
  row(
    'a list of tags of the base',
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v4' },
      'echo "V=$(git describe --tags)" >> "$GITHUB_ENV"',
      LATER,
    ]),
  ),
];

const SET = 'echo "X=$B" >> "$GITHUB_ENV"';
const LINES = 'while IFS= read -r l; do\n  CHECK\n  echo "$l" >> "$GITHUB_ENV"\ndone < vars/values.env';
const reading = (check: string): string => LINES.replace('CHECK', check);
const fromRun = (name: string, run: string, path = '${{ runner.temp }}/vars'): ReturnType<typeof row> =>
  row(
    name,
    workflow({ workflow_run: { workflows: ['Build'], types: ['completed'] } }, [
      {
        uses: 'actions/download-artifact@v4',
        with: {
          name: 'vars',
          path,
          'run-id': '${{ github.event.workflow_run.id }}',
          'github-token': '${{ github.token }}',
        },
      },
      path.includes('temp') ? run.replaceAll('vars/', '"$RUNNER_TEMP"/vars/') : run,
      LATER,
    ]),
  );

const UNCHECKED = [
  writes('a check of a part', `[[ "$B" =~ [0-9]+ ]] || exit 1\n${SET}`),
  writes('a check of the beginning', `[[ "$B" =~ ^[0-9]+ ]] || exit 1\n${SET}`),
  writes('a check of either end', `[[ "$B" =~ ^[0-9]+|[0-9]+$ ]] || exit 1\n${SET}`),
  writes('a check that any text passes', `[[ "$B" =~ ^.*$ ]] || exit 1\n${SET}`),
  writes('a check with a dot', `[[ "$B" =~ ^v.+-[0-9]+$ ]] || exit 1\n${SET}`),
  writes('a check for what is absent', `[[ "$B" =~ ^[^\\;]+$ ]] || exit 1\n${SET}`),
  writes('a check that white space passes', `[[ "$B" =~ ^[[:space:]a-z]+$ ]] || exit 1\n${SET}`),
  writes('a check for a quoted pattern', `[[ "$B" =~ "^[0-9]+$" ]] || exit 1\n${SET}`),
  writes('a check with a wide range', `[[ "$B" =~ ^[+-z]+$ ]] || exit 1\n${SET}`),
  writes('a check that only warns', `[[ "$B" =~ ^[0-9]+$ ]] || echo "::warning::no number"\n${SET}`),
  writes('a check that is forgiven', `[[ "$B" =~ ^[0-9]+$ ]] || true\n${SET}`),
  writes('a condition that only warns', `if ! [[ "$B" =~ ^[0-9]+$ ]]; then\n  echo "no number"\nfi\n${SET}`),
  writes('a condition with both outcomes', `if [[ "$B" =~ ^[0-9]+$ ]]; then echo yes; else echo no; fi\n${SET}`),
  writes('a check after the use', `${SET}\n[[ "$B" =~ ^[0-9]+$ ]] || exit 1`),
  writes('a check of one case', `if [ "$A" = 1 ]; then [[ "$B" =~ ^[0-9]+$ ]] || exit 1; fi\n${SET}`),
  writes('a check of either of two', `[[ "$B" =~ ^[0-9]+$ || -n "$A" ]] || exit 1\n${SET}`),
  writes('a check or another command', `[[ "$B" =~ ^[0-9]+$ ]] || [ "$A" = 1 ] || exit 1\n${SET}`),
  writes('a check that is negated', `[[ "$B" =~ ^[0-9]+$ ]] && exit 1\n${SET}`),
  writes('a check in a loop', `for i in 1; do [[ "$B" =~ ^[0-9]+$ ]] || continue; done\n${SET}`),
  writes('a check in a subshell without errors', `set +e\n[[ "$B" =~ ^[0-9]+$ ]] || (exit 1)\n${SET}`),
  writes('a bare check without errors', `set +e\n[[ "$B" =~ ^[0-9]+$ ]]\n${SET}`),
  writes('a bare check in a shell that goes on', `[[ "$B" =~ ^[0-9]+$ ]]\n${SET}`, { shell: 'bash {0}' }),
  writes('a check of another variable', `[[ "$A" =~ ^[0-9]+$ ]] || exit 1\n${SET}`),
  writes(
    'a variable set after its check',
    `x=1\n[[ "$x" =~ ^[0-9]+$ ]] || exit 1\nx="$B"\necho "X=$x" >> "$GITHUB_ENV"`,
  ),
  writes('a check of the first line', `x=$(echo "$B" | head -n1)\n[[ "$x" =~ ^[0-9]+$ ]] || exit 1\n${SET}`),
  writes('a check of each line with grep', `echo "$B" | grep -qE '^[0-9]+$' || exit 1\n${SET}`),
  writes('a copy that is checked', `x="$B"\n[[ "$x" =~ ^[0-9]+$ ]] || exit 1\n${SET}`),
  writes('a check in the background', `[[ "$B" =~ ^[0-9]+$ ]] &\n${SET}`),
  fromRun('lines that assign any text', reading('[[ "$l" =~ ^[A-Z_]+=.*$ ]] || exit 1')),
  fromRun('lines that assign a path', reading('[[ "$l" =~ ^[A-Z_]+=[a-z./]+$ ]] || exit 1')),
  fromRun('lines that assign numbers or words', reading('[[ "$l" =~ ^[A-Z_]+=([0-9]+|[a-z]+)$ ]] || exit 1')),
  fromRun('lines of two assignments', reading('[[ "$l" =~ ^([A-Z_]+=[0-9a-z]*)+$ ]] || exit 1')),
  fromRun('lines that are only reported', reading('[[ "$l" =~ ^[A-Z_]+=[0-9]+$ ]] || echo "odd line"')),
  fromRun(
    'lines that are checked afterwards',
    `${reading(':')}\nwhile read -r l; do [[ "$l" =~ ^[A-Z]+=[0-9]+$ ]] || exit 1; done < vars/values.env`,
  ),
  fromRun(
    'numbers beside files that may have such a name',
    reading('[[ "$l" =~ ^[A-Z_]+=[0-9]+$ ]] || exit 1').replace('vars/', ''),
    '.',
  ),
];

const CHECKED = [
  writes('a check in a condition', `if ! [[ "$B" =~ ^[0-9]+$ ]]; then\n  echo no\n  exit 1\nfi\n${SET}`),
  writes('a negation in the check', `if [[ ! $B =~ ^[a-z]+(-[a-z]+)*$ ]]; then exit 1; fi\n${SET}`),
  writes('a condition around the use', `if [[ "$B" =~ ^[0-9]+$ ]]; then\n  ${SET}\nfi`),
  writes('a condition whose other outcome exits', `if [[ "$B" =~ ^v[0-9.]+$ ]]; then :; else exit 1; fi\n${SET}`),
  writes('a check before the use', `[[ "$B" =~ ^[0-9]+$ ]] && ${SET}`),
  writes('a check with a message', `[[ "$B" =~ ^[0-9]+$ ]] || { echo no >&2; exit 1; }\n${SET}`),
  writes('a check with a subshell', `[[ "$B" =~ ^[0-9]+$ ]] || (echo no; exit 1)\n${SET}`),
  writes('a check with a function', `die() { echo "$1"; exit 1; }\n[[ "$B" =~ ^[0-9]+$ ]] || die no\n${SET}`),
  writes('a bare check', `[[ "$B" =~ ^[0-9]+$ ]]\n${SET}`),
  writes('two checks', `[[ "$B" =~ ^[0-9]+$ && "$A" =~ ^x$ ]] || exit 1\n${SET}`),
  writes('two checks one after the other', `[[ -n "$A" ]] && [[ "$B" =~ ^[0-9]+$ ]] || exit 1\n${SET}`),
  writes('either check exits', `if [[ ! "$B" =~ ^[0-9]+$ ]] || [[ -z "$A" ]]; then exit 1; fi\n${SET}`),
  writes('a checked copy of the body', '[[ "$B" =~ ^[0-9]+$ ]] || exit 1\nx=$B\necho "X=$x" >> "$GITHUB_ENV"'),
  writes('a checked part of the body', 'x=${B#/run }\n[[ "$x" =~ ^[0-9]+$ ]] || exit 1\necho "X=$x" >> "$GITHUB_ENV"'),
  writes('classes of letters', `[[ "$B" =~ ^[[:alnum:]_-]+$ ]] || exit 1\n${SET}`),
  writes('one of some words', `[[ "$B" =~ ^(one|two)$ ]] || exit 1\n${SET}`),
  writes('an assignment that is checked and named', `[[ "$B" =~ ^[a-z]+=[a-z]+$ ]] || exit 1\n${SET}`),
  fromRun('lines that assign numbers', reading('[[ "$l" =~ ^[A-Z_]+=[0-9]+$ ]] || exit 1')),
  fromRun('lines that are skipped', reading('[[ "$l" =~ ^[A-Z_]+=[[:digit:]]+$ ]] || continue')),
  fromRun('lines of some names', reading('if [[ ! "$l" =~ ^(SIZE|COUNT)=[0-9]{1,9}$ ]]; then exit 1; fi')),
];

const unpacking = (name: string, run: string): ReturnType<typeof row> => {
  const get = (id: string): string => `gh api repos/acme/app/actions/artifacts/${id}/zip > ${id}.zip`;
  return row(
    name,
    workflow({ workflow_run: { workflows: ['Build'], types: ['completed'] } }, [
      get('one'),
      get('two'),
      'unzip tools.zip -d tools\nunzip -d one one.zip\nunzip -d two two.zip',
      run,
      LATER,
    ]),
  );
};
const UNPACKED = [
  unpacking('a file of the first archive', 'echo "X=$(cat one/x)" >> "$GITHUB_ENV"'),
  unpacking('a file of the second archive', 'echo "X=$(cat ./two/.meta/x)" >> "$GITHUB_ENV"'),
];
const BESIDE = [unpacking('a file of an own archive', 'echo "X=$(cat tools/x)" >> "$GITHUB_ENV"')];

describe('environment files', () => {
  testSuite({
    rules: ['github-env', 'insecure-commands'],
    attacks: [...WRITES, ...FILES, ...UNCHECKED, ...UNPACKED],
    nearMisses: [...NEAR, ...CHECKED, ...BESIDE],
  });
});
