import { agentsOf } from '#lib/analysis/agents/catalog.ts';
import { checkoutsIn, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { secretNamesIn } from '#lib/analysis/privileges/secret-names.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { evaluates } from '#lib/analysis/reachability/conditions.ts';
import { jobsRead, neededJobs, requiredJobs, runsAfterFailure } from '#lib/analysis/reachability/needed-jobs.ts';
import {
  type OutsiderEvent,
  privilegedOutsiderEvents,
  scenariosOf,
} from '#lib/analysis/reachability/outsider-reach.ts';
import { refusalOfUnlisted } from '#lib/analysis/reachability/script-refusals.ts';
import { isOnlyData } from '#lib/analysis/workspace/data-only.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import {
  accessedPaths,
  conditionOf,
  type ExpressionNode,
  expressionsIn,
  nodesOf,
} from '#lib/workflow/expressions/expression.ts';
import { actionOf, innerSteps, inputOf, runsOwnAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, type Step, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { checkoutFact } from '../shared/shared-facts.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'command' | 'contributors' | 'executes' | 'environment';

export const missingTriggerAuthorization = defineRule({
  id: 'missing-trigger-authorization',
  meta: {
    title: 'Comment-triggered job does not check who wrote the comment',
    why: 'Anyone can open or comment on an issue or pull request. A job that reacts to a word in that text and then uses secrets or a write token does so for strangers as well as for members.',
    attack:
      'A stranger posts the command on any issue or pull request, and the job deploys, publishes, dispatches or pushes for them, with input they chose.',
    recommendation: `Add a condition such as \`contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.comment.author_association)\` to the job, or check the author’s permission in a first step that fails for everyone else.`,
    limits:
      'A step that mentions the author’s association, permission or team, in the job or in a local composite action, is assumed to reject others. A script of github-script counts if it first refuses whoever is not on a list that it states. Actions of other repositories are known to check this only in some cases; they count if they fail for others, or if a condition or script reads their result; a job that runs only actions of its own account or a workflow of another repository is LOW, as is one that only commits to the pull request itself, or for which the author’s association must be CONTRIBUTOR or more. Jobs that only react, label, comment or print are not reported.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#issue_comment',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    ],
    messages: {
      command: 'Anyone who writes the expected text ({{event}}) starts the job {{job}}, which holds {{held}}.',
      executes:
        'Anyone who writes the expected text ({{event}}) starts the job {{job}}, which runs a pull request’s code with {{held}}.',
      contributors:
        'Anyone with a merged commit who writes the expected text ({{event}}) starts the job {{job}}, which holds {{held}}.',
      environment:
        'Anyone who writes the expected text ({{event}}) starts the job {{job}}, which gets {{held}} once its environment allows it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            deploy:
              # expect: command
              if: startsWith(github.event.comment.body, '/deploy')
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh
                  env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
            contributors:
              # expect: command
              if: contains(github.event.comment.body, '/sync') && github.event.comment.author_association != 'NONE' && github.actor != 'some[bot]'
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: git push
        `,
        fixed: yaml`
          on: issue_comment
          jobs:
            deploy:
              # expect: command
              if: (startsWith(github.event.comment.body, '/deploy')) && contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh
                  env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
            contributors:
              # expect: command
              if: (contains(github.event.comment.body, '/sync') && github.event.comment.author_association != 'NONE' && github.actor != 'some[bot]') && contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: git push
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: [issue_comment, issues]
          jobs:
            bench:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                # expect: executes
                - if: contains(github.event.comment.body, '/bench')
                  run: |
                    gh pr checkout \${{ github.event.issue.number }}
                    make bench
            preview:
              environment: preview
              runs-on: ubuntu-latest
              # expect: environment
              if: "\${{ contains(github.event.issue.title, '[preview]') }}"
              steps:
                - run: ./preview.sh
                  env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
            rebase:
              # expect: contributors LOW
              if: contains(github.event.comment.body, '/rebase') && contains('MEMBER CONTRIBUTOR', github.event.comment.author_association)
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: git push
            called:
              # expect: command LOW
              if: github.event.comment.body == '/check'
              permissions: { actions: write }
              uses: acme/tools/.github/workflows/check.yml@main
            elsewhere:
              # expect: command LOW
              if: github.event.comment.body == '/approve'
              runs-on: ubuntu-latest
              permissions: { actions: write }
              steps:
                - uses: acme/actions/approve@v1
            dispatch:
              runs-on: ubuntu-latest
              steps:
                - id: command
                  # expect: command
                  uses: xt0rted/slash-command-action@v2
                  with: { command: release, permission-level: none }
                - run: gh workflow run release.yml
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: [issue_comment, issues]
          permissions: { contents: write }
          jobs:
            either:
              # expect: command
              if: (github.event_name == 'issue_comment' && contains(github.event.comment.body, '/sync') && github.event.comment.author_association == 'OWNER') || (github.event_name == 'issues' && contains(github.event.issue.body, '/sync'))
              runs-on: ubuntu-latest
              steps:
                - run: git push
            nested:
              # expect: command
              if: github.event_name == 'issue_comment' && (github.event.comment.author_association == 'OWNER' || contains(github.event.comment.body, '/sync'))
              runs-on: ubuntu-latest
              steps:
                - run: git push
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write, pull-requests: write }
          jobs:
            merge:
              runs-on: ubuntu-latest
              steps:
                # expect: command MEDIUM
                - run: |
                    if [[ "$BODY" == "/merge" ]]; then
                      gh pr merge "$NUMBER" --squash
                    fi
                  env:
                    BODY: \${{ github.event.comment.body }}
                    NUMBER: \${{ github.event.issue.number }}
                    GH_TOKEN: \${{ github.token }}
            rebase:
              # expect: command MEDIUM
              if: contains(github.event.comment.body, '/rebase')
              runs-on: ubuntu-latest
              permissions: {}
              steps:
                - uses: actions/checkout@v7
                  with: { token: "\${{ secrets.BOT_TOKEN }}" }
                - uses: acme/rebase@v1
                  env: { GITHUB_TOKEN: "\${{ secrets.BOT_TOKEN }}" }
            listed:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with:
                    # expect: command MEDIUM
                    script: |
                      if (!['ann'].includes(context.payload.comment.user.login)) return;
                      if (context.payload.comment.body === '/merge') core.info('Merging');
                - run: gh pr merge "$NUMBER" --squash
                  env: { NUMBER: "\${{ github.event.issue.number }}" }
            refused-late:
              # expect: command
              if: startsWith(github.event.comment.body, '/merge')
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge "$NUMBER" --squash
                  env: { NUMBER: "\${{ github.event.issue.number }}" }
                - uses: actions/github-script@v8
                  with: { script: "if (context.actor !== 'ann') throw new Error('Only Ann may')" }
            refused-in-vain:
              # expect: command
              if: startsWith(github.event.comment.body, '/merge')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with: { script: "if (context.actor !== 'ann') throw new Error('Only Ann may')" }
                - if: always()
                  run: gh pr merge "$NUMBER" --squash
                  env: { NUMBER: "\${{ github.event.issue.number }}" }
            scripted:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with:
                    # expect: command MEDIUM
                    script: |
                      const body = context.payload.comment.body;
                      if (!body.startsWith('/merge')) return;
                      await github.rest.pulls.merge({ ...context.repo, pull_number: context.issue.number });
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
                # expect: executes HIGH
                - { id: command, uses: github/command@v2, with: { command: .test } }
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            unread:
              # expect: executes HIGH
              if: startsWith(github.event.comment.body, '/test')
              runs-on: ubuntu-latest
              steps:
                - { id: may, uses: actions-cool/check-user-permission@v2, with: { require: write } }
                - run: echo "\${{ steps.may.outputs.require-result }}"
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            readers:
              # expect: executes HIGH
              if: startsWith(github.event.comment.body, '/test')
              runs-on: ubuntu-latest
              steps:
                - { uses: prince-chrismc/check-actor-permissions-action@v4, with: { permission: read } }
                - run: gh pr checkout \${{ github.event.issue.number }} && make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { issue_comment: { types: [created] } }
          permissions: { contents: write, pull-requests: write }
          jobs:
            signed:
              if: github.event.comment.body == 'I have read the CLA and sign it'
              runs-on: ubuntu-latest
              steps:
                - uses: contributor-assistant/github-action@ca4a40a7d1004f18d9960b404b97e5f30a505a08 # v2.6.1
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write, pull-requests: write }
          jobs:
            merge:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with:
                    script: |
                      const { data } = await github.rest.repos.getCollaboratorPermissionLevel({ ...context.repo, username: context.actor });
                      if (data.permission !== 'write') return;
                      if (context.payload.comment.body.trim() === '/merge') {
                        await github.rest.pulls.merge({ ...context.repo, pull_number: context.issue.number });
                      }
            listed:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: actions/github-script@v8
                  with:
                    script: |
                      const owners = ['ann', 'bob'];
                      if (!owners.includes(context.payload.comment.user.login)) return;
                      if (context.payload.comment.body === '/merge') {
                        await github.rest.pulls.merge({ ...context.repo, pull_number: context.issue.number });
                      }
            thrown:
              if: startsWith(github.event.comment.body, '/merge')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with: { script: "if (context.actor !== 'ann') throw new Error('Only Ann may')" }
                - run: gh pr merge "$NUMBER" --squash
                  env: { NUMBER: "\${{ github.event.issue.number }}" }
            rebase:
              if: contains(github.event.comment.body, '/rebase')
              runs-on: ubuntu-latest
              permissions: { issues: write }
              steps:
                - uses: acme/rebase@v1
            answer:
              if: contains(github.event.comment.body, '/help')
              runs-on: ubuntu-latest
              permissions: {}
              steps:
                - uses: acme/add-comment@v1
                  with: { token: "\${{ secrets.BOT_TOKEN }}" }
            count:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    echo "$BODY" | wc -c
                  env: { BODY: "\${{ github.event.comment.body }}" }
            tested:
              runs-on: ubuntu-latest
              steps:
                - { id: command, uses: github/command@v2, with: { command: .test } }
                - if: steps.command.outputs.continue == 'true'
                  run: gh pr checkout \${{ github.event.issue.number }} && make
            failing:
              if: startsWith(github.event.comment.body, '/test')
              runs-on: ubuntu-latest
              steps:
                - { uses: prince-chrismc/check-actor-permissions-action@v4, with: { permission: write } }
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            read:
              if: startsWith(github.event.comment.body, '/test')
              runs-on: ubuntu-latest
              steps:
                - { id: may, uses: actions-cool/check-user-permission@v2, with: { require: write } }
                - if: steps.may.outputs.require-result != 'true'
                  run: exit 1
                - run: gh pr checkout \${{ github.event.issue.number }} && make
        `,
      },
      {
        yaml: yaml`
          on: [issue_comment, issues, workflow_dispatch]
          permissions: { contents: write }
          jobs:
            comment:
              if: >-
                github.event_name == 'workflow_dispatch' || github.event_name == 'issues' ||
                (github.event_name == 'issue_comment' && contains(github.event.comment.body, '/sync') &&
                github.event.comment.author_association == 'MEMBER')
              runs-on: ubuntu-latest
              steps:
                - run: git push
            issue:
              if: github.event_name == 'issues' && github.event.issue.author_association == 'OWNER' && contains(github.event.issue.title, '/sync')
              runs-on: ubuntu-latest
              steps:
                - run: git push
            no-text:
              if: github.event.action == 'opened'
              runs-on: ubuntu-latest
              steps:
                - run: git push
        `,
      },
      {
        yaml: {
          '.github/workflows/example.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              in-action:
                runs-on: ubuntu-latest
                if: startsWith(github.event.comment.body, '/backport')
                steps:
                  - uses: ./.github/actions/allowed
                  - uses: korthout/backport-action@v4
              known-action:
                runs-on: ubuntu-latest
                if: github.event.comment.body == '/workflow-approve'
                steps:
                  - uses: prometheus/promci/approve_workflows@v0.9.0
          `,
          '.github/actions/allowed/action.yml': yaml`
            name: Allowed
            description: Fails for others
            runs:
              using: composite
              steps:
                - shell: bash
                  run: test "$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$GITHUB_ACTOR/permission" --jq .permission)" = write
          `,
        },
      },
      {
        yaml: yaml`
          on: [issue_comment]
          jobs:
            members:
              if: startsWith(github.event.comment.body, '/deploy') && contains(fromJSON('["OWNER", "MEMBER"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              steps: &deploy
                - run: ./deploy.sh
                  env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
            named:
              if: startsWith(github.event.comment.body, '/deploy') && contains(fromJSON(vars.MAINTAINERS), github.event.comment.user.login)
              runs-on: ubuntu-latest
              steps: *deploy
            bot-comment:
              if: contains(github.event.comment.body, 'released') && github.event.comment.user.login == 'acme-bot'
              runs-on: ubuntu-latest
              steps: *deploy
            any-comment:
              runs-on: ubuntu-latest
              steps: *deploy
            take:
              if: github.event.comment.body == '/take'
              runs-on: ubuntu-latest
              permissions: { issues: write }
              steps:
                - run: gh issue edit "$NUMBER" --add-assignee "$WHO"
                  env: { NUMBER: "\${{ github.event.issue.number }}", WHO: "\${{ github.actor }}" }
            default-token:
              if: github.event.comment.body == '/ping'
              runs-on: ubuntu-latest
              steps:
                - run: echo pong
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            slash:
              runs-on: ubuntu-latest
              if: startsWith(github.event.comment.body, '/backport')
              steps:
                - uses: xt0rted/slash-command-action@v2
                  with: { command: backport, permission-level: write }
                - uses: korthout/backport-action@v4
            looked-up:
              runs-on: ubuntu-latest
              if: startsWith(github.event.comment.body, '/backport')
              steps:
                - uses: actions/github-script@v8
                  with:
                    script: |
                      const { data } = await github.rest.repos.getCollaboratorPermissionLevel({ ...context.repo, username: context.actor });
                      if (data.permission !== 'write') throw new Error('no');
                - uses: korthout/backport-action@v4
            in-script:
              runs-on: ubuntu-latest
              if: startsWith(github.event.comment.body, '/backport')
              steps:
                - run: test "$WHO" = MEMBER
                  env: { WHO: "\${{ github.event.comment.author_association }}" }
                - uses: korthout/backport-action@v4
        `,
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

const CONVERSATION: ReadonlySet<string> = new Set(['issue_comment', 'issues', 'discussion', 'discussion_comment']);

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const events = privilegedOutsiderEvents(job, repository).filter(({ event }) => CONVERSATION.has(event));
    const [first] = events;
    if (first === undefined) continue;
    const steps = job.steps.filter((step) => privilegedOutsiderEvents(step, repository).length > 0);
    if (reportsFailures(job, steps)) continue;
    const use = useOfPrivileges(job, steps, repository);
    const place = use === undefined ? undefined : textTest(job, steps, events, repository);
    if (use === undefined || place === undefined || isAuthorized(job, repository)) continue;
    const approval = approvalBefore(job, first, repository);
    if (approval === undefined || approval === 'environment') {
      yield report(job, place, use, approval, repository);
    }
  }
}

