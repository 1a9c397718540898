/** How certain it is that a program or action executes code or configuration from its working directory. */
export type RunsProject = 'certain' | 'likely';

interface Subcommands {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly unless?: readonly string[];
  readonly runs?: RunsProject;
  readonly certain?: readonly string[];
}

export const PROJECT_PROGRAMS: ReadonlySet<string> = new Set(
  `ansible-lint ansible-playbook ant astro ava bazel bazelisk buck2 cabal cdk cmake-js conda-build ctest cypress devbox
  direnv dune earthly eslint fastlane gatsby gmake goreleaser gradle grunt gulp helmfile hexo invoke jekyll jest just
  karma lein lerna mage make meson mill mkdocs mocha molecule msbuild mvn mypy next ng ninja nix-build nix-shell nox nuxt
  nx phpunit playwright pre-commit prek py.test pylint pytest qmake rake rebar3 rollup rspec rubocop rush sbt scons
  semantic-release serverless skaffold sphinx-build stack stylelint terragrunt tox turbo vite vitest waf webpack xcodebuild
  xmake`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

const QUERIES = ['config', 'help', 'info', 'list', 'ls', 'outdated', 'search', 'version', 'view', 'why'];

export const PROJECT_SUBCOMMANDS: Readonly<Record<string, Subcommands>> = {
  act: { except: ['--list', '-l'], runs: 'likely' },
  asdf: { only: ['install', 'exec'], runs: 'likely' },
  bun: { except: [...QUERIES, 'upgrade', 'pm'], unless: ['--ignore-scripts', '-g', '--global'] },
  bundle: { except: ['config', 'version', 'help'] },
  bundler: { except: ['config', 'version', 'help'] },
  cargo: {
    only: `b bench build c check clippy doc fix hack llvm-cov make miri nextest package publish r run rustc rustdoc t
      tarpaulin test xtask`.split(/\s+/),
  },
  cmake: { except: ['-E', '-P'] },
  conan: { only: ['build', 'create', 'install', 'test'] },
  crystal: { only: ['build', 'eval', 'run', 'spec'] },
  dagger: { only: ['call', 'develop', 'run'] },
  dub: { only: ['build', 'run', 'test'] },
  flake8: { runs: 'likely' },
  forge: { only: ['script', 'test'], runs: 'likely' },
  composer: {
    only: ['install', 'i', 'update', 'u', 'require', 'run', 'run-script', 'test', 'exec'],
    unless: ['--no-scripts'],
  },
  dart: { only: ['run', 'test', 'compile'] },
  deno: { only: ['task', 'test', 'bench', 'install'] },
  docker: { only: ['build', 'buildx', 'compose', 'bake'], runs: 'likely' },
  'docker-compose': { only: ['build', 'up', 'run'], runs: 'likely' },
  dotnet: { only: ['build', 'format', 'msbuild', 'pack', 'publish', 'restore', 'run', 'test', 'watch'] },
  firebase: { only: ['deploy', 'hosting:channel:deploy', 'emulators:exec'] },
  flutter: { only: ['build', 'drive', 'run', 'test'] },
  gem: { only: ['build'] },
  go: { only: ['generate', 'run', 'test', 'tool'] },
  'golangci-lint': { only: ['run'], runs: 'likely' },
  hatch: { except: QUERIES },
  jupyter: { only: ['execute', 'run'] },
  lake: { except: ['--version', 'help', 'clean'] },
  lefthook: { only: ['run'] },
  mise: { only: ['exec', 'install', 'run', 'tasks', 'x'], runs: 'likely', certain: ['run'] },
  mix: { except: ['local.hex', 'local.rebar', 'archive.install', 'help'] },
  netlify: { only: ['build', 'deploy'], runs: 'likely', certain: ['build'] },
  nimble: { only: ['build', 'install', 'run', 'test'] },
  nix: { only: ['build', 'develop', 'flake', 'run', 'shell'], runs: 'likely' },
  npm: {
    except: [
      ...QUERIES,
      'audit',
      'bin',
      'cache',
      'dist-tag',
      'login',
      'logout',
      'pkg',
      'ping',
      'root',
      'set',
      'whoami',
    ],
    unless: ['--ignore-scripts', '-g', '--global', '--location=global'],
  },
  opam: { only: ['exec', 'install', 'pin'], runs: 'likely' },
  packer: { only: ['build', 'init'] },
  pdm: { except: QUERIES },
  pipenv: { only: ['install', 'sync', 'run'] },
  pnpm: {
    except: [...QUERIES, 'audit', 'store', 'setup', 'env', 'login'],
    unless: ['--ignore-pnpmfile', '-g', '--global'],
  },
  pod: { only: ['install', 'update', 'lib'] },
  poetry: { except: [...QUERIES, 'self', 'export', 'show', 'check', 'env'] },
  pulumi: { only: ['up', 'preview', 'destroy', 'refresh'] },
  sam: { only: ['build', 'deploy', 'local'], runs: 'likely', certain: ['build', 'local'] },
  shards: { only: ['build', 'install', 'update'] },
  sls: {},
  swift: { only: ['build', 'package', 'run', 'test'] },
  task: { except: ['--list', '-l'] },
  terraform: { only: ['apply', 'destroy', 'import', 'init', 'plan', 'refresh', 'test'] },
  tofu: { only: ['apply', 'destroy', 'import', 'init', 'plan', 'refresh', 'test'] },
  uv: { only: ['build', 'lock', 'run', 'sync'], unless: ['--no-project', '--no-build'] },
  vagrant: { only: ['provision', 'reload', 'up'] },
  vcpkg: { only: ['install', 'ci'], runs: 'likely' },
  vercel: { only: ['build', 'deploy'], runs: 'likely', certain: ['build'] },
  wrangler: {
    only: ['build', 'deploy', 'dev', 'pages', 'publish', 'versions'],
    runs: 'likely',
    certain: ['build', 'deploy', 'publish'],
  },
  zig: { only: ['build', 'run', 'test'] },
  yarn: { except: ['--version', '-v', 'global', 'dlx'] },
};

export const INTERPRETERS: ReadonlySet<string> = new Set([
  ...['bash', 'sh', 'zsh', 'dash', 'source', '.', 'python', 'python3', 'node', 'ruby', 'perl', 'php', 'lua', 'Rscript'],
  ...['julia', 'pwsh', 'powershell', 'tsx', 'ts-node', 'babel-node', 'elixir', 'groovy', 'bats'],
]);

export const PYTHON_PROJECT_MODULES: ReadonlySet<string> = new Set([
  ...['build', 'coverage', 'mkdocs', 'nox', 'poetry', 'pre_commit', 'pylint', 'pytest', 'sphinx', 'tox', 'unittest'],
]);

export const COMMAND_WRAPPERS: ReadonlySet<string> = new Set([
  'timeout',
  'xvfb-run',
  'dbus-run-session',
  'retry',
  'stdbuf',
]);

interface ProjectAction {
  readonly runs: RunsProject;
  readonly input?: string;
  readonly unless?: string;
}

export const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(['bunx', 'npx', 'pnpx']);

/** Programs that run another one under the settings of the folder that they are called in. */
export const PROJECT_LAUNCHERS: ReadonlySet<string> = new Set([
  ...['bundle', 'hatch', 'pdm', 'pipenv', 'poetry', 'rye', 'uv'],
]);

export const OPENS_IMAGE_BUILD: readonly string[] = [
  ...['allow', 'build-contexts', 'secret-envs', 'secret-files', 'secrets', 'ssh'],
];

export const COMMAND_INPUT =
  /^(?:commands?|cmd|run|script|inline-?script|build|exec|(?:[\w-]*[-_])?(?:command|cmd|script))$/i;

/** Actions whose command line runs on another machine, or is no shell. */
export const RUNS_ELSEWHERE = /ssh|github-script|js-eval|python-script|pwsh-script|powershell|jq-action|yq/i;

export const FORMER_ACTION_NAMES: Readonly<Record<string, string>> = {
  'eskatos/gradle-command-action': 'gradle/gradle-build-action',
  'joerick/cibuildwheel': 'pypa/cibuildwheel',
  'megalinter/megalinter': 'oxsecurity/megalinter',
  'nick-invision/retry': 'nick-fields/retry',
  'nvuillam/mega-linter': 'oxsecurity/megalinter',
  'samuelmeuli/lint-action': 'wearerequired/lint-action',
};

/** Modules that `python -m` finds in its own installation, and that run no code of the folder. */
export const PYTHON_OWN_MODULES: ReadonlySet<string> = new Set([
  ...['ensurepip', 'http.server', 'json.tool', 'pip', 'pipx', 'platform', 'site', 'sysconfig', 'twine', 'venv'],
  ...['virtualenv', 'zipfile', 'tarfile', 'base64', 'calendar', 'compileall', 'py_compile', 'uv', 'black', 'ruff'],
]);

export const PROJECT_ACTIONS: Readonly<Record<string, ProjectAction>> = {
  'actions-rs/cargo': { runs: 'certain' },
  'actions/jekyll-build-pages': { runs: 'likely' },
  'amondnet/vercel-action': { runs: 'likely' },
  'azure/static-web-apps-deploy': { runs: 'certain', unless: 'skip_app_build' },
  'bahmutov/npm-install': { runs: 'certain' },
  'borales/actions-yarn': { runs: 'certain' },
  'changesets/action': { runs: 'certain' },
  'cloudflare/wrangler-action': { runs: 'likely' },
  'cypress-io/github-action': { runs: 'certain' },
  'devcontainers/ci': { runs: 'certain' },
  'dflook/terraform-apply': { runs: 'certain' },
  'dflook/terraform-plan': { runs: 'certain' },
  'dflook/tofu-apply': { runs: 'certain' },
  'dflook/tofu-plan': { runs: 'certain' },
  'docker/bake-action': { runs: 'likely' },
  'docker/build-push-action': { runs: 'likely', input: 'context' },
  'firebaseextended/action-hosting-deploy': { runs: 'likely' },
  'github/codeql-action/autobuild': { runs: 'certain' },
  'github/super-linter': { runs: 'likely' },
  'golangci/golangci-lint-action': { runs: 'likely' },
  'goreleaser/goreleaser-action': { runs: 'certain' },
  'gradle/gradle-build-action': { runs: 'certain', input: 'arguments' },
  'nick-fields/retry': { runs: 'likely' },
  'oxsecurity/megalinter': { runs: 'likely' },
  'pnpm/action-setup': { runs: 'certain', input: 'run_install' },
  'pre-commit/action': { runs: 'certain' },
  'pulumi/actions': { runs: 'certain', input: 'command' },
  'pypa/cibuildwheel': { runs: 'certain' },
  'reactivecircus/android-emulator-runner': { runs: 'certain' },
  'reviewdog/action-eslint': { runs: 'certain' },
  'ruby/setup-ruby': { runs: 'certain', input: 'bundler-cache' },
  'serverless/github-action': { runs: 'certain' },
  'super-linter/super-linter': { runs: 'likely' },
  'tox-dev/action-pre-commit-uv': { runs: 'certain' },
  'trunk-io/trunk-action': { runs: 'likely' },
  'wearerequired/lint-action': { runs: 'certain' },
};
