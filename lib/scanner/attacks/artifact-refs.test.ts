import { describe } from 'vitest';
import {
  AFTER_BUILD,
  buildOf,
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

const BUILD = buildOf('pr');
const GET: StepLike = {
  uses: 'actions/download-artifact@v4',
  with: { name: 'pr', path: 'pr', 'run-id': RUN, 'github-token': '${{ github.token }}' },
};
const checkout = (inputs: object, version = 'v7'): StepLike => ({ uses: `actions/checkout@${version}`, with: inputs });
const REF = checkout({ ref: '${{ steps.pr.outputs.sha }}' });
const BOTH = checkout({ repository: '${{ steps.pr.outputs.repo }}', ref: '${{ steps.pr.outputs.sha }}' });
const sets = (run: string): StepLike => ({ id: 'pr', run });
const returns = (code: string): StepLike => ({ ...Object(script(code)), id: 'pr' });
const after = (...steps: StepLike[]): Files => main(workflow(AFTER_BUILD, steps), BUILD);
const READ = sets('echo "sha=$(cat pr/sha)" >> $GITHUB_OUTPUT');
const OUTPUT = 'process.env.GITHUB_OUTPUT';

const READERS = [
  row(
    'a run of any branch called main, which forks have too',
    main(
      workflow({ workflow_run: { workflows: ['Build'], types: ['completed'], branches: ['main'] } }, [
        GET,
        READ,
        REF,
        'make',
      ]),
      BUILD,
    ),
  ),
  row('a file that cat prints', after(GET, READ, REF, 'make')),
  row('a file that the shell reads', after(GET, sets('echo "sha=$(<pr/sha)" >> $GITHUB_OUTPUT'), REF, 'make')),
  row(
    'a field that jq reads',
    after(GET, sets('echo "sha=$(jq -r .sha pr/meta.json)" >> "$GITHUB_OUTPUT"'), REF, 'make'),
  ),
  row(
    'fields that jq writes',
    after(GET, sets('jq -r \'"sha=\\(.sha)", "repo=\\(.repo)"\' pr/meta.json >> "$GITHUB_OUTPUT"'), BOTH, 'make'),
  ),
  row(
    'every field that jq writes',
    after(GET, sets('jq -r \'to_entries[] | "\\(.key)=\\(.value)"\' pr/meta.json >> "$GITHUB_OUTPUT"'), BOTH, 'make'),
  ),
  row(
    'a field of a variable that holds the file',
    after(
      GET,
      sets('META=$(cat pr/meta.json)\nSHA=$(echo "$META" | jq -r .head_sha)\necho "sha=$SHA" >> "$GITHUB_OUTPUT"'),
      REF,
      'make',
    ),
  ),
  row(
    'lines that a loop reads',
    after(
      GET,
      sets('while IFS== read -r key value; do echo "$key=$value" >> "$GITHUB_OUTPUT"; done < pr/meta.env'),
      REF,
      'make',
    ),
  ),
  row('a file that is written whole', after(GET, sets('cat pr/meta.env >> "$GITHUB_OUTPUT"'), REF, 'make')),
  row(
    'a variable that the shell reads',
    after(GET, sets('read -r SHA < pr/sha\necho "sha=$SHA" >> "$GITHUB_OUTPUT"'), REF, 'make'),
  ),
  row(
    'a variable of later steps',
    after(GET, 'echo "SHA=$(cat pr/sha)" >> "$GITHUB_ENV"', checkout({ ref: '${{ env.SHA }}' }), 'make'),
  ),
  row(
    'JSON that an expression reads',
    after(
      GET,
      sets('echo "meta=$(jq -c . pr/meta.json)" >> "$GITHUB_OUTPUT"'),
      checkout({ ref: '${{ fromJSON(steps.pr.outputs.meta).sha }}' }),
      'make',
    ),
  ),
  row(
    'a script that returns a text',
    after(
      GET,
      returns("const fs = require('fs');\nreturn fs.readFileSync('pr/sha', 'utf8').trim();"),
      checkout({ ref: '${{ steps.pr.outputs.result }}' }),
      'make',
    ),
  ),
  row(
    'a script that sets outputs from JSON',
    after(
      GET,
      returns(
        "const fs = require('fs');\nconst meta = JSON.parse(fs.readFileSync('pr/meta.json', 'utf8'));\ncore.setOutput('sha', meta.sha);\ncore.setOutput('repo', meta.repo);",
      ),
      BOTH,
      'make',
    ),
  ),
  row(
    'a script that sets outputs from destructured JSON',
    after(
      GET,
      returns(
        "const { sha, repo } = JSON.parse(require('fs').readFileSync('pr/meta.json', 'utf8'));\ncore.setOutput('sha', sha);\ncore.setOutput('repo', repo);",
      ),
      BOTH,
      'make',
    ),
  ),
  row(
    'a script that requires JSON',
    after(GET, returns("const meta = require('./pr/meta.json');\ncore.setOutput('sha', meta.sha);"), REF, 'make'),
  ),
  row(
    'a script that parses a text it read before',
    after(
      GET,
      returns(
        "const text = require('fs').readFileSync('pr/meta.json', 'utf8');\nconst meta = JSON.parse(text);\nconst sha = meta.sha;\ncore.setOutput('sha', sha);",
      ),
      REF,
      'make',
    ),
  ),
  row(
    'a script that returns JSON',
    after(
      GET,
      returns(
        "const meta = JSON.parse(require('fs').readFileSync('pr/meta.json'));\nreturn { sha: meta.sha, repo: meta.repo };",
      ),
      checkout({
        repository: '${{ fromJSON(steps.pr.outputs.result).repo }}',
        ref: '${{ fromJSON(steps.pr.outputs.result).sha }}',
      }),
      'make',
    ),
  ),
  row(
    'a program of Node.js that appends one line',
    after(
      GET,
      sets(
        `node -e "const meta = JSON.parse(fs.readFileSync('pr/meta.json')); fs.appendFileSync(${OUTPUT}, 'sha=' + meta.sha)"`,
      ),
      REF,
      'make',
    ),
  ),
  row(
    'a program in a here-document that appends a list of lines',
    after(
      GET,
      sets(
        `node --input-type=module <<'JS'\nimport { appendFile, readFile } from 'node:fs/promises'\nconst info = JSON.parse(await readFile('pr/info.json', 'utf8'))\nif (!/^[\\w.-]+\\/[\\w.-]+$/.test(info.repo) || !/^[0-9a-f]{40}$/.test(info.sha)) {\n  process.exit(1)\n}\nawait appendFile(${OUTPUT}, [\n  \`repo=\${info.repo}\`,\n  \`sha=\${info.sha}\`,\n  '',\n].join('\\n'))\nJS`,
      ),
      BOTH,
      'make',
    ),
  ),
  row(
    'a program of Python in a here-document',
    after(
      GET,
      sets(
        "python3 - <<'PY'\nimport json, os\nwith open('pr/meta.json') as source:\n    meta = json.load(source)\nwith open(os.environ['GITHUB_OUTPUT'], 'a') as out:\n    out.write(f\"sha={meta['sha']}\\n\")\nPY",
      ),
      REF,
      'make',
    ),
  ),
  row(
    'a program of Python as a step',
    after(
      GET,
      {
        id: 'pr',
        shell: 'python',
        run: "import json, os\nmeta = json.load(open('pr/meta.json'))\nwith open(os.environ['GITHUB_OUTPUT'], 'a') as out:\n    print(f\"sha={meta['sha']}\", file=out)",
      },
      REF,
      'make',
    ),
  ),
  row(
    'an action that reads a file',
    after(
      GET,
      { id: 'pr', uses: 'juliangruber/read-file-action@v1', with: { path: 'pr/sha' } },
      checkout({ ref: '${{ steps.pr.outputs.content }}' }),
      'make',
    ),
  ),
  row(
    'an output of another job',
    main(
      jobs(AFTER_BUILD, {
        read: { outputs: { sha: '${{ steps.pr.outputs.sha }}' }, steps: [GET, READ] },
        run: { needs: 'read', steps: [checkout({ ref: '${{ needs.read.outputs.sha }}' }), 'make'] },
      }),
      BUILD,
    ),
  ),
  row(
    'a composite that reads the file',
    main(workflow(AFTER_BUILD, [{ id: 'pr', uses: LOCAL }, REF, 'make']), {
      ...BUILD,
      ...composite([GET, { ...Object(READ), id: 'in' }], {
        outputs: { sha: { description: 'x', value: '${{ steps.in.outputs.sha }}' } },
      }),
    }),
  ),
];

const DOWNLOADS = [
  row(
    'an action that finds the run',
    after(
      {
        uses: 'dawidd6/action-download-artifact@v19',
        with: { run_id: RUN, name: 'pr', path: 'pr', allow_forks: true },
      },
      READ,
      REF,
      'make',
    ),
  ),
  row('gh run download', after(`gh run download ${RUN} -n pr -D pr`, READ, REF, 'make')),
  row(
    'gh run download into the current folder',
    after(`gh run download ${RUN} -n pr`, sets('echo "sha=$(cat sha)" >> $GITHUB_OUTPUT'), REF, 'make'),
  ),
  row(
    'the API and unzip',
    after(`gh api repos/acme/app/actions/artifacts/1/zip > pr.zip\nunzip pr.zip -d pr`, READ, REF, 'make'),
  ),
  row(
    'a script of the API and unzip',
    after(
      script(
        "const zip = await github.rest.actions.downloadArtifact({ ...context.repo, artifact_id: 1, archive_format: 'zip' });\nrequire('fs').writeFileSync('pr.zip', Buffer.from(zip.data));",
      ),
      'unzip -d pr pr.zip',
      READ,
      REF,
      'make',
    ),
  ),
];

const CHECKOUTS = [
  row('git fetch and checkout', after(GET, 'SHA=$(cat pr/sha)\ngit fetch origin "$SHA"\ngit checkout "$SHA"\nmake')),
  row('git fetch and FETCH_HEAD', after(GET, 'git fetch origin $(cat pr/sha)\ngit checkout FETCH_HEAD\nmake')),
  row(
    'git checkout of an output',
    after(GET, READ, {
      run: 'git fetch origin "$SHA" && git checkout "$SHA" && make',
      env: { SHA: '${{ steps.pr.outputs.sha }}' },
    }),
  ),
  row('git clone', after(GET, 'git clone "https://github.com/$(cat pr/repo)" code\ncd code && make')),
  row(
    'git remote add',
    after(GET, 'git remote add pr "https://github.com/$(cat pr/repo)"\ngit fetch pr\ngit checkout pr/main\nmake'),
  ),
  row('gh pr checkout', after(GET, 'gh pr checkout $(cat pr/number)\nmake')),
  row('gh pr checkout of a variable', after(GET, 'NUMBER=$(cat pr/number)\ngh pr checkout "$NUMBER"\nmake')),
  row(
    'gh pr checkout of an output',
    after(
      GET,
      sets('echo "number=$(cat pr/number)" >> $GITHUB_OUTPUT'),
      'gh pr checkout ${{ steps.pr.outputs.number }}\nmake',
    ),
  ),
  row(
    'the head of a number',
    after(
      GET,
      sets('echo "number=$(cat pr/number)" >> $GITHUB_OUTPUT'),
      checkout({ ref: 'refs/pull/${{ steps.pr.outputs.number }}/head' }, 'v6.0.2'),
      'make',
    ),
  ),
  row(
    'the merge of a number that is checked',
    after(
      GET,
      sets('N=$(cat pr/number)\n[[ "$N" =~ ^[0-9]+$ ]] || exit 1\necho "number=$N" >> $GITHUB_OUTPUT'),
      checkout({ ref: 'refs/pull/${{ steps.pr.outputs.number }}/merge' }, 'v6.0.2'),
      'make',
    ),
  ),
  row('git fetch of a number', after(GET, 'git fetch origin "pull/$(cat pr/number)/head:pr"\ngit checkout pr\nmake')),
  row(
    'a commit that is checked',
    after(
      GET,
      sets('SHA=$(cat pr/sha)\n[[ "$SHA" =~ ^[0-9a-f]{40}$ ]] || exit 1\necho "sha=$SHA" >> $GITHUB_OUTPUT'),
      REF,
      'make',
    ),
  ),
  row(
    'only the repository',
    after(
      GET,
      sets('echo "repo=$(cat pr/repo)" >> $GITHUB_OUTPUT'),
      checkout({ repository: '${{ steps.pr.outputs.repo }}' }),
      'make',
    ),
  ),
];

const NEAR_MISSES = [
  row(
    'a number in the ref of a pull request, which actions/checkout refuses',
    after(
      GET,
      sets('echo "number=$(cat pr/number)" >> $GITHUB_OUTPUT'),
      checkout({ ref: 'refs/pull/${{ steps.pr.outputs.number }}/head' }),
      'make',
    ),
  ),
  row('the repository alone', after(GET, READ, checkout({}), 'make')),
  row(
    'a file that the repository holds',
    after(GET, sets('echo "sha=$(cat versions/sha)" >> $GITHUB_OUTPUT'), REF, 'make'),
  ),
  row(
    'a file of the repository that a program reads',
    after(GET, returns("core.setOutput('sha', require('./versions.json').sha);"), REF, 'make'),
  ),
  row(
    'another output than the one that is read',
    after(
      GET,
      sets(
        `node -e "const meta = JSON.parse(fs.readFileSync('pr/meta.json')); fs.appendFileSync(${OUTPUT}, 'title=' + meta.title)"`,
      ),
      REF,
      'make',
    ),
  ),
  row(
    'a repository of a fixed owner',
    after(
      GET,
      sets('echo "repo=$(cat pr/repo)" >> $GITHUB_OUTPUT'),
      checkout({ repository: 'acme/${{ steps.pr.outputs.repo }}' }),
      'make',
    ),
  ),
  row(
    'a clone from a fixed owner',
    after(GET, 'git clone "https://github.com/acme/$(cat pr/repo)" code\ncd code && make'),
  ),
  row(
    'the merged commit that the API names',
    after(
      GET,
      sets('N=$(cat pr/number)\necho "sha=$(gh api repos/acme/app/commits/main --jq .sha)" >> $GITHUB_OUTPUT'),
      REF,
      'make',
    ),
  ),
  row(
    'the run of a push',
    main(workflow(AFTER_BUILD, [GET, READ, REF, 'make'], { if: "github.event.workflow_run.event == 'push'" }), BUILD),
  ),
  row(
    'a run in the same repository',
    main(
      workflow(AFTER_BUILD, [GET, READ, REF, 'make'], {
        if: 'github.event.workflow_run.head_repository.full_name == github.repository',
      }),
      BUILD,
    ),
  ),
  row('a name for a new branch', after(GET, 'git checkout --orphan "pages-$(cat pr/number)"\nmake')),
  row('what only a report shows', after(GET, READ, 'echo "${SHA}"')),
];

describe('what an artifact names is checked out and run', () => {
  testSuite({
    rules: ['untrusted-checkout', 'untrusted-checkout-exec'],
    atLeast: 'HIGH',
    attacks: [...READERS, ...DOWNLOADS, ...CHECKOUTS],
    nearMisses: NEAR_MISSES,
  });
});
