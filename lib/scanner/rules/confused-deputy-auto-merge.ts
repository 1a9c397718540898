import { bringsOutsidersCode } from '#lib/analysis/checkouts/checkouts.ts';
import { type PushedCode, pushedCode } from '#lib/analysis/checkouts/pushed-code.ts';
import { type ApprovalByName, approvalsByName } from '#lib/analysis/checkouts/run-approvals.ts';
import { memoByNode, memoInRepository } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenMayWrite, tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { approvalBefore, isLabelled } from '#lib/analysis/reachability/approvals.ts';
import {
  type AutoMergeStep,
  autoMergeStep,
  isVerifiedBefore,
  leavesUnmerged,
} from '#lib/analysis/reachability/auto-merge-steps.ts';
import { neededJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { mayRun, type OutsiderEvent, outsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { mergesUnreviewed } from '#lib/analysis/reachability/unreviewed-auto-merge.ts';
import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTestsIn } from '#lib/workflow/expressions/identity.ts';
import { type Job, jobOf, type Step, stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { privilegedRunOn } from '../shared/branch-runs.ts';

type Message = 'actor' | 'author' | 'anybody' | 'pushed' | 'starts' | 'merged' | 'query' | 'named';

export const confusedDeputyAutoMerge = defineRule({
  id: 'confused-deputy-auto-merge',
  meta: {
    title: 'Workflow merges, approves or pushes what outsiders propose',
    why: 'The actor of a run is the account that triggered the last event, not the author of the pull request. An outsider can make a bot act on a branch of their own fork, and the workflow then mistakes their pull request for the bot’s. A job without any check accepts every pull request. A commit that is pushed to a branch of the repository is no longer a fork’s: runs there get its secrets.',
    attack:
      'An attacker opens a pull request from a fork and makes the bot push or rebase a commit on that branch. The workflow approves or merges the attacker’s change with the repository’s token.',
    recommendation:
      "Check the author instead: `github.event.pull_request.user.login == 'dependabot[bot]'`, together with `github.event.pull_request.head.repo.full_name == github.repository`. For Dependabot, let `dependabot/fetch-metadata` verify the pull request before the step that merges it. Push a pull request’s code to a branch only after someone with write access has reviewed that commit, and look runs up by `head_sha`.",
    limits:
      'Checks for a bot inside a script are not seen, nor are conditions with several alternatives, nor merges by unknown actions. A job without any check is reported only if no step before the merge could decide anything. A push is LOW unless the job checks out the pull request’s code, and a label that someone must set lowers the rest. Branch rules that still require a review are not considered. A conditional approval is MEDIUM while no workflow or action of the repository merges pull requests; programs outside of workflows that merge what is approved are not seen. Pushes in composite actions, and branches or approvals of runs that an action makes, are not followed. A step that reads the commit of a run is assumed to compare it.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-source-l4'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use',
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/automating-dependabot-with-github-actions',
      'https://www.synacktiv.com/publications/github-actions-exploitation-dependabot',
    ],
    messages: {
      actor:
        'On {{event}}, this {{act}} when {{path}} is {{name}}, which an outsider can arrange for their own pull request.',
      author: 'On {{event}}, this {{act}} when {{path}} is {{name}}, which anyone can forge in a commit.',
      anybody: 'On {{event}}, this {{act}} no matter who opened it: neither a condition nor an earlier step checks.',
      pushed:
        'On {{event}}, this pushes an outsider’s commit ({{source}}) to {{branch}} of this repository with {{credential}}. Whatever runs there gets the repository’s secrets.',
      starts:
        'On {{event}}, this pushes an outsider’s commit ({{source}}) to {{branch}} of this repository with {{credential}}, which starts {{workflow}} on it with what that workflow holds.',
      merged:
        'On {{event}}, this pushes an outsider’s commit ({{source}}) to {{branch}} of this repository with {{credential}}, and nobody reviews it.',
      query:
        'On {{event}}, this approves a {{what}} that a query finds by {{source}}. Its author can add conditions to the query with `&`, and so choose what is approved.',
      named:
        'On {{event}}, this approves a {{what}} that a query finds by {{source}}, a name that branches of other forks can have as well.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            merge:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                # expect: actor
                - run: gh pr review --approve "$URL"
                # expect: actor
                - run: gh pr merge --auto --squash "$URL"
            steps:
              runs-on: ubuntu-latest
              steps:
                # expect: actor
                - uses: hmarr/auto-approve-action@v4
                  if: contains(fromJSON('["renovate[bot]", "dependabot[bot]"]'), github.triggering_actor)
                - uses: dependabot/fetch-metadata@v2
                  with: { skip-commit-verification: true }
                - if: github.actor == 'dependabot[bot]'
                  # expect: actor
                  run: gh pr merge --auto "$URL"
            sometimes:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - if: vars.VERIFY
                  uses: dependabot/fetch-metadata@v2
                # expect: actor
                - run: gh pr merge --auto "$URL"
            differently:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - id: verified
                  if: vars.VERIFY
                  uses: dependabot/fetch-metadata@v2
                - if: steps.verified.outputs.update-type != 'version-update:semver-major'
                  # expect: actor
                  run: gh pr merge --auto "$URL"
            otherwise:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - if: vars.VERIFY
                  uses: dependabot/fetch-metadata@v2
                - if: "!(vars.VERIFY)"
                  # expect: actor
                  run: gh pr merge --auto "$URL"
            gate:
              if: endsWith(github.actor, '[bot]')
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            after:
              needs: gate
              runs-on: ubuntu-latest
              steps:
                # expect: actor
                - uses: actions/github-script@v7
                  with: { script: "await github.rest.pulls.merge({})" }
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [opened, reopened]
          permissions: { contents: write, pull-requests: write }
          env:
            PR: \${{ github.event.number }}
          jobs:
            take:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                # expect: anybody HIGH
                - run: gh pr review --approve "$PR"
                # expect: anybody HIGH
                - run: gh pr merge --auto --squash "$PR"
            now:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                # expect: anybody HIGH
                - uses: actions/github-script@v8
                  with:
                    script: |
                      await github.rest.pulls.merge({ ...context.repo, pull_number: context.issue.number });
            others:
              if: github.actor != 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                # expect: anybody MEDIUM
                - run: gh pr review --approve "$PR"
            review:
              runs-on: ubuntu-latest
              steps:
                # expect: anybody MEDIUM
                - uses: hmarr/auto-approve-action@v4
            later:
              runs-on: ubuntu-latest
              steps:
                # expect: anybody MEDIUM
                - uses: peter-evans/enable-pull-request-automerge@v3
                  with: { pull-request-number: "\${{ github.event.number }}" }
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [CI] } }
          jobs:
            merge:
              if: github.event.workflow_run.head_commit.author.email == 'release@acme.example'
              runs-on: ubuntu-latest
              steps:
                # expect: author
                - run: gh api -X PUT "repos/acme/app/pulls/$PR/merge"
        `,
      },
      {
        yaml: {
          '.github/workflows/merge.yml': yaml`
            on: pull_request_target
            permissions: { contents: write, pull-requests: write }
            jobs:
              merge:
                if: github.actor == 'dependabot[bot]'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: actor HIGH
                  - uses: ./.github/actions/merge
              every:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: anybody HIGH
                  - uses: ./.github/actions/merge
          `,
          '.github/actions/merge/action.yml': yaml`
            name: Merge
            description: Approves and merges
            runs:
              using: composite
              steps:
                - run: |
                    gh pr review --approve "$URL"
                    gh pr merge --auto --squash "$URL"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/try.yml': yaml`
            on: [pull_request_target, issue_comment]
            permissions: { contents: write }
            jobs:
              copy:
                if: github.event_name == 'pull_request_target'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.1.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}", token: "\${{ secrets.BOT_TOKEN }}" }
                  # expect: starts HIGH
                  - run: git push origin HEAD:refs/heads/try
                  # expect: pushed MEDIUM
                  - run: git push origin HEAD:refs/heads/keep
                  # expect: merged HIGH
                  - run: git push origin HEAD:\${{ github.head_ref }}
              own-token:
                if: github.event_name == 'pull_request_target'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.1.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                  # expect: pushed LOW
                  - run: git push origin HEAD:refs/heads/try
              bot:
                if: github.event_name == 'pull_request_target' && github.actor == 'dependabot[bot]'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.1.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}", token: "\${{ secrets.BOT_TOKEN }}" }
                  # expect: actor HIGH
                  - run: git push origin HEAD:refs/heads/try
              merge:
                if: github.event_name == 'issue_comment'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: |
                      git fetch origin pull/\${{ github.event.issue.number }}/head:pr
                      git merge pr
                      # expect: merged HIGH
                      git push
          `,
          '.github/workflows/ci.yml': yaml`
            on: { push: { branches: [main, 'try*'] } }
            permissions: { contents: read }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: make test
                    env: { KEY: "\${{ secrets.TEST_KEY }}" }
          `,
        },
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [labeled] } }
          permissions: { actions: write }
          jobs:
            approve:
              if: github.event.label.name == 'ok-to-test'
              runs-on: ubuntu-latest
              env: { BRANCH: "\${{ github.head_ref }}", GH_TOKEN: "\${{ github.token }}" }
              steps:
                - run: |
                    ID=$(gh api "repos/$GITHUB_REPOSITORY/actions/runs?branch=$BRANCH&event=pull_request" --jq '.workflow_runs[0].id')
                    # expect: query MEDIUM
                    gh api -X POST "repos/$GITHUB_REPOSITORY/actions/runs/$ID/approve"
                - run: |
                    ID=$(gh run list --branch "$BRANCH" --json databaseId --jq '.[0].databaseId')
                    # expect: named LOW
                    gh api -X POST "repos/$GITHUB_REPOSITORY/actions/runs/$ID/approve"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { pull_request_target: { types: [labeled] } }
          permissions: { actions: write }
          jobs:
            approve:
              if: github.event.label.name == 'ok-to-test'
              runs-on: ubuntu-latest
              env: { SHA: "\${{ github.event.pull_request.head.sha }}", GH_TOKEN: "\${{ github.token }}" }
              steps:
                - run: |
                    ID=$(gh api "repos/$GITHUB_REPOSITORY/actions/runs?head_sha=$SHA" --jq '.workflow_runs[0].id')
                    gh api -X POST "repos/$GITHUB_REPOSITORY/actions/runs/$ID/approve"
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            format:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with:
                    ref: \${{ github.head_ref }}
                    repository: \${{ github.event.pull_request.head.repo.full_name }}
                    token: \${{ secrets.BOT_TOKEN }}
                - run: |
                    make format
                    git commit -am Format
                    git push
                - run: git push origin HEAD:\${{ github.head_ref }}
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: |
                    git switch --orphan preview
                    git push -f origin HEAD:preview
        `,
      },
      {
        yaml: {
          '.github/workflows/merge.yml': yaml`
            on: pull_request_target
            permissions: { contents: write, pull-requests: write }
            jobs:
              verified:
                if: github.actor == 'dependabot[bot]'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/verify
                  - uses: ./.github/actions/merge
          `,
          '.github/actions/verify/action.yml': yaml`
            name: Verify
            description: Fails unless Dependabot opened the pull request
            runs:
              using: composite
              steps:
                - uses: dependabot/fetch-metadata@v2
          `,
          '.github/actions/merge/action.yml': yaml`
            name: Merge
            description: Merges
            runs:
              using: composite
              steps:
                - run: gh pr merge --auto --squash "$URL"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/bots.yml': yaml`
            on: pull_request_target
            permissions: { contents: read }
            jobs: { merge: { uses: ./.github/workflows/merge.yml } }
          `,
          '.github/workflows/merge.yml': yaml`
            on: workflow_call
            jobs:
              merge:
                if: github.actor == 'dependabot[bot]'
                runs-on: ubuntu-latest
                steps: [{ run: gh pr merge --auto "$URL" }]
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            author:
              if: github.event.pull_request.user.login == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            both:
              if: github.actor == 'dependabot[bot]' && github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            verified:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - uses: dependabot/fetch-metadata@v2
                - run: gh pr merge --auto "$URL"
            same:
              runs-on: ubuntu-latest
              steps:
                - if: github.actor == 'dependabot[bot]'
                  uses: dependabot/fetch-metadata@v2
                - if: github.actor == 'dependabot[bot]' && github.base_ref == 'main'
                  run: gh pr merge --auto "$URL"
            told:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - if: vars.VERIFY
                  id: verified
                  uses: dependabot/fetch-metadata@v2
                - if: steps.verified.outputs.update-type == 'version-update:semver-patch'
                  run: gh pr merge --auto "$URL"
            label:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr edit --add-label dependencies "$URL"
            either:
              if: github.actor == 'dependabot[bot]' || github.event.pull_request.draft == false
              runs-on: ubuntu-latest
              steps:
                - run: gh pr review --approve "$URL"
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, labeled] } }
          permissions: { contents: write, pull-requests: write }
          jobs:
            own:
              if: github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            titled:
              if: startsWith(github.event.pull_request.title, 'chore(release)')
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            labelled:
              if: contains(github.event.pull_request.labels.*.name, 'automerge')
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            labelling:
              if: github.event.action == 'labeled'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            script:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    if [ "$AUTHOR" = octo ]; then gh pr merge --auto "$URL"; fi
            asked:
              runs-on: ubuntu-latest
              steps:
                - run: ./may-merge.sh
                - run: gh pr merge --auto "$URL"
            gated:
              environment: merge
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
            filters:
              runs-on: ubuntu-latest
              steps:
                - uses: pascalgn/automerge-action@v0.16.4
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, push, schedule]
          jobs:
            merge:
              if: github.actor == 'dependabot[bot]'
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            merge:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto "$URL"
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, context: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    yield* pushes(job, context);
    yield* runApprovals(job, context);
  }
  yield* merges(workflow, context);
}