const TEXTS: Readonly<Record<string, RegExp>> = {
  issue_comment: /^github\.event\.(?:comment\.body|issue\.(?:body|title))$/,
  issues: /^github\.event\.issue\.(?:body|title)$/,
  discussion: /^github\.event\.discussion\.(?:body|title)$/,
  discussion_comment: /^github\.event\.(?:comment\.body|discussion\.(?:body|title))$/,
};

interface Place {
  readonly text: Text;
  readonly at: Job | Step;
  readonly events: readonly OutsiderEvent[];
}

function textTest(
  job: Job,
  steps: readonly Step[],
  events: readonly OutsiderEvent[],
  repository: Repository,
): Place | undefined {
  for (const at of [job, ...steps, ...neededJobs(job)]) {
    if (at.condition === undefined) continue;
    const { node } = conditionOf(at.condition);
    if (node === undefined || !nodesOf(node).some(isTest)) continue;
    const reaching = new Set(privilegedOutsiderEvents(at, repository));
    const asking = events.filter((event) => reaching.has(event) && asksOutsiders(node, event));
    if (asking.length > 0) return { text: at.condition, at, events: asking };
  }
  for (const at of steps) {
    const asking = events.filter(({ event }) => testsCommand(at, event));
    const text = at.run ?? inputOf(at, 'script');
    if (text !== undefined && asking.length > 0) return { text, at, events: asking };
  }
  const slash = steps.find((step) => COMMAND_ACTIONS.has(actionOf(step)?.slug ?? ''));
  return slash?.uses === undefined ? undefined : { text: slash.uses.text, at: slash, events };
}

