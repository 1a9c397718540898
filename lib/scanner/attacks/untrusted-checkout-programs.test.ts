import { describe } from 'vitest';
import { composite, LOCAL, main, row, type StepLike, testSuite, workflow } from '../../../tests/support/attack-rows.ts';

const SHA = '${{ github.event.pull_request.head.sha }}';

const onTarget = (...steps: StepLike[]): string => workflow('pull_request_target', steps);
const checkout = (inputs: object, version = 'v4.1.0'): StepLike => ({
  uses: `actions/checkout@${version}`,
  with: inputs,
});
const HEAD = checkout({ ref: SHA });

const inTree = (name: string, run: string): ReturnType<typeof row> => row(name, onTarget(HEAD, run));

const PROGRAMS = [
  inTree('npm ci', 'npm ci'),
  inTree('npm version', 'npm version patch'),
  inTree('yarn without arguments', 'yarn'),
  inTree('pnpm with options', 'pnpm --filter x install'),
  inTree('bun', 'bun install'),
  inTree('pip with a folder', 'pip install -e .'),
  inTree('pip with requirements', 'pip install -r requirements.txt'),
  inTree('poetry', 'poetry install'),
  inTree('uv', 'uv run pytest'),
  inTree('pytest', 'pytest -q'),
  inTree('tox', 'tox -e py'),
  inTree('a module of the folder', 'python -m tools.release'),
  inTree('a script of the folder', './build.sh'),
  inTree('a script of the folder in bash', 'bash scripts/build.sh'),
  inTree('a script of the folder that is sourced', '. ./env.sh'),
  inTree('a script that a variable names', 'S=scripts/build.sh\nchmod +x "$S"\n"$S"'),
  inTree('a script below a folder that a variable names', 'DIR=./ci\nbash ${DIR}/build.sh'),
  inTree('scripts of a loop', 'for s in scripts/*.sh; do bash "$s"; done'),
  inTree('scripts of a loop by their names', 'for s in scripts/a.sh scripts/b.sh; do "$s"; done'),
  inTree('scripts that a wildcard names', 'bash scripts/*.sh'),
  inTree('scripts that xargs starts', 'ls scripts/*.sh | xargs bash'),
  inTree('scripts that xargs starts one by one', "find tests -name '*.py' -print0 | xargs -0 -n1 python3"),
  inTree('scripts that git lists', "git ls-files 'ci/*.sh' | grep -v old | xargs -I {} sh {}"),
  inTree('scripts that run in parallel', 'ls scripts | parallel -j 4 bash {}'),
  inTree('scripts that a loop reads', 'find . -name \'*.sh\' | while read -r f; do bash "$f"; done'),
  inTree(
    'scripts that a loop reads line by line',
    'git ls-files ci | grep sh | while IFS= read -r f\ndo\n  echo "$f"\n  bash "$f" | tee log\ndone',
  ),
  inTree('scripts that a loop reads from a substitution', 'while read f; do ./"$f"; done < <(git ls-files ci)'),
  inTree('scripts of a loop over a substitution', 'for f in $(ls scripts/*.sh); do sh $f; done'),
  inTree('scripts of a loop over backquotes', 'for f in `find tests -type f`; do "$f"; done'),
  inTree(
    'scripts of a list that a variable keeps',
    'FILES=$(git ls-files "*.py")\nfor f in $FILES; do python3 "$f"; done',
  ),
  inTree(
    'scripts of a list that an array keeps',
    'mapfile -t fs < <(find . -name "*.sh")\nfor f in "${fs[@]}"; do . "$f"; done',
  ),
  inTree(
    'folders of a loop over a substitution',
    'for d in $(find packages -maxdepth 1); do (cd "$d" && npm test); done',
  ),
  inTree('folders of a loop', 'for d in packages/*; do (cd "$d" && npm test); done'),
  inTree('cargo', 'cargo build'),
  inTree('go generate', 'go generate ./...'),
  inTree('go test', 'go test ./...'),
  inTree('the Gradle wrapper', './gradlew build'),
  inTree('Maven', 'mvn -B verify'),
  inTree('CMake', 'cmake -S . -B out'),
  inTree('ninja', 'ninja -C out'),
  inTree('meson', 'meson setup out'),
  inTree('bazel', 'bazel build //...'),
  inTree('a Rakefile', 'bundle exec rake'),
  inTree('composer', 'composer install'),
  inTree('dotnet', 'dotnet build'),
  inTree('a Dockerfile', 'docker build .'),
  inTree('compose', 'docker compose up'),
  inTree('a mounted folder', 'docker run -v "$PWD:/w" -w /w node npm test'),
  inTree('pre-commit', 'pre-commit run -a'),
  inTree('ESLint', 'npx eslint .'),
  inTree('pylint', 'pylint src'),
  inTree('mypy', 'mypy src'),
  inTree('mise', 'mise install'),
  inTree('asdf', 'asdf install'),
  inTree('CocoaPods', 'pod install'),
  inTree('Conan', 'conan install .'),
  inTree('vcpkg', 'vcpkg install'),
  inTree('opam', 'opam install .'),
  inTree('vagrant', 'vagrant up'),
  inTree('a notebook', 'jupyter nbconvert --to html --execute x.ipynb'),
  inTree('zig', 'zig build'),
  inTree('lake', 'lake build'),
  inTree('nimble', 'nimble build'),
  inTree('crystal', 'crystal spec'),
  inTree('lefthook', 'lefthook run pre-commit'),
  inTree('dagger', 'dagger call test'),
  inTree('sam', 'sam build'),
  inTree('R', 'R CMD check .'),
  inTree('act', 'act push'),
  inTree('just', 'just test'),
  inTree('task', 'task build'),
  inTree('terraform', 'terraform plan'),
  inTree('pulumi', 'pulumi preview'),
  inTree('wrangler', 'npx wrangler deploy'),
  inTree('a file copied out of it', 'cp package.json /tmp/x/ && cd /tmp/x && npm install'),
  inTree('a tree copied out of it', 'cp -r . /tmp/build\nmake -C /tmp/build'),
  row(
    'a tree copied to the temporary folder',
    onTarget(HEAD, 'rsync -a ./ "$RUNNER_TEMP/src/"', {
      'working-directory': '${{ runner.temp }}/src',
      run: 'npm ci',
    }),
  ),
  row(
    'a tree moved to the home folder',
    onTarget(checkout({ ref: SHA, path: 'pr' }), 'mv pr ~/pr', 'cd "$HOME/pr" && cargo build'),
  ),
  row(
    'a clone outside the workspace',
    onTarget(
      'git clone https://github.com/${{ github.event.pull_request.head.repo.full_name }} /tmp/fork\ncd /tmp/fork\n./configure',
    ),
  ),
  row(
    'an archive unpacked outside the workspace',
    onTarget(
      `mkdir /tmp/src\ngh api "repos/$GITHUB_REPOSITORY/tarball/${SHA}" | tar xz -C /tmp/src --strip-components 1`,
      'make -C /tmp/src test',
    ),
  ),
  row(
    'a tree in a second folder outside',
    onTarget(checkout({ ref: SHA, path: 'pr' }), 'cp -r pr /opt/build\ncd /opt/build/../build\nbash run.sh'),
  ),
  row(
    'a script copied beside the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'cp pr/tools/x.sh tools/\nbash tools/x.sh'),
  ),
  row(
    'a tree copied over the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'rsync -a pr/ ./', 'make'),
  ),
  row(
    'a mounted folder of the head',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'docker run -v "$PWD/pr:/w" -w /w node npm test'),
  ),
  row(
    'a command of the matrix',
    workflow('pull_request_target', [HEAD, '${{ matrix.command }}'], {
      strategy: { matrix: { command: ['echo lint', 'make test'] } },
    }),
  ),
  row(
    'a command of an object of the matrix',
    workflow('pull_request_target', [HEAD, '${{ matrix.task.run }}'], {
      strategy: { matrix: { task: [{ name: 'test', run: 'npm ci && npm test' }] } },
    }),
  ),
  row(
    'a command that the matrix includes',
    workflow('pull_request_target', [HEAD, '${{ matrix.cmd }}'], {
      strategy: { matrix: { include: [{ os: 'linux', cmd: './build.sh' }] } },
    }),
  ),
  row('a local action of the folder', onTarget(HEAD, { uses: './.github/actions/build' })),
  row('an action that builds', onTarget(HEAD, { uses: 'docker/build-push-action@v6', with: { context: '.' } })),
  row('an action with a command', onTarget(HEAD, { uses: 'acme/measure@v1', with: { build_command: 'make' } })),
  row(
    'a package copied beside the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'cp pr/package.json . && npm install'),
  ),
  row('a folder of its own', onTarget(checkout({ ref: SHA, path: 'pr' }), { 'working-directory': 'pr', run: 'make' })),
  row(
    'tests of the folder by a launcher',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'poetry run pytest pr/tests'),
  ),
  row('a build in PowerShell', onTarget(HEAD, { shell: 'pwsh', run: './build.ps1' })),
  row('a build with options of the shell', onTarget(HEAD, 'set -eux -o pipefail\ntime sudo -E make -j8')),
];

