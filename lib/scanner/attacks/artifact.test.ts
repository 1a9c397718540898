import { describe } from 'vitest';
import {
  AFTER_BUILD,
  buildOf,
  CALLED,
  composite,
  type Files,
  jobs,
  LOCAL,
  main,
  BUILD_RUN as RUN,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const BUILD = buildOf('out');
const download = (inputs: object = {}): StepLike => ({
  uses: 'actions/download-artifact@v4',
  with: { name: 'out', 'run-id': RUN, 'github-token': '${{ github.token }}', ...inputs },
});
const GET = download();
const SONAR_ENV = { SONAR_TOKEN: '${{ secrets.SONAR_TOKEN }}' };
const SONAR = { uses: 'SonarSource/sonarqube-scan-action@v6', env: SONAR_ENV };
const OUT = download({ path: 'out' });

const after = (...steps: StepLike[]): Files => main(workflow(AFTER_BUILD, steps), BUILD);
const withOutput = (run: string, use: StepLike): Files => after(GET, { id: 'a', run }, use);

const NUMBER_OUT = 'echo "n=$(cat out/nr)" >> "$GITHUB_OUTPUT"';
const REPLACES: StepLike = { uses: 'actions/checkout@v4' };
const PASTES = 'gh pr view ${{ steps.a.outputs.n }}';

const WAYS = [
  row(
    'a run of any branch called main or develop, as a fork’s may be',
    main(
      workflow({ workflow_run: { workflows: ['Build'], types: ['completed'], branches: ['main', 'develop'] } }, [
        GET,
        'bash run.sh',
      ]),
      BUILD,
    ),
  ),
  ...[['main', 'feat/**'], ['v[0-9]+', '!v0'], ['**']].map((branches) =>
    row(
      `a run of the branches ${branches.join(' and ')}`,
      main(workflow({ workflow_run: { workflows: ['Build'], branches } }, [GET, 'bash run.sh']), BUILD),
    ),
  ),
  row(
    'a run of a known workflow or of one that is not there',
    main(
      workflow({ workflow_run: { workflows: ['Elsewhere', 'Build'], branches: ['main', 'fix/*'] } }, [
        GET,
        'bash run.sh',
      ]),
      BUILD,
    ),
  ),
  row('the download action', after(GET, 'bash run.sh')),
  row('the download action into a folder', after(OUT, 'bash out/run.sh')),
  row(
    'all artifacts',
    after({ uses: 'actions/download-artifact@v4', with: { 'run-id': RUN, 'github-token': 'x' } }, 'bash out/run.sh'),
  ),
  row(
    'an older download action',
    after(
      { uses: 'dawidd6/action-download-artifact@v6', with: { workflow: 'build.yml', run_id: RUN } },
      'bash out/run.sh',
    ),
  ),
  row(
    'an older download action by its workflow',
    after({ uses: 'dawidd6/action-download-artifact@v5', with: { workflow: 'build.yml', name: 'out' } }, 'bash run.sh'),
  ),
  row(
    'a line of a file in a variable',
    after(GET, 'echo "KEY=$(sed "2q;d" out.txt)" >> "$GITHUB_ENV"', 'scan --args "$KEY"'),
  ),
  row('a word of a line in a script', after(GET, 'echo "N=$(head -1 n)" >> "$GITHUB_ENV"', 'gh pr view ${{ env.N }}')),
  row('gh run download', after(`gh run download ${RUN}`, 'bash out/run.sh')),
  row('gh run download into a folder', after(`gh run download ${RUN} -n out -D out`, 'bash out/run.sh')),
  row(
    'the API with gh',
    after(`gh api repos/$GITHUB_REPOSITORY/actions/artifacts/$ID/zip > out.zip\nunzip out.zip`, 'bash run.sh'),
  ),
  row(
    'the API with curl',
    after(
      'curl -L -H "Authorization: $T" -o out.zip "$GITHUB_API_URL/repos/x/y/actions/artifacts/$ID/zip"\nunzip out.zip -d out',
      'bash out/run.sh',
    ),
  ),
  row(
    'github-script',
    after(
      script(
        "const { data } = await github.rest.actions.listWorkflowRunArtifacts({ ...context.repo, run_id: context.payload.workflow_run.id });\nconst d = await github.rest.actions.downloadArtifact({ ...context.repo, artifact_id: data.artifacts[0].id, archive_format: 'zip' });\nrequire('fs').writeFileSync('out.zip', Buffer.from(d.data));",
      ),
      'unzip out.zip',
      'bash run.sh',
    ),
  ),
  row(
    'the artifact client in github-script',
    after(
      script(
        "const { DefaultArtifactClient } = require('@actions/artifact');\nawait new DefaultArtifactClient().downloadArtifact(1, { findBy: { workflowRunId: context.payload.workflow_run.id } });",
      ),
      'bash run.sh',
    ),
  ),
  row(
    'a local action whose token is the default of an input',
    main(workflow(AFTER_BUILD, [{ uses: LOCAL }, 'bash run.sh']), {
      ...BUILD,
      ...composite([download({ 'github-token': '${{ inputs.token }}' })], {
        inputs: { token: { default: '${{ github.token }}' } },
      }),
    }),
  ),
  row(
    'a local composite',
    main(workflow(AFTER_BUILD, [{ uses: LOCAL }, 'bash run.sh']), { ...BUILD, ...composite([GET]) }),
  ),
  row(
    'a download and a use by one local composite',
    main(workflow(AFTER_BUILD, [{ uses: LOCAL }]), { ...BUILD, ...composite([GET, 'bash ./run.sh']) }),
  ),
  row(
    'a download and a build by one local composite',
    main(workflow(AFTER_BUILD, ['true', { uses: LOCAL }]), { ...BUILD, ...composite([GET, 'make']) }),
  ),
  row(
    'a called workflow',
    main(jobs(AFTER_BUILD, { a: { uses: CALLED } }), {
      ...BUILD,
      [CALLED.slice(2)]: workflow('workflow_call', [GET, 'bash run.sh']),
    }),
  ),
  row(
    'a later job of the same workflow',
    main(
      jobs(AFTER_BUILD, {
        a: { steps: [GET, { uses: 'actions/upload-artifact@v4', with: { name: 'again', path: '.' } }] },
        b: { needs: 'a', steps: [{ uses: 'actions/download-artifact@v4', with: { name: 'again' } }, 'bash run.sh'] },
      }),
      BUILD,
    ),
  ),
  row(
    'a producer elsewhere',
    main(
      workflow({ workflow_run: { workflows: ['Elsewhere'], types: ['completed'] } }, [GET, 'bash run.sh'], {
        if: "github.event.workflow_run.event == 'pull_request'",
      }),
    ),
  ),
];

const USES = [
  row('a script', after(OUT, './out/run.sh')),
  row('a script that is sourced', after(OUT, 'source out/env.sh')),
  row('a program that is made executable', after(OUT, 'chmod +x out/tool\nout/tool')),
  row('eval of a file', after(GET, 'eval "$(cat vars)"')),
  row('a shell that xargs starts with lines of a file', after(GET, 'xargs -a commands.txt -I{} bash -c "{}"')),
  row('export of a file', after(GET, 'export $(cat vars)\nmake')),
  row(
    'variables for all steps',
    after(GET, 'cat vars >> "$GITHUB_ENV"', { run: 'make', env: { K: '${{ secrets.K }}' } }),
  ),
  row(
    'a line for all steps',
    after(GET, 'echo "PR=$(cat pr.txt)" >> "$GITHUB_ENV"', { run: 'make', env: { K: '${{ secrets.K }}' } }),
  ),
  row(
    'a folder on the path',
    after(OUT, 'echo "$PWD/out" >> "$GITHUB_PATH"', { run: 'make', env: { K: '${{ secrets.K }}' } }),
  ),
  row('a folder on the path of a script', after(OUT, 'export PATH="$PWD/out:$PATH"\nmake')),
  row('a preloaded library', after(OUT, 'LD_PRELOAD=$PWD/out/x.so make')),
  row('npm install of its folder', after(OUT, { 'working-directory': 'out', run: 'npm ci' })),
  row('npm install of its package', after(OUT, 'npm install ./out/x.tgz')),
  row('pip install of its wheel', after(OUT, 'pip install out/*.whl')),
  row('uv pip install of its wheel', after(OUT, 'uv pip install out/app.whl')),
  row('uv add of its wheel', after(OUT, 'uv add ./out/app.whl')),
  row('an archive inside', after(GET, 'tar xf x.tar.gz\ncd x && make')),
  row(
    'an image inside',
    after(GET, 'docker load -i image.tar\ndocker run -e K app', { run: 'true', env: { K: '${{ secrets.K }}' } }),
  ),
  row('a mounted folder', after(OUT, 'docker run -v "$PWD/out:/w" -w /w node npm test')),
  row('a build in its folder', after(OUT, 'make -C out')),
  row('a Dockerfile in it', after(OUT, 'docker build out')),
  row('a module of Python', after(GET, 'python run.py')),
  row('a module of Node.js', after(GET, 'node index.js')),
  row('a pickle', after(GET, "python -c \"import pickle; pickle.load(open('x.pkl', 'rb'))\"")),
  row('a local action over the checkout', after({ uses: 'actions/checkout@v4' }, GET, { uses: LOCAL })),
  row('the settings of a scanner', after({ uses: 'actions/checkout@v4' }, GET, SONAR)),
  row('the settings of a scanner in a folder', after(OUT, { ...SONAR, with: { projectBaseDir: 'out' } })),
  row('the settings of a scanner program', after(GET, { run: 'sonar-scanner', env: SONAR_ENV })),
  row('a build of the checkout that it overwrites', after({ uses: 'actions/checkout@v4' }, GET, 'npm ci')),
  row('a require of github-script', after(GET, script("const x = require('./x.js'); x()"))),
  row(
    'files over a checkout that git commits',
    after({ uses: 'actions/checkout@v4' }, GET, 'git add -A\ngit commit -m x\ngit push'),
  ),
  row(
    'files over a checkout that git looks at',
    after({ uses: 'actions/checkout@v4' }, GET, 'if [ -n "$(git status --porcelain)" ]; then echo changed; fi'),
  ),
  row(
    'files over a checkout that an action commits',
    after({ uses: 'actions/checkout@v4' }, GET, { uses: 'stefanzweifel/git-auto-commit-action@v5' }),
  ),
  row(
    'files over a checkout in a folder',
    after(
      { uses: 'actions/checkout@v4', with: { path: 'pages' } },
      download({ path: 'pages' }),
      'git -C pages commit -am x',
    ),
  ),
  row(
    'an archive that is unpacked again over a checkout',
    after(
      { uses: 'actions/checkout@v4', with: { ref: 'pages', path: 'site' } },
      { uses: 'carpentries/actions/download-workflow-artifact@main', with: { run: RUN, name: 'out' } },
      'unzip out.zip\ncd site\ngit checkout --orphan next\ncd ..\nunzip -o -d site out.zip\ncd site\ngit add -A\ngit commit -m x',
    ),
  ),
  row('its files committed', after({ uses: 'actions/checkout@v4' }, OUT, 'git add out\ngit commit -m x\ngit push')),
  row('its number merged', after(GET, 'gh pr merge "$(cat pr)" --squash')),
  row(
    'its number merged by an output',
    withOutput('echo "n=$(cat pr)" >> $GITHUB_OUTPUT', 'gh pr merge ${{ steps.a.outputs.n }} --squash'),
  ),
  row(
    'its package published',
    after({ uses: 'actions/setup-node@v4', with: { 'registry-url': 'https://registry.npmjs.org' } }, OUT, {
      run: 'npm publish out/x.tgz',
      env: { NODE_AUTH_TOKEN: '${{ secrets.NPM_TOKEN }}' },
    }),
  ),
];

const BLOCK = (...lines: readonly string[]): string =>
  ['{', '  echo "v<<EOF"', ...lines.map((line) => `  ${line}`), '  echo "EOF"', '} >> "$GITHUB_OUTPUT"'].join('\n');

const LISTS = [
  row(
    'the names of its files',
    withOutput('echo "v=$(ls out | head -5)" >> "$GITHUB_OUTPUT"', 'echo "${{ steps.a.outputs.v }}"'),
  ),
  row(
    'the names of its files in a block of lines',
    after(
      { run: `gh run download "${RUN}" --dir logs || true`, env: { GH_TOKEN: '${{ github.token }}' } },
      { id: 'a', run: `F=$(find logs -name '*.log' -o -name '*.txt' | head -9)\n${BLOCK('printf "%s\\n" "$F"')}` },
      'echo "${{ steps.a.outputs.v }}" | while read -r f; do wc -l "$f"; done',
    ),
  ),
  row('a file in a block of lines', withOutput(`V=$(cat v)\n${BLOCK('echo "$V"')}`, 'echo ${{ steps.a.outputs.v }}')),
];

const VALUES = [
  row(
    'a file as an output in a script',
    withOutput('echo "v=$(cat v)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'a file by redirection as an output',
    withOutput('echo "v=$(<v)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row('a file of outputs', withOutput('cat v >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}')),
  row(
    'a field of JSON as an output',
    withOutput('echo "v=$(jq -r .v v.json)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'the last line as an output',
    withOutput('echo "v=$(tail -n 1 v)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'a line that read takes',
    withOutput('read -r v < v\necho "v=$v" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'a file that github-script reads',
    after(
      GET,
      { ...Object(script("core.setOutput('v', require('fs').readFileSync('v', 'utf8'))")), id: 'a' },
      'echo ${{ steps.a.outputs.v }}',
    ),
  ),
  row(
    'a file that an action reads',
    after(
      GET,
      { id: 'a', uses: 'juliangruber/read-file-action@v1', with: { path: 'v' } },
      'echo ${{ steps.a.outputs.content }}',
    ),
  ),
  row(
    'a file as the ref of a checkout',
    after(
      GET,
      { id: 'a', run: 'echo "v=$(cat v)" >> "$GITHUB_OUTPUT"' },
      { uses: 'actions/checkout@v4.1.0', with: { ref: '${{ steps.a.outputs.v }}' } },
      'make',
    ),
  ),
  row(
    'a file as the ref of a fetch',
    after(
      { uses: 'actions/checkout@v4' },
      OUT,
      'git fetch origin "pull/$(cat out/pr)/head"\ngit checkout FETCH_HEAD\nmake',
    ),
  ),
  row('a file pasted into a command string', after(GET, 'v=$(cat v)\nbash -c "echo $v"')),
  row(
    'a file as a text of github-script',
    withOutput('echo "v=$(cat v)" >> "$GITHUB_OUTPUT"', script("console.log('${{ steps.a.outputs.v }}')")),
  ),
  row(
    'a file with other characters',
    withOutput('echo "v=$(tr - _ < n)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'a field of a file',
    withOutput('echo "v=$(cut -d _ -f 2 n)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}'),
  ),
  row(
    'an image that a local action starts',
    main(
      workflow(AFTER_BUILD, [{ uses: 'actions/checkout@v4' }, OUT, 'docker load -i out/image.tar', { uses: LOCAL }]),
      {
        ...BUILD,
        ...composite(['docker compose up --exit-code-from test']),
      },
    ),
  ),
  row('a name of a file', withOutput('echo "v=$(ls out)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.v }}')),
];

const NEAR = [
  row(
    'a push to one branch or another',
    main(
      workflow(
        { workflow_run: { workflows: ['Build'], types: ['completed'], branches: ['main', 'develop'] } },
        [GET, 'bash run.sh'],
        { if: "github.event.workflow_run.event == 'push'" },
      ),
      BUILD,
    ),
  ),
  row('a report for a scanner', after({ uses: 'actions/checkout@v4' }, OUT, SONAR)),
  row(
    'a scanner whose server the step names',
    after(GET, { ...SONAR, env: { ...SONAR_ENV, SONAR_HOST_URL: 'https://sonar.acme.dev' } }),
  ),
  row(
    'a scanner whose server its arguments name',
    after(GET, { ...SONAR, with: { args: '-Dsonar.host.url=https://sonar.acme.dev' } }),
  ),
  row('a scanner without a token', after(GET, { uses: 'SonarSource/sonarqube-scan-action@v6' })),
  row('a scanner of a checkout that replaces the artifact', after(GET, { uses: 'actions/checkout@v4' }, SONAR)),
  row(
    'the number of its files in a block of lines',
    withOutput(BLOCK('find out -type f | wc -l'), 'echo "${{ steps.a.outputs.v }}"'),
  ),
  row(
    'an artifact of the same run',
    jobs('push', {
      a: { steps: ['make', { uses: 'actions/upload-artifact@v4', with: { name: 'out', path: 'out' } }] },
      b: { needs: 'a', steps: [{ uses: 'actions/download-artifact@v4', with: { name: 'out' } }, 'bash out/run.sh'] },
    }),
  ),
  ...[undefined, ''].map((token) =>
    row(
      `an artifact of the same run, despite a run and ${token === undefined ? 'no' : 'an empty'} token`,
      main(
        workflow(AFTER_BUILD, [
          { uses: 'actions/download-artifact@v4', with: { 'run-id': RUN, 'github-token': token } },
          'bash run.sh',
        ]),
        buildOf('out'),
      ),
    ),
  ),
  row('an output of files that a checkout put there', after(OUT, REPLACES, { id: 'a', run: NUMBER_OUT }, PASTES)),
  row(
    'an artifact of a push',
    main(workflow(AFTER_BUILD, [GET, 'bash run.sh']), {
      '.github/workflows/build.yml': workflow(
        { push: { branches: ['main'] } },
        ['make', { uses: 'actions/upload-artifact@v4', with: { name: 'out', path: 'out' } }],
        {},
        { name: 'Build' },
      ),
    }),
  ),
  row(
    'a run of a push alone',
    main(workflow(AFTER_BUILD, [GET, 'bash run.sh'], { if: "github.event.workflow_run.event == 'push'" }), BUILD),
  ),
  row('a file that is printed', after(GET, 'cat report.txt')),
  row('a file that is counted', after(GET, 'wc -l < report.txt')),
  row('a file that becomes a comment', after(GET, 'gh pr comment 1 --body-file report.md')),
  row('a report that an action uploads', after(OUT, { uses: 'codecov/codecov-action@v5', with: { directory: 'out' } })),
  row(
    'a report of tests',
    after(OUT, {
      uses: 'dorny/test-reporter@v2',
      with: { artifact: 'out', name: 'Tests', path: '*.xml', reporter: 'java-junit' },
    }),
  ),
  row(
    'a number that is checked',
    withOutput(
      'n=$(cat n)\n[[ "$n" =~ ^[0-9]+$ ]] || exit 1\necho "n=$n" >> "$GITHUB_OUTPUT"',
      'echo ${{ steps.a.outputs.n }}',
    ),
  ),
  row(
    'a number that github-script converts',
    after(
      GET,
      { ...Object(script("core.setOutput('n', Number(require('fs').readFileSync('n', 'utf8')))")), id: 'a' },
      'echo ${{ steps.a.outputs.n }}',
    ),
  ),
  row(
    'digits of a file in a variable',
    after(GET, 'echo "N=$(head -1 n | tr -cd 0-9)" >> "$GITHUB_ENV"', 'gh pr view ${{ env.N }}'),
  ),
  row(
    'digits of a file',
    withOutput('echo "n=$(tr -cd 0-9 < n)" >> "$GITHUB_OUTPUT"', 'echo ${{ steps.a.outputs.n }}'),
  ),
  row(
    'a name with other characters',
    after(GET, 'name=$(echo "$GITHUB_JOB" | tr "-" "_" | cut -d _ -f 2)\necho "$name"'),
  ),
  row(
    'an output with other characters',
    withOutput(
      'echo "v=$(echo "$GITHUB_JOB" | tr "-" "_" | cut -d _ -f 2)" >> "$GITHUB_OUTPUT"',
      'echo ${{ steps.a.outputs.v }}',
    ),
  ),
  row(
    'a script of the base beside it',
    after({ uses: 'actions/checkout@v4' }, OUT, 'bash scripts/report.sh out/data.json'),
  ),
  row(
    'a folder outside the workspace',
    after({ uses: 'actions/checkout@v4' }, download({ path: '${{ runner.temp }}/out' }), 'bash scripts/report.sh'),
  ),
  row('a folder of the home directory', after({ uses: 'actions/checkout@v4' }, 'gh run download 1 -D ~/out', 'make')),
  row('an artifact that a checkout removes', after(GET, 'cat n', { uses: 'actions/checkout@v4' }, 'make')),
  row(
    'a download action that leaves artifacts of forks out',
    after({ uses: 'dawidd6/action-download-artifact@v6', with: { workflow: 'build.yml', name: 'out' } }, 'bash run.sh'),
  ),
  row('an image that is only loaded', after({ uses: 'actions/checkout@v4' }, OUT, 'docker load -i out/image.tar')),
  row(
    'a mounted folder beside it',
    after({ uses: 'actions/checkout@v4' }, OUT, 'docker run -v "$PWD/site:/w" -w /w node npm test'),
  ),
  row(
    'a commit of a checkout beside it',
    after({ uses: 'actions/checkout@v4', with: { path: 'site' } }, OUT, 'cd site\ngit commit -am x'),
  ),
  row('git that reads no settings of the checkout', after({ uses: 'actions/checkout@v4' }, GET, 'git --version')),
  row('other files committed', after({ uses: 'actions/checkout@v4' }, OUT, 'git add docs\ngit commit -m x\ngit push')),
  row('an archive that is listed', after(GET, 'unzip -l x.zip\ntar tf x.tar')),
  row(
    'an artifact that is uploaded again',
    after(OUT, { uses: 'actions/upload-artifact@v4', with: { name: 'copy', path: 'out' } }),
  ),
  row(
    'a job without the download',
    main(jobs(AFTER_BUILD, { a: { steps: [GET, 'cat v'] }, b: { steps: ['bash run.sh'] } }), BUILD),
  ),
  row('a release of the repository', workflow('push', ['gh release download v1', 'bash run.sh'])),
];

const READ = "const text = require('fs').readFileSync('n', 'utf8').trim()";
const LIST = 'const { data: pulls } = await github.rest.pulls.list({ ...context.repo })';
const gives = (name: string, ...lines: readonly string[]): ReturnType<typeof row> =>
  row(
    name,
    after(
      GET,
      { ...Object(script([LIST, READ, ...lines].join('\n'))), id: 'a' },
      'echo ${{ steps.a.outputs.n }} ${{ steps.a.outputs.result }}',
    ),
  );

const FLOWS = [
  row(
    'an output that outlives the files, which a checkout replaces',
    after(OUT, { id: 'a', run: NUMBER_OUT }, REPLACES, PASTES),
  ),
  row(
    'a variable that outlives the files, which a checkout replaces',
    after(OUT, 'echo "N=$(cat out/nr)" >> "$GITHUB_ENV"', REPLACES, 'gh pr view ${{ env.N }}'),
  ),
  gives('a text that a script returns', 'return text'),
  gives('a text in a template', 'core.setOutput("n", `pr-${text}`)'),
  gives('a text over several lines', 'core.setOutput(\n  "n",\n  text,\n)'),
  gives('a text in another variable', 'let other = ""', 'other =\n  text', 'return other'),
  gives('a text as a part', 'const { number } = JSON.parse(text)', 'return number'),
  gives('a number of an object in the file', 'const pr = JSON.parse(text)', 'core.setOutput("n", pr.number)'),
  gives('a text that is compared and given', 'return pulls[0].base.ref === text ? text : ""'),
  gives('a text put into a list', 'const list = []', 'list.push(text)', 'return list.join()'),
  gives('a text put into an object', 'const all = {}', 'all.n = text', 'core.setOutput("n", all.n)'),
  gives('lines of a text', 'for (const line of text.split("\\n")) core.setOutput("n", line)'),
  gives('lines of a text, each', 'text.split("\\n").forEach((line) => { core.setOutput("n", line) })'),
  gives('a text beside an answer', 'const n = pulls.find((p) => p.base.ref === text)?.number ?? text', 'return n'),
  gives('a text through a function', 'let n', 'function keep(x) { n = x }', 'keep(text)', 'return n'),
  gives('a text that a function reads', 'const read = () => { return fs.readFileSync("m", "utf8") }', 'return read()'),
  gives('an output by another name', 'const set = core.setOutput', 'set("n", text)'),
  gives('an output of a script that gets the text', 'require("./x.js")({ core, text })'),
  gives('an output of any name', 'for (const [k, v] of Object.entries(JSON.parse(text))) core.setOutput(k, v)'),
  gives('an error about the text', 'try { JSON.parse(text) } catch (e) { core.setOutput("n", e.message) }'),
  gives('a title of the file', 'const pr = { ...pulls[0], title: text }', 'return pr.title'),
];

const DECISIONS = [
  row(
    'a block of lines beside another output',
    withOutput(
      `${BLOCK('echo "done"')}\necho "names=$(ls out | tr '\\n' ' ')" >> "$GITHUB_OUTPUT"`,
      'echo "${{ steps.a.outputs.v }}"',
    ),
  ),
  gives(
    'a text that is compared',
    'const found = pulls.filter((p) => p.base.ref === text)',
    'return String(found[0].number)',
  ),
  gives('a text that is found', 'const pr = pulls.find((p) => p.head.sha === text)', 'core.setOutput("n", pr.number)'),
  gives('a text in a list', 'const ok = ["a", "b"].includes(text)', 'core.setOutput("n", ok)'),
  gives(
    'a text that narrows',
    'let found = pulls',
    'if (text) {\n  const few = pulls.filter((p) => p.base.ref === text)\n  if (few.length === 1) found = few\n}',
    'return String(found[0].number)',
  ),
  gives(
    'a text that a request takes',
    'const { data: pr } = await github.rest.pulls.get({ ...context.repo, pull_number: text })',
    'return pr.number',
  ),
  gives('another output', 'core.setOutput("text", text)', 'core.setOutput("n", pulls[0].number)'),
];

describe('artifacts of an outsider’s run', () => {
  testSuite({
    rules: [
      'artifact-poisoning',
      'github-env',
      'template-injection',
      'untrusted-checkout-exec',
      'unverified-artifact-consumption',
      'confused-deputy-auto-merge',
      'reusable-workflow-taint',
    ],
    attacks: [...WAYS, ...USES, ...VALUES],
    nearMisses: NEAR,
  });
});

describe('scripts that read artifacts', () => {
  testSuite({ rules: ['artifact-poisoning'], atLeast: 'HIGH', attacks: [...LISTS, ...FLOWS], nearMisses: DECISIONS });
});

const READS: StepLike = 'PR=$(cat nr)\ngh pr edit "$PR" --add-label seen';
const holding = (
  name: string,
  permissions: object | undefined,
  ...steps: readonly StepLike[]
): ReturnType<typeof row> => row(name, main(workflow(AFTER_BUILD, [GET, ...steps], {}, { permissions }), BUILD));

describe('values of an artifact by what the job holds', () => {
  testSuite({
    rules: ['artifact-poisoning'],
    attacks: [
      holding('a token that pushes', { contents: 'write' }, READS),
      holding('a secret', { 'pull-requests': 'write' }, READS, { run: './label', env: { KEY: '${{ secrets.KEY }}' } }),
      holding('a script that runs from it', { 'pull-requests': 'write' }, 'bash run.sh'),
      holding('a value in a script', undefined, { id: 'a', run: 'echo "n=$(cat nr)" >> "$GITHUB_OUTPUT"' }, PASTES),
    ],
    nearMisses: [
      holding('a token for conversations', { 'pull-requests': 'write', issues: 'write' }, READS),
      holding('a token for checks', { checks: 'write', statuses: 'write' }, READS),
      holding('a token that is not known', undefined, READS),
      holding(
        'comments after unpacking',
        { contents: 'write', 'pull-requests': 'write' },
        'unzip out.zip',
        { id: 'a', run: 'echo "n=$(cat nr)" >> "$GITHUB_OUTPUT"' },
        {
          uses: 'peter-evans/create-or-update-comment@v5',
          with: { 'issue-number': '${{ steps.a.outputs.n }}', 'body-path': 'body.txt' },
        },
      ),
    ],
  });
});

const saves = (path: string): StepLike =>
  script(
    `const d = await github.rest.actions.downloadArtifact({ ...context.repo, artifact_id: 1, archive_format: 'zip' });\nrequire('fs').writeFileSync(${path}, Buffer.from(d.data));`,
  );
const api = (into: string): string => `gh api repos/acme/app/actions/artifacts/1/zip ${into}`;
const TWO = [saves("'one.zip'"), saves('`${process.env.GITHUB_WORKSPACE}/two.zip`')];
const UNPACK = 'unzip -d one one.zip\nunzip -d two two.zip';
const TYPE = 'if [ -f ./two/.meta/type ]; then\nTYPE=$(cat ./two/.meta/type)\necho "TYPE=$TYPE" >> $GITHUB_ENV\nfi';

describe('archives that are unpacked into several folders', () => {
  testSuite({
    rules: ['artifact-poisoning'],
    atLeast: 'HIGH',
    attacks: [
      row('archives that a tool publishes', after(...TWO, UNPACK, 'npx publish-extension --chrome-zip one/x.zip')),
      row(
        'archives that the environment of a tool names',
        after(...TWO, UNPACK, { run: 'npx publish-extension', env: { FIREFOX_ZIP: './two/x.zip' } }),
      ),
      row('archives of a release', after(...TWO, UNPACK, 'gh release upload v1 two/*.zip')),
      row('a value of the second', after(...TWO, `${UNPACK}\n${TYPE}`)),
      row('a value of the second in a later step', after(...TWO, 'unzip -d one one.zip', 'unzip two.zip -d two', TYPE)),
      row(
        'a value behind conditions on the values of other steps and jobs',
        main(
          jobs(AFTER_BUILD, {
            check: {
              outputs: { ok: '${{ steps.a.outputs.ok }}' },
              steps: [{ id: 'a', run: 'echo ok=true >> $GITHUB_OUTPUT' }],
            },
            b: {
              needs: ['check'],
              if: "needs.check.outputs.ok == 'true'",
              steps: [...TWO, UNPACK, TYPE, { if: "env.TYPE == 'beta'", run: 'make' }],
            },
          }),
          BUILD,
        ),
      ),
      row(
        'a program of the second, joined to a path',
        after(
          saves("path.join(process.env.RUNNER_TEMP, 'one.zip')"),
          saves("path.join(process.env.RUNNER_TEMP, 'two.zip')"),
          'unzip "$RUNNER_TEMP/one.zip" -d one\nunzip "$RUNNER_TEMP/two.zip" -d two\n./two/run',
        ),
      ),
      row(
        'both saved by one script',
        after(
          script(
            "const one = await github.rest.actions.downloadArtifact({ artifact_id: 1 });\nfs.writeFileSync('one.zip', Buffer.from(one.data));\nconst two = await github.rest.actions.downloadArtifact({ artifact_id: 2 });\nfs.writeFileSync('two.zip', Buffer.from(two.data));",
          ),
          'unzip -d one one.zip\nunzip -d two two.zip\nbash two/run.sh',
        ),
      ),
      row(
        'commands of the API',
        after(`${api('> one.zip')}\n${api('> two.zip')}\nunzip one.zip -d one\nunzip two.zip -d two\nbash two/run.sh`),
      ),
      row(
        'an archive of the job before it',
        after(
          'unzip tools.zip -d tools',
          saves("'two.zip'"),
          'unzip tools.zip -d more\nunzip two.zip -d two',
          'bash two/run.sh',
        ),
      ),
      row('an archive of another name', after(saves('file'), 'unzip two.zip -d two', 'bash two/run.sh')),
    ],
    nearMisses: [
      row(
        'another archive that the environment of a tool names',
        after(...TWO, UNPACK, { run: 'npx publish-extension', env: { FIREFOX_ZIP: 'dist/x.zip' } }),
      ),
      row(
        'archives that the environment of another step names',
        after(...TWO, UNPACK, { run: 'ls', env: { ZIP: 'two/x.zip' } }, 'npx publish-extension'),
      ),
      row(
        'a program of an archive that the job brought',
        after(saves("'two.zip'"), 'unzip tools.zip -d tools\nunzip two.zip -d two', 'bash tools/run.sh'),
      ),
      row(
        'a program beside the folders of a command',
        after(
          `${api('> /tmp/two.zip')}\nunzip tools.zip -d tools\nunzip /tmp/two.zip -d /tmp/two`,
          'bash tools/run.sh',
        ),
      ),
      row('a number of the second', after(...TWO, UNPACK, 'cat other/type >> $GITHUB_ENV')),
    ],
  });
});