function* merges(workflow: Workflow, context: RuleContext): Generator<Report<Message>> {
  const asks = /actor|sender|\bauthor\b|committer/i.test(workflow.source.text);
  if (!asks && !workflow.source.text.includes('pull_request_target')) return;
  for (const step of stepsOf(workflow)) {
    const job = jobOf(step);
    const act = autoMergeStep(step, context.repository);
    if (job === undefined || act === undefined || isVerifiedBefore(step, context.repository)) continue;
    const stakes = credentialsOf(job);
    if (!tokenMayWrite(job, context.repository) && stakes.secrets.length === 0) continue;
    const report = asks ? byIdentity(step, act, context) : undefined;
    const found = report ?? unasked(step, act, context);
    if (found !== undefined) yield { ...found, at: step, span: act.span, confidence: stakes.any ? 'high' : 'medium' };
  }
}

type Found = Pick<Report<Message>, 'message' | 'data' | 'severity' | 'attributes'>;

function byIdentity(step: Step, act: AutoMergeStep, context: RuleContext): Found | undefined {
  const test = deciding(step);
  const decided = test === undefined ? undefined : eventDecidedByIdentity(step, context);
  if (test === undefined || decided === undefined) return undefined;
  const { event } = decided;
  return {
    message: test.kind === 'bot' ? 'actor' : 'author',
    data: { act: act.what, event, path: test.path, name: test.name },
    severity: severityOf(test, step, act, decided, context),
    attributes: attributesOf(act, event),
  };
}