function asksOutsiders(node: ExpressionNode, candidate: OutsiderEvent): boolean {
  const text = TEXTS[candidate.event];
  if (text === undefined) return false;
  const scenarios = scenariosOf(candidate);
  return branchesOf(node).some(
    (branch) =>
      branch.some((part) => nodesOf(part).some((each) => isTest(each) && readsAny(each, text))) &&
      scenarios.some((scenario) => branch.every((part) => evaluates(part, scenario) !== false)),
  );
}

const WRITERS: Readonly<Record<string, RegExp>> = {
  issue_comment: /^github\.event\.comment\.author_association$/,
  issues: /^github\.event\.issue\.author_association$/,
  discussion: /^github\.event\.discussion\.author_association$/,
  discussion_comment: /^github\.event\.comment\.author_association$/,
};

function demandsContribution(condition: Text | undefined, events: readonly OutsiderEvent[]): boolean {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  if (node === undefined) return false;
  return events.every((candidate) => {
    const writer = WRITERS[candidate.event];
    const scenarios = scenariosOf(candidate);
    const possible = branchesOf(node).filter((branch) =>
      scenarios.some((scenario) => branch.every((part) => evaluates(part, scenario) !== false)),
    );
    return writer !== undefined && possible.every((branch) => branch.some((part) => namesAssociation(part, writer)));
  });
}

