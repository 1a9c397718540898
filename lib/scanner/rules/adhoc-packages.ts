import { usesKeysElsewhere } from '#lib/analysis/impact/keys-beside.ts';
import { losesOnlyTo } from '#lib/analysis/impact/vendors-keys.ts';
import { isInstalledElsewhere } from '#lib/analysis/inventory/installed-projects.ts';
import { type Install, type InstallContext, installOf } from '#lib/analysis/inventory/installs.ts';
import { memoByNode } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { opensLittle } from '#lib/analysis/privileges/secret-names.ts';
import { identityUse, mayDeployPages } from '#lib/analysis/publishing/identity-use.ts';
import { releaseJobs, releasesIn } from '#lib/analysis/publishing/releases.ts';
import { runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type RunStep, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsIn, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import { joinFirst } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

const INSTALLS =
  /\b(?:npm|pnpm|yarn|bun|pip3?|gem|cargo|dotnet|nuget|choco|helm|gh|composer)\b[^\n]{0,100}\b(?:install|i|add|dlx|exec|x|update|require|binstall)\b|\b(?:go|pdm|pipx|poetry|uv)\b[^\n]{0,60}\b(?:add|get|inject|install|run)\b|\b(?:npx|pnpx|bunx|uvx|add-apt-repository|Install-Module)\b|\b(?:brew|conda|deno|helm|kubectl|mamba|micromamba|nix)\s[^\n]{0,60}\b(?:install|upgrade|create|tap|run|shell|build|develop)\b/;

/** Come from the operator of the index that serves everything else, with all their dependencies included. */
const BOOTSTRAP = /^(?:pip|setuptools|wheel|npm|jsr)(?:@[\w.^~-]{1,40})?$/;

const REPORT_TOKENS = /^(?:codecov|coveralls|codspeed|codacy|deepsource|sonar|smokeshow)/;

type Message = 'newest' | 'exact' | 'source';

export const adhocPackages = defineRule({
  id: 'adhoc-packages',
  meta: {
    title: 'Script installs packages outside the lockfile',
    why: 'A package that a script installs by name resolves to whatever is newest when the job runs, and so do its dependencies. No lockfile pins the versions, and no review sees them change.',
    attack:
      'An attacker publishes a malicious release of the package or of one of its dependencies. The next run installs it, and its install script reads the job’s secrets.',
    recommendation:
      'Add the tool to the project’s lockfile and install with `npm ci`, `pip install --require-hashes`, `uv sync --locked`, `bundle install` or `cargo install --locked`. Where that is not possible, pin an exact version.',
    limits:
      'Scripts are parsed as POSIX shell, whatever shell runs them. `pip install -r` is not reported, because the requirements file may contain hashes; nor is `npx name` without a version where something before may have installed the project’s own version; package.json and its lockfiles are not read. Beside keys that open next to nothing, keys that only other legs of the matrix use, or an identity that nothing uses, the severity is LOW, as it is for packages of the repository’s own account. Packages from the distribution’s own repositories and from Homebrew are ignored.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.npmjs.com/cli/commands/npm-ci',
      'https://pip.pypa.io/en/stable/topics/secure-installs/',
      'https://owasp.org/www-project-top-10-ci-cd-security-risks/CICD-SEC-03-Dependency-Chain-Abuse',
    ],
    messages: {
      newest: '{{tool}} installs the newest {{packages}} available when the job runs.',
      exact: '{{tool}} installs {{packages}} outside a lockfile: its dependencies are not locked.',
      source: '{{packages}} is added as a package source, which can then replace any system package.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: newest
                - run: npm install -g typescript
                # expect: exact
                - run: sudo npm i --location=global typescript@5.9.2
                - run: |
                    # expect: newest
                    python -m pip install --upgrade pip
                    # expect: newest
                    pip install "cython>=3.1" pytest
                    # expect: exact
                    uv pip install ruff==0.14.0
                    # expect: newest
                    pipx run build
                    # expect: newest
                    pnpm dlx create-thing
                    # expect: newest
                    pnpx create-thing
                    # expect: newest
                    pnpm dlx --package=create-thing create
                    # expect: exact
                    pnpx create-thing@1.2.3
                    # expect: newest
                    npx --yes cowsay
                    # expect: newest
                    npx cowsay@1
                    # expect: newest
                    gem install rake
                    # expect: exact
                    gem install bundler -v 2.6.9
                    # expect: newest
                    cargo install cargo-audit
                    # expect: newest
                    go install golang.org/x/vuln/cmd/govulncheck@latest
                    # expect: newest
                    dotnet tool install -g dotnet-format
                    # expect: source
                    sudo add-apt-repository -y ppa:acme/tools
                    # expect: newest
                    uvx ruff check
                    # expect: newest
                    yarn global add serve
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              env: { TOKEN: "\${{ secrets.HUB_TOKEN }}" }
              steps:
                - run: |
                    # expect: newest LOW
                    pip install git+https://github.com/acme/base.git
                    # expect: newest MEDIUM
                    pip install git+https://github.com/other/base.git
            tell:
              runs-on: ubuntu-latest
              env: { HOOK: "\${{ secrets.SLACK_WEBHOOK_URL }}" }
              steps:
                # expect: newest LOW
                - run: pip install requests
            reports:
              runs-on: ubuntu-latest
              env: { LICENCE: "\${{ secrets.ENGINE_LICENSE }}", CODECOV_TOKEN: "\${{ secrets.CODECOV_TOKEN }}" }
              steps:
                # expect: newest LOW
                - run: pip install requests
            publish:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: newest INFO
                - run: npm install -g npm@latest
                # expect: newest MEDIUM
                - run: npm install -g npm@latest release-helper
                # expect: newest LOW
                - run: npm install -g @acme/release-helper
                # expect: newest MEDIUM
                - run: npm install -g @acme/release-helper other-helper
                - run: npm publish
            matrix:
              runs-on: ubuntu-latest
              strategy: { matrix: { os: [linux, mac] } }
              steps:
                - if: matrix.os == 'mac'
                  run: ./sign.sh
                  env: { SIGNING_KEY: "\${{ secrets.SIGNING_KEY }}" }
                - if: matrix.os == 'linux'
                  # expect: newest LOW
                  run: pip install ruff
                - if: matrix.os == 'mac'
                  # expect: newest MEDIUM
                  run: pip install black
            sign:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: newest MEDIUM
                - run: pip install rules && cosign sign acme/app
            reply:
              runs-on: ubuntu-latest
              env: { BOT: "\${{ secrets.SLACK_BOT_TOKEN }}" }
              steps:
                # expect: newest MEDIUM
                - run: pip install slack_sdk
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            lint:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: newest LOW
                - run: pip install rules
            site:
              runs-on: ubuntu-latest
              permissions: { id-token: write, pages: write }
              steps:
                # expect: newest MEDIUM
                - run: pip install theme
            pack:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: newest MEDIUM
                - run: pip install build && python -m build
            release:
              needs: pack
              runs-on: ubuntu-latest
              steps:
                - run: gh release create v1 dist/*
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: newest MEDIUM
                - run: cargo install cross --git https://github.com/acme/cross
                # expect: newest MEDIUM
                - run: go install example.com/acme/pack@main
                # expect: newest MEDIUM
                - run: pip install "git+https://github.com/acme/stamp"
                # expect: newest LOW
                - run: pip install build
                - run: cargo install cross --git https://github.com/acme/cross --rev 08c6903cd8c0fde910a37f88322edcfb5dd907a8
                - run: gh release upload "$GITHUB_REF_NAME" dist/app.tar.gz
                  env: { GH_TOKEN: "\${{ github.token }}" }
            image:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps:
                # expect: newest LOW
                - run: go install example.com/acme/pack@main
                - run: docker push registry.acme.dev/app
            wheel:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              strategy: { matrix: { os: [linux, mac] } }
              steps:
                # expect: newest MEDIUM
                - run: pip install build
                - run: python -m build
            upload:
              needs: wheel
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: gh release upload "$GITHUB_REF_NAME" dist/app.whl
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: newest LOW
                - run: cargo install cross --git https://github.com/acme/cross
                - run: cross test
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: step-security/harden-runner@0123456789abcdef0123456789abcdef01234567 # v2.0.0
                - uses: actions/checkout@v6
                - uses: actions/setup-node@v6
                  with: { cache: npm, cache-dependency-path: editor/package-lock.json }
                - run: npm ci
                  working-directory: editor
                - run: npx packager package
                  working-directory: editor
                # expect: newest
                - run: npx packager publish editor/out.zip
            docs:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                - uses: acme/setup-project@v1
                - uses: actions/setup-node@v6
                  with: { cache: npm, cache-dependency-path: editor/package-lock.json }
                - run: npm ci
                  working-directory: editor
                - run: npx packager publish editor/out.zip
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    npm ci
                    npm install
                    npm install --prefix site
                    npm install ./packages/one ../two.tgz
                    yarn install --frozen-lockfile
                    yarn build
                    npx tsc --noEmit
                    npx --no-install eslint .
                    pnpm exec eslint .
                    pnpx ./packages/one
                    pnpm install --frozen-lockfile
                    pnpm --filter app add
                    pip install -r requirements.txt
                    pip install --require-hashes -r requirements.txt
                    pip install -e . --no-deps
                    pip install --group dev --index-strategy unsafe-best-match -r requirements.txt
                    pip install .[test] dist/*.whl
                    pip install "$WHEEL"
                    uv sync --locked
                    uv run pytest
                    cargo install --path .
                    cargo install cargo-audit --locked --version 0.21.0
                    go install ./...
                    go install golang.org/x/tools/cmd/goimports@v0.30.0
                    gem install pkg/*.gem
                    bundle install
                    sudo apt-get install -y jq
                    brew install jq
                    brew tap homebrew/cask
                    nix run .#check
                    nix run .#check -- --input github:acme/tool
                    nix build github:acme/tool/0123456789abcdef0123456789abcdef01234567
                    deno run -A main.ts
                    kubectl get pods
                    dotnet tool restore
                    echo "npm install -g typescript"
                - run: |
                    import pip
                    print('pip install x')
                  shell: python
        `,
      },
    ],
  },
  check: { run: check },
});

function* check(step: RunStep, { repository }: RuleContext): Generator<Report<Message>> {
  if (!INSTALLS.test(step.run.value) || shellOf(step) === 'python') return;
  for (const command of commandsIn(step.run)) {
    const source = command.program === 'add-apt-repository' ? foreignSource(command.args) : undefined;
    const install = source === undefined ? installOf(command, contextAt(command, step)) : undefined;
    if (source === undefined && install === undefined) continue;
    const open = install?.packages.filter(({ exact }) => !exact) ?? [];
    const message = source !== undefined ? 'source' : open.length > 0 ? 'newest' : 'exact';
    const named = message === 'newest' ? open : (install?.packages ?? []);
    yield {
      message,
      data: {
        tool: install?.tool ?? '',
        packages:
          source ??
          joinFirst(
            named.map(({ text }) => text),
            4,
          ),
      },
      at: step,
      span: command.span,
      severity: severityOf(message, install, step, repository),
      attributes: {
        tool: install?.tool ?? command.program,
        exact: message === 'exact',
        vendors_keys: install !== undefined && holdsKeysOf(install, step, repository),
        keys_elsewhere: usesKeysElsewhere(step, repository),
      },
    };
  }
}

const MAY_INSTALL =
  /\b(?:npm|pnpm|yarn|bun|corepack|lerna|rush|nx|turbo|make|just|task|bazel|docker|nix|devbox|bash|sh|python3?|node)\b|(?:^|\s)\.\.?\/|\bnode_modules\b/m;
const ONLY_TOOLS = /^(?:actions\/(?:checkout|setup-\w+)|step-security\/harden-runner)$/;
const CHARTS = /\bhelm repo add (?:--?\S{1,60} ){0,5}([\w.-]{1,100})/g;
const MAX_BEFORE = 100;

const contextOf = memoByNode((step: Step): InstallContext & { readonly onlyTools: boolean } => {
  const before = step.parent.steps.slice(Math.max(0, step.index - MAX_BEFORE), step.index);
  const scripts = [...before, step].map(({ run }) => run?.value ?? '');
  const job = jobOf(step);
  const onlyTools =
    job !== undefined &&
    job.container === undefined &&
    step.index <= MAX_BEFORE &&
    before.every((each) => each.uses === undefined || ONLY_TOOLS.test(actionOf(each)?.slug ?? ''));
  const nothingInstalled =
    onlyTools &&
    !MAY_INSTALL.test(scripts.slice(0, -1).join('\n')) &&
    !MAY_INSTALL.test((scripts.at(-1) ?? '').replace(/\bnpm (?:exec|x)\b|\bbunx\b/g, ''));
  return {
    onlyTools,
    nothingInstalled,
    charts: new Set(scripts.flatMap((script) => [...script.matchAll(CHARTS)].map(([, name = '']) => name))),
  };
});

const RUNS_PACKAGES: ReadonlySet<string> = new Set(['bunx', 'npm', 'npx']);

function contextAt(command: ShellCommand, step: Step): InstallContext {
  const context = contextOf(step);
  if (context.nothingInstalled || !context.onlyTools || !RUNS_PACKAGES.has(command.program)) return context;
  return { ...context, nothingInstalled: isInstalledElsewhere(command, step) };
}

function foreignSource(args: readonly { readonly value: string }[]): string | undefined {
  if (args.some(({ value }) => value === '--remove' || value === '-r')) return undefined;
  return args.find(({ value }) => /^(?:ppa:|deb |https?:)/.test(value))?.value.slice(0, 100);
}

function severityOf(message: Message, install: Install | undefined, step: Step, repository: Repository): Severity {
  if (message === 'exact') return 'INFO';
  if (message === 'newest' && install?.packages.every(({ text }) => BOOTSTRAP.test(text)) === true) return 'INFO';
  const job = jobOf(step);
  const own = install?.packages.every(({ text, exact }) => exact || repository.owners.has(ownerOf(text))) === true;
  if (job === undefined || own || !runsHere(step, repository)) return 'LOW';
  const released = releasesIn(job.workflow, repository).filter((release) => release.job === job);
  const { secrets, mintsOidc, any } = credentialsOf(job);
  const moves = install?.packages.some((each) => !each.exact && MOVES.test(each.text)) === true;
  if (moves && (any ? released.length > 0 : released.some(({ kind }) => kind !== 'image'))) return 'MEDIUM';
  const builds = releaseJobs(repository).has(job);
  if (!builds && usesKeysElsewhere(step, repository)) return 'LOW';
  const opens = secrets.some((name) => !REPORT_TOKENS.test(name) && !opensLittle(name));
  return opens || (mintsOidc && (builds || mayDeployPages(job) || identityUse(job, repository) !== 'none'))
    ? 'MEDIUM'
    : 'LOW';
}

const MOVES = /^git(?:\+|@|hub:)|:\/\/|\.git$|@(?:latest|upgrade|master|main|HEAD)$/;

const OF_SERVICES = /^(?:npm|npx|pnp[mx]|yarn|bunx?|deno|pipx?|uvx?|gem|dotnet)\b/;

function holdsKeysOf({ tool, packages }: Install, step: Step, repository: Repository): boolean {
  const job = jobOf(step);
  if (job === undefined || !OF_SERVICES.test(tool)) return false;
  return losesOnlyTo(
    packages.map(({ text }) => vendorOf(text)),
    job,
    repository,
  );
}

/** Take the password of a registry that others run. */
const UPLOADERS: ReadonlySet<string> = new Set(['flit', 'hatch', 'maturin', 'pdm', 'poetry', 'twine', 'uv']);

function vendorOf(text: string): string {
  const [, scope, name = ''] = /^(?:@([\w.-]{1,100})\/)?([\w.-]{1,100})/.exec(text) ?? [];
  if (UPLOADERS.has(name)) return '';
  return scope ?? name.replace(/-(?:cli|tools)$/, '');
}

function ownerOf(text: string): string {
  const [, owner, scope] =
    /\bgit\+(?:https|ssh):\/\/(?:git@)?github\.com[/:]([\w.-]{1,100})\/|^@([\w.-]{1,100})\//i.exec(text) ?? [];
  return (owner ?? scope ?? '').toLowerCase();
}