function severityOf(
  { kind, name }: IdentityTest,
  step: Step,
  act: AutoMergeStep,
  decided: OutsiderEvent,
  { repository }: RuleContext,
): Severity {
  const job = jobOf(step);
  if (
    act.kind === 'push' &&
    job !== undefined &&
    !bringsOutsidersCode(job.steps.slice(0, step.index + 1), repository)
  ) {
    return 'LOW';
  }
  const arranged = (kind === 'git-author' || /\[bot\]$|^\d+$/.test(name)) && !leavesUnmerged(act, repository);
  const labelled = isLabelled(approvalBefore(step, decided, repository));
  if (arranged) return labelled ? 'MEDIUM' : 'HIGH';
  return labelled ? 'LOW' : 'MEDIUM';
}

function unasked(step: Step, act: AutoMergeStep, { repository }: RuleContext): Found | undefined {
  if (act.kind === 'push') return undefined;
  const event = outsiderEvents(step, repository).find((candidate) =>
    mergesUnreviewed(step, candidate, repository),
  )?.event;
  if (event === undefined) return undefined;
  return {
    message: 'anybody',
    data: { act: act.what, event },
    severity: unaskedSeverity(step.parent, repository),
    attributes: attributesOf(act, event),
  };
}

const unaskedSeverity = memoInRepository(({ steps }: Step['parent'], repository): Severity => {
  const kinds = new Set(steps.flatMap((step) => [...(autoMergeStep(step, repository)?.kinds ?? [])]));
  return kinds.has('merge') || (kinds.has('auto-merge') && kinds.has('approval')) ? 'HIGH' : 'MEDIUM';
});