function namesAssociation(node: ExpressionNode, writer: RegExp): boolean {
  const positive = node.type === 'compare' ? node.operator === '==' : node.type === 'call' && node.name === 'contains';
  if (!positive || !readsAny(node, writer)) return false;
  const literals = nodesOf(node).flatMap((each) => (each.type === 'literal' ? [String(each.value)] : []));
  return literals.length > 0 && !literals.some((text) => /none|first_time/i.test(text));
}

const PAYLOAD_TESTS =
  /\bcontext\.payload\.(?:comment|issue|discussion)\??\.(?:body|title)\b[^\n;]{0,80}?(?:[=!]==?|\.(?:startsWith|includes|match)\()\s{0,5}['"`/]\^?\\?[/.!@]/;
const NAMED_PAYLOAD =
  /\b(?:const|let|var)\s+(\w+)\s*=\s*context\.payload\.(?:comment|issue|discussion)\??\.(?:body|title)\b/;
const MAX_SCRIPT = 20_000;

function testsCommand(step: Step, event: string): boolean {
  const text = TEXTS[event];
  if (text === undefined) return false;
  if (actionOf(step)?.slug === 'actions/github-script') {
    const script = (inputOf(step, 'script')?.value ?? '').slice(0, MAX_SCRIPT);
    if (PAYLOAD_TESTS.test(script)) return true;
    const [, name] = NAMED_PAYLOAD.exec(script) ?? [];
    return name !== undefined && script.split('\n').some((line) => testsName(line.slice(0, MAX_TEST_LINE), name));
  }
  const script = (step.run?.value ?? '').slice(0, MAX_SCRIPT);
  const holders = (step.env?.entries ?? []).flatMap(({ name, value }) =>
    expressionsIn(value).some(({ node }) => node !== undefined && readsAny(node, text)) ? [name] : [],
  );
  return holders.length > 0 && script.split('\n').some((line) => testsVariable(line.slice(0, MAX_TEST_LINE), holders));
}

const MAX_TEST_LINE = 500;

function testsName(line: string, name: string): boolean {
  const at = line.indexOf(name);
  if (at === -1) return false;
  return /^\w+(?:\.\w+\(\))?\s{0,5}(?:[=!]==?|\.(?:startsWith|includes|match)\()\s{0,5}['"`/]\^?\\?[/.!@]/.test(
    line.slice(at),
  );
}

function testsVariable(line: string, names: readonly string[]): boolean {
  if (!names.some((name) => line.includes(`$${name}`) || line.includes(`\${${name}}`))) return false;
  const command = /["'\s^*]\\?[/.!@][a-z][\w-]*/i.test(line);
  return (command && /\[\[?\s|\btest\s|\bgrep\b/.test(line)) || /\bcase\s/.test(line);
}

const MAX_BRANCHES = 64;

function branchesOf(node: ExpressionNode): ExpressionNode[][] {
  if (node.type === 'or') return node.args.flatMap(branchesOf).slice(0, MAX_BRANCHES);
  if (node.type !== 'and') return [[node]];
  let branches: ExpressionNode[][] = [[]];
  for (const arg of node.args) {
    const own = branchesOf(arg);
    branches = branches.flatMap((before) => own.map((each) => [...before, ...each])).slice(0, MAX_BRANCHES);
  }
  return branches;
}

function isTest(node: ExpressionNode): boolean {
  return (
    node.type === 'compare' ||
    (node.type === 'call' && (node.name === 'contains' || node.name === 'startswith' || node.name === 'endswith'))
  );
}

function readsAny(node: ExpressionNode, text: RegExp): boolean {
  return accessedPaths(node).some((path) => text.test(path));
}

const COMMAND_ACTIONS: ReadonlyMap<string, string | undefined> = new Map([
  ['github/command', undefined],
  ['khan/pull-request-comment-trigger', undefined],
  ['peter-evans/slash-command-dispatch', 'permission'],
  ['xt0rted/slash-command-action', 'permission-level'],
]);

function isAuthorized(job: Job, repository: Repository): boolean {
  const jobs = [job, ...requiredJobs(job), ...jobsRead(job, job)];
  if (jobs.some(({ steps }) => steps.some((step) => asks(step) || innerSteps(step, repository).some(asks))))
    return true;
  if (jobs.some((each) => (each === job ? refusesFirst(each) : each.steps.some(refuses)))) return true;
  const refusing = job.steps.filter((step) => refusalOfUnlisted(step) === 'ends');
  return refusing.length > 0 && job.steps.every((step) => refusing.includes(step) || prepares(step));
}

function refuses(step: Step): boolean {
  return refusalOfUnlisted(step) === 'fails';
}

function refusesFirst({ steps }: Job): boolean {
  const first = steps.findIndex(refuses);
  return first !== -1 && steps.slice(0, first).every(prepares) && !steps.slice(first + 1).some(runsAfterFailure);
}

function asks(step: Step): boolean {
  const { slug = '', name = '' } = actionOf(step) ?? {};
  const input = COMMAND_ACTIONS.get(slug);
  if (input !== undefined) return !/\b(?:none|read)\b/.test(inputOf(step, input)?.value ?? '');
  if (CHECKS_AUTHOR_OR_ASKS_EVERYBODY.has(slug) || CHECKS_AUTHOR_OR_ASKS_EVERYBODY.has(name)) return true;
  if (agentsOf(step).some(({ access }) => access === 'writers')) return true;
  const texts = [step.run, inputOf(step, 'script'), ...(step.env?.entries.map(({ value }) => value) ?? [])];
  return texts.some((text) => text !== undefined && ASKS.test(text.value));
}

const CHECKS_AUTHOR_OR_ASKS_EVERYBODY: ReadonlySet<string> = new Set([
  'anthropics/claude-code-action',
  'cla-assistant/github-action',
  'contributor-assistant/github-action',
  'openai/codex-action',
  'prometheus/promci/approve_workflows',
]);

const ASKS =
  /author_association|authorAssociation|getCollaboratorPermissionLevel|\/permission\b|\/memberships?\/|\/collaborators\//;

const READS_TEXT = /\b(?:comment|issue|discussion)\??\.(?:body|title)\b/;
const ACTS = /\brest\.(?:actions|git|repos)\b|\bmerge\b|\brequire\s?\(|\bimport\s?\(|\bexec/;

function reportsFailures({ condition }: Job, steps: readonly Step[]): boolean {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  const isFailure = (part: ExpressionNode): boolean => part.type === 'call' && part.name === 'failure';
  if (node === undefined || !branchesOf(node).every((branch) => branch.some(isFailure))) return false;
  return steps.every((step) => {
    const script = actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script')?.value : undefined;
    if (step.run === undefined) return script !== undefined && !READS_TEXT.test(script) && !ACTS.test(script);
    const given = [step.run, ...(step.env?.entries.map(({ value }) => value) ?? [])];
    return !given.some(({ value }) => READS_TEXT.test(value)) && onlyReports(step);
  });
}

function onlyReports(step: Step): boolean {
  const commands = commandsOf(step);
  return commands.length > 0 && commands.every(isHarmless);
}

function onlyPrints(step: Step): boolean {
  return onlyReports(step) && commandsOf(step).every(({ program }) => program !== 'curl' && program !== 'gh');
}

function isHarmless({ program, text }: ShellCommand): boolean {
  return HARMLESS.has(program) && !CONSEQUENCE.test(text);
}

const DELEGATES = /\b(?:require|import)\s?\(\s?(?:['"`]\.{1,2}\/|`\$\{process\.env\.GITHUB_WORKSPACE\}\/)/;

function leavesAllToScripts(steps: readonly Step[]): boolean {
  let delegated = false;
  for (const step of steps) {
    const script =
      actionOf(step)?.slug === 'actions/github-script' ? (inputOf(step, 'script')?.value ?? '') : undefined;
    if (script === undefined) {
      if (!prepares(step)) return false;
    } else if (DELEGATES.test(script) && /\bcontext\b(?!\.)/.test(script) && !/\brest\./.test(script)) delegated = true;
    else return false;
  }
  return delegated;
}

function prepares(step: Step): boolean {
  if (step.run !== undefined) return onlyReports(step);
  const slug = actionOf(step)?.slug ?? '';
  return (slug.startsWith('actions/') && slug !== 'actions/github-script') || COMMAND_ACTIONS.has(slug);
}

type Use = 'plain' | 'possible';

function useOfPrivileges(job: Job, steps: readonly Step[], repository: Repository): Use | undefined {
  const { strong } = privilegesOf(job);
  if (!strong || (steps.length > 0 && steps.every(onlyPrints))) return undefined;
  if (job.uses !== undefined && job.uses.reference?.kind !== 'local') return 'possible';
  if (steps.length > 0 && steps.every((step) => runsOwnAction(step, repository))) return 'possible';
  const checkouts = outsiderCheckouts(job, repository);
  if (leavesAllToScripts(steps) && checkouts.length === 0) return 'possible';
  if (checkouts.some(({ step }) => step === steps[0]) && checkouts.every(isOnlyData)) return 'possible';
  const { declared } = tokenPermissions(job);
  const scopes = declared?.scopes.filter(({ level }) => level === 'write').map(({ scope }) => scope) ?? [];
  if (declared?.all === 'write-all' || scopes.some((scope) => POWERFUL.has(scope))) return 'plain';
  if (checkouts.length > 0) return 'plain';
  const commands = steps.flatMap(commandsOf);
  if (commands.some(({ text }) => CONSEQUENCE.test(text))) return 'plain';
  const actions = steps.map((step) => actionOf(step)?.name ?? '');
  if (credentialsOf(job).secrets.length > 0 && actions.some((name) => ACTS_ON_CODE.test(name))) {
    return 'plain';
  }
  return steps.some(givesSecretToProgram) ? 'possible' : undefined;
}

const ACTS_ON_CODE =
  /deploy|dispatch|publish|release|rebase|backport|cherry-?pick|squash|auto-?(?:commit|merge)|update-?branch|(?:git|hub)-push/;

const POWERFUL: ReadonlySet<string> = new Set(['actions', 'contents', 'deployments', 'id-token', 'packages', 'pages']);

const CONSEQUENCE =
  /^(?:git push|gh (?:workflow run|pr merge|release|repo|api .*dispatches)|npm publish|docker push|kubectl|terraform|helm|\S*deploy\S*)\b/;

const HARMLESS: ReadonlySet<string> = new Set(
  [
    '[',
    '[[',
    'awk',
    'base64',
    'cat',
    'curl',
    'cut',
    'echo',
    'exit',
    'export',
    'gh',
    'grep',
    'head',
    'jq',
    'printf',
  ].concat(['read', 'sed', 'set', 'sleep', 'sort', 'tail', 'test', 'tr', 'true', 'wc', 'yq']),
);

function givesSecretToProgram(step: Step): boolean {
  const secret = step.env?.entries.some(({ value }) => secretNamesIn(value).some((name) => name !== 'github_token'));
  return secret === true && commandsOf(step).some(({ program }) => program !== '' && !HARMLESS.has(program));
}

function report(
  job: Job,
  { text, at, events }: Place,
  use: Use,
  approval: 'environment' | undefined,
  repository: Repository,
): Report<Message> {
  const executes = outsiderCheckouts(job, repository).some((checkout) =>
    executionsAfter(checkout, checkoutsIn(job, checkout, repository)).some(({ runs }) => runs === 'certain'),
  );
  const contributed = [job, at].some(({ condition }) => demandsContribution(condition, events));
  const message = approval ?? (executes ? 'executes' : contributed ? 'contributors' : 'command');
  return {
    message,
    data: { event: events.map(({ event }) => event).join(', '), job: job.id, held: heldBy(job) },
    at,
    span: text.span,
    ...(executes ? { facts: outsiderCheckouts(job, repository).map(checkoutFact) } : {}),
    severity: message === 'executes' ? 'HIGH' : message === 'command' && use === 'plain' ? 'MEDIUM' : 'LOW',
    confidence: use === 'plain' ? 'medium' : 'low',
    fix: at === job ? withAuthor(job, text) : undefined,
    attributes: { events: events.map(({ event }) => event), executes, trigger_trust: 'outsider' },
  };
}

function withAuthor(job: Job, condition: Text): Fix | undefined {
  const { node, value } = condition;
  const onlyComments = job.workflow.triggers.every(({ event }) => /^(?:issue|discussion)_comment$/.test(event));
  if (!onlyComments || node.style !== 'plain' || job.mapping.flow || value.includes('${{')) return undefined;
  const members = `contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.comment.author_association)`;
  const edit = replaceVerbatim(condition, 0, value.length, `(${value}) && ${members}`);
  return edit && { safety: 'review', edits: [edit] };
}
