import { jobsRunning } from '#lib/analysis/impact/jobs-running.ts';
import { secretsBeside, usesKeysElsewhere } from '#lib/analysis/impact/keys-beside.ts';
import { isLowValueTarget, servesLowValueTargets } from '#lib/analysis/impact/low-value-jobs.ts';
import { accountAndSite, isKeyOf, losesOnlyTo } from '#lib/analysis/impact/vendors-keys.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isOpenToForks } from '#lib/analysis/privileges/open-machines.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { isOnDemand, isSingleUse, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { opensLittle } from '#lib/analysis/privileges/secret-names.ts';
import { writesMoreThanTalk } from '#lib/analysis/privileges/worthy-writes.ts';
import { cacheKeysOf } from '#lib/analysis/publishing/build-caches.ts';
import { identityAskers, identityUse } from '#lib/analysis/publishing/identity-use.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { releaseJobs } from '#lib/analysis/publishing/releases.ts';
import { runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { passesFilesOn, takersOf } from '#lib/analysis/workspace/passed-on-files.ts';
import { IMMUTABLE_SINCE } from '#lib/data/curated/immutable-releases.ts';
import { FROZEN_CHANNELS } from '#lib/data/curated/retired-releases.ts';
import { OPERATORS } from '#lib/data/curated/vendor-keys.ts';
import { networkOf } from '#lib/facts/action-lookups.ts';
import type { ActionFacts, Facts } from '#lib/facts/facts.ts';
import { actionOf, type RepositoryReference } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, sourceOf, type Uses, type UsesSite } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { compareVersions, mostSpecificTag, parseVersion } from '#lib/workflow/model/versions.ts';
import { isLocked } from '#lib/workflow/parse/lockfile.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { pinTo } from '../remedies/pin.ts';
import { successorOfArchived } from '../shared/archived-actions.ts';

/** Published by the operator of the runners, who controls the run anyway. */
const FIRST_PARTY: ReadonlySet<string> = new Set(['actions', 'dependabot', 'github']);

/**
 * Its verifier reads the tag, so a commit breaks verification:
 * https://github.com/slsa-framework/slsa-github-generator#referencing-slsa-builders-and-generators
 */
const MUST_USE_TAG: ReadonlySet<string> = new Set(['slsa-framework/slsa-github-generator']);

const BRANCH = /^(?:refs\/heads\/.+|main|master|trunk|develop|development|dev|head)$/i;

const CHANNEL = /^(?:refs\/tags\/)?(?:next|latest|nightly|edge|stable|unstable|canary|beta)$/i;

const OWN_SERVICE = ' All that the job’s keys and identity open is the service of its publisher.';

type Message = 'archived' | 'branch' | 'channel' | 'tag' | 'missing';