const NEAR = [
  inTree('names that xargs prints', 'ls scripts | xargs -n 1 echo'),
  inTree('files that a script of its own checks', "find . -name '*.sh' | xargs -I{} bash -c 'bash -n {}'"),
  inTree('files that bash only reads', "find . -name '*.sh' | xargs -n1 bash -n"),
  inTree('names that a loop prints', 'find . | while read -r f; do echo "$f"; done'),
  inTree('files that a loop only checks', 'find . -name \'*.sh\' | while read -r f; do bash -n "$f"; done'),
  inTree(
    'scripts that a loop reads of another folder',
    'find /opt/scripts -name "*.sh" | while read f; do bash "$f"; done',
  ),
  inTree('scripts of a loop over another folder', 'for f in $(ls /opt/scripts/*.sh); do bash "$f"; done'),
  inTree('words that a loop reads', 'cat names | while read f; do /opt/tools/"$f"; done'),
  inTree('scripts of another folder', 'ls /opt/scripts/*.sh | xargs bash'),
  inTree('words that xargs passes', 'echo a b | xargs bash'),
  inTree('programs that get a program', 'ls *.log | xargs perl -e 1'),

  row(
    'a command of the matrix that only reads',
    workflow('pull_request_target', [HEAD, '${{ matrix.command }}'], {
      strategy: { matrix: { command: ['git diff --stat', 'ls'], other: ['make'] } },
    }),
  ),
  row('a build outside the workspace', onTarget(HEAD, 'cd /tmp/tools && make')),
  row('a build beside the workspace', onTarget(HEAD, 'cd ../tools && make')),
  row('a build in a folder outside that a variable names', onTarget(HEAD, 'D=/tmp/tools\ncd "$D" && make')),
  row('a program outside that a variable names', onTarget(HEAD, 'T=/usr/local/bin/tool\n"$T" --version')),
  row('a program that a variable names', onTarget(HEAD, 'T=grep\n"$T" -r x .')),
  row('a folder that is computed', onTarget(HEAD, 'D=$(mktemp -d)\ncd "$D" && make')),
  row('files of a loop that are data', onTarget(HEAD, 'for f in docs/*.md; do wc -l "$f"; done')),
  row('a build in the root folder', onTarget(HEAD, 'cd / && make')),
  row('a build above a folder outside', onTarget(HEAD, 'cd /tmp/../.. && make')),
  row('a page copied out of it', onTarget(HEAD, 'cp README.md /tmp/x/ && cd /tmp/x && make')),
  row(
    'a build beside a tree that was copied out',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'cp -r pr /tmp/pr\nmake'),
  ),
  row(
    'a build in another folder outside the workspace',
    onTarget(checkout({ ref: SHA, path: 'pr' }), 'cp -r pr /tmp/pr', 'cd /usr/src && make'),
  ),
  row('a program of the system', onTarget(HEAD, '/usr/bin/wc -l README.md\n/usr/local/bin/tool --version')),
  row('the head that is only compared', onTarget(HEAD, 'git diff --stat origin/main')),
  row('the head that is only printed', onTarget(HEAD, 'cat README.md')),
  row('a build before the checkout', onTarget('make', HEAD)),
  row('a list of the files of the head', onTarget(HEAD, 'ls -R\nfind . -name "*.md" | wc -l')),
  row('the version of a program', onTarget(HEAD, 'node --version\nmake --version')),
  row(
    'a program of the base that is given the folder',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'poetry run python bin/site build --local ./pr'),
  ),
  row(
    'a page copied beside the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'cp pr/README.md docs/\nmake'),
  ),
  row(
    'a page copied before the base is checked out again',
    onTarget(checkout({ ref: SHA, path: 'pr' }), 'cp pr/package.json .', checkout({}), 'npm ci'),
  ),
  row(
    'a mounted folder of the base',
    onTarget(checkout({}), checkout({ ref: SHA, path: 'pr' }), 'docker run -v "$PWD/site:/w" -w /w node npm test'),
  ),
  row('a program that reads the files as data', onTarget(HEAD, 'wc -l src/*\ngrep -rn export src\nsha256sum *')),
];

