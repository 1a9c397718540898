/** How certain it is that a program or action executes code or configuration from its working directory. */
export type RunsProject = 'certain' | 'likely';

interface Subcommands {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly unless?: readonly string[];
  /** An option without which nothing is executed. */
  readonly needs?: string;
  readonly runs?: RunsProject;
}

export const PROJECT_PROGRAMS: ReadonlySet<string> = new Set(
  `ansible-lint ansible-playbook ant ava bazel bazelisk buck2 cabal cdk cmake-js conda-build ctest cypress devbox direnv
  dune earthly eslint fastlane gatsby gmake goreleaser gradle grunt gulp hexo invoke jekyll jest just karma lake lein lerna
  mage make meson mill mkdocs mocha molecule msbuild mvn next nimble ninja nix-build nix-shell nox nuxt nx phpunit playwright
  papermill pre-commit prek py.test pylint pytest rake rebar3 rollup rspec rubocop rush sbt scons semantic-release serverless shards skaffold
  sphinx-build stack stylelint terragrunt tox turbo vite vitest webpack xcodebuild`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

const QUERIES = ['config', 'help', 'info', 'list', 'ls', 'outdated', 'search', 'version', 'view', 'why'];

export const PROJECT_SUBCOMMANDS: Readonly<Record<string, Subcommands>> = {
  R: { only: ['CMD'] },
  act: { except: ['--list', '-l'], runs: 'likely' },
  asdf: { only: ['install'], runs: 'likely' },
  bun: { except: [...QUERIES, 'upgrade', 'pm'], unless: ['--ignore-scripts', '-g', '--global'] },
  bundle: { except: ['config', 'version', 'help'] },
  bundler: { except: ['config', 'version', 'help'] },
  cargo: {
    only: `b bench build c check clippy doc fix hack llvm-cov make miri nextest package publish r run rustc rustdoc t
      tarpaulin test xtask`.split(/\s+/),
  },
  conan: { only: ['build', 'create', 'export-pkg', 'install', 'test'] },
  crystal: { only: ['build', 'docs', 'eval', 'run', 'spec', 'tool'] },
  cmake: { except: ['-E', '-P'] },
  composer: {
    only: ['install', 'i', 'update', 'u', 'require', 'run', 'run-script', 'test', 'exec'],
    unless: ['--no-scripts'],
  },
  dagger: { only: ['call', 'develop', 'functions', 'run'] },
  dart: { only: ['run', 'test', 'compile'] },
  deno: { only: ['task', 'test', 'bench', 'install'] },
  docker: { only: ['build', 'buildx', 'compose', 'bake'], runs: 'likely' },
  'docker-compose': { only: ['build', 'up', 'run'], runs: 'likely' },
  dotnet: { only: ['build', 'format', 'msbuild', 'pack', 'publish', 'restore', 'run', 'test', 'watch'] },
  firebase: { only: ['deploy', 'hosting:channel:deploy'], runs: 'likely' },
  flutter: { only: ['build', 'drive', 'run', 'test'] },
  gem: { only: ['build'] },
  go: { only: ['generate', 'run', 'test', 'tool'] },
  'golangci-lint': { only: ['run'], runs: 'likely' },
  hatch: { except: QUERIES },
  jupyter: { only: ['execute', 'nbconvert'], needs: '--execute' },
  lefthook: { only: ['install', 'run'] },
  mise: { only: ['exec', 'install', 'run', 'tasks', 'trust', 'x'] },
  mypy: { runs: 'likely' },
  mix: { except: ['local.hex', 'local.rebar', 'archive.install', 'help'] },
  netlify: { only: ['build', 'deploy'], runs: 'likely' },
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
  npx: { runs: 'likely' },
  opam: { only: ['build', 'exec', 'install', 'pin', 'reinstall', 'upgrade'], runs: 'likely' },
  pdm: { except: QUERIES },
  pipenv: { only: ['install', 'sync', 'run'] },
  pnpm: {
    except: [...QUERIES, 'audit', 'store', 'setup', 'env', 'login'],
    unless: ['--ignore-pnpmfile', '-g', '--global'],
  },
  pod: { only: ['install', 'lib', 'spec', 'trunk', 'update'] },
  poetry: { except: [...QUERIES, 'self', 'export', 'show', 'check', 'env'] },
  pulumi: { only: ['up', 'preview', 'destroy', 'refresh'] },
  sam: { only: ['build', 'deploy', 'package', 'sync'], runs: 'likely' },
  sls: {},
  swift: { only: ['build', 'package', 'run', 'test'] },
  task: { except: ['--list', '-l'] },
  terraform: { only: ['apply', 'destroy', 'import', 'init', 'plan', 'refresh', 'test'] },
  tofu: { only: ['apply', 'destroy', 'import', 'init', 'plan', 'refresh', 'test'] },
  uv: { only: ['build', 'lock', 'run', 'sync'], unless: ['--no-project', '--no-build'] },
  vagrant: { only: ['provision', 'reload', 'up', 'validate'] },
  vcpkg: { only: ['install'], runs: 'likely' },
  vercel: { only: ['build', 'deploy'], runs: 'likely' },
  wrangler: { only: ['deploy', 'publish', 'pages', 'build'], runs: 'likely' },
  yarn: { except: ['--version', '-v', 'global', 'dlx'] },
  zig: { only: ['build'] },
};

export const INTERPRETERS: ReadonlySet<string> = new Set([
  ...['bash', 'sh', 'zsh', 'dash', 'source', '.', 'python', 'python3', 'node', 'ruby', 'perl', 'php', 'lua', 'Rscript'],
  ...['julia', 'pwsh', 'powershell', 'tsx', 'ts-node', 'babel-node', 'elixir', 'groovy', 'bats'],
]);

export const PYTHON_PROJECT_MODULES: ReadonlySet<string> = new Set([
  ...['build', 'coverage', 'mkdocs', 'nox', 'poetry', 'pre_commit', 'pylint', 'pytest', 'sphinx', 'tox', 'unittest'],
]);

/** Modules that `python -m` finds elsewhere than in the working directory, unless a file there has their name. */
export const PYTHON_TOOL_MODULES: ReadonlySet<string> = new Set([
  ...['ast', 'base64', 'calendar', 'compileall', 'cProfile', 'dis', 'ensurepip', 'gzip', 'http.server', 'json.tool'],
  ...['pdb', 'pipx', 'platform', 'py_compile', 'site', 'sysconfig', 'tarfile', 'timeit', 'trace', 'twine', 'uv'],
  ...['venv', 'virtualenv', 'webbrowser', 'zipapp', 'zipfile'],
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
}

export const PROJECT_ACTIONS: Readonly<Record<string, ProjectAction>> = {
  'actions-rs/cargo': { runs: 'certain' },
  'actions/jekyll-build-pages': { runs: 'likely' },
  'amondnet/vercel-action': { runs: 'likely' },
  'bahmutov/npm-install': { runs: 'certain' },
  'borales/actions-yarn': { runs: 'certain' },
  'changesets/action': { runs: 'certain' },
  'cloudflare/wrangler-action': { runs: 'likely' },
  'cypress-io/github-action': { runs: 'certain' },
  'devcontainers/ci': { runs: 'certain' },
  'docker/bake-action': { runs: 'likely' },
  'docker/build-push-action': { runs: 'likely', input: 'context' },
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
  'super-linter/super-linter': { runs: 'likely' },
  'tox-dev/action-pre-commit-uv': { runs: 'certain' },
  'trunk-io/trunk-action': { runs: 'likely' },
  'wearerequired/lint-action': { runs: 'certain' },
};