export const unpinnedUses = defineRule({
  id: 'unpinned-uses',
  meta: {
    title: 'Action or reusable workflow not pinned to a commit',
    why: 'An action’s tag or branch can be moved to other code at any time, and the next run executes that code with the job’s token and secrets. Only a full commit hash always identifies the same code.',
    attack:
      'An attacker who takes over the action’s repository or a maintainer’s token moves the tag; every workflow that uses it executes the attacker’s code in its next run. This happened to tj-actions/changed-files in March 2025.',
    recommendation:
      'Pin the full commit hash and keep the version as a comment: `uses: owner/action@<40 hex digits> # v1.2.3`. Let Dependabot or Renovate update it.',
    limits:
      'What a pinned action itself downloads or calls is not checked. A use inside an action below `.github` is rated by the jobs of this repository that use it without inputs that switch the step off. A branch is rated lower where nothing but keys to its publisher’s own service is in reach, which their names tell, and where only steps in other legs of the matrix use the keys, although the runner’s memory holds them in each. Refs of the account that owns the scanned repository are rated lower if that account is known from the remote or from a condition; its own main branch is shown only with --pedantic, except in what others can use. That immutable releases protect full version tags is known of a few publishers only. Refs that `actions.lock` pins for a listed workflow count as pinned.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    ],
    messages: {
      archived:
        '{{name}} is used at {{ref}}, which can move to other code once its archived repository is opened again.',
      branch: '{{name}} is used at the branch {{ref}}, which changes with every push.{{loss}}',
      channel: '{{name}} is used at {{ref}}, which moves to each new version.{{loss}}',
      tag: '{{name}} is used at {{ref}}, which its publisher can move to other code.',
      missing: '{{name}} is used without a ref.{{loss}}',
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
                # expect: tag
                - uses: actions/checkout@v4
                # expect: tag
                - uses: acme/deploy@v1.2.3
                # expect: branch
                - uses: acme/lint@main
                # expect: missing
                - uses: acme/notify
            call:
              # expect: tag
              uses: acme/workflows/.github/workflows/build.yml@v2
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Composite
            description: Calls another action
            runs:
              using: composite
              steps:
                # expect: tag
                - { uses: "acme/setup/node@v3" }
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: tag
                - uses: acme/deploy/sub@v1 # deploys
                # expect: tag
                - uses: "acme/deploy@v1"
                # expect: tag
                - uses: acme/deploy@v1   # v1
                # expect: branch
                - uses: acme/deploy@main
        `,
        facts: {
          settings: { missing: 'offline' },
          network: {
            value: {
              actions: new Map([
                [
                  'acme/deploy',
                  {
                    branches: new Map([['main', '2222222222222222222222222222222222222222']]),
                    tags: new Map([
                      ['v1', '1111111111111111111111111111111111111111'],
                      ['v1.4.2', '1111111111111111111111111111111111111111'],
                    ]),
                  },
                ],
              ]),
            },
          },
        },
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: tag
                - uses: acme/deploy/sub@1111111111111111111111111111111111111111 # deploys
                # expect: tag
                - uses: "acme/deploy@1111111111111111111111111111111111111111" # v1.4.2
                # expect: tag
                - uses: acme/deploy@1111111111111111111111111111111111111111   # v1.4.2
                # expect: branch
                - uses: acme/deploy@2222222222222222222222222222222222222222 # main
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              if: github.repository_owner == 'acme'
              # expect: branch
              uses: acme/workflows/.github/workflows/build.yml@main
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/deploy@main
                  with:
                    token: \${{ secrets.CLOUD_TOKEN }}
            browsers:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: browserlab/actions@main
                  with:
                    username: \${{ secrets.LAB_USERNAME }}
                    key: \${{ secrets.BROWSERLAB_ACCESS_KEY }}
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            alert:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: acme/alert@main
                  with: { hook: "\${{ secrets.WECHAT_GROUP_WEB_HOOK }}" }
            chat-bot:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/alert@main
                  with: { token: "\${{ secrets.FEISHU_BOT_TOKEN }}" }
            request:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: acme/request@main
                  with: { url: "https://shop.example/\${{ secrets.TEST_CLIENT_KEY }}" }
            cloud-of-tests:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/request@main
                  with: { key: "\${{ secrets.TEST_AWS_SECRET_ACCESS_KEY }}" }
            contest:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/request@main
                  with: { key: "\${{ secrets.CONTEST_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: acme/lint@v1
                # expect: branch MEDIUM
                - uses: acme/spelling@main
            own-machine:
              runs-on: [self-hosted]
              steps:
                # expect: tag MEDIUM
                - uses: acme/lint@v1
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
                - run: npm pack
            publish:
              needs: build
              runs-on: ubuntu-latest
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            failed:
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: notifiers/chat@v3
                  env: { SLACK_WEBHOOK_URL: "\${{ secrets.SLACK_WEBHOOK }}" }
            benchmarks:
              runs-on: ubuntu-latest
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
                # expect: tag LOW
                - uses: SpeedLabHQ/action@v5
                  with: { token: "\${{ secrets.SPEEDLAB_TOKEN }}" }
            switched-off:
              if: false
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: tag INFO
                - uses: acme/setup@v1
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            permissions: { contents: read }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/test
              deploy:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./app/.github/actions/deploy
                    with: { token: "\${{ secrets.CLOUD_TOKEN }}" }
          `,
          '.github/actions/test/action.yml': yaml`
            name: Test
            description: Serves a job with nothing to take
            runs:
              using: composite
              steps:
                # expect: tag LOW
                - uses: acme/setup@v1
          `,
          '.github/actions/deploy/action.yml': yaml`
            name: Deploy
            description: Serves a job with a secret
            runs:
              using: composite
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
                - uses: ./.github/actions/prepare
          `,
          '.github/actions/prepare/action.yml': yaml`
            name: Prepare
            description: Serves the same job through another action
            runs:
              using: composite
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
          `,
          '.github/actions/forgotten/action.yml': yaml`
            name: Forgotten
            description: Serves none
            runs:
              using: composite
              steps:
                # expect: tag LOW
                - uses: acme/setup@v1
          `,
          'publish/action.yml': yaml`
            name: Publish
            description: Other repositories use it
            runs:
              using: composite
              steps:
                # expect: tag MEDIUM
                - uses: acme/setup@v1
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: channel MEDIUM
                - uses: acme/toolchain@stable
                # expect: branch MEDIUM
                - uses: acme/toolchain@refs/heads/fix
                # expect: channel MEDIUM
                - uses: acme/toolchain@nightly
                # expect: branch MEDIUM
                - uses: acme/toolchain@main
            announced:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: acme/chat@main
                  env: { HOOK: "\${{ secrets.SLACK_WEBHOOK_URL }}" }
            granted:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: channel HIGH
                - uses: acme/toolchain@stable
            own-machine:
              runs-on: [self-hosted, linux]
              steps:
                # expect: branch HIGH
                - uses: acme/toolchain@main
            checked:
              runs-on: ubuntu-latest
              steps:
                # The release waits for this job, but takes nothing from it.
                # expect: branch MEDIUM
                - uses: acme/toolchain@main
                - run: make check
            built:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/toolchain@main
                - uses: actions/upload-artifact@0123456789abcdef0123456789abcdef01234567 # v7.0.0
            rented-machine:
              runs-on: [self-hosted, linux, 4xlarge]
              steps:
                # expect: branch MEDIUM
                - uses: acme/toolchain@main
            asks-nothing:
              permissions: { contents: read, id-token: write }
              # expect: branch MEDIUM
              uses: acme/shared/.github/workflows/lint.yml@main
            publishes:
              permissions: { contents: read, id-token: write }
              # expect: branch MEDIUM
              uses: acme/shared/.github/workflows/publish.yml@main
            release:
              needs: [checked, built]
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: acme/toolchain@refs/heads/main
                - run: npm publish
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Composite
            description: Runs in jobs of others
            runs:
              using: composite
              steps:
                # expect: branch MEDIUM
                - uses: acme/setup@main
          `,
          '.github/actions/sign/action.yml': yaml`
            name: Sign
            description: Serves a job with a secret
            runs:
              using: composite
              steps:
                # expect: branch HIGH
                - uses: acme/setup@main
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              sign:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/sign
                    with: { key: "\${{ secrets.SIGNING_KEY }}" }
          `,
        },
      },
      {
        repository: 'actions/toolkit',
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: tag INFO
                - uses: actions/checkout@v7
                # expect: archived INFO
                - uses: actions/create-release@master
        `,
      },
      {
        repository: 'Acme/App',
        yaml: yaml`
          on: push
          jobs:
            itself:
              runs-on: ubuntu-latest
              steps:
                # expect: branch INFO
                - uses: acme/app/.github/actions/setup@main
                # expect: branch LOW
                - uses: acme/app/.github/actions/setup@dev
                # expect: branch LOW
                - uses: acme/app-tools/setup@main
            called:
              # expect: branch INFO
              uses: acme/app/.github/workflows/build.yml@refs/heads/master
        `,
      },
      {
        repository: 'acme/app',
        yaml: {
          '.github/workflows/build.yml': yaml`
            on: [push, workflow_call]
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: branch LOW
                  - uses: acme/app/.github/actions/setup@main
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            runs:
              using: composite
              steps:
                # expect: branch INFO
                - uses: acme/app/tools/install@main
          `,
          'tools/install/action.yml': yaml`
            name: Install
            runs:
              using: composite
              steps:
                # expect: branch LOW
                - uses: acme/app/tools/download@main
          `,
        },
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            named:
              # expect: branch MEDIUM
              uses: acme-tools/workflows/.github/workflows/scan.yml@main
              secrets: { token: "\${{ secrets.SCAN_TOKEN }}" }
            all:
              # expect: branch MEDIUM
              uses: acme-tools/workflows/.github/workflows/scan.yml@main
              secrets: inherit
            writes:
              permissions: { contents: write }
              # expect: branch HIGH
              uses: acme-tools/workflows/.github/workflows/scan.yml@main
        `,
      },
      {
        yaml: yaml`
          on: { issue_comment: { types: [created] } }
          jobs:
            own-key:
              permissions: { contents: read, id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: anthropics/claude-code-action@main
                  with: { anthropic_api_key: "\${{ secrets.ANTHROPIC_API_KEY }}" }
            own-service:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: watchtowerdev/watchtower@main
                  with: { token: "\${{ secrets.WATCHTOWER_API_TOKEN }}" }
            paid-program:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/free-space@main
                - run: ./engine
                  env: { ENGINE_LICENSE: "\${{ secrets.ENGINE_LICENSE }}" }
            names-only:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/free-space@main
                - run: ./list "\${{ secrets.ASSETS_BUCKET }}" "\${{ secrets.CLOUD_ACCOUNT_ID }}"
            key:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: somebody/free-space@main
                - run: ./list "\${{ secrets.ASSETS_BUCKET_KEY }}"
            reports:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/free-space@main
                - run: ./upload
                  env: { CODECOV_TOKEN: "\${{ secrets.CODECOV_TOKEN }}" }
            traces:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: channel MEDIUM
                - uses: somebody/export-traces@latest
                  with: { headers: "\${{ secrets.HONEYCOMB_API_KEY }}" }
            other-key:
              permissions: { contents: read, id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: anthropics/claude-code-action@main
                  with: { anthropic_api_key: "\${{ secrets.ANTHROPIC_API_KEY }}", github_token: "\${{ secrets.BOT_PAT }}" }
            other-key-at-a-tag-that-rests:
              permissions: { contents: read, id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: tag MEDIUM
                - uses: anthropics/claude-code-action@beta
                  with: { anthropic_api_key: "\${{ secrets.ANTHROPIC_API_KEY }}", github_token: "\${{ secrets.BOT_PAT }}" }
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            fuzz:
              permissions: { security-events: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: fuzz-tools/run@master
            label:
              permissions: { security-events: write, pull-requests: write }
              runs-on: ubuntu-latest
              steps:
                # Without contents: write, such a token neither pushes nor merges.
                # expect: branch MEDIUM
                - uses: fuzz-tools/run@master
            merge:
              permissions: { contents: write, pull-requests: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: fuzz-tools/run@master
            answer:
              permissions: { issues: write, discussions: write, checks: write, statuses: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/answer@main
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            bump:
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: dependabot/fetch-metadata@v3
                # expect: tag MEDIUM
                - uses: dependabots/fetch-metadata@v3
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, checks: write, id-token: write }
          jobs:
            build:
              runs-on: \${{ matrix.on }}
              strategy:
                matrix:
                  include:
                    - { on: { labels: [Linux, X64, lab] } }
              steps:
                # expect: channel HIGH
                - uses: somebody/setup@latest
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, checks: write, id-token: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: channel MEDIUM
                - uses: somebody/setup@latest
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/setup@main
                # expect: tag LOW
                - uses: actions/cache@v5
                  with: { path: ~/.npm, key: "npm-\${{ hashFiles('package-lock.json') }}" }
                # expect: tag LOW
                - uses: actions/upload-artifact@v5
                  with: { name: logs, path: logs }
            test-programs:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/setup@main
                # expect: tag LOW
                - uses: actions/upload-artifact@v5
                  with: { name: "test-\${{ matrix.os }}", path: target }
            run-programs:
              needs: test-programs
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: actions/download-artifact@v5
                  with: { pattern: test-* }
                - run: ./run
                # expect: tag LOW
                - uses: actions/upload-artifact@v5
                  with: { name: "shots-\${{ matrix.os }}", path: shots }
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: somebody/setup@main
                # expect: tag LOW
                - uses: actions/upload-artifact@v5
                  with: { name: "parts-\${{ matrix.os }}", path: dist }
            pack:
              needs: build
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: actions/download-artifact@v5
                  with: { pattern: parts-* }
                # expect: tag LOW
                - uses: actions/upload-artifact@v5
                  with: { name: dist, path: dist }
            publish:
              needs: [test, run-programs, pack]
              runs-on: ubuntu-latest
              steps:
                # expect: tag LOW
                - uses: actions/download-artifact@v5
                  with: { name: dist }
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/setup@main
                - run: bazel build --remote_cache=https://cache.example //...
                  env: { KEY: "\${{ secrets.BAZEL_CACHE_KEY }}", TURBO_TOKEN: "\${{ secrets.TURBO_TOKEN }}" }
            compile:
              runs-on: ubuntu-latest
              env: { SCCACHE_GCS_BUCKET: builds }
              steps:
                # expect: branch MEDIUM
                - uses: somebody/setup@main
                - run: make
                  env: { SCCACHE_GCS_KEY: "\${{ secrets.GCP_SERVICE_ACCOUNT }}" }
            deploy:
              runs-on: ubuntu-latest
              env: { SCCACHE_GCS_BUCKET: builds, SCCACHE_GCS_KEY: "\${{ secrets.GCP_SERVICE_ACCOUNT }}" }
              steps:
                # expect: branch HIGH
                - uses: somebody/setup@main
                - run: ./run.sh
            install:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: somebody/setup@main
                - run: nix build
                  env: { TOKEN: "\${{ secrets.CACHIX_AUTH_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: tag
                - uses: astral-sh/setup-uv@v8
                # expect: tag
                - uses: astral-sh/setup-uv@v8.1
                # expect: tag
                - uses: astral-sh/setup-uv@v7.6.0
                # expect: tag
                - uses: astral-sh/setup-uv@v8.0.0-rc.1
                # expect: tag
                - uses: somebody/setup-uv@v8.0.0
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                # expect: archived MEDIUM
                - uses: SonarSource/sonarcloud-github-action@master
                # expect: archived MEDIUM
                - uses: actions-rs/cargo@stable
                # expect: tag MEDIUM
                - uses: actions-rs/cargo@v1
                # expect: missing HIGH
                - uses: actions-rs/cargo
                # expect: branch HIGH
                - uses: SonarSource/sonarqube-scan-action@master
                - run: ./report
                  env: { KEY: "\${{ secrets.REPORTS_KEY }}" }
            lint:
              runs-on: ubuntu-latest
              steps:
                # expect: archived LOW
                - uses: actions-rs/cargo@main
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: actions-rs/cargo@main
                # expect: archived MEDIUM
                - uses: acme/retired@main
        `,
        facts: {
          settings: { missing: 'offline' },
          network: {
            value: {
              actions: new Map([
                ['acme/retired', { branches: new Map(), tags: new Map(), archived: true }],
                ['actions-rs/cargo', { branches: new Map(), tags: new Map(), archived: false }],
              ]),
            },
          },
        },
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            publish:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: pypa/gh-action-pypi-publish@master
            with-password:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: pypa/gh-action-pypi-publish@master
                  with: { password: "\${{ secrets.PYPI_API_TOKEN }}" }
            other-key:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: pypa/gh-action-pypi-publish@master
                  with: { password: "\${{ secrets.PYPI_API_TOKEN }}" }
                - run: ./announce
                  env: { KEY: "\${{ secrets.SERVICE_KEY }}" }
            may-write:
              permissions: { id-token: write, contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: pypa/gh-action-pypi-publish@master
            cloud:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: aws-actions/configure-aws-credentials@main
                  with: { role-to-assume: deployer, aws-region: eu-west-1 }
                # expect: branch HIGH
                - uses: docker/setup-buildx-action@master
                - run: aws s3 sync out s3://site
            vendors-key:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: google-github-actions/setup-gcloud@main
                  with: { service_account_key: "\${{ secrets.GCP_SA_KEY }}" }
            vendors-key-and-packages:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: google-github-actions/setup-gcloud@main
                  with: { service_account_key: "\${{ secrets.GCP_SA_KEY }}" }
            vendors-key-and-another:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: google-github-actions/setup-gcloud@main
                  with: { service_account_key: "\${{ secrets.GCP_SA_KEY }}" }
                - run: terraform apply
                  env: { TF_VAR_password: "\${{ secrets.DATABASE_PASSWORD }}" }
            vendors-key-and-an-identity:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: google-github-actions/setup-gcloud@main
                  with: { service_account_key: "\${{ secrets.GCP_SA_KEY }}" }
                # expect: branch HIGH
                - uses: aws-actions/configure-aws-credentials@main
                  with: { role-to-assume: deployer, aws-region: eu-west-1 }
            named-like-the-vendor:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: google-github-action/setup-gcloud@main
                  with: { service_account_key: "\${{ secrets.GCP_SA_KEY }}" }
            unknown-vendors-key:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: lumenflow-ai/publish@main
                  with: { api-key: "\${{ secrets.LUMENFLOW_API_KEY }}" }
            key-named-after-the-site:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: lumen/docs.lumen.io@main
                  env: { HOOK_KEY: "\${{ secrets.DOCS_LUMEN_IO_KEY }}" }
            key-named-after-the-product:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: somebody/lumenflow@main
                  with: { api-key: "\${{ secrets.LUMENFLOW_API_KEY }}" }
            token-of-the-code-host-named-after-the-vendor:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: lumenflow-ai/publish@main
                  env: { GITHUB_TOKEN: "\${{ secrets.LUMENFLOW_TOKEN }}" }
            token-that-checkout-takes:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@0123456789abcdef0123456789abcdef01234567 # v6.0.0
                  with: { token: "\${{ secrets.LUMENFLOW_TOKEN }}" }
                # expect: branch HIGH
                - uses: lumenflow-ai/publish@main
            general-word:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: deploys/site@main
                  with: { key: "\${{ secrets.DEPLOY_KEY }}" }
            vendors-key-and-a-page:
              runs-on: ubuntu-latest
              steps:
                # expect: channel MEDIUM
                - uses: chromaui/action@latest
                  with: { projectToken: "\${{ secrets.CHROMATIC_PROJECT_TOKEN }}" }
                  env: { VITE_SEARCH_KEY: "\${{ secrets.SEARCH_KEY }}", VITE_MAP_TOKEN: "\${{ secrets.VITE_MAP_TOKEN }}" }
            vendors-key-and-a-server:
              runs-on: ubuntu-latest
              steps:
                # expect: channel HIGH
                - uses: chromaui/action@latest
                  with: { projectToken: "\${{ secrets.CHROMATIC_PROJECT_TOKEN }}" }
                  env: { VITE_SEARCH_ADMIN_KEY: "\${{ secrets.VITE_SEARCH_ADMIN_KEY }}" }
            operators-sign-in:
              permissions: { id-token: write, actions: read }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem
            sign-in-to-crates:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: rust-lang/crates-io-auth-action@main
                - run: cargo publish
            operators-password:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: docker/login-action@master
                  with: { username: acme, password: "\${{ secrets.DOCKERHUB_TOKEN }}" }
                - run: docker push acme/app
            operators-sign-in-before-a-release:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem && gh release create v1 pkg/*.gem
            operators-sign-in-beside-another-key:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            operators-sign-in-and-code-of-the-repository:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem
                - uses: ./.github/actions/announce
            operators-sign-in-and-files-for-another-job:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem
                - uses: actions/upload-artifact@0123456789abcdef0123456789abcdef01234567 # v6.0.0
                  with: { name: gems, path: pkg }
            hand-out:
              needs: operators-sign-in-and-files-for-another-job
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@0123456789abcdef0123456789abcdef01234567 # v6.0.0
                  with: { name: gems }
                - run: gh release create v1 *.gem
            operators-sign-in-that-may-write:
              permissions: { id-token: write, contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: rubygems/configure-rubygems-credentials@main
                - run: gem push pkg/*.gem
            not-the-operator:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: pypas/gh-action-pypi-publish@master
                - run: twine upload dist/*
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, pages: write, id-token: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: channel MEDIUM
                - uses: somebody/setup@stable
                - uses: actions/upload-pages-artifact@0123456789abcdef0123456789abcdef01234567 # v4.0.0
                  with: { path: out }
            deploy:
              needs: build
              runs-on: ubuntu-latest
              environment: github-pages
              steps:
                # expect: channel MEDIUM
                - uses: somebody/setup@stable
                - uses: actions/deploy-pages@0123456789abcdef0123456789abcdef01234567 # v4.0.0
            push:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: channel HIGH
                - uses: somebody/setup@stable
                - run: mkdocs gh-deploy
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            permissions: { contents: read }
            jobs:
              check:
                runs-on: [self-hosted, linux, build]
                steps:
                  # expect: branch MEDIUM
                  - uses: somebody/setup@master
          `,
          '.github/workflows/nightly.yml': yaml`
            on: { push: { branches: [main] } }
            permissions: { contents: read }
            jobs:
              same:
                runs-on: [self-hosted, linux, build, fast]
                steps:
                  # expect: branch MEDIUM
                  - uses: somebody/setup@master
              other:
                runs-on: [self-hosted, linux, deploy]
                steps:
                  # expect: branch HIGH
                  - uses: somebody/setup@master
              any:
                runs-on: [self-hosted, linux]
                steps:
                  # expect: branch HIGH
                  - uses: somebody/setup@master
              key:
                runs-on: [self-hosted, linux, build]
                steps:
                  # expect: branch HIGH
                  - uses: somebody/setup@master
                  - run: ./upload
                    env: { KEY: "\${{ secrets.UPLOAD_KEY }}" }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            permissions: { contents: read }
            jobs:
              check:
                if: github.event.pull_request.head.repo.full_name == github.repository
                runs-on: [self-hosted, linux]
                steps:
                  # expect: branch HIGH
                  - uses: somebody/setup@master
              approved:
                environment: outsiders
                runs-on: [self-hosted, windows]
                steps:
                  # expect: branch HIGH
                  - uses: somebody/setup@master
              discarded:
                runs-on: [self-hosted, linux, ephemeral]
                steps:
                  # expect: branch MEDIUM
                  - uses: somebody/setup@master
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read, packages: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/free-disk-space@main
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read, packages: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: branch HIGH
                - uses: somebody/free-disk-space@main
                - run: make test
            image:
              runs-on: ubuntu-latest
              steps:
                - run: docker push ghcr.io/acme/app
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            signs:
              permissions: { contents: read, id-token: write, attestations: write }
              runs-on: ubuntu-latest
              steps:
                # expect: branch MEDIUM
                - uses: somebody/setup@main
                - uses: actions/attest@0123456789abcdef0123456789abcdef01234567 # v4.0.0
                  with: { subject-path: out/* }
        `,
      },
      {
        yaml: yaml`
          on:
            push: { branches: [main, 'release/**'] }
            pull_request:
          permissions: { contents: write }
          jobs:
            report:
              runs-on: ubuntu-latest
              steps:
                # expect: branch INFO
                - uses: somebody/other-branch@master
                  if: github.ref == 'refs/heads/dev'
                # expect: branch INFO
                - uses: somebody/tag@master
                  if: github.ref_type == 'tag'
                # expect: branch INFO
                - uses: somebody/other-event@master
                  if: github.event_name == 'release'
                # expect: branch HIGH
                - uses: somebody/same-branch@master
                  if: github.ref == 'refs/heads/release/1.x'
                # expect: branch HIGH
                - uses: somebody/any-branch@master
                  if: startsWith(github.ref, 'refs/heads/')
            nightly:
              if: github.event_name == 'schedule'
              runs-on: ubuntu-latest
              steps:
                # expect: branch INFO
                - uses: somebody/setup@master
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            package:
              strategy:
                matrix:
                  include:
                    - { runner: ubuntu-latest, kind: deb }
                    - { runner: macos-latest, kind: dmg }
              runs-on: \${{ matrix.runner }}
              steps:
                # expect: branch MEDIUM
                - uses: somebody/other-leg@main
                  if: matrix.kind == 'deb'
                # expect: branch HIGH
                - uses: somebody/same-leg@main
                  if: matrix.kind == 'dmg'
                # expect: branch HIGH
                - uses: somebody/every-leg@main
                - run: ./sign.sh
                  if: runner.os == 'macOS'
                  env: { KEY: "\${{ secrets.SIGNING_KEY }}" }
            lasting:
              runs-on: self-hosted
              steps:
                # expect: branch HIGH
                - uses: somebody/setup@main
                  if: runner.os == 'Linux'
                - run: ./sign.sh
                  if: runner.os == 'macOS'
                  env: { KEY: "\${{ secrets.SIGNING_KEY }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            permissions: { contents: read }
            jobs:
              docs:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/collect
                    with: { packages: all }
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/collect
                    with: { packages: changed, format: "\${{ matrix.format }}" }
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
          '.github/actions/collect/action.yml': yaml`
            name: Collect
            description: Lists packages
            inputs:
              packages: { required: true, description: Which }
              format: { default: plain, description: How }
            runs:
              using: composite
              steps:
                # expect: branch MEDIUM
                - uses: somebody/list@main
                  if: inputs.packages == 'all'
                # expect: tag LOW
                - uses: somebody/list@v1
                  if: \${{ inputs.packages == 'all' }}
                # expect: branch HIGH
                - uses: somebody/changes@main
                  if: inputs.packages == 'changed'
                # expect: branch HIGH
                - uses: somebody/print@main
                  if: inputs.format == 'table'
          `,
        },
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
                # Releases that nobody can move.
                - uses: astral-sh/setup-uv@v8.0.0
                - uses: astral-sh/setup-uv@v10.2.1
                - uses: peter-evans/create-pull-request@refs/tags/v8.1.1
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                - uses: ./.github/actions/setup
                - uses: $/.github/actions/setup
                - uses: docker://alpine:3.20
            provenance:
              uses: slsa-framework/slsa-github-generator/.github/workflows/generator_generic_slsa3.yml@v2.1.0
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: Acme/Deploy/sub@v1
          `,
          '.github/workflows/actions.lock': yaml`
            version: v0.0.2
            workflows:
              .github/workflows/ci.yml:
                - acme/deploy@v1
            dependencies:
              acme/deploy@v1:
                ref: v1.4.2
                commit: sha1-1111111111111111111111111111111111111111
                owner_id: 11
                repo_id: 12
          `,
        },
      },
    ],
  },
  check: { uses: check },
});

function isImmutable({ slug, ref }: RepositoryReference): boolean {
  const since = parseVersion(ownValue(IMMUTABLE_SINCE, slug) ?? '');
  const version = parseVersion(ref.replace(/^refs\/tags\//, ''));
  if (since === undefined || version === undefined || version.prerelease !== undefined) return false;
  return version.numbers.length === 3 && compareVersions(version, since) >= 0;
}

function* check({ uses, at }: UsesSite, { facts, repository }: RuleContext): Generator<Report<Message>> {
  const { reference, text } = uses;
  if (reference?.kind !== 'repository' || isFullSha(reference.ref) || MUST_USE_TAG.has(reference.slug)) return;
  if (isImmutable(reference)) return;
  const workflow = at.kind === 'step' ? jobOf(at)?.workflow : undefined;
  if (workflow !== undefined && isLocked(repository.lockfile, workflow, `${reference.slug}@${reference.ref}`)) return;
  const name =
    reference.path === ''
      ? `${reference.owner}/${reference.repo}`
      : `${reference.owner}/${reference.repo}/${reference.path}`;
  const publisher = publisherOf(reference, repository.owners, at.kind === 'job');
  const known = networkOf(facts)?.actions.get(reference.slug);
  const message = messageFor(reference, facts);
  const itself = isItself(reference, repository) && !servesOthers(at);
  const severity = itself ? 'INFO' : severityFor(publisher, message, { at, reference, repository });
  const vendorsKeys = holdsKeysOf(reference, at, repository);
  const spared = vendorsKeys && severity === 'MEDIUM' && SEVERITIES[publisher][message] === 'HIGH';
  yield {
    message,
    data: { name, ref: reference.ref, loss: spared ? OWN_SERVICE : '' },
    at,
    span: text.span,
    severity,
    pedantic: itself || (takesMoving(message) && (publisher === 'first-party' || publisher === 'own')),
    confidence: publisher === 'unclear' ? 'medium' : 'high',
    ...pin(uses, reference, known, facts),
    attributes: {
      owner: reference.owner.toLowerCase(),
      owner_trust: publisher,
      operator: isOperators(reference),
      vendors_keys: vendorsKeys,
      keys_elsewhere: at.kind === 'step' && usesKeysElsewhere(at, repository),
      mutability: takesMoving(message) ? 'tag' : message === 'channel' ? message : 'branch',
    },
  };
}

function isItself({ slug, ref }: RepositoryReference, { fullName }: Repository): boolean {
  return slug === fullName?.toLowerCase() && /^(?:refs\/heads\/)?(?:main|master|trunk)$/.test(ref);
}

function servesOthers(at: Step | Job): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (job === undefined) return !sourceOf(at).path.startsWith('.github/');
  return job.workflow.triggers.some(({ event }) => event === 'workflow_call');
}

function messageFor({ slug, ref }: RepositoryReference, facts: Facts): Message {
  const named = kindOf(ref, networkOf(facts)?.actions.get(slug));
  const kind = named === 'channel' && FROZEN_CHANNELS.has(`${slug}@${ref}`) ? 'tag' : named;
  const moves = kind === 'branch' || kind === 'channel';
  return moves && successorOfArchived(slug, facts) !== undefined ? 'archived' : kind;
}

function kindOf(ref: string, known: ActionFacts | undefined): Message {
  if (ref === '') return 'missing';
  if (known !== undefined && known.branches.has(ref) && !known.tags.has(ref)) return 'branch';
  if (known?.tags.has(ref) === true) return CHANNEL.test(ref) ? 'channel' : 'tag';
  if (BRANCH.test(ref)) return 'branch';
  return CHANNEL.test(ref) ? 'channel' : 'tag';
}

type Publisher = 'first-party' | 'own' | 'third-party' | 'unclear';

const SEVERITIES: Readonly<Record<Publisher, Readonly<Record<Message, Severity>>>> = {
  'third-party': { archived: 'MEDIUM', missing: 'HIGH', branch: 'HIGH', channel: 'HIGH', tag: 'MEDIUM' },
  unclear: { archived: 'MEDIUM', missing: 'MEDIUM', branch: 'MEDIUM', channel: 'MEDIUM', tag: 'MEDIUM' },
  'first-party': { archived: 'LOW', missing: 'MEDIUM', branch: 'MEDIUM', channel: 'MEDIUM', tag: 'LOW' },
  own: { archived: 'INFO', missing: 'LOW', branch: 'LOW', channel: 'LOW', tag: 'INFO' },
};

interface Place {
  readonly at: Step | Job;
  readonly reference: RepositoryReference;
  readonly repository: Repository;
}

function holdsKeysOf(reference: RepositoryReference, at: Step | Job, repository: Repository): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  return job !== undefined && losesOnlyTo(accountAndSite(reference), job, repository);
}

function isOperators({ owner }: RepositoryReference): boolean {
  return OPERATORS.has(owner.toLowerCase());
}

function severityFor(publisher: Publisher, message: Message, { at, reference, repository }: Place): Severity {
  const severity = SEVERITIES[publisher][message];
  const { owner } = reference;
  if (severity !== 'INFO' && !runsHere(at, repository)) return 'LOW';
  if (takesMoving(message)) return severity === 'MEDIUM' && findsLittle(at, owner, repository) ? 'LOW' : severity;
  if (severity !== 'HIGH') return severity;
  const job = at.kind === 'job' ? at : jobOf(at);
  if (job === undefined)
    return jobsUsing(at, repository).some((each) => runsHere(each, repository) && givesUp(each, reference, repository))
      ? 'HIGH'
      : 'MEDIUM';
  // Secrets passed by name are meant for the called workflow, which usually belongs to the same company. Inherited ones
  // are passed on only within one organization or enterprise.
  const isMeant = at.kind === 'job' && (at.secretsInherit === undefined || repository.owners.size > 0);
  if (isMeant && tokenPermissions(at).declared !== undefined) {
    const asks = mayBeImpersonated(at, reference, repository);
    return writesMoreThanTalk(at, repository) || asks ? 'HIGH' : 'MEDIUM';
  }
  const secrets = at.kind === 'job' ? credentialsOf(at).secrets : secretsBeside(at, repository);
  return givesUp(job, reference, repository, { secrets }) ? 'HIGH' : 'MEDIUM';
}

function takesMoving(message: Message): boolean {
  return message === 'tag' || message === 'archived';
}

function jobsUsing(at: Step | Job, repository: Repository): readonly Job[] {
  return at.kind === 'step' ? [...jobsRunning(at, repository)] : [];
}

function mayBeImpersonated(job: Job, reference: RepositoryReference, repository: Repository): boolean {
  if (!credentialsOf(job).mintsOidc || identityUse(job, repository) !== 'opens') return false;
  return !isOperators(reference) || !areOnly(reference.owner, identityAskers(job, repository));
}

function releasesThrough(job: Job, reference: RepositoryReference, repository: Repository): boolean {
  if (!isOperators(reference)) return false;
  const publishing = job.steps.filter((step) => publishesIn(step).length > 0);
  const owners = new Set(publishing.map((step) => actionOf(step)?.owner.toLowerCase() ?? ''));
  return areOnly(reference.owner, owners) || deliversTo(reference, job, repository);
}

function deliversTo(operator: RepositoryReference, job: Job, repository: Repository): boolean {
  if (job.steps.some(isLocal) || passesFilesOn(job, repository)) return false;
  const published = job.steps.flatMap(publishesIn);
  return published.every(({ kind }) => kind !== 'release') && losesOnlyTo(accountAndSite(operator), job, repository);
}

function areOnly(owner: string, owners: ReadonlySet<string>): boolean {
  return owners.size === 1 && owners.has(owner.toLowerCase());
}

function givesUp(
  job: Job,
  reference: RepositoryReference,
  repository: Repository,
  { secrets }: { readonly secrets: readonly string[] } = credentialsOf(job),
): boolean {
  const vendors = accountAndSite(reference);
  return (
    writesMoreThanTalk(job, repository) ||
    mayBeImpersonated(job, reference, repository) ||
    secrets.some((name) => !isKeyOf(vendors, name, job) && !opensLittle(name) && !cacheKeysOf(job).has(name)) ||
    losesMachine(job, repository) ||
    (releaseJobs(repository).has(job) && handsOn(job, repository) && !releasesThrough(job, reference, repository))
  );
}

function losesMachine(job: Job, repository: Repository): boolean {
  if (runnerKind(job) !== 'self-hosted' || isSingleUse(job) || isOnDemand(job)) return false;
  return !isOpenToForks(job, repository);
}

const MAX_TAKERS = 50;

function handsOn(job: Job, repository: Repository): boolean {
  const holders = new Set([job]);
  for (const holder of holders) {
    if (
      holder.uses !== undefined ||
      (holder.outputs?.entries.length ?? 0) > 0 ||
      holder.steps.some((step) => isLocal(step) || publishesIn(step).length > 0) ||
      (holder !== job && (credentialsOf(holder).secrets.length > 0 || writesMoreThanTalk(holder, repository)))
    ) {
      return true;
    }
    const takers = takersOf(holder, repository);
    if (takers === undefined || holders.size > MAX_TAKERS) return true;
    for (const taker of takers) holders.add(taker);
  }
  return false;
}

function isLocal({ uses }: Step): boolean {
  return uses?.reference?.kind === 'local';
}

function findsLittle(at: Step | Job, vendor: string, repository: Repository): boolean {
  if (at.kind === 'job') return isLowValueTarget(at, repository, vendor);
  const { parent } = at;
  if (parent.kind === 'action') return servesLowValueTargets(at, repository, vendor);
  return isLowValueTarget(parent, repository, vendor);
}

function publisherOf(reference: RepositoryReference, owners: ReadonlySet<string>, calledWorkflow: boolean): Publisher {
  const owner = reference.owner.toLowerCase();
  if (owners.has(owner)) return 'own';
  if (FIRST_PARTY.has(owner)) return 'first-party';
  if (owners.size > 0) return 'third-party';
  // Called workflows, and an account’s `.github` repository, are usually shared within one account.
  return calledWorkflow || reference.repo === '.github' ? 'unclear' : 'third-party';
}

function pin(
  uses: Uses,
  { slug, owner, repo, ref }: RepositoryReference,
  known: ActionFacts | undefined,
  facts: Facts,
): Pick<Report, 'fix' | 'advice'> {
  const name = `${owner}/${repo}`;
  if (known === undefined) return { advice: whyUnknown(name, slug, ref, facts) };
  const tagged = known.tags.get(ref);
  const commit = tagged ?? known.branches.get(ref);
  if (commit === undefined) {
    return {
      advice: `\`${ref}\` does not resolve to a commit of ${name}. Choose an existing release and pin its commit.`,
    };
  }
  const doubt = doubtOf(commit, slug, ref, known, facts);
  if (doubt !== undefined) return { advice: doubt };
  return {
    fix:
      tagged === undefined
        ? pinTo(uses, commit, ref, 'review')
        : pinTo(uses, commit, mostSpecificTag(known.tags, commit) ?? ref, 'safe'),
  };
}

function whyUnknown(name: string, slug: string, ref: string, { network }: Facts): string {
  const byHand = `Look up the commit of \`${ref}\` with \`git ls-remote\` and pin to it: \`@<sha> # ${ref}\`.`;
  if ('missing' in network) return `The commits of ${name} were not looked up. ${byHand}`;
  const missing = network.value.missing?.has(slug) === true;
  if (missing) return `${name} does not exist or is not public. ${byHand}`;
  return `The commits of ${name} could not be looked up. ${byHand}`;
}

function doubtOf(
  commit: string,
  slug: string,
  ref: string,
  known: ActionFacts,
  { observations }: Facts,
): string | undefined {
  const membership = known.commits?.get(commit);
  if (membership === 'foreign' || membership === 'missing') {
    return `The commit of \`${ref}\` is on no branch or tag of ${slug}, which is a sign of a hijack: find out why before you use it.`;
  }
  const observed = observations !== undefined && 'value' in observations ? observations.value.get(slug) : undefined;
  const seen = observed?.get(ref);
  if (seen === undefined || seen.commit === commit || !/\d\.\d+\.\d/.test(ref)) return undefined;
  return `The release tag \`${ref}\` of ${slug} pointed to another commit on ${seen.at.slice(0, 10)}, which is a sign of a hijack: compare ${seen.commit.slice(0, 12)} with ${commit.slice(0, 12)} before you pin either.`;
}