describe('programs that run an untrusted checkout', () => {
  testSuite({ rules: ['untrusted-checkout-exec', 'unverified-script-exec'], attacks: PROGRAMS, nearMisses: NEAR });
});

const LINT = 'pnpm lint --fix';
const inJob = (name: string, job: object, ...steps: StepLike[]): ReturnType<typeof row> =>
  row(name, workflow('pull_request_target', [HEAD, ...steps], job));

const INSTALLED = [
  inJob('npm, which the image has', {}, 'npm ci'),
  inJob('yarn, which the image has', {}, 'yarn lint'),
  inJob('pnpm after its action', {}, { uses: 'pnpm/action-setup@v4' }, LINT),
  inJob('pnpm after an unknown action', {}, { uses: 'acme/prepare@v1' }, LINT),
  inJob('pnpm after a cache, which may hold it', {}, { uses: 'actions/cache@v4', with: { path: '~/.local' } }, LINT),
  inJob('pnpm after a script', {}, 'corepack enable', LINT),
  inJob('pnpm after a command', {}, `npm install -g pnpm\n${LINT}`),
  inJob('pnpm after a command of a list', {}, `command -v pnpm || npm install -g pnpm && ${LINT}`),
  inJob('pnpm after corepack in a list', {}, `corepack enable && ${LINT}`),
  inJob('npx, which fetches pnpm', {}, `npx ${LINT}`),
  inJob('pnpm on an own machine', { 'runs-on': 'self-hosted' }, LINT),
  inJob('pnpm on an own image', { 'runs-on': 'acme-large' }, LINT),
  inJob('pnpm on an image that a matrix names', { 'runs-on': '${{ matrix.os }}' }, LINT),
  inJob('pnpm on a runner of a group', { 'runs-on': { group: 'acme', labels: 'ubuntu-latest' } }, LINT),
  inJob('pnpm in a container', { container: 'ghcr.io/acme/node:22' }, LINT),
  inJob('pnpm in a shell of its own', { defaults: { run: { shell: 'bash -l {0}' } } }, LINT),
  inJob('pnpm in a shell of the step', {}, { run: LINT, shell: 'bash -l {0}' }),
  inJob('pnpm on a path that the job names', { env: { PATH: '/opt/tools:/usr/bin:/bin' } }, LINT),
  inJob('pnpm on a path that the command names', {}, `PATH=/opt/tools ${LINT}`),
  inJob('pnpm by its path', {}, `node_modules/.bin/${LINT}`),
  inJob('pnpm after a program of the folder', {}, `./just setup && ${LINT}`),
  inJob('npm after pnpm', {}, `${LINT} || npm run lint`),
  row('pnpm after a local action', main(onTarget({ uses: LOCAL }, HEAD, LINT), composite(['corepack enable']))),
  row('pnpm in a local action', main(onTarget(HEAD, { uses: LOCAL }), composite(['corepack enable', LINT]))),
];

const MISSING = [
  inJob('pnpm', {}, LINT),
  inJob('pnpm twice', {}, `echo lint\npnpm install && ${LINT}`),
  inJob('pnpm after Node.js', {}, { uses: 'actions/setup-node@v4', with: { 'node-version': 22 } }, LINT),
  inJob('pnpm on another image', { 'runs-on': 'macos-15' }, LINT),
  inJob('bun', {}, 'bun run build'),
  inJob('deno', {}, 'deno task build'),
  inJob('uv', {}, 'uv sync'),
  inJob('poetry', {}, 'poetry install'),
  inJob('just', {}, 'set -eu\njust build'),
  inJob('tox', {}, 'tox -e py'),
];

describe('programs that an image lacks', () => {
  testSuite({ rules: ['untrusted-checkout-exec'], atLeast: 'HIGH', attacks: INSTALLED, nearMisses: MISSING });
});
