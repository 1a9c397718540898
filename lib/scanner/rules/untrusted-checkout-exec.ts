import { checkoutsIn, isGuarded, type OutsiderCheckout, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, type Privileges, privilegesIn } from '#lib/analysis/privileges/describe-privileges.ts';
import { type Approval, approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { mayRun, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { isBehindRefusedCheckout, refusalIn } from '#lib/analysis/reachability/refused-checkouts.ts';
import { type SettingsReader, settingsReaderAfter } from '#lib/analysis/workspace/settings-readers.ts';
import { type Execution, executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { knownDefinitions } from '#lib/facts/facts.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { splitAdvice } from '../remedies/split-workflow.ts';
import { checkoutFact } from '../shared/shared-facts.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'runs' | 'approved' | 'absent' | 'settings' | 'unproven';

export const untrustedCheckoutExec = defineRule({
  id: 'untrusted-checkout-exec',
  meta: {
    title: 'Pull request code runs in a privileged job',
    why: 'Installing, building, testing or linting a checkout executes code that its author wrote: lifecycle scripts, build files, plugins. In a run started by an event like pull_request_target or issue_comment, that author can be anyone, and the run holds the base repository’s token and secrets.',
    attack:
      'The attacker forks the repository, adds a line to a build script or a dependency, and opens a pull request or comments on it. The privileged run executes that line, which steals the token and secrets or pushes with them. The attacks on spotbugs (2024) and trivy (2026) worked this way.',
    recommendation:
      'Run the pull request’s code in a `pull_request` workflow with a read-only token, upload its results as an artifact, and let a `workflow_run` workflow that runs none of that code perform the privileged steps.',
    limits:
      'A built-in list of programs and actions determines what executes the checked-out code. A program that GitHub’s images lack is known to be missing only if no script and only well-known actions run before it. Scripts of the base that run files of the checkout through another path, composite actions nested in each other or, without network access, in other repositories, and later jobs that restore a cache are not followed. Whether actions/checkout refuses the code of a deleted fork is not known: events that an author can cause without the fork count as not guarded, at MEDIUM.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
      'https://docs.github.com/actions/reference/security/secure-use#mitigating-the-risks-of-untrusted-code-checkout',
      'https://boostsecurityio.github.io/lotp/',
    ],
    messages: {
      runs: '{{what}} executes an outsider’s code, checked out in line {{line}}, in a run that {{event}} starts with {{held}}.',
      approved:
        '{{what}} executes an outsider’s code, checked out in line {{line}}, in a run that {{event}} starts with {{held}}; {{approval}}.',
      absent:
        '{{what}} would execute an outsider’s code, checked out in line {{line}}, in a run that {{event}} starts with {{held}}, but GitHub’s image lacks {{program}} and no step before it installs it.',
      settings:
        '{{what}} takes its settings from an outsider’s files, checked out in line {{line}}, in a run that {{event}} starts with {{held}}: they can name another server, which then gets its token.',
      unproven:
        '{{what}} executes a pull request’s code, checked out in line {{line}}, with {{held}}, unless actions/checkout refuses it; after {{event}} it may have no fork to compare with.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            missing:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: absent MEDIUM
                - run: pnpm lint --fix
            installed:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: pnpm/action-setup@v4
                # expect: runs HIGH
                - run: pnpm lint --fix
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: settings MEDIUM
                - uses: SonarSource/sonarqube-scan-action@v6
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
            command:
              runs-on: ubuntu-latest
              env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr }
                # expect: settings MEDIUM
                - run: sonar-scanner -Dsonar.projectKey=app
                  working-directory: pr
            approved:
              environment: external
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: settings LOW
                - uses: SonarSource/sonarqube-scan-action@v6
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened] } }
          permissions: { packages: write, contents: read }
          jobs:
            info:
              runs-on: ubuntu-latest
              outputs: { sha: "\${{ steps.sha.outputs.sha }}" }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                - id: sha
                  run: echo "sha=$(git rev-parse --verify HEAD)" > $GITHUB_OUTPUT
            build:
              needs: info
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ needs.info.outputs.sha }}" }
                # expect: runs HIGH
                - run: make
        `,
      },
      {
        yaml: {
          '.github/workflows/command.yml': yaml`
            on: { issue_comment: { types: [created] } }
            jobs:
              nightly:
                uses: ./.github/workflows/nightly.yml
                with: { ref: "refs/pull/\${{ github.event.issue.number }}/head", pr: "\${{ github.event.issue.number }}" }
                secrets: inherit
          `,
          '.github/workflows/nightly.yml': yaml`
            on:
              workflow_call:
                inputs:
                  ref: { type: string }
                  pr: { type: string }
                  dry: { type: boolean }
            permissions: { contents: read }
            jobs:
              for-pull-requests:
                if: inputs.pr != '' && !inputs.dry
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref || github.ref }}" }
                  # expect: runs HIGH
                  - run: npm ci && npm test
                  - if: inputs.pr != ''
                    run: ./report.sh
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
              with-nothing:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref || github.ref }}", persist-credentials: false }
                  # expect: runs LOW
                  - run: npm ci && npm test
                    env: { TOKEN: "\${{ inputs.pr == '' && secrets.DATA_PAT || '' }}" }
                  - if: inputs.pr == ''
                    run: ./publish.sh
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs
                - run: npm ci
                - run: npm test
                  env: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            guarded:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                - uses: ./.github/actions/test
            opted-out:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with:
                    ref: refs/pull/\${{ github.event.number }}/merge
                    path: pr
                    allow-unsafe-pr-checkout: true
                - working-directory: pr
                  # expect: runs
                  run: make test
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target: { types: [opened, edited] }
            workflow_run: { workflows: [Elsewhere], types: [completed] }
          permissions: { contents: write }
          jobs:
            edited:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: unproven MEDIUM
                - run: make test
            completed:
              if: github.event_name == 'workflow_run'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.workflow_run.head_sha }}" }
                # expect: unproven MEDIUM
                - run: make test
            only-opened:
              if: github.event.action == 'opened'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make test
            in-spite-of-it:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - if: always()
                  run: |
                    gh pr checkout \${{ github.event.number }}
                    # expect: runs HIGH
                    make test
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment:
            pull_request_target:
              types: [labeled]
          jobs:
            bench:
              if: startsWith(github.event.comment.body, '/bench')
              runs-on: ubuntu-latest
              steps:
                - run: |
                    gh pr checkout \${{ github.event.issue.number }}
                    # expect: runs
                    ./bench.sh
            labelled:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: approved
                - uses: pre-commit/action@v3.0.1
        `,
      },
      {
        yaml: {
          '.github/workflows/preview.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              preview:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: runs
                  - uses: ./.github/actions/prepare
                    with: { commit: "\${{ github.event.pull_request.head.sha }}" }
          `,
          '.github/actions/prepare/action.yml': yaml`
            name: Prepare
            description: Gets the code and its packages
            inputs: { commit: { description: Commit } }
            runs:
              using: composite
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ inputs.commit }}" }
                - run: npm ci
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            folder:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    git fetch origin "pull/\${{ github.event.number }}/head:pr"
                    git checkout pr -- docs/ scripts
                # expect: runs
                - run: ./scripts/build.sh
            build-file:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    git fetch origin "pull/\${{ github.event.number }}/head:pr"
                    git checkout pr package.json
                # expect: runs
                - run: npm install
            restored-too-little:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: |
                    # expect: runs
                    ./scripts/first.sh
                    git checkout origin/main -- scripts
                    ./scripts/check.sh
            own-head:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: git checkout HEAD -- scripts
                # expect: runs
                - run: ./scripts/check.sh
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - { id: find, uses: acme/find@v1 }
                - uses: actions/checkout@v7
                  with: { ref: "\${{ steps.find.outputs.head_sha }}" }
                # expect: runs MEDIUM
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            measured:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - uses: acme/measure@v1
                  with: { build_command: make release }
            retried:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - uses: nick-invision/retry@v2
                  with:
                    command: |
                      sudo apt-get install -y ninja-build
                      ninja -C out
            deployed:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - run: npx wrangler@3 deploy
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - uses: azure/static-web-apps-deploy@v1
                  with: { app_location: / }
            downloaded:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: curl -sSfLo /usr/local/bin/checker https://tools.example/checker
                # expect: runs MEDIUM
                - run: checker verify
            beside:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: |
                    curl -sSfL https://tools.example/scan -o scan && chmod +x scan
                    # expect: runs MEDIUM
                    ./scan
            contained:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs MEDIUM
                - run: docker run --rm -v "$PWD:/src" -w /src node:24 sh -c 'npm ci && npm test'
            nested:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - run: bash -c 'cd app && npm test'
            module:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - run: python -m tools.check
            versioned:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - run: npm version patch
            notebook:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs HIGH
                - run: jupyter nbconvert --execute report.ipynb
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, synchronize] } }
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - id: who
                  run: echo "may=$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$GITHUB_ACTOR/permission" -q .permission)" >> "$GITHUB_OUTPUT"
                - if: github.actor != 'helper[bot]' && steps.who.outputs.may != 'write'
                  run: exit 1
                - run: gh pr checkout \${{ github.event.number }}
                # expect: runs HIGH
                - run: make
            refused:
              runs-on: ubuntu-latest
              steps:
                - id: who
                  run: echo "may=$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$GITHUB_ACTOR/permission" -q .permission)" >> "$GITHUB_OUTPUT"
                - if: steps.who.outputs.may != 'write'
                  run: exit 1
                - run: gh pr checkout \${{ github.event.number }}
                # expect: approved LOW
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            check:
              uses: acme/gates/.github/workflows/check-author.yml@main
            after-a-check-elsewhere:
              needs: check
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.number }}
                # expect: approved MEDIUM
                - run: make
            format:
              uses: acme/gates/.github/workflows/check-format.yml@main
            after-something-else:
              needs: format
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.number }}
                # expect: runs HIGH
                - run: make
        `,
      },
      {
        facts: knownDefinitions({
          'acme/get-head@v2': [
            'runs:',
            '  using: composite',
            '  steps:',
            '    - uses: actions/checkout@v4.2.2',
            '      with: { ref: "${{ github.event.pull_request.head.sha }}" }',
          ].join('\n'),
        }),
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/get-head@v2
                # expect: runs
                - run: make test
        `,
      },
      {
        yaml: {
          '.github/workflows/commands.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              send:
                runs-on: ubuntu-latest
                steps:
                  - uses: peter-evans/slash-command-dispatch@0123456789abcdef0123456789abcdef01234567 # v5.0.2
                    with: { token: "\${{ github.token }}", commands: format, permission: none }
          `,
          '.github/workflows/format.yml': yaml`
            on: { repository_dispatch: { types: [format-command] } }
            permissions: { contents: write }
            jobs:
              format:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with:
                      repository: \${{ github.event.client_payload.pull_request.head.repo.full_name }}
                      ref: \${{ github.event.client_payload.pull_request.head.ref }}
                  # expect: runs HIGH
                  - run: make format
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: SonarSource/sonarqube-scan-action@v6
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}", SONAR_HOST_URL: "https://sonar.example" }
                - run: sonar-scanner -Dsonar.host.url=https://sonar.example
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
                - run: sonar-scanner
            own-files:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr }
                - uses: actions/checkout@v4.1.0
                - run: sonar-scanner
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
            replaced:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: actions/checkout@v4.1.0
                - uses: SonarSource/sonarqube-scan-action@v6
                  env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/commands.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              send:
                runs-on: ubuntu-latest
                steps:
                  - uses: peter-evans/slash-command-dispatch@0123456789abcdef0123456789abcdef01234567 # v5.0.2
                    with: { token: "\${{ github.token }}", commands: format, permission: write }
          `,
          '.github/workflows/format.yml': yaml`
            on: { repository_dispatch: { types: [format-command] } }
            permissions: { contents: write }
            jobs:
              format:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with:
                      repository: \${{ github.event.client_payload.pull_request.head.repo.full_name }}
                      ref: \${{ github.event.client_payload.pull_request.head.ref }}
                  - run: make format
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { packages: write }
          jobs:
            info:
              runs-on: ubuntu-latest
              outputs: { sha: "\${{ steps.sha.outputs.sha }}" }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: theirs }
                - uses: actions/checkout@v4.1.0
                - id: sha
                  run: echo "sha=$(git rev-parse HEAD)" >> $GITHUB_OUTPUT
            build:
              needs: info
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ needs.info.outputs.sha }}" }
                - run: make
        `,
      },
      {
        yaml: {
          '.github/workflows/command.yml': yaml`
            on: { issue_comment: { types: [created] } }
            jobs:
              nightly:
                uses: ./.github/workflows/nightly.yml
                with: { ref: "refs/pull/\${{ github.event.issue.number }}/head", pr: "\${{ github.event.issue.number }}" }
                secrets: inherit
          `,
          '.github/workflows/nightly.yml': yaml`
            on:
              workflow_call:
                inputs:
                  ref: { type: string }
                  pr: { type: string }
                  dry: { type: boolean }
            permissions: { contents: read }
            jobs:
              for-the-branch:
                if: inputs.pr == ''
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref || github.ref }}" }
                  - run: npm ci && npm test
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
              for-dry-runs:
                if: inputs.dry
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref || github.ref }}" }
                  - run: npm ci && npm test
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            words:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: acme/label@v1
                  with: { run: true, build: next, command: label, script: echo done }
            remote:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: appleboy/ssh-action@v1
                  with: { script: make restart }
            uploaded:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: azure/static-web-apps-deploy@v1
                  with: { app_location: out, skip_app_build: true }
            asked:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: |
                    curl -sSfL https://tools.example/scan -o scan && chmod +x scan
                    ./scan --version
                - run: docker run --rm node:24 npm test
                - run: bash -c 'echo done; ls'
                - run: python -m pip install ruff && npm version
                - run: jupyter nbconvert --to html report.ipynb
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            only-docs:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    git fetch origin "pull/\${{ github.event.number }}/head:pr"
                    git checkout pr -- docs/
                    ./scripts/build.sh docs
                - run: make -C site
                - run: npm ci
                  working-directory: tools
            clean-scripts:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: |
                    git checkout origin/main -- scripts
                    ./scripts/check.sh
                - run: bash scripts/other.sh
            restored:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    gh pr checkout \${{ github.event.number }}
                    git restore --source=origin/main tools
                    tools/check
        `,
      },
      {
        yaml: {
          '.github/workflows/preview.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              preview:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/prepare
                    with: { commit: "\${{ github.event.pull_request.base.sha }}" }
          `,
          '.github/actions/prepare/action.yml': yaml`
            name: Prepare
            description: Gets the code and its packages
            inputs: { commit: { description: Commit } }
            runs:
              using: composite
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ inputs.commit }}" }
                - run: npm ci
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment]
          jobs:
            before:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                - run: npm ci
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr }
                - run: node tools/check.js pr
                - run: npm ci --ignore-scripts
                  working-directory: pr
                - run: git diff --stat && cat pr/README.md
            clean:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: cp package.json /tmp
                - uses: actions/checkout@v4.1.0
                - run: npm ci
            not-outsiders:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
                  if: github.event.pull_request.head.repo.full_name == github.repository
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                - run: gh pr checkout \${{ github.event.number }} && make test
            report:
              needs: test
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.number }} && make test
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            checked:
              runs-on: ubuntu-latest
              steps:
                - if: github.event.comment.author_association != 'MEMBER'
                  run: exit 1
                - run: |
                    gh pr checkout \${{ github.event.issue.number }}
                    make
        `,
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const reported = new Set<number>();
    const checkouts = outsiderCheckouts(job, repository);
    for (const checkout of [...checkouts.filter((each) => !isGuarded(each)), ...checkouts.filter(isGuarded)]) {
      if (checkout.guard === 'enforced') continue;
      const unproven = checkout.guard === 'unproven';
      const scenarios = scenariosOf(checkout).filter((each) => !unproven || refusalIn(each) === 'unproven');
      const runs = (step: Step): boolean =>
        scenarios.some((each) => mayRun(step, each) && (unproven || !isBehindRefusedCheckout(step, each, repository)));
      const executions = executionsAfter(checkout, checkoutsIn(job, checkout, repository), runs);
      const execution = executions.find((each) => each.runs === 'certain') ?? executions[0];
      const reader = execution?.runs === 'certain' ? undefined : settingsReaderAfter(checkout, runs);
      if (reader !== undefined && !unproven && !reported.has(reader.span.start)) {
        reported.add(reader.span.start);
        yield settingsReport(job, checkout, reader, repository);
      }
      if (execution === undefined || reported.has(execution.span.start)) continue;
      reported.add(execution.span.start);
      yield report(job, checkout, execution, repository);
    }
  }
}

function settingsReport(
  job: Job,
  checkout: OutsiderCheckout,
  { step, span, what }: SettingsReader,
  repository: Repository,
): Report<Message> {
  const { guard, event, events, foreign } = checkout;
  const approved = approvalBefore(step, checkout, repository) !== undefined || foreign.unsure === true;
  return {
    message: 'settings',
    data: {
      what,
      line: String(job.workflow.source.position(checkout.span.start).line),
      event,
      held: heldBy(job, privilegesIn(job, scenariosOf(checkout))),
    },
    at: step,
    span,
    facts: [checkoutFact(checkout)],
    related: [{ span: checkout.span, note: 'the fork’s code is checked out here', file: job.workflow.source }],
    severity: approved ? 'LOW' : 'MEDIUM',
    advice:
      'Name the server on the command line (`-Dsonar.host.url=`) or in `SONAR_HOST_URL`, and use no file of the fork for settings.',
    confidence: 'medium',
    attributes: { executes: 'settings', guard, ref_kind: foreign.ref, events, event, trigger_trust: 'outsider' },
  };
}

function report(job: Job, checkout: OutsiderCheckout, execution: Execution, repository: Repository): Report<Message> {
  const { guard, event, events, foreign } = checkout;
  const approval = approvalBefore(execution.step, checkout, repository);
  const message =
    guard === 'unproven'
      ? 'unproven'
      : approval !== undefined
        ? 'approved'
        : execution.absent === undefined
          ? 'runs'
          : 'absent';
  const privileges = privilegesIn(job, scenariosOf(checkout));
  return {
    message,
    data: {
      what: execution.what,
      line: String(job.workflow.source.position(checkout.span.start).line),
      event,
      held: heldBy(job, privileges),
      program: execution.absent ?? '',
      ...(approval === undefined ? {} : { approval: APPROVALS[approval].text }),
    },
    at: execution.step,
    span: execution.span,
    facts: [checkoutFact(checkout), `execution ${execution.span.start}`],
    related: [{ span: checkout.span, note: 'the fork’s code is checked out here', file: job.workflow.source }],
    severity: severityOf(privileges, checkout, execution, approval),
    advice: canSplit(job, checkout) ? splitAdvice(job) : undefined,
    confidence:
      execution.runs === 'likely' || guard === 'unproven' || foreign.unsure === true
        ? 'low'
        : privileges.assumed
          ? 'medium'
          : 'high',
    attributes: { executes: execution.runs, guard, ref_kind: foreign.ref, events, event, trigger_trust: 'outsider' },
  };
}

function canSplit({ workflow }: Job, { guard, event }: OutsiderCheckout): boolean {
  const own = workflow.triggers.some((trigger) => trigger.event === 'pull_request_target');
  return guard !== 'unproven' && event === 'pull_request_target' && own;
}

/**
 * Approving one fixed commit is the intended way to test a stranger’s code; a standing or unverifiable approval is
 * weaker.
 */
function severityOf(
  { held }: Privileges,
  { guard, foreign }: OutsiderCheckout,
  { runs }: Execution,
  approval: Approval | undefined,
): Severity {
  if (held.length === 0) return 'LOW';
  if (guard === 'unproven') return approval === undefined && runs === 'certain' ? 'MEDIUM' : 'LOW';
  if (approval !== undefined) return runs === 'certain' ? APPROVALS[approval].severity : 'LOW';
  if (foreign.unsure === true) return runs === 'certain' ? 'MEDIUM' : 'LOW';
  return runs === 'certain' ? 'HIGH' : 'MEDIUM';
}

const APPROVALS: Readonly<Record<Approval, { readonly text: string; readonly severity: Severity }>> = {
  label: { text: 'someone with triage rights must set a label first', severity: 'LOW' },
  'standing-label': { text: 'a label that was set once is the only approval', severity: 'MEDIUM' },
  elsewhere: { text: 'a workflow of another repository may check who started the run', severity: 'MEDIUM' },
  permission: { text: 'an earlier step checks who triggered the run', severity: 'LOW' },
  environment: { text: 'an environment may require approval first', severity: 'MEDIUM' },
};
