import { describe } from 'vitest';
import { composite, LOCAL, main, row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const ENV = { B: '${{ github.event.issue.body }}' };
const LATER: StepLike = { run: 'npm publish', env: { KEY: '${{ secrets.KEY }}' } };
const BODY = 'jq -r .issue.body "$GITHUB_EVENT_PATH"';

const onIssue = (...steps: StepLike[]): string => workflow('issues', [...steps, LATER]);
const runs = (name: string, run: string, ...later: StepLike[]): ReturnType<typeof row> =>
  row(name, onIssue({ env: ENV, run }, ...later));
const python = (...lines: string[]): string => `python3 - <<'PY'\nimport json, os, subprocess\n${lines.join('\n')}\nPY`;

const VARIABLES = [
  runs('a variable in a file', 'echo "X=$B" > x\ncat x >> $GITHUB_ENV'),
  runs('a field of the payload in a file', `${BODY} > x\necho "X=$(cat x)" >> "$GITHUB_ENV"`),
  runs('a field of the payload read by redirection', `${BODY} > x\necho "X=$(<x)" >> "$GITHUB_ENV"`),
  runs('lines of a file', `${BODY} > x\nwhile read -r l; do echo "$l" >> "$GITHUB_ENV"; done < x`),
  runs('an answer of the API in a file', 'gh issue view 1 --json body -q .body > x\ncat x >> "$GITHUB_ENV"'),
  runs('a file of an earlier step', `${BODY} > x`, 'cat x >> "$GITHUB_ENV"'),
  runs('a file for temporary data', `${BODY} > "$RUNNER_TEMP/x"`, 'cat ${{ runner.temp }}/x >> "$GITHUB_ENV"'),
  runs('a file of the workspace by its full path', `${BODY} > "$GITHUB_WORKSPACE/x"`, 'cat ./x >> "$GITHUB_ENV"'),
  runs('a file that tee writes', 'echo "$B" | tee x\ncat x >> "$GITHUB_ENV"'),
  runs('a copy of a file', `${BODY} > x\ncp x y\ncat y >> "$GITHUB_ENV"`),
  runs('a moved file', `${BODY} > x\nmv -f x y\ncat y >> "$GITHUB_ENV"`),
  runs('a file that a group writes', '{ echo "A=1"; echo "X=$B"; } > x\ncat x >> "$GITHUB_ENV"'),
  runs('a file that a here-document fills', 'cat > x <<EOF\nX=$B\nEOF\ncat x >> "$GITHUB_ENV"'),
  runs('a part of a file', `${BODY} > x\nsed -n 's/^env: //p' x >> "$GITHUB_ENV"`),
  row(
    'a file of a composite',
    main(onIssue({ uses: LOCAL }), composite([`${BODY} > x`, 'echo "X=$(cat x)" >> "$GITHUB_ENV"'])),
  ),
];

const EVENT = { E: '${{ toJSON(github.event) }}' };
const whole = (name: string, run: string): ReturnType<typeof row> => row(name, onIssue({ env: EVENT, run }));
const intoEnv = (program: string): string => `echo "X=$(${program})" >> "$GITHUB_ENV"`;

const PAYLOAD = [
  whole(
    'a field of the whole event in a file',
    'echo "$E" > e.json\nB=$(jq -r .issue.body e.json)\necho "B=$B" >> $GITHUB_ENV',
  ),
  whole('a field of the whole event', intoEnv('jq -r \'.issue | .body\' <<< "$E"')),
  whole('a field of the whole event evaluated', 'eval "$(echo "$E" | jq -r .issue.title)"'),
  runs('a field behind a function', `jq -r '.issue.body | ascii_downcase' "$GITHUB_EVENT_PATH" >> "$GITHUB_ENV"`),
  runs('a field inside a text', `jq -r '"BODY=\\(.issue.body)"' "$GITHUB_EVENT_PATH" >> "$GITHUB_ENV"`),
  runs('a field chosen by another', intoEnv(`jq -r 'select(.action == "opened") | .issue.body' "$GITHUB_EVENT_PATH"`)),
  runs('the second of two fields', intoEnv(`jq -r '.issue.none // .issue.body' < "$GITHUB_EVENT_PATH"`)),
  runs(
    'a field printed by Python',
    intoEnv(`python3 -c "import json,os;print(json.load(open(os.environ['GITHUB_EVENT_PATH']))['issue']['body'])"`),
  ),
  runs('a field printed by Node.js', intoEnv(`node -p "require(process.env.GITHUB_EVENT_PATH).issue.body"`)),
  runs(
    'a field that a program of Python writes',
    python(
      'event = json.load(open(os.environ["GITHUB_EVENT_PATH"]))',
      'with open(os.environ["GITHUB_ENV"], "a") as out:',
      `    out.write(f"B={event['issue']['body']}")`,
    ),
  ),
];

const CODE = [
  runs('a line of a file evaluated', `${BODY} > x\neval "$(head -n1 x)"`),
  runs('a file in a command string', `${BODY} > x\nbash -c "echo $(cat x)"`),
  runs(
    'a file in a variable in a command string',
    'curl -s $GITHUB_API_URL/repos/a/b/issues/1 | jq -r .title > x\nT=$(<x)\nsh -c "echo $T"',
  ),
  runs('a file that runs', `${BODY} > x.sh\nbash x.sh`),
  runs('a file that is sourced', `${BODY} > x.env\n. ./x.env`),
  runs('a field of the payload piped to a shell', `${BODY} | bash`),
  runs('a field of the payload searched and piped', `cat "$GITHUB_EVENT_PATH" | jq -r .issue.body | grep ^run | sh -s`),
  runs('an answer of the API piped to a shell', 'gh issue view 1 --json body --jq .body | bash -e'),
  runs('a file piped to a shell', `${BODY} > x`, 'cat x | sh'),
  runs('a field of the payload for xargs', `${BODY} | xargs -I{} sh -c "echo {}"`),
  runs('a program of Python', `python -c "import os; os.system('echo ' + os.environ['B'])"`),
  runs(
    'a program of Python that reads the payload',
    python('e = json.load(open(os.environ["GITHUB_EVENT_PATH"]))', 'os.system("echo " + e["issue"]["title"])'),
  ),
  runs(
    'a program of Python that opens the payload first',
    python(
      'with open(os.environ["GITHUB_EVENT_PATH"]) as f:',
      '    event = json.load(f)',
      'title = event.get("issue", {}).get("title", "")',
      'subprocess.run(f"echo {title}", shell=True)',
    ),
  ),
  runs(
    'a program of Python that keeps the path of the payload',
    python(
      'path = os.environ["GITHUB_EVENT_PATH"]',
      'event = json.loads(open(path).read())',
      'issue = event["issue"]["title"]',
      'os.popen("echo " + issue)',
    ),
  ),
  row(
    'a script of Python that reads the payload',
    onIssue({
      shell: 'python',
      run: 'import json, os\nevent = json.load(open(os.environ["GITHUB_EVENT_PATH"]))\nos.system("echo " + event["issue"]["title"])',
    }),
  ),
  runs(
    'a line of Node.js that reads the payload',
    `node -e 'const e = require(process.env.GITHUB_EVENT_PATH); require("child_process").execSync("echo " + e.issue.title)'`,
  ),
  runs(
    'a program of Node.js that reads the payload',
    `node <<'JS'\nconst event = JSON.parse(require('fs').readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));\nconst { execSync } = require('child_process');\nexecSync(\`gh issue edit 1 --title "\${event.issue.title}"\`);\nJS`,
  ),
];

const NEAR = [
  whole('a number of the whole event evaluated', 'eval "make $(echo "$E" | jq -r .issue.number)"'),
  whole('a decision about the whole event', `eval "make $(echo "$E" | jq -r '.issue.title == "x"')"`),
  runs('a length', intoEnv(`jq '.issue.body | length' "$GITHUB_EVENT_PATH"`)),
  runs('a number inside a text', `jq -r '"N=\\(.issue.number)"' "$GITHUB_EVENT_PATH" >> "$GITHUB_ENV"`),
  runs('a field without other characters', intoEnv(`jq -r '.issue.body | gsub("[^a-z]"; "")' "$GITHUB_EVENT_PATH"`)),
  runs('a number printed by Node.js', intoEnv(`node -p "require(process.env.GITHUB_EVENT_PATH).issue.number"`)),
  runs(
    'a number that a program of Python writes',
    python(
      'event = json.load(open(os.environ["GITHUB_EVENT_PATH"]))',
      'with open(os.environ["GITHUB_ENV"], "a") as out:',
      `    out.write(f"N={event['issue']['number']}")`,
    ),
  ),
  runs('a file that is data', `${BODY} > x\ngh issue comment 1 --body-file x`),
  runs('a number in a file', `${BODY} > x\ngrep -oE '^[0-9]+$' x > n\necho "N=$(cat n)" >> "$GITHUB_ENV"`),
  runs('a length of a file', `${BODY} > x\necho "N=$(wc -c < x)" >> "$GITHUB_ENV"`),
  runs('a hash of a file', `${BODY} > x\necho "N=$(sha256sum x)" >> "$GITHUB_ENV"`),
  runs('a search in a file', `${BODY} > x\nif grep -q bug x; then echo "X=bug" >> "$GITHUB_ENV"; fi`),
  runs('another file', `${BODY} > x\ncat y >> "$GITHUB_ENV"`),
  runs('a file that a later step writes', 'cat x >> "$GITHUB_ENV"', { env: ENV, run: 'echo "$B" > x' }),
  runs('a file with a constant', 'echo "X=1" > x\ncat x >> "$GITHUB_ENV"\necho "$B" > y'),
  runs('a number of the payload in a file', 'jq -r .issue.number $GITHUB_EVENT_PATH > x\ncat x >> "$GITHUB_ENV"'),
  runs('a file for a script of the repository', `${BODY} > x\nbash check.sh < x\npython check.py x`),
  runs('a pipe to a script of the repository', `${BODY} | bash check.sh`),
  runs('a pipe to a program that reads data', `${BODY} | python check.py`),
  runs('a number of the payload piped to a shell', 'jq -r .issue.number "$GITHUB_EVENT_PATH" | sh'),
  runs(
    'a program of Python that prints the payload',
    python('e = json.load(open(os.environ["GITHUB_EVENT_PATH"]))', 'print(e["issue"]["title"])', 'os.system("make")'),
  ),
  runs(
    'a program of Python that starts others without a shell',
    python('e = json.load(open(os.environ["GITHUB_EVENT_PATH"]))', 'subprocess.run(["echo", e["issue"]["title"]])'),
  ),
  runs(
    'a program of Python with a number of the payload',
    python('e = json.load(open(os.environ["GITHUB_EVENT_PATH"]))', 'os.system("echo %d" % e["issue"]["number"])'),
  ),
  runs(
    'a line of Node.js with a number of the payload',
    `node -e 'const e = require(process.env.GITHUB_EVENT_PATH); require("child_process").execSync("echo " + e.issue.number)'`,
  ),
];

describe('text in files that a script writes, and in programs that it embeds', () => {
  testSuite({
    rules: ['github-env', 'template-injection'],
    attacks: [...VARIABLES, ...PAYLOAD, ...CODE],
    nearMisses: NEAR,
  });
});
