import { checkoutsIn, type OutsiderCheckout, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, privilegesIn } from '#lib/analysis/privileges/describe-privileges.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { isOnlyData } from '#lib/analysis/workspace/data-only.ts';
import { type Execution, executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { checkoutFact } from '../shared/shared-facts.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'open' | 'approved' | 'guarded' | 'unproven';

export const untrustedCheckout = defineRule({
  id: 'untrusted-checkout',
  meta: {
    title: 'Pull request code is checked out in a privileged job',
    why: 'Events such as pull_request_target and issue_comment run with the token and secrets of the base repository. Once the files of a stranger’s pull request are in that run’s workspace, the stranger controls every tool that reads a configuration file, script or plugin from there.',
    attack:
      'The attacker opens a pull request from a fork with a modified build script or tool configuration; the privileged run checks it out, and the next step that uses it works for the attacker.',
    recommendation:
      'Omit `ref` and `repository` so that the base is checked out, or move the work to a `pull_request` workflow with a read-only token. To inspect only the change, fetch the diff through the API or use `git fetch` and `git diff` without a checkout.',
    limits:
      'Checkouts made by composite actions nested in each other or, without network access, in other repositories, by scripts of the repository or by workflows in other repositories are not detected. Reviewers of environments are a setting that the file does not show. Whether actions/checkout refuses the code of a deleted fork is not known: events that an author can cause without the fork count as not guarded. A checkout of which no file runs is LOW where only git and tools that copy, filter or read data use it, or where the token can only change conversations.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#mitigating-the-risks-of-untrusted-code-checkout',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
      'https://github.com/actions/checkout',
    ],
    messages: {
      open: '{{source}} checks out an outsider’s code in a run that {{event}} starts with {{held}}.',
      approved: '{{source}} checks out an outsider’s code in a run that {{event}} starts with {{held}}; {{approval}}.',
      guarded:
        '{{source}} selects a pull request’s code in a run that {{event}} starts with {{held}}; the fork guard of this actions/checkout release blocks it on github.com.',
      unproven:
        '{{source}} selects a pull request’s code in a run that {{event}} starts with {{held}}; the fork guard of this actions/checkout release may have no fork to compare with by then.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                  with:
                    # expect: open
                    ref: \${{ github.event.pull_request.head.sha }}
                - uses: actions/checkout@v4
                  with:
                    path: pr
                    # expect: guarded
                    ref: refs/pull/\${{ github.event.number }}/merge
            head:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with:
                    path: head
                    # expect: guarded
                    ref: \${{ github.head_ref }}
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
            opted-out:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    path: third
                    allow-unsafe-pr-checkout: true
                    # expect: open
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target: { types: [opened, ready_for_review] }
            workflow_run: { workflows: [CI], types: [requested] }
          permissions: { contents: write }
          jobs:
            pull:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    # expect: unproven MEDIUM
                    ref: \${{ github.event.pull_request.head.sha }}
                - run: scan .
            run:
              if: github.event_name == 'workflow_run'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    # expect: guarded LOW
                    ref: \${{ github.event.workflow_run.head_sha }}
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [edited] } }
          permissions: { contents: write }
          jobs:
            commit-of-the-fork:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
                    # expect: unproven MEDIUM
                    ref: \${{ github.event.pull_request.head.sha }}
                - run: scan .
            # Without the fork its name is empty, and the branch is one of this repository.
            branch-of-the-fork:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
                    # expect: guarded LOW
                    ref: \${{ github.head_ref }}
            fork:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    # expect: guarded LOW
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            data:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with:
                    # expect: open LOW
                    ref: \${{ github.event.pull_request.head.sha }}
                - run: git diff --stat origin/main
            talk:
              runs-on: ubuntu-latest
              permissions: { pull-requests: write }
              steps:
                - uses: actions/checkout@v4.2.2
                  with:
                    # expect: open LOW
                    ref: \${{ github.event.pull_request.head.sha }}
                - run: scan .
            merged:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with:
                    # expect: open MEDIUM
                    ref: \${{ github.event.pull_request.head.sha }}
                - run: git push origin HEAD:main
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            look:
              if: github.event.issue.pull_request && contains(github.event.comment.body, '/diff')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    # expect: open
                    gh pr checkout "$NUMBER"
                  env:
                    NUMBER: \${{ github.event.issue.number }}
            fetch:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - uses: actions/checkout@v7
                - run: |
                    git fetch origin "pull/\${{ github.event.issue.number }}/head:pr"
                    # expect: open
                    git checkout pr
            lookup:
              runs-on: ubuntu-latest
              steps:
                - id: pr
                  run: echo "sha=$(gh pr view $N --json headRefOid --jq .headRefOid)" >> "$GITHUB_OUTPUT"
                  env: { N: "\${{ github.event.issue.number }}" }
                - uses: actions/checkout@v7
                  with:
                    # expect: open
                    ref: \${{ steps.pr.outputs.sha }}
            whole:
              runs-on: ubuntu-latest
              steps:
                - id: pull
                  uses: octokit/request-action@v2
                  with: { route: "\${{ github.event.issue.pull_request.url }}" }
                - uses: actions/checkout@v7
                  with:
                    repository: \${{ fromJSON(steps.pull.outputs.data).head.repo.full_name }}
                    # expect: open
                    ref: \${{ fromJSON(steps.pull.outputs.data).head.ref }}
                - id: answer
                  uses: actions/github-script@v8
                  with:
                    script: |
                      const { data } = await github.rest.pulls.get({ ...context.repo, pull_number: context.issue.number });
                      return data;
                - id: commit
                  run: echo "sha=\${{ fromJSON(steps.answer.outputs.result)['head'].sha }}" >> "$GITHUB_OUTPUT"
                - uses: actions/checkout@v7
                  with:
                    path: again
                    # expect: open
                    ref: \${{ steps.commit.outputs.sha }}
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [labeled]
            workflow_run:
              workflows: [CI]
          jobs:
            labelled:
              if: github.event_name == 'pull_request_target' && github.event.label.name == 'safe'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v2.7.0
                  with:
                    # expect: approved
                    ref: \${{ github.event.pull_request.head.sha }}
            after:
              if: github.event_name == 'workflow_run'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v2.7.0
                  with:
                    # expect: open
                    ref: \${{ github.event.workflow_run.head_sha }}
            deploy:
              environment: preview
              runs-on: ubuntu-latest
              if: github.event_name == 'workflow_run'
              steps:
                - run: |
                    git remote add fork "\${{ github.event.workflow_run.head_repository.html_url }}"
                    git fetch fork
                    # expect: approved
                    git checkout fork/topic
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
                  # expect: open
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
          on: issue_comment
          permissions: { contents: write }
          jobs:
            find:
              runs-on: ubuntu-latest
              outputs: { commit: "\${{ steps.find.outputs.head-sha }}" }
              steps:
                - { id: find, uses: acme/find@v1 }
                - uses: actions/checkout@v7
                  with:
                    # expect: open MEDIUM
                    ref: \${{ steps.find.outputs.merge_commit_sha }}
                - run: scan .
            test:
              needs: find
              runs-on: ubuntu-latest
              steps:
                - run: |
                    git fetch origin "$COMMIT"
                    # expect: open MEDIUM
                    git checkout "$COMMIT"
                    scan .
                  env: { COMMIT: "\${{ needs.find.outputs.commit }}" }
            deploy:
              runs-on: ubuntu-latest
              steps:
                - { id: command, uses: github/branch-deploy@v10 }
                - if: steps.command.outputs.continue == 'true'
                  uses: actions/checkout@v7
                  with:
                    # expect: approved LOW
                    ref: \${{ steps.command.outputs.ref }}
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
                - id: pick
                  uses: acme/choose@v1
                  with:
                    when: \${{ github.event_name == 'push' }}
                    then: \${{ github.ref }}
                    else: refs/pull/\${{ github.event.number }}/merge
                - uses: actions/checkout@v4.2.2
                  with:
                    # expect: open MEDIUM
                    ref: \${{ steps.pick.outputs.value }}
                - run: scan .
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
                    with: { name: meta, path: meta }
          `,
          '.github/workflows/follow.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              ask:
                runs-on: ubuntu-latest
                outputs: { sha: "\${{ steps.read.outputs.sha }}" }
                steps:
                  - uses: ./.github/actions/get
                    with: { folder: meta }
                  - id: read
                    run: echo "sha=$(tail -n 1 meta/sha.txt)" >> "$GITHUB_OUTPUT"
              test:
                needs: ask
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with:
                      # expect: open MEDIUM
                      ref: \${{ needs.ask.outputs.sha }}
                  - run: scan .
              scripted:
                runs-on: ubuntu-latest
                steps:
                  - run: gh run download \${{ github.event.workflow_run.id }} --name meta
                  - id: read
                    uses: actions/github-script@v8
                    with:
                      script: |
                        const fs = require('fs');
                        const number = Number(fs.readFileSync('./number', 'utf8'));
                        core.setOutput('number', number);
                  - uses: actions/checkout@v7
                    with:
                      # expect: unproven MEDIUM
                      ref: refs/pull/\${{ steps.read.outputs.number }}/merge
                  - run: |
                      # expect: open MEDIUM
                      gh pr checkout "$(cat number)"
                      scan .
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
                    with: { file: meta/pull.json }
                  - uses: actions/checkout@v7
                    with:
                      # expect: open MEDIUM
                      ref: \${{ steps.json.outputs.ref }}
                  - run: scan .
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [issue_comment, pull_request_target]
          permissions: { contents: write }
          jobs:
            other:
              runs-on: ubuntu-latest
              steps:
                - { id: find, uses: acme/find@v1 }
                - uses: actions/checkout@v7
                  with: { ref: "\${{ steps.find.outputs.base_sha }}" }
                - { id: tag, uses: acme/latest-tag@v1 }
                - uses: actions/checkout@v7
                  with: { ref: "\${{ steps.tag.outputs.sha }}", path: tag }
                - id: pick
                  uses: acme/choose@v1
                  with: { then: "\${{ github.ref }}", else: "\${{ github.event.pull_request.base.sha }}" }
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ steps.pick.outputs.value }}", path: picked }
                - id: data
                  uses: acme/ask@v1
                  with: { number: "pull/\${{ github.event.issue.number }}/head" }
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ fromJSON(steps.data.outputs.data).base.ref }}", path: base }
        `,
      },
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: { push: { branches: [main] } }
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
              own:
                runs-on: ubuntu-latest
                steps:
                  - run: gh run download \${{ github.event.workflow_run.id }} --name meta
                  - run: git checkout "$(cat sha.txt)"
          `,
          '.github/workflows/elsewhere.yml': yaml`
            on: { workflow_run: { workflows: [Elsewhere], types: [completed] } }
            permissions: { contents: write }
            jobs:
              folder:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: gh run download \${{ github.event.workflow_run.id }} --name meta --dir meta
                  - run: git checkout "$(cat release/ref)"
          `,
        },
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            base:
              runs-on: ubuntu-latest
              steps:
                - id: pull
                  uses: octokit/request-action@v2
                  with: { route: "\${{ github.event.issue.pull_request.url }}" }
                - uses: actions/checkout@v7
                  with:
                    ref: \${{ fromJSON(steps.pull.outputs.data).base.sha }}
                - uses: actions/checkout@v7
                  with:
                    path: own
                    ref: \${{ fromJSON(steps.pull.outputs.data).head.ref }}
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
          on: [pull_request_target, issue_comment, workflow_dispatch]
          env:
            NUMBER: \${{ github.event.number }}
          jobs:
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.base.sha }}" }
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.head_ref }}" }
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.repository.default_branch }}", repository: acme/tools }
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event_name == 'pull_request' && github.event.pull_request.head.sha || github.sha }}" }
                - run: |
                    git fetch origin "pull/$NUMBER/head:pr"
                    git diff --name-only main...pr
                    git checkout -b release
            same-repository:
              if: github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            members:
              if: contains(fromJSON('["OWNER", "MEMBER"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.issue.number }}
            manual:
              if: github.event_name == 'workflow_dispatch'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ inputs.number }}
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request:
            pull_request_target:
              types: [closed]
          jobs:
            test:
              if: github.event_name == 'pull_request'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            merged:
              if: github.event_name == 'pull_request_target' && github.event.pull_request.merged == true
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.merge_commit_sha }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/label.yml': yaml`
            name: Label
            on: pull_request_target
            jobs: { label: { runs-on: ubuntu-latest, steps: [{ uses: actions/labeler@v5 }] } }
          `,
          '.github/workflows/after.yml': yaml`
            on: { workflow_run: { workflows: [Label] } }
            jobs:
              after:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.1.0
                    with: { ref: "\${{ github.event.workflow_run.head_sha }}" }
          `,
        },
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const checkouts = outsiderCheckouts(job, repository);
    for (const [index, first] of checkouts.entries()) {
      const same = checkouts.filter(({ span }) => span.start === first.span.start);
      if (checkouts.indexOf(same[0] ?? first) < index) continue;
      const handled = same.every(isOnlyData);
      const executed = same.flatMap((checkout) => executionsAfter(checkout, checkoutsIn(job, checkout, repository)));
      const executes = executed.some(({ runs }) => runs === 'certain')
        ? 'true'
        : executed.length === 0
          ? 'false'
          : executed.every(({ onlyInImageBuild }) => onlyInImageBuild) && runnerKind(job) === 'hosted'
            ? 'image'
            : executed.every(({ absent }) => absent !== undefined)
              ? 'absent'
              : 'likely';
      yield report(job, first, { executes, executed, handled }, repository);
    }
  }
}

interface Executed {
  readonly executes: string;
  readonly executed: readonly Execution[];
  readonly handled: boolean;
}

function report(
  job: Job,
  checkout: OutsiderCheckout,
  { executes, executed, handled }: Executed,
  repository: Repository,
): Report<Message> {
  const { step, span, foreign, guard, event, events } = checkout;
  const approval = approvalBefore(step, checkout, repository);
  const message =
    guard === 'enforced'
      ? 'guarded'
      : guard === 'unproven' && approval === undefined
        ? 'unproven'
        : approval === undefined
          ? 'open'
          : 'approved';
  const privileges = privilegesIn(job, scenariosOf(checkout));
  const holds = privileges.held.length > 0;
  const harmless = executes === 'false' && (handled || !privileges.strong);
  return {
    message,
    data: {
      source: foreign.source,
      event,
      held: heldBy(job, privileges),
      ...(approval === undefined ? {} : { approval: APPROVALS[approval] }),
    },
    at: step,
    span,
    facts: [checkoutFact(checkout)],
    severity: (message === 'open' || message === 'unproven') && holds && !harmless ? 'MEDIUM' : 'LOW',
    confidence:
      guard === 'unproven' || foreign.unsure === true
        ? 'low'
        : foreign.source.startsWith('github.') || foreign.source.includes('pull/')
          ? 'high'
          : 'medium',
    attributes: {
      executes,
      guard,
      holds,
      ref_kind: foreign.ref,
      events,
      trigger_trust: 'outsider',
      execution_approved:
        approval === undefined &&
        executed.length > 0 &&
        executed.every((each) => approvalBefore(each.step, checkout, repository) !== undefined),
    },
  };
}

const APPROVALS = {
  label: 'someone with triage rights must set a label first',
  'standing-label': 'a label that was set once is the only approval',
  elsewhere: 'a workflow of another repository may check who started the run',
  permission: 'an earlier step checks who triggered the run',
  environment: 'an environment may require approval first',
} as const;
