import { memoByNode } from '#lib/analysis/memo.ts';
import { isInert, runsForeignCode, runsWorkspaceCode } from '#lib/analysis/privileges/foreign-code.ts';
import { gitUse, type Use } from '#lib/analysis/privileges/git-use.ts';
import { holdsToken, isHandedToken } from '#lib/analysis/privileges/handed-token.ts';
import { buildsInIsolation, startsNoWorkspaceCode } from '#lib/analysis/privileges/isolated-builds.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { provenWrites } from '#lib/analysis/privileges/proven-writes.ts';
import { type StoredCredential, storedCredentialOf } from '#lib/analysis/privileges/stored-credential.ts';
import { type Archives, archivedIn, archivesIn } from '#lib/analysis/workspace/archived-paths.ts';
import { type Facts, known } from '#lib/facts/facts.ts';
import { indentUnit, mayInsert } from '#lib/workflow/edits/keys.ts';
import { setInput } from '#lib/workflow/edits/steps.ts';
import { innerSteps, inputOf, isFalse, isTrue, runsAction } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import { type Definition, definitionOf, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { trimPath } from '#lib/workflow/shell/working-directory.ts';
import {
  type Confidence,
  defineRule,
  type Fix,
  type Report,
  type RuleContext,
  type Severity,
  yaml,
} from '../engine/rule.ts';

type Message = 'artifact' | 'cache' | 'readable' | 'explicit' | 'file';

const SECRET_FILE =
  /(?:^|\/)(?:\.env|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.docker\/config\.json|kubeconfig(?:\.ya?ml)?|\.kube\/config|id_(?:rsa|ed25519|ecdsa)|\.aws\/credentials|[\w.-]+\.(?:keystore|jks|pfx|p12))$/;

/**
 * `minor`: only annotates commits and alerts, or needs an identity too, as Pages and attestations do; `unknown`: the
 * repository's default decides.
 */
type Stake = 'secret' | 'write' | 'talk' | 'minor' | 'unknown' | 'none';

const MINOR_SCOPES: ReadonlySet<string> = new Set(
  'artifact-metadata attestations checks deployments discussions pages security-events statuses'.split(' '),
);
const TALK_SCOPES: ReadonlySet<string> = new Set(['issues', 'pull-requests']);

export const artipacked = defineRule({
  id: 'artipacked',
  meta: {
    title: 'Checkout leaves a credential on disk',
    why: 'actions/checkout stores the token it fetches with so that later git commands work: up to version 5 in the workspace’s `.git/config`, from version 6 in a file in the runner’s temporary directory. Everything that runs later in the job can read it, and uploading the workspace publishes it.',
    attack:
      'An uploaded workspace contains `.git/config`, and whoever downloads the artifact while the job is still running uses the token. Or a malicious package in a later build step reads the file and pushes.',
    recommendation:
      'Set `persist-credentials: false` on the checkout, and pass the token to steps that push through their own `env`.',
    limits:
      'Unless it is uploaded, a credential is not reported if it is a read-only token, if a later git command needs it, or if the step that could read it receives it anyway; where packages that a step installs receive the job token later, or the token writes no more than issues, pull requests, deployments and what else needs an identity, the severity is LOW. So it is where only image builds, which may not copy `.git`, and packages of the system run later.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/actions/checkout#usage',
      'https://unit42.paloaltonetworks.com/github-repo-artifacts-leak-tokens/',
    ],
    messages: {
      artifact: 'The checkout stores {{credential}} in {{place}}, and a later step uploads it in an artifact.',
      cache: 'The checkout stores {{credential}} in {{place}}, and a later step saves it in a cache.',
      readable: 'The checkout stores {{credential}} in {{place}}, where code run by {{later}} can read it.',
      explicit: 'The checkout explicitly stores {{credential}}, which no later step of the job seems to need.',
      file: 'The artifact includes {{path}}, a file that usually holds credentials.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request
          jobs:
            talks:
              permissions: { contents: read, pull-requests: write, issues: write, statuses: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: npm ci && npm test
            deploys:
              permissions: { pull-requests: write, actions: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: npm ci && npm test
            pages:
              permissions: { contents: read, pages: write, deployments: write, attestations: write, id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: npm ci && npm test
                - uses: actions/deploy-pages@v4
            image:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - uses: docker/build-push-action@v6
                  with: { context: ., push: true, tags: ghcr.io/acme/app }
            image-by-script:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: sudo apt-get install -y qemu-user-static
                - run: docker buildx build --push -t ghcr.io/acme/app .
                - run: echo "$TAGS" | xargs -I {} cosign sign --yes {}@$DIGEST
            image-after-unpacking:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: 7z x models.zip -omodels
                - run: docker buildx build --push -t ghcr.io/acme/app .
            unpacked-tool:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: 7z x tool.zip -otool
                - run: tool/run
            image-beside-build:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: docker buildx build --push -t ghcr.io/acme/app .
                - run: ls packages | xargs -n 1 npm test -w
            image-after-build:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: sudo apt-get install -y qemu-user-static
                - uses: docker/build-push-action@v6
                  with: { context: ., push: true, tags: ghcr.io/acme/app }
                - run: npm test
            image-after-corepack:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: corepack enable
                - run: docker buildx build --push -t ghcr.io/acme/app .
            image-after-install:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: corepack yarn install
                - run: docker buildx build --push -t ghcr.io/acme/app .
            image-that-runs:
              permissions: { packages: write }
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: docker build -t app . && docker run -v "$PWD:/src" app
            published:
              permissions: { pull-requests: write }
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4
                  with: { path: ., include-hidden-files: true }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: write
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4
                  with:
                    path: .
                    include-hidden-files: true
            pack:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                - run: |
                    tar -cf build.tar .
                    gzip build.tar
                - uses: actions/upload-artifact@v4
                  with: { path: build.tar.gz }
            zip:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                  with:
                    path: src
                - run: zip -qr ../source .
                  working-directory: src
                - uses: actions/upload-artifact@v4
                  with: { path: source.zip }
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v5 # the code
                  id: code
                - run: npm ci && npm test
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v5
                  with:
                    fetch-depth: 0
                - run: ./scripts/labels.sh
                  env: { GH_TOKEN: "\${{ github.token }}" }
                - run: npm ci
            flow:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - { uses: actions/checkout@v6, name: Code }
                # expect: explicit
                - uses: actions/checkout@v5
                  with: { persist-credentials: true, path: other }
                - run: cargo build
        `,
        fixed: yaml`
          on: push
          permissions:
            contents: write
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact
                - uses: actions/checkout@v4
                  with:
                    persist-credentials: false
                - uses: actions/upload-artifact@v4
                  with:
                    path: .
                    include-hidden-files: true
            pack:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                  with:
                    persist-credentials: false
                - run: |
                    tar -cf build.tar .
                    gzip build.tar
                - uses: actions/upload-artifact@v4
                  with: { path: build.tar.gz }
            zip:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                  with:
                    persist-credentials: false
                    path: src
                - run: zip -qr ../source .
                  working-directory: src
                - uses: actions/upload-artifact@v4
                  with: { path: source.zip }
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v5 # the code
                  with:
                    persist-credentials: false
                  id: code
                - run: npm ci && npm test
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v5
                  with:
                    persist-credentials: false
                    fetch-depth: 0
                - run: ./scripts/labels.sh
                  env: { GH_TOKEN: "\${{ github.token }}" }
                - run: npm ci
            flow:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - { uses: actions/checkout@v6, with: { persist-credentials: false }, name: Code }
                # expect: explicit
                - uses: actions/checkout@v5
                  with: { persist-credentials: false, path: other }
                - run: cargo build
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: cache
                - uses: actions/checkout@v4
                  with:
                    path: src
                    token: \${{ secrets.BOT_TOKEN }}
                - uses: actions/cache@v4
                  with:
                    key: all
                    path: |
                      ~/.cargo
                      src
                # expect: file
                - uses: actions/upload-artifact@v4
                  with:
                    path: |
                      dist
                      .npmrc
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            handed:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                - run: docker build -t acme/app -f samples/job/Dockerfile .
            context:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                - uses: docker/build-push-action@v6
                  with: { context: ., tags: acme/app }
            first-release:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                - uses: docker/build-push-action@v1
                  with: { repository: acme/app }
            context-beside:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                - uses: docker/build-push-action@v6
                  with: { context: web, build-contexts: all=. }
            given-later:
              runs-on: ubuntu-latest
              steps:
                # expect: readable LOW
                - uses: actions/checkout@v4
                - run: |
                    python -m pip install --upgrade pip
                    pip install PyGithub
                - run: python report.py
                  env: { GITHUB_TOKEN: "\${{ github.token }}" }
            given-to-others:
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: pip install black
                - run: node report.js
                  env: { GITHUB_TOKEN: "\${{ github.token }}" }
            given-another-token:
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: npm ci
                - run: node report.js
                  env: { TOKEN: "\${{ secrets.REPORT_TOKEN }}" }
            given-before:
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: node report.js
                  env: { GITHUB_TOKEN: "\${{ github.token }}" }
                - run: npm ci
            given-and-built:
              runs-on: ubuntu-latest
              steps:
                # expect: readable MEDIUM
                - uses: actions/checkout@v4
                - run: npm ci
                - run: make
                - run: node report.js
                  env: { GITHUB_TOKEN: "\${{ github.token }}" }
            climbs:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                  with: { path: src }
                - run: cd src/samples && docker build -t acme/job ..
            runs:
              runs-on: ubuntu-latest
              steps:
                # expect: readable
                - uses: actions/checkout@v4
                - run: |
                    cd samples/job
                    docker build -t acme/job .
                    docker run -v "$GITHUB_WORKSPACE:/src" acme/job
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            docs:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4.1.0
                  with: { name: tree, path: . }
                - run: git commit -am docs && git push origin HEAD
            bot:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact HIGH
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4.1.0
                  with: { name: tree, path: . }
                - uses: stefanzweifel/git-auto-commit-action@v5
            excused:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact MEDIUM
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4.1.0
                  with: { name: tree, path: . }
                - run: git push origin HEAD || true
            other-token:
              runs-on: ubuntu-latest
              steps:
                # expect: artifact MEDIUM
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4.1.0
                  with: { name: tree, path: . }
                - run: git push "https://x:\${TOKEN}@github.com/acme/site" HEAD
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions:
            contents: write
          jobs:
            off:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with:
                    persist-credentials: false
                - run: npm test
            pushes:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: npm run build && git push
            given-anyway:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: ./scripts/update-issues.sh
                  env: { GH_TOKEN: "\${{ github.token }}" }
                - run: ./scripts/update-board.sh
                  env: { GH_TOKEN: "\${{ secrets.CUSTOM_GITHUB_TOKEN }}" }
            commits:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - uses: stefanzweifel/git-auto-commit-action@v6
            builds-apart:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: |
                    cd samples/job
                    go build -o job
                    docker build -t acme/job -f ./Dockerfile.small .
                - run: |
                    docker build -t acme/sdk:$VERSION sdks/python
                    docker push acme/sdk:$VERSION
            builds-another-folder:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - uses: docker/build-push-action@v6
                  with: { context: web, tags: acme/web }
                - uses: docker/build-push-action@v6
                  with: { file: web/Dockerfile, tags: acme/web }
                - uses: docker/build-push-action@v6
                  with: { context: '{{defaultContext}}:web', tags: acme/web }
                - run: kubectl rollout restart deploy/web && find . -name '*.log'
            moves-files:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4
                  with:
                    path: dist
            hidden-left-out:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4
                  with:
                    path: .
            packs-without:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: |
                    tar -czf build.tgz dist
                    tar --exclude=.git -czf source.tgz .
                    zip -r all.zip . -x '.git/*'
                    tar -czf kept.tgz -C dist .
                    (cd dist && tar -cf kept.tar .)
                    rm -rf .git && zip -qr later.zip .
                - uses: actions/upload-artifact@v4
                  with:
                    path: |
                      build.tgz
                      source.tgz
                      all.zip
                      kept.tgz
                      dist/kept.tar
                      later.zip
            chosen:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with:
                    persist-credentials: \${{ github.event_name == 'push' }}
                - run: npm test
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: read
            id-token: write
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: npm test
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@1af3b93b6815bc44a9784bd300feb67ff0d1eeb3
                - run: npm test
        `,
      },
    ],
  },
  check: { step: check },
});

function* check(step: Step, { repository, facts }: RuleContext): Generator<Report<Message>> {
  const checkout = storedCredentialOf(step);
  if (checkout !== undefined) {
    const report = judge(checkout, definitionOf(step), repository, facts);
    if (report !== undefined) yield report;
  } else if (runsAction(step, 'actions/upload-artifact')) {
    const path = pathsOf(step).find((candidate) => SECRET_FILE.test(candidate));
    if (path !== undefined)
      yield { message: 'file', data: { path }, at: step, span: step.uses?.span ?? step.span, confidence: 'medium' };
  }
}

function judge(
  checkout: StoredCredential,
  definition: Definition,
  repository: Repository,
  facts: Facts,
): Report<Message> | undefined {
  const { step, outsideWorkspace } = checkout;
  const persist = inputOf(step, 'persist-credentials');
  if (isFalse(persist) || persist?.value.includes('${{') === true) return undefined;
  const stake = stakeOf(checkout, facts);
  if (stake === 'none') return undefined;
  const later = stepsAfter(step);
  const archives = archivesIn(later);
  const leak = later.find((other) => takesIn(other, checkout) || takesArchive(other, checkout, archives));
  const uses = new Set(later.map((other) => gitUse(other, repository)));
  const needed = uses.has('uses');
  const verdict =
    leak === undefined
      ? verdictOf(checkout, stake, uses, {
          readerOf: () => readerOf(checkout, later, stake, repository),
          isGivenTokenLater: (reader) => stake !== 'secret' && isGivenTokenLater(reader),
          explicit: isTrue(persist),
        })
      : leakVerdict(leak, stake);
  if (verdict === undefined) return undefined;
  const { later: reader, ...report } = verdict;
  return {
    ...report,
    data: {
      credential: checkout.secret === undefined ? 'the job token' : nameOf(checkout.secret),
      place: outsideWorkspace ? 'a temporary directory' : '.git/config',
      later: reader ?? '',
    },
    at: step,
    span: step.uses?.span ?? step.span,
    ...(leak === undefined
      ? {}
      : { related: [{ span: leak.uses?.span ?? leak.span, note: 'the credential leaves with this' }] }),
    fix: needed ? undefined : forget(checkout, definition, later, repository),
    attributes: { kind: stake === 'secret' ? 'repo-secret' : 'write-token', level: stake === 'talk' ? 'write' : stake },
  };
}

function nameOf(credential: string): string {
  return credential.startsWith('secrets.') ? `the secret ${credential.slice(8).toUpperCase()}` : credential;
}

interface Verdict {
  readonly message: Message;
  readonly severity: Severity;
  readonly confidence?: Confidence;
  readonly later?: string;
}

function leakVerdict(leak: Step, stake: Stake): Verdict | undefined {
  if (!runsAction(leak, 'actions/upload-artifact')) {
    return stake === 'secret' ? { message: 'cache', severity: 'HIGH' } : undefined;
  }
  return {
    message: 'artifact',
    severity:
      stake === 'secret' || stake === 'write' || stake === 'talk' ? 'HIGH' : stake === 'unknown' ? 'MEDIUM' : 'LOW',
  };
}

function verdictOf(
  { outsideWorkspace }: StoredCredential,
  stake: Stake,
  uses: ReadonlySet<Use>,
  {
    readerOf,
    isGivenTokenLater,
    explicit,
  }: {
    readonly readerOf: () => Step | undefined;
    readonly isGivenTokenLater: (reader: Step) => boolean;
    readonly explicit: boolean;
  },
): Verdict | undefined {
  const little = stake === 'unknown' || stake === 'minor';
  if (uses.has('uses') || (little && outsideWorkspace)) return undefined;
  const reader = readerOf();
  if (reader === undefined) return undefined;
  if (explicit) return uses.has('may') ? undefined : { message: 'explicit', severity: 'INFO' };
  const meant = stake === 'secret' && uses.has('may');
  const isWeak = little || stake === 'talk' || startsNoWorkspaceCode(reader);
  return {
    message: 'readable',
    severity: outsideWorkspace || isWeak || meant || isGivenTokenLater(reader) ? 'LOW' : 'MEDIUM',
    confidence: uses.has('may') ? 'medium' : 'high',
    later: `step ${reader.index + 1}`,
  };
}

function readerOf(
  { folder }: StoredCredential,
  later: readonly Step[],
  stake: Stake,
  repository: Repository,
): Step | undefined {
  if (stake === 'secret') return later.find((step) => runsForeignCode(step) && !buildsInIsolation(step, folder));
  const reads = (step: Step): boolean =>
    runsWorkspaceCode(step) && !isHandedToken(step) && !buildsInIsolation(step, folder);
  const isReader = (step: Step): boolean => {
    const inner = innerSteps(step, repository);
    return inner.length === 0 ? reads(step) : !isHandedToken(step) && inner.some(reads);
  };
  let reader: Step | undefined;
  let strong: Step | undefined;
  for (const step of later) {
    if (!isReader(step)) continue;
    reader ??= step;
    if (isGivenTokenLater(step)) continue;
    if (!startsNoWorkspaceCode(step)) return step;
    strong ??= step;
  }
  return strong ?? reader;
}

const ECOSYSTEMS: readonly { readonly installs: RegExp; readonly runs: RegExp }[] = [
  {
    installs: /^(?:pip3?|pipenv|poetry|uv(?: pip)?|python3? -m pip) (?:install|sync)\b/,
    runs: /^(?:pipenv|poetry|uv|python3?)$/,
  },
  {
    installs: /^(?:npm|pnpm|yarn|bun) (?:ci|i|install)\b|^yarn$/,
    runs: /^(?:bun|bunx|node|npm|npx|pnpm|tsx|yarn)$/,
  },
];

function isGivenTokenLater(reader: Step): boolean {
  const used = installedFor(reader);
  return (
    used !== undefined && lastWithToken(reader.parent).some(([each, last]) => each === used && last > reader.index)
  );
}

type Ecosystem = (typeof ECOSYSTEMS)[number];

const installedFor = memoByNode((step: Step): Ecosystem | undefined => {
  const run = commandsOf(step).filter((command) => !isInert(command));
  return ECOSYSTEMS.find(
    ({ installs }) =>
      run.length > 0 &&
      run.every(({ program, args }) => installs.test([program, ...args.map(({ value }) => value)].join(' '))),
  );
});

const lastWithToken = memoByNode(({ steps }: Step['parent']): readonly (readonly [Ecosystem, number])[] => {
  const given = steps.filter(({ env }) => holdsToken(env));
  return ECOSYSTEMS.map((ecosystem) => [
    ecosystem,
    given.findLast((step) => commandsOf(step).some(({ program }) => ecosystem.runs.test(program)))?.index ?? -1,
  ]);
});

function stakeOf({ step, secret }: StoredCredential, facts: Facts): Stake {
  if (secret !== undefined) return 'secret';
  const job = jobOf(step);
  if (job === undefined) return 'unknown';
  const { declared } = tokenPermissions(job);
  if (declared !== undefined) {
    // The stored token cannot request an OIDC token.
    const writes = declared.scopes.filter(({ scope, level }) => level === 'write' && scope !== 'id-token');
    const serious = writes.filter(({ scope }) => !MINOR_SCOPES.has(scope));
    if (declared.all !== 'write-all' && serious.length > 0 && serious.every(({ scope }) => TALK_SCOPES.has(scope)))
      return 'talk';
    if (declared.all === 'write-all' || serious.length > 0) return 'write';
    return writes.length > 0 ? 'minor' : 'none';
  }
  const proven = provenWrites(job);
  if (proven.includes('contents')) return 'write';
  const standard = known(facts, 'workflowToken')?.default;
  return standard === undefined ? 'unknown' : standard === 'write' ? 'write' : 'none';
}

function pathsOf(step: Step): string[] {
  const paths =
    inputOf(step, 'path')
      ?.value.split('\n')
      .map((line) => line.trim()) ?? [];
  return paths.filter((path) => path !== '');
}

function takesIn(step: Step, { folder, outsideWorkspace }: StoredCredential): boolean {
  const upload = runsAction(step, 'actions/upload-artifact');
  if (!upload && !runsAction(step, 'actions/cache', 'actions/cache/save')) return false;
  if (upload && !outsideWorkspace && !takesHidden(step)) return false;
  const paths = pathsOf(step);
  if (outsideWorkspace)
    return paths.some((path) => /^(?:\$\{\{\s*runner\.temp\s*\}\}|\$RUNNER_TEMP)\/?\**$/.test(path));
  if (folder === undefined || paths.some((path) => path.startsWith('!') && path.includes('.git'))) return false;
  return paths.some((path) => {
    const trimmed = trimPath(path).replace(/(?:^|\/)\*{1,2}(?:\/\*)?$/, '');
    if (trimmed.includes('*') || trimmed.includes('${{') || trimmed.startsWith('!')) return false;
    return (
      trimmed === '' ||
      trimmed === folder ||
      `${folder}/`.startsWith(`${trimmed}/`) ||
      trimmed === trimPath(`${folder}/.git`)
    );
  });
}

function takesArchive(step: Step, { folder, outsideWorkspace }: StoredCredential, archives: Archives): boolean {
  if (outsideWorkspace || folder === undefined || !runsAction(step, 'actions/upload-artifact')) return false;
  const file = folder === '' ? '.git/config' : `${folder}/.git/config`;
  return pathsOf(step).some((path) => archivedIn(archives, path, file));
}

function takesHidden(step: Step): boolean {
  if (isTrue(inputOf(step, 'include-hidden-files'))) return true;
  const version = versionOf(step) ?? '';
  const major = majorOf(version);
  const minor = /^v?\d+\.(\d+)/.exec(version)?.[1];
  if (major === undefined || major >= 5) return false;
  if (major <= 2) return true;
  return minor !== undefined && Number(minor) < (major === 3 ? 2 : 4);
}

function forget(
  { step }: StoredCredential,
  definition: Definition,
  later: readonly Step[],
  repository: Repository,
): Fix | undefined {
  if (!mayInsert(definition)) return undefined;
  const partial = ['filter', 'sparse-checkout', 'lfs'].some((name) => inputOf(step, name) !== undefined);
  const certain = !partial && later.every((other) => gitUse(other, repository) === 'no');
  const safety = certain ? 'safe' : 'review';
  const existing = inputOf(step, 'persist-credentials') !== undefined;
  const edit = setInput(step, 'persist-credentials', 'false', indentUnit(definition));
  return edit && { safety: existing ? 'review' : safety, edits: [edit] };
}

function stepsAfter(step: Step): readonly Step[] {
  return (jobOf(step)?.steps ?? step.parent.steps).slice(step.index + 1);
}
