import type { ForeignDownload } from '#lib/analysis/checkouts/run-artifacts.ts';
import { memoInRepository } from '#lib/analysis/memo.ts';
import { privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { type ArtifactUse, useOf } from '#lib/analysis/workspace/artifact-consumers.ts';
import { foreignDownloads } from '#lib/analysis/workspace/artifacts.ts';
import { onlyComments } from '#lib/analysis/workspace/comment-only.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { factOf } from '../shared/shared-facts.ts';

type Message = ArtifactUse['kind'];

export const artifactPoisoning = defineRule({
  id: 'artifact-poisoning',
  meta: {
    title: 'Privileged workflow trusts an artifact from an untrusted run',
    why: 'A pull request from a fork runs the fork’s own version of the workflow, so its artifacts contain whatever the fork wants. A later `workflow_run` job has the base repository’s token and secrets; if it trusts the artifact, the fork gains access to them.',
    attack:
      'An attacker’s pull request uploads an artifact with a modified script, variable or value. The privileged workflow unpacks and uses it, and so runs the attacker’s code with write access.',
    recommendation:
      'Unpack into `${{ runner.temp }}`, never over a checkout; run nothing from the artifact; validate each value in full (`[[ "$PR" =~ ^[0-9]+$ ]]`) before use. Take what the event itself provides, such as the head commit, from `github.event.workflow_run`.',
    limits:
      'A path that is computed, other than from plain text of `env`, may lead anywhere. An artifact passed on to other jobs is tracked only through outputs. Only the first 20 downloads of each job are judged. A workflow that forks cannot trigger counts as trusted, although a fork’s pull request can add a trigger to its file. The `branches` of `workflow_run` keep no fork out: they match the name of the fork’s branch, which can be `main` too. Behind a check of the person’s permission, a label or a script that refuses forks, a finding is one level lower; if the job only comments with what it reads, or is not known to hold more than a token for conversations, checks and statuses, a value that it reads is LOW.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
      'https://github.com/advisories/GHSA-5xr6-xhww-33m4',
    ],
    messages: {
      committed:
        'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} puts its files into the repository.',
      executed: 'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} executes a file from it.',
      expanded:
        'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} interpolates its content into a script.',
      variables: 'The artifact fetched by {{how}} comes from {{producer}}, and its content is written to {{detail}}.',
      overwrites:
        'The artifact fetched by {{how}} comes from {{producer}} and is unpacked over the checkout that {{detail}} runs from.',
      settings:
        'The artifact fetched by {{how}} comes from {{producer}} and is unpacked where {{detail}} reads its settings: they can name another server, which then gets its token.',
      shipped:
        'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} ships files from it as the project’s own.',
      published:
        'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} publishes afterwards in the same job.',
      read: 'The artifact fetched by {{how}} comes from {{producer}}, and {{detail}} uses its content without validation.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/deploy.yml': yaml`
            on:
              workflow_run: { workflows: [Build], types: [completed], branches: [main] }
            jobs:
              deploy:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed
                  - uses: actions/download-artifact@v4
                    with: { name: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: ./deploy.sh
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: [push, pull_request]
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: site, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/comment.yml': yaml`
            on:
              workflow_run: { workflows: [Measure], types: [completed] }
            permissions: { contents: write, pull-requests: write }
            jobs:
              by-action:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6
                  # expect: read LOW
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: |
                      NUMBER=$(head -n1 out/number)
                      if [ -z "$NUMBER" ]; then exit 0; fi
                      echo "number=$NUMBER" >> "$GITHUB_OUTPUT"
                      sed -n '2,$p' out/table > body.md
                  - uses: marocchino/sticky-pull-request-comment@v2
                    with: { number: "\${{ steps.size.outputs.number }}", path: body.md }
              by-script:
                runs-on: ubuntu-latest
                steps:
                  # expect: read LOW
                  - uses: actions/download-artifact@v4
                    with: { name: size, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: actions/github-script@v7
                    with:
                      script: |
                        const body = require('fs').readFileSync('table', 'utf8');
                        const all = await github.paginate(github.rest.issues.listComments, { ...context.repo });
                        await github.rest.issues.createComment({ ...context.repo, issue_number: 1, body });
              by-gh:
                runs-on: ubuntu-latest
                steps:
                  # expect: read LOW
                  - uses: dawidd6/action-download-artifact@v21
                    with: { run_id: "\${{ github.event.workflow_run.id }}", name: size, path: out }
                  - run: |
                      PR=$(cat out/number)
                      gh pr comment "$PR" --body-file out/table
              merges:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: |
                      PR=$(cat out/number)
                      gh pr merge "$PR" --squash
              unquoted:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: |
                      PR=$(cat out/number)
                      gh pr comment $PR --body-file out/table
              labels:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: actions/github-script@v7
                    with:
                      script: |
                        const labels = require('fs').readFileSync('labels', 'utf8').split(',');
                        await github.rest.issues.addLabels({ ...context.repo, issue_number: 1, labels });
              hands-on:
                runs-on: ubuntu-latest
                outputs: { number: "\${{ steps.size.outputs.number }}" }
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: echo "number=$(cat out/number)" >> "$GITHUB_OUTPUT"
              builds-filter:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: |
                      NUMBER=$(cat out/number)
                      sed "s/NUMBER/$NUMBER/" template.md
                      echo "number=$NUMBER" >> "$GITHUB_OUTPUT"
              inserts-any-output:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: cat out/values >> "$GITHUB_OUTPUT"
                  - run: echo "\${{ steps.size.outputs.number }}"
              asks-arithmetic:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: |
                      NUMBER=$(cat out/number)
                      if [[ "$NUMBER" -gt 0 ]]; then echo "number=$NUMBER" >> "$GITHUB_OUTPUT"; fi
              uploads:
                runs-on: ubuntu-latest
                steps:
                  # expect: read MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: size, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: size
                    run: echo "number=$(cat out/number)" >> "$GITHUB_OUTPUT"
                  - uses: acme/record-size@v1
                    with: { number: "\${{ steps.size.outputs.number }}" }
          `,
          '.github/workflows/measure.yml': yaml`
            name: Measure
            on: pull_request
            jobs:
              size:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: size, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/snapshots.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              update:
                runs-on: ubuntu-latest
                steps:
                  - run: gh api "repos/acme/app/collaborators/$WHO/permission" --jq .permission | grep -E 'admin|write'
                    env: { WHO: "\${{ github.event.comment.user.login }}" }
                  # expect: executed MEDIUM
                  - uses: dawidd6/action-download-artifact@v21
                    with: { workflow: build.yml, name: site, allow_forks: true }
                  - run: ./deploy.sh
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: site, path: . }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/snapshots.yml': yaml`
            on:
              workflow_run: { workflows: [Snapshots], types: [completed] }
            permissions: { contents: write }
            jobs:
              update:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6
                  # expect: committed MEDIUM
                  - uses: actions/download-artifact@v4
                    with: { name: snapshots, path: tests/snapshots, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: |
                      git add tests/snapshots
                      git commit -m "Update snapshots"
                      git push
          `,
          '.github/workflows/make.yml': yaml`
            name: Snapshots
            on: pull_request
            jobs:
              make:
                runs-on: ubuntu-latest
                steps:
                  - run: make snapshots
                  - uses: actions/upload-artifact@v4
                    with: { name: snapshots, path: tests/snapshots }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/report.yml': yaml`
            on:
              workflow_run: { workflows: [Test], types: [completed] }
            permissions: { contents: write, pull-requests: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed
                  - uses: actions/download-artifact@v4
                    with:
                      name: report
                      path: out
                      run-id: \${{ github.event.workflow_run.id }}
                      github-token: \${{ github.token }}
                  - run: bash out/comment.sh
              overwrite:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                  # expect: overwrites
                  - uses: dawidd6/action-download-artifact@v21
                    with: { run_id: "\${{ github.event.workflow_run.id }}", name: report }
                  - run: npm run comment
              scan:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                  # expect: settings MEDIUM
                  - uses: dawidd6/action-download-artifact@v21
                    with: { run_id: "\${{ github.event.workflow_run.id }}", name: report }
                  - uses: SonarSource/sonarqube-scan-action@v6
                    env: { SONAR_TOKEN: "\${{ secrets.SONAR_TOKEN }}" }
              env:
                runs-on: ubuntu-latest
                steps:
                  # expect: variables
                  - run: gh run download "$RUN" --name report --dir out
                  - run: cat out/values >> "$GITHUB_ENV"
                  - run: gh pr comment "$PR"
              expand:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded
                  - run: gh run download "$RUN" --name report --dir out
                  - id: pr
                    run: echo "number=$(cat out/number)" >> "$GITHUB_OUTPUT"
                  - run: gh pr comment \${{ steps.pr.outputs.number }}
              expand-variable:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded
                  - run: gh run download "$RUN" --name report --dir out
                  - run: echo "NUMBER=$(grep -m 1 pull out/report.xml | awk '{ print $3 }')" >> "$GITHUB_ENV"
                  - run: gh pr comment \${{ env.NUMBER }}
              replaced-variable:
                runs-on: ubuntu-latest
                steps:
                  # expect: read
                  - run: gh run download "$RUN" --name report --dir out
                  - run: echo "NUMBER=$(head -1 out/number)" >> "$GITHUB_ENV"
                  - run: echo "NUMBER=$PR" >> "$GITHUB_ENV"
                    env: { PR: "\${{ github.event.workflow_run.pull_requests[0].number }}" }
                  - run: gh pr comment \${{ env.NUMBER }}
              quote:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded
                  - uses: dawidd6/action-download-artifact@v21
                    with: { run_id: "\${{ github.event.workflow_run.id }}", name: report, path: out }
                  - { id: summary, uses: juliangruber/read-file-action@v1, with: { path: ./out/summary.md } }
                  - run: echo "\${{ steps.summary.outputs.content }}"
              publish:
                runs-on: ubuntu-latest
                steps:
                  # expect: published
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: peaceiris/actions-gh-pages@v4
                    with: { publish_dir: site }
              built:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: cd out && npm ci
              plan:
                runs-on: ubuntu-latest
                outputs: { targets: "\${{ steps.read.outputs.targets }}" }
                steps:
                  # expect: expanded
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: read
                    run: echo "targets=$(cat out/targets.json)" >> "$GITHUB_OUTPUT"
              deploy:
                needs: plan
                runs-on: ubuntu-latest
                strategy: { matrix: { target: "\${{ fromJSON(needs.plan.outputs.targets) }}" } }
                steps:
                  - run: ./deploy.sh \${{ matrix.target }}
              ship:
                runs-on: ubuntu-latest
                steps:
                  # expect: shipped
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: dist, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: npm publish dist/app.tgz
              read:
                runs-on: ubuntu-latest
                steps:
                  # expect: read
                  - uses: actions/github-script@v7
                    with:
                      script: |
                        const all = await github.rest.actions.listWorkflowRunArtifacts({ run_id: context.payload.workflow_run.id });
                        const one = all.data.artifacts.find((artifact) => artifact.name === 'report');
                        await github.rest.actions.downloadArtifact({ artifact_id: one.id, archive_format: 'zip' });
                  - run: unzip report.zip
                  - run: |
                      PR=$(cat number)
                      gh pr edit "$PR" --add-label tested
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: [push, pull_request]
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/board.yml': yaml`
            on:
              workflow_run: { workflows: [Collect], types: [completed] }
            permissions: { actions: read }
            jobs:
              board:
                if: github.event.workflow_run.conclusion == 'success'
                runs-on: ubuntu-latest
                steps:
                  # expect: variables HIGH
                  - uses: actions/download-artifact@v4
                    with: { name: merged, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: cat pr.env >> "$GITHUB_ENV"
                  - run: gh project item-add 1 --url "$URL"
                    env: { GH_TOKEN: "\${{ secrets.BOARD_TOKEN }}" }
          `,
          '.github/workflows/collect.yml': yaml`
            name: Collect
            on:
              pull_request: { types: [closed] }
            jobs:
              collect:
                if: github.event.pull_request.merged == true
                runs-on: ubuntu-latest
                steps:
                  - run: echo "URL=$URL" > pr.env
                    env: { URL: "\${{ github.event.pull_request.html_url }}" }
                  - uses: actions/upload-artifact@v4
                    with: { name: merged, path: pr.env }
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: actions/upload-artifact@v4
                  with: { name: source, path: . }
            publish:
              needs: build
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: executed
                - uses: actions/download-artifact@v4
                  with: { name: source }
                - run: npm ci
        `,
      },
      {
        yaml: {
          '.github/workflows/outside.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { contents: write }
            env: { INTO: "\${{ runner.temp }}/report" }
            jobs:
              temp:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: variables
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: "\${{ env.INTO }}", run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: cat "$RUNNER_TEMP/report/values" >> "$GITHUB_ENV"
              home:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: executed
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: ~/report, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash $HOME/report/run.sh
              unzipped:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: variables
                  - run: gh api "repos/acme/app/actions/artifacts/$ID/zip" > /tmp/report.zip
                  - run: unzip -d /tmp/report /tmp/report.zip
                  - run: cat /tmp/report/values >> "$GITHUB_ENV"
              entered:
                runs-on: ubuntu-latest
                steps:
                  # expect: variables
                  - run: cd "$RUNNER_TEMP" && gh run download "$RUN" --name report --dir report
                  - run: cat values >> "$GITHUB_ENV"
                    working-directory: \${{ runner.temp }}/report
              shipped:
                runs-on: ubuntu-latest
                steps:
                  # expect: shipped
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: "\${{ runner.temp }}/dist", run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: gh release upload v1 "$RUNNER_TEMP"/dist/*.tgz
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              composite:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: executed HIGH
                  - uses: ./.github/actions/get
                    with: { folder: build/out }
                  - run: bash build/out/run.sh
              called:
                uses: ./.github/workflows/called.yml
          `,
          '.github/workflows/called.yml': yaml`
            on: workflow_call
            permissions: { contents: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: meta, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/run.sh
          `,
          '.github/workflows/elsewhere.yml': yaml`
            on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
            permissions: { contents: write }
            jobs:
              asked:
                if: github.event.workflow_run.conclusion == 'success' && github.event.workflow_run.event == 'pull_request'
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - run: gh api "repos/$GITHUB_REPOSITORY/actions/artifacts/$ID/zip" > /tmp/build.zip
                  - run: python3 -m zipfile -e /tmp/build.zip /tmp/build
                  - run: bash /tmp/build/run.sh
              not-asked:
                if: github.event.workflow_run.event == 'pull_request' || github.event.workflow_run.conclusion == 'success'
                runs-on: ubuntu-latest
                steps:
                  # expect: executed MEDIUM
                  - run: gh run download "\${{ github.event.workflow_run.id }}" --dir out
                  - run: bash out/run.sh
          `,
          '.github/actions/get/action.yml': yaml`
            name: Get
            description: Gets the files of the run before
            inputs: { folder: { description: Folder, default: . } }
            runs:
              using: composite
              steps:
                - uses: actions/download-artifact@v5
                  with:
                    name: meta
                    path: \${{ inputs.folder }}
                    run-id: \${{ github.event.workflow_run.id }}
                    github-token: \${{ github.token }}
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/middle.yml': yaml`
            name: Middle
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: {}
            jobs:
              pass:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: meta, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ secrets.GITHUB_TOKEN }}" }
                  - uses: actions/upload-artifact@v4
                    with: { name: again, path: out }
          `,
          '.github/workflows/last.yml': yaml`
            on: { workflow_run: { workflows: [Middle], types: [completed] } }
            permissions: { contents: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: again, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/run.sh
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded MEDIUM
                  - uses: actions/download-artifact@v5
                    with: { name: meta, path: meta, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: json
                    uses: acme/json-to-outputs@v1
                    with: { file: meta/pull.json }
                  - run: echo "\${{ steps.json.outputs.title }}"
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { actions: read }
            jobs:
              read:
                runs-on: ubuntu-latest
                outputs: { version: "\${{ steps.json.outputs.version }}" }
                steps:
                  # expect: expanded MEDIUM
                  - uses: actions/download-artifact@v5
                    with: { name: meta, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: json
                    uses: acme/json-to-outputs@v1
                    with: { path: output.json }
              deploy:
                needs: read
                runs-on: ubuntu-latest
                steps:
                  - run: ./deploy "\${{ secrets.DEPLOY_KEY }}" --version \${{ needs.read.outputs.version }}
              names:
                runs-on: ubuntu-latest
                steps:
                  # expect: expanded HIGH
                  - uses: actions/download-artifact@v5
                    with: { path: all, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: wheel
                    run: |
                      file=$(find ./all/dist -maxdepth 1 -name "*.whl" -print -quit)
                      echo "name=$(basename "$file")" >> "$GITHUB_OUTPUT"
                  - run: upload \${{ steps.wheel.outputs.name }}
                    env: { TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
              local:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { path: all, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: ./.github/actions/report
                    env: { TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
              kept:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { path: all, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: |
                      curl -sf https://tools.example/other.py -o tools/other.py
                      python all/own.py
                    env: { TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
          `,
          '.github/actions/report/action.yml': yaml`
            name: Report
            description: Reports what a run before found
            runs: { using: composite, steps: [{ run: bash all/report.sh, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: out, path: out }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              use-0:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: 'eval "$(cat out/vars)"'
              use-1:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: export $(cat out/vars)
              use-2:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: pip install out/*.whl
              use-3:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: npm install ./out/tool.tgz
              use-4:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: LD_PRELOAD=./out/x.so ls
              use-5:
                runs-on: ubuntu-latest
                steps:
                  # expect: executed HIGH
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: docker build -t app out
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/report.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { checks: write }
            jobs:
              report:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v8
                    with: { name: coverage, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash <(curl -Ls https://coverage.acme.example/get.sh) report --file ./out/coverage.xml
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: coverage, path: out }
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: actions/upload-artifact@v4
                  with: { name: "results-\${{ github.run_id }}", path: out }
            watch:
              needs: build
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: actions/upload-artifact@v4
                  with: { name: "drift-\${{ github.run_id }}", path: drift.json }
            alert:
              needs: [build, watch]
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: actions/download-artifact@v4
                  with: { name: "drift-\${{ github.run_id }}" }
                - run: python3 alert.py --drift drift.json
        `,
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: out, path: out }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              use-0:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: pip install ruff
              use-1:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: npm install ./own/tool.tgz
              use-2:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: docker build -t app image
              use-3:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: out, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: ls out
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: meta, path: meta, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: json
                    uses: acme/json-to-outputs@v1
                    with: { file: config/own.json }
                  - run: echo "\${{ steps.json.outputs.title }}"
              beside-checkout:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v5
                    with: { name: meta, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - id: json
                    uses: acme/json-to-outputs@v1
                    with: { file: own.json, mode: fast }
                  - run: echo "\${{ steps.json.outputs.title }}"
              made-by-the-job:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: |
                      python3 -m venv venv
                      . venv/bin/activate
                      mkdir -p scripts
                      curl -sf https://raw.githubusercontent.com/acme/app/main/scripts/report.py -o scripts/report.py
                  - run: |
                      . venv/bin/activate
                      python scripts/report.py meta
                  - run: |
                      echo 'echo done' > run.sh
                      bash run.sh
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/middle.yml': yaml`
            name: Middle
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: {}
            jobs:
              pass:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: meta, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ secrets.GITHUB_TOKEN }}" }
                  - uses: actions/upload-artifact@v4
                    with: { name: again, path: report }
          `,
          '.github/workflows/last.yml': yaml`
            on: { workflow_run: { workflows: [Middle], types: [completed] } }
            permissions: { contents: write }
            jobs:
              run:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v5
                    with: { name: again, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/run.sh
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
            permissions: { contents: write }
            jobs:
              other-folder:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/get
                    with: { folder: build/out }
                  - run: bash scripts/run.sh
              pushed:
                if: github.event.workflow_run.event == 'push'
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/get
                  - run: bash run.sh
              own-run:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/own
                    with: { run: "\${{ github.run_id }}" }
                  - run: bash run.sh
          `,
          '.github/actions/own/action.yml': yaml`
            name: Own
            description: Gets the files of this run
            inputs: { run: { description: Run } }
            runs:
              using: composite
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: meta, run-id: "\${{ inputs.run }}", github-token: "\${{ github.token }}" }
          `,
          '.github/actions/get/action.yml': yaml`
            name: Get
            description: Gets the files of the run before
            inputs: { folder: { description: Folder, default: . } }
            runs:
              using: composite
              steps:
                - uses: actions/download-artifact@v5
                  with:
                    name: meta
                    path: \${{ inputs.folder }}
                    run-id: \${{ github.event.workflow_run.id }}
                    github-token: \${{ github.token }}
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/outside.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { contents: write }
            env: { INTO: "\${{ runner.temp }}/report" }
            jobs:
              temp:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: "\${{ env.INTO }}", run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: cat versions.env >> "$GITHUB_ENV"
                  - run: ./scripts/comment.sh
                  - run: npm publish
              home:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: ~/report, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: make comment
                  - uses: actions/github-script@v8
                    with: { script: "await require('./comment.js')(fs.readFileSync('template.md'))" }
              absolute:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: /tmp/report, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash scripts/report.sh
              unzipped:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: gh api "repos/acme/app/actions/artifacts/$ID/zip" > /tmp/report.zip
                  - run: unzip -d /tmp/report /tmp/report.zip
                  - run: npm ci && npm run comment
              entered:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: |
                      cd "$RUNNER_TEMP"
                      gh run download "$RUN" --name report
                  - run: make comment
              beside:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: report, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: cat versions.env >> "$GITHUB_ENV"
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: actions/upload-artifact@v4
                  with: { name: source, path: . }
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: actions/upload-artifact@v4
                  with: { name: base, path: . }
            publish:
              needs: [build, base]
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                  with: { name: base }
                - run: npm ci
        `,
      },
      {
        yaml: {
          '.github/workflows/report.yml': yaml`
            on:
              workflow_run: { workflows: [Test, Nightly], types: [completed] }
            permissions: { pull-requests: write }
            jobs:
              checked:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with:
                      name: report
                      path: \${{ runner.temp }}/artifacts
                      run-id: \${{ github.event.workflow_run.id }}
                      github-token: \${{ github.token }}
                  - run: |
                      PR=$(cat "$RUNNER_TEMP/artifacts/number")
                      if ! [[ "$PR" =~ ^[0-9]+$ ]]; then exit 1; fi
                      gh pr comment "$PR" --body done
              same:
                if: github.event.workflow_run.head_repository.full_name == github.repository
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: report, run-id: "\${{ github.event.workflow_run.id }}" }
                  - run: bash comment.sh
              nightly:
                runs-on: ubuntu-latest
                steps:
                  - uses: dawidd6/action-download-artifact@v21
                    with: { workflow: nightly.yml, name: build }
                  - run: ./deploy.sh
              own:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: report }
                  - run: bash comment.sh
              apart:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: report, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: actions/checkout@v7
                    with: { path: tools }
                  - { id: version, uses: juliangruber/read-file-action@v1, with: { path: /etc/os-release } }
                  - run: echo "\${{ steps.version.outputs.content }}"
                  - run: pip install -e tools/bot
                  - run: npm run comment
                    working-directory: tools
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: report, path: out }
          `,
          '.github/workflows/nightly.yml': yaml`
            name: Nightly
            on: schedule
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: build, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/deploy.yml': yaml`
            on:
              workflow_run: { workflows: [Build], types: [completed], branches: [main] }
            jobs:
              deploy:
                if: github.event.workflow_run.event == 'push'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: ./deploy.sh
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: [push, pull_request]
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: site, path: out }
          `,
        },
      },
    ],
  },
  check: { job: check },
});

const MAX_DOWNLOADS = 20;

function* check(job: Job, { repository }: RuleContext): Generator<Report<Message>> {
  for (const download of foreignDownloads(job, repository).slice(0, MAX_DOWNLOADS)) {
    const use = download.trust === 'data' ? undefined : useOf(download, repository);
    if (use === undefined) continue;
    yield {
      message: use.kind,
      data: { how: download.how, producer: producerOf(download), detail: use.detail },
      at: download.step,
      span: download.span,
      facts: [factOf('download', download.step)],
      severity:
        use.kind === 'read' && (onlyComments(download, repository) || !changesMore(use.job ?? job))
          ? 'LOW'
          : severityOf(download, use, use.job ?? job),
      confidence:
        use.unsure === true ? 'low' : download.trust === 'fork' && use.kind !== 'overwrites' ? 'high' : 'medium',
      attributes: {
        name_template: download.name ?? '*',
        run_relation: download.trust,
        use: use.kind,
        producers: pathsOf(producersFor(download, job), repository),
        ...(use.job === undefined ? {} : { effect_job: use.job.id }),
      },
    };
  }
}

function producersFor({ producers, trust }: ForeignDownload, job: Job): readonly Workflow[] {
  return producers.length === 0 && trust === 'fork' ? [job.workflow] : producers;
}

function pathsOf(producers: readonly Workflow[], repository: Repository): string[] {
  const found = new Set(producers);
  for (const workflow of found) for (const called of calledBy(workflow, repository)) found.add(called);
  return [...found].map(({ source }) => source.path);
}

const calledBy = memoInRepository(({ jobs }: Workflow, repository): ReadonlySet<Workflow> => {
  const called = jobs.map(({ uses }) =>
    uses?.reference?.kind === 'local' ? repository.workflowAt(uses.reference.path) : undefined,
  );
  return new Set(called.filter((each) => each !== undefined));
});

function producerOf({ producers, trust, conditionsToDrop, madeBy }: ForeignDownload): string {
  if (madeBy !== undefined) return `the job ${madeBy.id}, which handles pull request code`;
  if (trust === 'fork' && producers.length === 0) return 'the run of a pull request, which a fork can open';
  if (trust === 'unknown' || producers.length === 0) return 'another run, possibly triggered by a fork’s pull request';
  const names = producers.map((workflow) => workflow.name?.value ?? workflow.source.path);
  const how = conditionsToDrop ? ' after removing the conditions in its file' : '';
  return `${names.join(', ')}, which a fork’s pull request can run${how}`;
}

function changesMore(job: Job): boolean {
  const { strong, assumed } = privilegesOf(job);
  return strong && !assumed;
}

const BASE: Readonly<Record<ArtifactUse['kind'], 0 | 1 | 2>> = {
  committed: 1,
  executed: 2,
  expanded: 2,
  variables: 2,
  overwrites: 2,
  settings: 1,
  shipped: 2,
  published: 1,
  read: 1,
};

function severityOf({ trust }: ForeignDownload, { kind, unsure }: ArtifactUse, job: Job): Severity {
  const stakes = credentialsOf(job);
  const level = BASE[kind] - (trust === 'fork' && unsure !== true ? 0 : 1) - (stakes.any || stakes.mayWrite ? 0 : 1);
  return level >= 2 ? 'HIGH' : level === 1 ? 'MEDIUM' : 'LOW';
}
