import { bringsOutsidersCode } from '#lib/analysis/checkouts/checkouts.ts';
import { memoInRepository } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenMayWrite } from '#lib/analysis/privileges/permissions.ts';
import { approvalBefore, isLabelled } from '#lib/analysis/reachability/approvals.ts';
import { type AutoMergeStep, autoMergeStep, isVerifiedBefore } from '#lib/analysis/reachability/auto-merge-steps.ts';
import {
  mayRun,
  neededJobs,
  type OutsiderEvent,
  outsiderEvents,
  scenariosOf,
} from '#lib/analysis/reachability/outsider-reach.ts';
import { mergesUnreviewed } from '#lib/analysis/reachability/unreviewed-auto-merge.ts';
import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTestsIn } from '#lib/workflow/expressions/identity.ts';
import { jobOf, type Step, stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'actor' | 'author' | 'anybody';

export const confusedDeputyAutoMerge = defineRule({
  id: 'confused-deputy-auto-merge',
  meta: {
    title: 'Workflow merges or approves outsiders’ pull requests',
    why: 'The actor of a run is the account that triggered the last event, not the author of the pull request. An outsider can make a bot act on a branch of their own fork, and the workflow then mistakes their pull request for the bot’s. A job without any check accepts every pull request.',
    attack:
      'An attacker opens a pull request from a fork and makes the bot push or rebase a commit on that branch. The workflow approves or merges the attacker’s change with the repository’s token.',
    recommendation:
      "Check the author instead: `github.event.pull_request.user.login == 'dependabot[bot]'`, together with `github.event.pull_request.head.repo.full_name == github.repository`. For Dependabot, let `dependabot/fetch-metadata` verify the pull request before the step that merges it.",
    limits:
      'Checks for a bot inside a script are not seen, nor are conditions with several alternatives, nor merges by unknown actions. A job without any check is reported only if no step before the merge could decide anything. A push is LOW unless the job checks out the pull request’s code, and a label that somebody must set lowers the rest. Branch rules that still require a review are not considered.',
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
    ],
    good: [
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
  // A machine user obeys its owner; anyone can make an app act.
  const arranged = kind === 'git-author' || /\[bot\]$|^\d+$/.test(name);
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
          // The actor who opens a pull request is its author; only later events have another actor.
          scenario.action !== 'opened' &&
          mayRun(step, { ...scenario, identity: 'asked' }) &&
          !mayRun(step, { ...scenario, identity: 'other' }),
      ),
  );
}