function attributesOf({ what }: AutoMergeStep, event: string): Record<string, string> {
  return { act: what.split(' ')[0] as string, event, trigger_trust: 'outsider' };
}

function deciding(step: Step): IdentityTest | undefined {
  const job = jobOf(step);
  if (job === undefined) return undefined;
  for (const { condition } of [step, job, ...neededJobs(job)]) {
    const node = condition === undefined ? undefined : conditionOf(condition).node;
    const test = node === undefined ? undefined : identityTestsIn(node).find(({ negated }) => !negated);
    if (test !== undefined) return test;
  }
  return undefined;
}

function eventDecidedByIdentity(step: Step, { repository }: RuleContext): OutsiderEvent | undefined {
  return outsiderEvents(step, repository).find(
    (candidate) =>
      (candidate.event === 'pull_request_target' || candidate.event === 'workflow_run') &&
      scenariosOf(candidate).some(
        (scenario) =>
          scenario.action !== 'opened' &&
          mayRun(step, { ...scenario, identity: 'asked' }) &&
          !mayRun(step, { ...scenario, identity: 'other' }),
      ),
  );
}

const MAIN = /^(?:main|master|trunk|develop|\$\{\{\s*github\.event\.repository\.default_branch\s*\}\})$/;

function* pushes(job: Job, { repository }: RuleContext): Generator<Report<Message>> {
  for (const push of pushedCode(job, repository)) {
    const { step, span, code, event, credential } = push;
    const approval = approvalBefore(step, event, repository);
    if (approval === 'permission' || approval === 'label' || isVerifiedBefore(step, repository)) continue;
    if (credential === undefined && /^(?:none|read)$/.test(tokenPermissions(job).level('contents'))) continue;
    const { message, severity, workflow } = effectOf(push, job, repository);
    yield {
      message,
      data: {
        event: event.event,
        source: code.source,
        branch: push.chosen ? 'a branch that its author names' : (push.branch ?? 'the branch that was checked out'),
        credential: credential === undefined ? 'the job’s token' : `the credential ${credential}`,
        ...(workflow === undefined ? {} : { workflow: workflow.source.path }),
      },
      at: step,
      span,
      severity: approval === undefined ? severity : severity === 'HIGH' ? 'MEDIUM' : 'LOW',
      confidence: code.unsure === true ? 'low' : credentialsOf(job).any ? 'high' : 'medium',
      attributes: { act: 'pushes', event: event.event, trigger_trust: 'outsider' },
    };
  }
}

