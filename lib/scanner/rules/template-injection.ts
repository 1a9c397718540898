import { type EvalSink, evalSinksOf } from '#lib/analysis/dataflow/eval-sinks.ts';
import { isLiteralText, scriptSinksOf } from '#lib/analysis/dataflow/script-sinks.ts';
import { taintsOf } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { crossesFiles, eventOf, isMultiline, worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { isInPublishedAction, isPublishedAction } from '#lib/analysis/publishing/published-actions.ts';
import { type Approval, approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { BY_COLLABORATORS } from '#lib/analysis/reachability/events.ts';
import { privilegedOutsiderEvents, runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { knownDefinitions } from '#lib/facts/facts.ts';
import { type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { NODE_ENVIRONMENT } from '#lib/workflow/shell/string-literals.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { moveToEnvironment } from '../remedies/extract-to-env.ts';
import { factOf } from '../shared/shared-facts.ts';

type Message = 'outsider' | 'evaluated' | 'contributor' | 'member' | 'caller';

export const templateInjection = defineRule({
  id: 'template-injection',
  meta: {
    title: 'Untrusted input is interpolated into a script',
    why: 'A `${{ }}` expression inside a script is replaced by its value before the script runs, so the value becomes code. Whoever opens an issue or pull request chooses its title, comments and branch name.',
    attack:
      'The attacker opens a pull request whose branch name or title contains shell syntax; the run executes it with the job’s token and secrets. The nx, Ultralytics and Grafana attacks began this way.',
    recommendation:
      'Pass the value to the step through `env:` and use the quoted variable in the script: `env: { TITLE: ${{ … }} }`, then `"$TITLE"`.',
    limits:
      'Untrusted text from another file is reported by reusable-workflow-taint. Values passed through artifacts, or through files that programs of the repository write, are not followed. With network access, composite actions of other repositories are followed one level deep; other actions pass values on only as far as they are known. A title of a wiki page is MEDIUM: the files do not show whether others than collaborators may edit the wiki. An action’s input counts as code only if the action is known to execute it. Scripts in other shells and in github-script are read line by line.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    inUsedActions: true,
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/security/script-injections',
      'https://securitylab.github.com/resources/github-actions-untrusted-input/',
    ],
    messages: {
      outsider: '{{source}}, which anyone can set through {{event}}, is inserted into {{sink}}.',
      evaluated: '{{source}}, which anyone can set through {{event}}, is executed as code by {{by}}.',
      contributor: '{{source}}, which may come from another person’s contribution, is inserted into {{sink}}.',
      member: '{{source}}, chosen by whoever starts the workflow, is inserted into {{sink}}.',
      caller: '{{source}} is inserted into {{sink}}: callers can pass code.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: [gollum, issues]
          jobs:
            wiki:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider MEDIUM
                - run: echo "\${{ github.event.pages[0].title }}"
                # expect: evaluated MEDIUM
                - run: eval "echo $TITLE"
                  env: { TITLE: "\${{ github.event.pages[0].title }}" }
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pages[0].title || github.event.issue.title }}"
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [CI], types: [completed] } }
          permissions: { contents: write }
          jobs:
            of-the-fork:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with:
                    repository: \${{ github.event.workflow_run.head_repository.full_name }}
                    ref: \${{ github.event.workflow_run.head_branch }}
                # expect: outsider
                - run: echo "\${{ github.event.workflow_run.head_branch }}"
            whatever-happens:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.workflow_run.head_branch }}" }
                - if: always()
                  # expect: outsider
                  run: echo "\${{ github.event.workflow_run.head_branch }}"
        `,
      },
      {
        yaml: yaml`
          on: issues
          jobs:
            search:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    TEXT=$(cat <<'EOF'
                    # expect: outsider
                    \${{ github.event.issue.body }}
                    EOF
                    )
                    cat <<'EOF' | sh
                    # expect: outsider
                    echo \${{ github.event.issue.title }}
                    EOF
                    cat > run.sh <<'EOF'
                    # expect: outsider
                    echo \${{ github.event.issue.title }}
                    EOF
                    cat <<EOF
                    # expect: outsider
                    \${{ github.event.issue.title }}
                    EOF
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            reply:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: outsider
                    echo "\${{ github.event.comment.body }}"
                - uses: actions/github-script@v7
                  with:
                    # expect: outsider
                    script: console.log("\${{ github.event.issue.title }}")
                - uses: 8398a7/action-slack@v3
                  with:
                    # expect: outsider
                    custom_payload: "{ text: '\${{ github.event.issue.title }}' }"
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
            workflow_dispatch:
              inputs:
                version: { type: string }
          env:
            BRANCH: \${{ github.head_ref }}
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider
                - run: git log \${{ env.BRANCH }}
                # expect: member
                - run: make release VERSION=\${{ inputs.version }}
                # expect: outsider
                - run: echo \${{ github.event.pull_request.title || 'none' }}
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            plan:
              if: github.event.comment.author_association == 'MEMBER' && startsWith(github.event.comment.body, '/plan')
              runs-on: ubuntu-latest
              steps:
                # expect: outsider
                - run: echo "\${{ github.event.issue.title }}"
                - run: echo "\${{ github.event.comment.body }}"
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Greet
            description: Greets
            inputs:
              who: { description: name, required: true }
            runs:
              using: composite
              steps:
                - shell: bash
                  # expect: caller
                  run: echo "\${{ inputs.who }}"
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            comment:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: outsider
                    title="\${{ github.event.pull_request.title }}"
                    # expect: outsider, outsider
                    if [[ \${{ github.head_ref }} == docs/* ]]; then git checkout \${{ github.head_ref }}; fi
                    # expect: outsider
                    echo 'by \${{ github.event.pull_request.user.login || github.event.pull_request.title }}'
                - name: Reply
                  uses: actions/github-script@v7
                  env: { TITLE: "\${{ github.event.pull_request.title }}" }
                  with:
                    # expect: outsider
                    script: console.log('\${{ github.event.pull_request.title }}')
        `,
        fixed: yaml`
          on: pull_request_target
          jobs:
            comment:
              runs-on: ubuntu-latest
              steps:
                - env:
                    PULL_REQUEST_TITLE: \${{ github.event.pull_request.title }}
                    HEAD_REF: \${{ github.head_ref }}
                    PULL_REQUEST_USER_LOGIN: \${{ github.event.pull_request.user.login || github.event.pull_request.title }}
                  run: |
                    # expect: outsider
                    title="\${PULL_REQUEST_TITLE}"
                    # expect: outsider, outsider
                    if [[ \${HEAD_REF} == docs/* ]]; then git checkout "\${HEAD_REF}"; fi
                    # expect: outsider
                    echo "by \${PULL_REQUEST_USER_LOGIN}"
                - name: Reply
                  uses: actions/github-script@v7
                  env: { TITLE: "\${{ github.event.pull_request.title }}" }
                  with:
                    # expect: outsider
                    script: console.log(${NODE_ENVIRONMENT}.TITLE)
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            notes:
              runs-on: ubuntu-latest
              steps:
                # expect: contributor
                - run: echo "\${{ github.event.head_commit.message }}"
        `,
      },
      {
        repository: 'me/app',
        yaml: yaml`
          on: push
          jobs:
            notes:
              if: github.repository == 'acme/app'
              runs-on: ubuntu-latest
              steps:
                # expect: contributor INFO
                - run: echo "\${{ github.event.head_commit.message }}"
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            notes:
              if: github.repository == 'acme/app' && github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                # expect: contributor MEDIUM
                - run: echo "\${{ github.event.head_commit.message }}"
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          env:
            COMMENT: \${{ github.event.comment.body }}
          jobs:
            command:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    arguments="\${COMMENT#/run }"
                    # expect: evaluated
                    eval "make $arguments"
                    # expect: evaluated
                    bash -c "./run.sh $COMMENT"
                    # expect: evaluated
                    echo "make $COMMENT" | sh
                    # expect: evaluated
                    bash -c "./notes.sh $(gh issue view 1 --json title --jq .title)"
                - shell: pwsh
                  run: |
                    # expect: evaluated
                    Invoke-Expression "make $env:COMMENT"
                - shell: python
                  run: |
                    import os
                    # expect: evaluated
                    os.system("make " + os.environ["COMMENT"])
                - uses: actions/github-script@v7
                  with:
                    script: |
                      const { execSync } = require('child_process');
                      # expect: evaluated
                      execSync(\`make \${context.payload.comment.body}\`);
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            command:
              runs-on: ubuntu-latest
              steps:
                - id: pr
                  run: |
                    title=$(gh pr view "$NUMBER" --json title --jq .title)
                    echo "title=$title" >> "$GITHUB_OUTPUT"
                    {
                      echo 'text<<END'
                      gh issue view "$NUMBER" --json body --jq .body
                      echo END
                    } >> "$GITHUB_OUTPUT"
                    printf 'reply=%s\\n' "$COMMENT" >> "$GITHUB_OUTPUT"
                    echo "REPLY=$COMMENT" >> "$GITHUB_ENV"
                  env:
                    COMMENT: \${{ github.event.comment.body }}
                - id: script
                  uses: actions/github-script@v7
                  with:
                    script: |
                      const { body } = context.payload.comment;
                      const pr = await github.rest.pulls.get({ pull_number: context.issue.number });
                      core.setOutput('branch', pr.data.head.ref);
                      return body.trim();
                - id: replaced
                  uses: frabert/replace-string-action@v2
                  with: { string: '\${{ github.event.comment.body }}', pattern: a, replace-with: b }
                - run: |
                    # expect: outsider
                    echo "\${{ steps.pr.outputs.title }}"
                    # expect: outsider
                    echo "\${{ steps.pr.outputs.text }}"
                    # expect: outsider
                    echo "\${{ steps.pr.outputs.reply }}"
                    # expect: outsider
                    echo "\${{ env.REPLY }}"
                    # expect: outsider
                    echo "\${{ steps.script.outputs.result }}"
                    # expect: outsider
                    git push origin "HEAD:\${{ steps.script.outputs.branch }}"
                    # expect: outsider
                    echo "\${{ steps.replaced.outputs.replaced }}"
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            gate:
              runs-on: ubuntu-latest
              outputs: { arguments: "\${{ steps.parse.outputs.arguments }}" }
              steps:
                - run: |
                    role=$(gh api "repos/$REPO/collaborators/$WHO/permission" --jq .permission)
                    [ "$role" = admin ] || exit 1
                - id: parse
                  env: { COMMENT: "\${{ github.event.comment.body }}" }
                  run: echo "arguments=\${COMMENT#/test}" >> "$GITHUB_OUTPUT"
                # expect: member LOW
                - run: echo "\${{ github.event.comment.body }}"
                # expect: outsider HIGH
                - run: echo "\${{ github.event.issue.title }}"
            test:
              needs: gate
              runs-on: ubuntu-latest
              env: { ARGUMENTS: "\${{ needs.gate.outputs.arguments }}" }
              steps:
                - run: eval "pytest $ARGUMENTS"
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, labeled] } }
          permissions: { contents: write }
          jobs:
            authorize:
              environment: external
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            approved:
              needs: authorize
              runs-on: ubuntu-latest
              steps:
                # expect: outsider MEDIUM
                - run: echo "\${{ github.head_ref }}"
            labelled:
              if: contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps:
                # expect: outsider MEDIUM
                - run: echo "\${{ github.head_ref }}"
            open:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider HIGH
                - run: echo "\${{ github.head_ref }}"
        `,
      },
      {
        yaml: yaml`
          on: { workflow_dispatch: { inputs: { tag: { type: string } } } }
          jobs:
            validate:
              runs-on: ubuntu-latest
              steps:
                - if: github.actor != 'bot'
                  env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
                - env: { TAG: "v\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || echo "no tag"'
            publish:
              needs: validate
              runs-on: ubuntu-latest
              steps:
                # expect: member LOW
                - run: docker pull "acme/app:\${{ inputs.tag }}"
            strict:
              runs-on: ubuntu-latest
              steps:
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
            lenient:
              runs-on: ubuntu-latest
              continue-on-error: true
              steps:
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
            after:
              needs: lenient
              runs-on: ubuntu-latest
              steps:
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || echo "no tag"'
                - env: { TAG: "\${{ inputs.tag }}" }
                  continue-on-error: true
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
                # expect: member LOW
                - run: docker pull "acme/app:\${{ inputs.tag }}"
            cleanup:
              needs: strict
              if: always()
              runs-on: ubuntu-latest
              steps:
                # expect: member LOW
                - run: docker rmi "acme/app:\${{ inputs.tag }}"
            report:
              runs-on: ubuntu-latest
              steps:
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
                - if: always()
                  # expect: member LOW
                  run: docker rmi "acme/app:\${{ inputs.tag }}"
            other:
              runs-on: ubuntu-latest
              steps:
                # expect: member LOW
                - run: docker pull "acme/app:\${{ inputs.tag }}"
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: '[[ "$TAG" =~ ^v[0-9.]+$ ]] || exit 1'
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target: { types: [opened, edited] }
          permissions: { contents: write }
          jobs:
            before:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pull_request.title }}"
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            always:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - if: always()
                  # expect: outsider HIGH
                  run: echo "\${{ github.event.pull_request.title }}"
            sometimes:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  if: contains(github.event.pull_request.body, 'test')
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pull_request.title }}"
            goes-on:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  continue-on-error: true
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pull_request.title }}"
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.base.sha }}" }
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pull_request.title }}"
            older:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: outsider HIGH
                - run: echo "\${{ github.event.pull_request.title }}"
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Notes
            description: Is used from other repositories
            runs:
              using: composite
              steps:
                # expect: outsider HIGH
                - run: echo "for=\${{ github.head_ref }}" >> "$GITHUB_OUTPUT"
                  shell: bash
                - env: { TITLE: "\${{ github.event.issue.title }}" }
                  # expect: evaluated HIGH
                  run: eval "echo $TITLE"
                  shell: bash
          `,
          'lint/action.yml': yaml`
            name: Lint
            description: Is in the marketplace
            branding: { icon: box, color: blue }
            inputs: { who: { description: Name } }
            runs:
              using: composite
              steps:
                # expect: outsider HIGH, caller INFO
                - run: echo "\${{ github.event.comment.body }} \${{ inputs.who }}"
                  shell: bash
          `,
          '.github/actions/own/action.yml': yaml`
            name: Own
            description: Serves workflows of this repository
            runs:
              using: composite
              steps:
                # expect: outsider MEDIUM
                - run: echo "\${{ github.head_ref }}"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/greet.yml': yaml`
            on: issues
            permissions: { contents: write }
            jobs:
              greet:
                runs-on: ubuntu-latest
                steps: [{ uses: actions/checkout@v7 }, { uses: ./.github/actions/outer }]
          `,
          '.github/workflows/push.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps: [{ uses: actions/checkout@v7 }, { uses: ./.github/actions/title }]
          `,
          '.github/actions/outer/action.yml': yaml`
            name: Outer
            description: Uses the other one
            runs:
              using: composite
              steps: [{ uses: ./.github/actions/title }]
          `,
          '.github/actions/title/action.yml': yaml`
            name: Title
            description: Prints the title
            runs:
              using: composite
              steps:
                # expect: outsider HIGH
                - run: echo "\${{ github.event.issue.title }}"
                  shell: bash
                - if: github.event_name == 'push'
                  run: echo "\${{ github.event.issue.body }}"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps: [{ uses: actions/checkout@v7 }, { uses: ./.github/actions/branch }]
          `,
          '.github/actions/branch/action.yml': yaml`
            name: Branch
            description: Prints the branch
            inputs: { branch: { description: Branch, default: "\${{ github.head_ref }}" } }
            runs:
              using: composite
              steps:
                # expect: outsider LOW
                - run: echo "\${{ inputs.branch }}"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Check
            description: Checks titles
            inputs:
              title: { description: Title, default: "\${{ github.event.pull_request.title }}" }
              comment-body: { description: What to look for a command in }
              text: { description: The body of the issue }
              version: { description: Version }
            runs:
              using: composite
              steps:
                # expect: outsider HIGH
                - run: test -n '\${{ inputs.title }}'
                  shell: bash
                # expect: caller MEDIUM
                - run: echo '\${{ inputs.comment-body }}'
                  shell: bash
                # expect: caller MEDIUM
                - run: echo '\${{ inputs.text }}'
                  shell: bash
                # expect: caller INFO
                - run: echo '\${{ inputs.version }}'
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/greet.yml': yaml`
            on: issues
            permissions: { contents: write }
            jobs:
              silent:
                uses: ./.github/workflows/called.yml
              other:
                uses: ./.github/workflows/called.yml
                with: { title: Fixed }
          `,
          '.github/workflows/called.yml': yaml`
            on:
              workflow_call:
                inputs: { title: { type: string, default: "\${{ github.event.issue.title }}" } }
            jobs:
              print:
                runs-on: ubuntu-latest
                steps:
                  # expect: outsider HIGH
                  - run: echo "\${{ inputs.title }}"
          `,
        },
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            names:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: git fetch origin "pull/\${{ github.event.issue.number }}/head:pr"
                - id: list
                  run: echo "names=$(git diff --name-only main...pr | grep '\\.md$' | xargs)" >> "$GITHUB_OUTPUT"
                # expect: outsider HIGH
                - run: for each in \${{ steps.list.outputs.names }}; do ./convert "$each"; done
            subject:
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.issue.number }}
                - id: last
                  run: |
                    {
                      echo "message<<END"
                      git log -1 --format=%B
                      echo END
                    } >> "$GITHUB_OUTPUT"
                # expect: outsider HIGH
                - run: echo "\${{ steps.last.outputs.message }}"
                - id: files
                  uses: actions/github-script@v8
                  with:
                    script: |
                      const { execSync } = require('node:child_process');
                      const files = execSync('git ls-files docs').toString();
                      core.setOutput('files', files);
                # expect: outsider HIGH
                - run: echo "\${{ steps.files.outputs.files }}"
                - run: |
                    FILES=$(git diff --name-only HEAD^)
                    # expect: evaluated HIGH
                    bash -c "ls $FILES"
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            names:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - id: list
                  run: echo "names=$(git diff --name-only origin/main | tr '\\n' ' ')" >> "$GITHUB_OUTPUT"
                # expect: outsider LOW
                - run: black \${{ steps.list.outputs.names }}
        `,
      },
      {
        facts: knownDefinitions({
          'acme/notes@v1': [
            'runs:',
            '  using: composite',
            '  steps:',
            '    - shell: bash',
            '      run: echo "${{ github.event.issue.title }}" >> notes.md',
          ].join('\n'),
        }),
        yaml: yaml`
          on: issues
          jobs:
            note:
              runs-on: ubuntu-latest
              steps:
                # expect: outsider
                - uses: acme/notes@v1
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { pull_request_target: { types: [closed] } }
          jobs:
            cancel:
              runs-on: ubuntu-latest
              steps:
                - run: echo pipeline-\${{ github.event.pull_request.number || github.event.pull_request.head.ref || github.ref_name }}
                - run: echo pipeline-\${{ github.event.number || github.head_ref }}
        `,
      },
      {
        facts: knownDefinitions({
          'acme/notes@v1':
            'runs: { using: composite, steps: [{ shell: bash, run: echo "$T", env: { T: "${{ github.event.issue.title }}" } }] }',
        }),
        yaml: yaml`
          on: issues
          jobs:
            note:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/notes@v1
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [CI], types: [completed], branches: ['release/**'] } }
          permissions: { contents: write }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event_name == 'workflow_run' && github.event.workflow_run.head_branch || '' }}" }
                - run: gh pr create --base main --head "\${{ github.event.workflow_run.head_branch }}"
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Build], types: [completed] } }
          permissions: { contents: write }
          jobs:
            never:
              if: github.event.workflow_run.actor == 'octocat'
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.workflow_run.head_branch }}"
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            names:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - id: list
                  run: echo "names=$(git diff --name-only HEAD^ | xargs)" >> "$GITHUB_OUTPUT"
                - run: echo \${{ steps.list.outputs.names }}
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: git fetch origin "pull/\${{ github.event.number }}/head:pr"
                - id: base
                  run: |
                    echo "subject=$(git log -1 --format=%s main)" >> "$GITHUB_OUTPUT"
                    echo "hash=$(git log -1 --format=%H pr)" >> "$GITHUB_OUTPUT"
                    echo "count=$(git diff --name-only main...pr | wc -l)" >> "$GITHUB_OUTPUT"
                - run: echo "\${{ steps.base.outputs.subject }} \${{ steps.base.outputs.hash }} \${{ steps.base.outputs.count }}"
        `,
      },
      {
        yaml: {
          '.github/workflows/push.yml': yaml`
            on: push
            permissions: { contents: write }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/title
          `,
          '.github/actions/title/action.yml': yaml`
            name: Title
            description: Prints the title
            runs:
              using: composite
              steps:
                - run: echo "\${{ github.event.issue.title }}"
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on:
            pull_request_target: { types: [opened, edited] }
          permissions: { contents: write }
          jobs:
            refused:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: echo "\${{ github.event.pull_request.title }}"
            fork:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
                    ref: \${{ github.event.pull_request.head.ref }}
                - run: echo "\${{ github.event.pull_request.title }}"
            needs-it:
              needs: refused
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.pull_request.title }}"
        `,
      },
      {
        yaml: yaml`
          on: { workflow_dispatch: { inputs: { tag: { type: string } } }, issue_comment: {} }
          jobs:
            validate:
              runs-on: ubuntu-latest
              steps:
                - env: { TAG: "\${{ inputs.tag }}" }
                  run: |
                    if [[ ! "$TAG" =~ ^v[0-9.]+$ ]]; then
                      echo "no tag"
                      exit 1
                    fi
            publish:
              needs: validate
              runs-on: ubuntu-latest
              steps:
                - run: docker pull "acme/app:\${{ inputs.tag }}"
            announce:
              needs: publish
              if: github.repository_owner == 'acme'
              runs-on: ubuntu-latest
              steps:
                - run: ./announce \${{ inputs.tag }}
            comment:
              runs-on: ubuntu-latest
              steps:
                - env: { BODY: "\${{ github.event.comment.body }}" }
                  run: '[[ "$BODY" =~ ^/run[a-z]+$ ]] || exit 1'
                - run: make \${{ github.event.comment.body }}
        `,
      },
      {
        repository: 'me/app',
        yaml: yaml`
          on: issues
          jobs:
            greet:
              if: github.repository_owner == 'acme'
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.issue.title }}"
        `,
      },
      {
        yaml: yaml`
          on: issues
          jobs:
            search:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    TITLE=$(cat <<'EOF'
                    [backport] \${{ github.event.issue.title }}
                    EOF
                    )
                    gh search issues "$TITLE"
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          env:
            COMMENT: \${{ github.event.comment.body }}
          jobs:
            command:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    bash -c './run.sh "$1"' run "$COMMENT"
                    eval "$(ssh-agent -s)"
                    echo "$COMMENT" | bash ./read.sh
                    eval 'echo "$COMMENT"'
                - run: |
                    case "$COMMENT" in
                      docs | lint) eval "make $COMMENT" ;;
                    esac
                - run: |
                    [[ "$COMMENT" =~ ^[a-z]+$ ]] || exit 1
                    eval "make $COMMENT"
                - id: list
                  run: |
                    found=$(echo "$COMMENT" | tr ' ' '\n' | grep -E -o '^docs/(a|b)/' | cut -d/ -f2)
                    echo "found=$found" >> "$GITHUB_OUTPUT"
                - run: make "\${{ steps.list.outputs.found }}"
                - id: pr
                  run: |
                    number=$(gh pr view --json number --jq .number)
                    echo "number=$number" >> "$GITHUB_OUTPUT"
                    word=$(echo "$COMMENT" | tr -cd 'a-z')
                    echo "word=$word" >> "$GITHUB_OUTPUT"
                    echo "other=$COMMENT" >> "$GITHUB_OUTPUT"
                - id: script
                  uses: actions/github-script@v7
                  with:
                    script: |
                      core.setOutput('number', parseInt(context.payload.comment.body));
                      core.setOutput('sha', pr.data.head.sha);
                      return context.payload.comment.body.includes('docs') ? 'docs' : 'all';
                - run: |
                    make "\${{ steps.pr.outputs.number }}" "\${{ steps.pr.outputs.word }}"
                    make "\${{ steps.script.outputs.number }}" "\${{ steps.script.outputs.sha }}"
                    make "\${{ steps.script.outputs.result }}"
        `,
      },
      {
        yaml: yaml`
          on: [issue_comment, pull_request_target]
          jobs:
            reply:
              runs-on: ubuntu-latest
              steps:
                - run: echo "$BODY"
                  env:
                    BODY: \${{ github.event.comment.body }}
                - run: echo \${{ github.event.pull_request.number }} \${{ github.sha }} \${{ github.actor }}
                - run: echo \${{ contains(github.event.comment.body, '/ok') }}
                - run: echo \${{ github.event.comment.body == '/ok' && 'yes' || 'no' }}
            members:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.comment.body }}"
                  if: github.event_name == 'issue_comment'
        `,
      },
      {
        yaml: yaml`
          on:
            push:
            workflow_dispatch:
              inputs:
                level: { type: choice, options: [a, b] }
                count: { type: number }
          jobs:
            build:
              strategy: { matrix: { os: [linux, mac] } }
              runs-on: ubuntu-latest
              steps:
                - run: make \${{ matrix.os }} \${{ inputs.level }} \${{ inputs.count }} \${{ secrets.TOKEN }}
                - run: make \${{ github.event.inputs.level }} \${{ github.event.inputs.count }}
        `,
      },
    ],
  },
  check: { step: check },
});

function* check(step: Step, context: RuleContext): Generator<Report<Message>> {
  const judged: { readonly expression: Expression; readonly report: Report<Message> }[] = [];
  for (const { text, sink } of scriptSinksOf(step)) {
    for (const expression of expressionsIn(text)) {
      const report = judge(expression, step, sink, context);
      if (report !== undefined) judged.push({ expression, report });
    }
  }
  const fixes = judged.length === 0 ? undefined : fixesFor(step, judged);
  for (const { expression, report } of judged) yield { ...report, fix: fixes?.get(expression) };
  for (const evaluation of evalSinksOf(step, context.repository)) {
    const report = judgeEvaluation(evaluation, step, context.repository);
    if (report !== undefined) yield report;
  }
}

function fixesFor(
  step: Step,
  judged: readonly { readonly expression: Expression; readonly report: Report<Message> }[],
): Map<Expression, Fix> {
  const fixes = new Map<Expression, Fix>();
  // Callers may rely on the shell expanding values such as `$HOME/bin`.
  for (const expanded of [false, true]) {
    const group = judged.filter(({ report }) => (report.message === 'caller') === expanded);
    const expressions = group.map(({ expression }) => expression);
    for (const { edits, moved, certain } of moveToEnvironment(step, expressions)) {
      const fix: Fix = { safety: certain && !expanded ? 'safe' : 'review', edits };
      for (const expression of moved) fixes.set(expression, fix);
    }
  }
  return fixes;
}

/** Reports only outsiders’ text, since a variable’s value is not code until a command evaluates it. */
function judgeEvaluation(
  { taints, by, span }: EvalSink,
  step: Step,
  repository: Repository,
): Report<Message> | undefined {
  const taint = worstTaint(taints);
  if (taint?.writer !== 'outsider' || reportedElsewhere(taints)) return undefined;
  const approved = isApproved(taint, step, repository);
  return {
    message: 'evaluated',
    data: { source: [...taint.via, taint.source].join(' ← '), event: eventOf(taint), by },
    at: step,
    span,
    severity: lowered(severityOf(taint, step), approved),
    confidence: taint.via.length > 1 ? 'medium' : 'high',
    attributes: { source: 'event', event: taint.event, sink: 'eval', approved, ...published(step) },
  };
}

function judge(
  expression: Expression,
  step: Step,
  sink: string,
  { repository }: RuleContext,
): Report<Message> | undefined {
  if (expression.node === undefined) return undefined;
  const found = taintsOf(expression.node, step, repository);
  if (found.length === 0) return undefined;
  const taint = worstTaint(isLiteralText(expression, step) ? found.filter(isMultiline) : found);
  if (taint === undefined || reportedElsewhere(found)) return undefined;
  const message = taint.writer;
  const approved = isApproved(taint, step, repository);
  return {
    message,
    data: { source: [...taint.via, taint.source].join(' ← '), event: eventOf(taint), sink },
    at: step,
    span: expression.span,
    ...(message === 'caller' && !takesEventText(taint, step) ? { once: message } : {}),
    ...(message === 'member' ? { once: `${jobOf(step)?.id ?? ''} ${nameOfInput(taint)}` } : {}),
    ...(message === 'outsider' ? { facts: [factOf('text', step)] } : {}),
    severity: runsHere(step, repository) ? lowered(severityOf(taint, step), approved) : 'LOW',
    confidence: takesEventText(taint, step)
      ? 'low'
      : taint.via.length > 1 || taint.writer === 'contributor'
        ? 'medium'
        : 'high',
    attributes: {
      source: kindOf(taint),
      event: taint.event,
      sink: sink === 'a script' ? 'run' : 'script',
      approved,
      ...published(step),
    },
  };
}

/**
 * Distinguishes refs from inputs: whoever pushed a ref, or published a release, could change the workflow file as
 * well.
 */
function kindOf({ writer, source, event }: Taint): 'event' | 'ref' | 'input' | 'dispatch' {
  if (writer === 'outsider') return 'event';
  if (source === 'github.ref' || source === 'github.ref_name' || event === 'release') return 'ref';
  return source.startsWith('inputs.') ? 'input' : 'dispatch';
}

function nameOfInput({ source }: Taint): string {
  return source.replace(/^github\.event\./, '');
}

function reportedElsewhere(taints: readonly Taint[]): boolean {
  const outsiders = taints.filter(({ writer }) => writer === 'outsider');
  return outsiders.length > 0 && outsiders.every(crossesFiles);
}

function published(step: Step): { readonly published?: true } {
  return isInPublishedAction(step) ? { published: true } : {};
}

const OF_THE_RUN: ReadonlySet<Approval | undefined> = new Set<Approval>(['elsewhere', 'environment', 'label']);

/**
 * A check of permissions approves the words of who is asked, not the title of another’s issue below which they write.
 */
function isApproved({ writer, event }: Taint, step: Step, repository: Repository): boolean {
  if (writer !== 'outsider' || step.parent.kind === 'action') return false;
  const events = privilegedOutsiderEvents(step, repository).filter((each) => each.event === event);
  const approvals = events.map((each) => approvalBefore(step, each, repository));
  return approvals.length > 0 && approvals.every((found) => OF_THE_RUN.has(found));
}

function lowered(severity: Severity, approved: boolean): Severity {
  return approved && severity === 'HIGH' ? 'MEDIUM' : severity;
}

/** A published action runs in jobs of others, some of them on the event with privileges. */
function severityOf(taint: Taint, step: Step): Severity {
  if (taint.writer === 'outsider') {
    const unseen = taint.reach === 'trusted' && !(isInPublishedAction(step) && taint.text !== 'structured');
    if (unseen) return 'MEDIUM';
    if (taint.reach === 'outsider-unprivileged') return 'LOW';
    return taint.text === 'structured' || BY_COLLABORATORS.has(taint.event) ? 'MEDIUM' : 'HIGH';
  }
  if (taint.writer === 'contributor' || takesEventText(taint, step)) return 'MEDIUM';
  return taint.writer === 'member' ? 'LOW' : 'INFO';
}

function takesEventText({ writer, source }: Taint, { parent }: Step): boolean {
  if (writer !== 'caller' || parent.kind !== 'action' || !isPublishedAction(parent)) return false;
  const name = source.replace(/^inputs\./, '').toLowerCase();
  if (EVENT_TEXT_NAME.test(name)) return true;
  const inputs = valueOf(parent.root, 'inputs');
  const entries = inputs?.kind === 'mapping' ? [...inputs.entries.values()] : [];
  const described = entries.find(({ key }) => key.text.toLowerCase() === name);
  const description = valueOf(described?.value, 'description');
  return description?.kind === 'scalar' && EVENT_TEXT_DESCRIPTION.test(description.text.slice(0, MAX_DESCRIPTION));
}

const MAX_DESCRIPTION = 1_000;

const EVENT_TEXT_NAME =
  /^(?:(?:pr|pull-?request|pull_request|issue|comment|discussion|review)[-_]?(?:title|body|branch|ref)|head[-_]?(?:ref|branch))$/;

const EVENT_TEXT_DESCRIPTION =
  /\b(?:title|body|text|branch) of (?:the|an|a) (?:current |triggering )?(?:pull request|pr|issue|comment|discussion)\b(?! to (?:create|post|open|write))|\b(?:pull request|pr|issue|comment)(?:['\u2019]s)? (?:title|body|branch name)\b/i;