interface Effect {
  readonly message: 'pushed' | 'starts' | 'merged';
  readonly severity: Severity;
  readonly workflow?: Workflow;
}

/** The job's own token starts no runs by a push. */
function effectOf({ branch, chosen, code, credential, step }: PushedCode, job: Job, repository: Repository): Effect {
  const high = code.unsure === true ? 'MEDIUM' : 'HIGH';
  if (chosen || branch === undefined || MAIN.test(branch)) return { message: 'merged', severity: high };
  const after = job.steps.slice(step.index).map(({ run }) => run?.value ?? '');
  const dispatched = after.some((text) => STARTS_THERE.test(text));
  if (credential === undefined && !dispatched) return { message: 'pushed', severity: 'LOW' };
  const workflow = privilegedRunOn(
    branch,
    after.some((text) => OPENS.test(text)),
    repository,
  );
  if (workflow !== undefined && credential !== undefined) return { message: 'starts', severity: high, workflow };
  return { message: 'pushed', severity: dispatched ? high : 'MEDIUM' };
}

const STARTS_THERE = /\bgh workflow run\b[^\n]{0,200}\s(?:--ref|-r)\b|\/dispatches\b[^\n]{0,200}\bref=/;
const OPENS = /\bgh pr create\b|\bpulls\.create\s*\(/;

function* runApprovals(job: Job, { repository }: RuleContext): Generator<Report<Message>> {
  const level = tokenPermissions(job).level('actions');
  if (/^(?:none|read)$/.test(level) && credentialsOf(job).secrets.length === 0) return;
  for (const approval of approvalsByName(job, repository)) {
    const { step, span, what, event, source, encoded } = approval;
    yield {
      message: encoded ? 'named' : 'query',
      data: { event, what: what === 'run' ? 'run' : 'deployment', source },
      at: step,
      span,
      severity: encoded ? 'LOW' : unlocks(approval, repository) ? 'HIGH' : 'MEDIUM',
      confidence: 'medium',
      attributes: { act: 'approves', event, trigger_trust: 'outsider' },
    };
  }
}

/** An approved run of a fork has neither secrets nor a token that writes, but it may reach a persistent machine. */
function unlocks({ what }: ApprovalByName, repository: Repository): boolean {
  return what === 'deployment' || runsForksOnOwnMachines(repository);
}

const runsForksOnOwnMachines = memoByNode(({ workflows }: Repository): boolean =>
  workflows.some(
    ({ triggers, jobs }) =>
      triggers.some(({ event }) => event === 'pull_request') &&
      jobs.some((job) => runnerKind(job) === 'self-hosted' && mayRun(job, { event: 'pull_request' })),
  ),
);
