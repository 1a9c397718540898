import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { evaluates, payloadHas, type Scenario } from '#lib/analysis/reachability/conditions.ts';
import { memberScenarios, outsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { objectTest } from '#lib/analysis/reachability/payload-objects.ts';
import { accessedPaths, conditionOf, type ExpressionNode, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { type Conditional, contentsOf, type Job, type Step, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { hasConditions } from '../shared/when.ts';

type Message = 'absent' | 'object' | 'never' | 'always';

export const constantCondition = defineRule({
  id: 'constant-condition',
  meta: {
    title: 'Condition always evaluates to the same result',
    why: 'A field that the event’s payload lacks is null, which differs from every name and equals false. An object of the payload, such as a user or a repository, equals no text. A check of such a field lets everything through. A check for an event that the workflow does not have lets nothing through, so what it guards never runs.',
    attack:
      'A job for comments checks `github.event.pull_request.head.repo.fork`, which only pull request events have. Anyone’s comment passes, and the job runs with its secrets.',
    recommendation:
      'Check a field that the workflow’s events have, such as `github.event.issue.user.login` for comments. Remove conditions that cannot fail; for conditions that cannot hold, remove the job or step, or add the missing event.',
    limits:
      'Only event names, activity types, refs and payload fields are evaluated; inputs, variables, outputs and needed jobs may have any value. Reusable workflows are skipped, because their event is the caller’s.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions#operators',
      'https://docs.github.com/actions/reference/workflows-and-actions/contexts#github-context',
      'https://docs.github.com/webhooks/webhook-events-and-payloads',
    ],
    messages: {
      absent:
        '{{field}} does not exist on {{event}}, so this condition holds for everyone and protects {{what}} from no one.',
      object:
        '{{field}} is an object, which never equals text, so this comparison is always {{result}}; {{meant}} may be meant.',
      never: 'This condition is always false: {{events}} cannot make it true.',
      always: 'This condition is always true: {{events}} cannot make it false.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            push: { branches: [main] }
          jobs:
            scan:
              # expect: never
              if: github.event_name == 'pull_request'
              runs-on: ubuntu-latest
              steps:
                - run: make
                # expect: never
                - if: startsWith(github.ref, 'refs/tags/')
                  run: make release
                # expect: never
                - if: \${{ always() && github.event.pull_request.merged }}
                  run: make clean
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            merge:
              # expect: absent
              if: \${{ !github.event.pull_request.head.repo.fork }}
              runs-on: ubuntu-latest
              steps: [{ run: make merge }]
            label:
              # expect: absent
              if: github.event.pull_request.user.login != 'renovate[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: make label }]
            unless-asked:
              # expect: absent
              if: \${{ !github.event.pull_request.head.repo.fork || vars.FORKS == 'yes' }}
              runs-on: ubuntu-latest
              steps: [{ run: make merge }]
            twice:
              # expect: absent
              if: github.event.pull_request.user.login != 'renovate[bot]' || github.event.pull_request.user.login != 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: make label }]
        `,
      },
      {
        yaml: yaml`
          on:
            push: { branches: [main] }
            pull_request: { types: [opened, synchronize] }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: never
                - if: github.event.action == 'closed'
                  run: make clean
                # expect: always
                - if: github.event_name == 'push' || github.event_name == 'pull_request'
                  run: make
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Build], types: [completed] } }
          permissions: { contents: write }
          jobs:
            never:
              # expect: object LOW
              if: github.event.workflow_run.actor == 'octocat'
              runs-on: ubuntu-latest
              steps: [{ run: "echo \${{ github.event.workflow_run.head_branch }}" }]
            always:
              # expect: object MEDIUM
              if: github.event.workflow_run.conclusion == 'success' && github.event.workflow_run.head_repository != 'acme/app'
              runs-on: ubuntu-latest
              steps:
                # expect: object LOW
                - if: github.event.sender == github.repository_owner
                  run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
            pull_request_target: { types: [opened, synchronize] }
          permissions: { pull-requests: write }
          jobs:
            request:
              runs-on: ubuntu-latest
              steps:
                - if: (github.event.action == 'created' && github.event.issue.user.login != 'sync[bot]') || (github.event.action != 'created' && github.event.pull_request.user.login != 'sync[bot]')
                  run: make request
        `,
      },
      {
        yaml: yaml`
          on: [pull_request_target, issues]
          jobs:
            asks:
              if: github.event.pull_request != null && github.event.issue.pull_request == null
              runs-on: ubuntu-latest
              steps:
                - if: github.event.sender.login == 'octocat' || github.event.pull_request.head.repo.full_name == github.repository
                  run: make
                - if: github.event.pull_request.milestone == ''
                  run: make
        `,
      },
      {
        yaml: yaml`
          on:
            push:
            workflow_dispatch: { inputs: { fast: { type: boolean } } }
            pull_request: { types: [opened, closed] }
          jobs:
            build:
              if: github.event_name != 'pull_request' || !github.event.pull_request.head.repo.fork
              runs-on: ubuntu-latest
              steps:
                - if: always()
                  run: make
                - if: false
                  run: make
                - if: success() && true
                  run: make
                - if: inputs.fast
                  run: make
                - if: startsWith(github.ref, 'refs/tags/')
                  run: make
                - if: github.event.pull_request.merged
                  run: make
                - if: github.ref == 'refs/heads/main'
                  run: make
                - if: github.repository == 'acme/app' && github.event_name == 'push'
                  run: make
        `,
      },
      {
        yaml: yaml`
          on: [push, workflow_call]
          jobs:
            build:
              if: github.event_name == 'pull_request'
              runs-on: ubuntu-latest
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: [push, issue_comment]
          permissions: { issues: write }
          jobs:
            build:
              if: github.event_name == 'push' || github.event.comment.author_association == 'OWNER'
              runs-on: ubuntu-latest
              steps:
                - if: \${{ !github.event.pull_request.head.repo.fork && github.event_name == 'push' }}
                  run: make
        `,
      },
    ],
  },
  when: hasConditions,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const { triggers } = workflow;
  const { conditions } = contentsOf(workflow);
  const told = new Set<Job | Step>();
  for (const report of objectTests(conditions)) {
    told.add(report.at as Job | Step);
    yield report;
  }
  if (triggers.length === 0 || triggers.some(({ event }) => event === 'workflow_call')) return;
  const scenarios = triggers.flatMap(memberScenarios);
  let toldAlways = false;
  const events = triggers.length > 3 ? 'the events of this workflow' : triggers.map(({ event }) => event).join(' and ');
  for (const node of conditions) {
    const expression = conditionOf(node.condition).node;
    if (expression === undefined || told.has(node) || !isTest(expression)) continue;
    const report = { at: node, span: node.condition.span };
    const absent = vacuousTest(node, expression, repository);
    if (absent !== undefined) {
      yield { ...report, message: 'absent', data: { ...absent, what: `this ${node.kind}` }, severity: 'MEDIUM' };
      continue;
    }
    const always = constantOf(expression, scenarios);
    if (always === undefined) continue;
    if (always && toldAlways) continue;
    toldAlways ||= always;
    yield { ...report, message: always ? 'always' : 'never', data: { events }, severity: always ? 'INFO' : 'LOW' };
  }
}

function* objectTests(conditions: readonly Conditional[]): Generator<Report<Message>> {
  for (const node of conditions) {
    const expression = conditionOf(node.condition).node;
    if (expression === undefined) continue;
    const test = nodesOf(expression).flatMap((each) => objectTest(each) ?? [])[0];
    if (test === undefined) continue;
    const { field, meant, negated } = test;
    yield {
      message: 'object',
      data: { field, meant, result: String(negated) },
      at: node,
      span: node.condition.span,
      severity: negated ? 'MEDIUM' : 'LOW',
    };
  }
}

function constantOf(expression: ExpressionNode, scenarios: readonly Scenario[]): boolean | undefined {
  let constant: boolean | undefined;
  for (const scenario of scenarios) {
    const result = evaluates(expression, scenario);
    if (result === undefined || (constant !== undefined && result !== constant)) return undefined;
    constant = result;
  }
  return constant;
}

/** A literal `true` or `false` is a deliberate switch. */
function isTest(node: ExpressionNode): boolean {
  const nodes = nodesOf(node);
  if (!nodes.some(({ type }) => type === 'access')) return false;
  return !nodes.some((each) => {
    const operands = each.type === 'and' || each.type === 'or' ? each.args : [];
    return operands.some(({ type }) => type === 'literal');
  });
}

const GUARDING = /^github\.event\..*(?:\.fork|\.(?:full_name|login|id|type|label)|author_association)$/;

function vacuousTest(
  node: Job | Step,
  expression: ExpressionNode,
  repository: Repository,
): { readonly field: string; readonly event: string } | undefined {
  const paths = accessedPaths(expression);
  const fields = paths.filter((path) => GUARDING.test(path));
  const job = node.kind === 'job' ? node : node.parent.kind === 'job' ? node.parent : undefined;
  if (fields.length === 0 || job === undefined || paths.includes('github.event_name') || !credentialsOf(job).any)
    return;
  for (const candidate of outsiderEvents(node, repository)) {
    const { event } = candidate;
    if (candidate.reach !== 'outsider-privileged' || candidate.workflow !== job.workflow) continue;
    const scenarios = scenariosOf(candidate);
    if (!scenarios.every((scenario) => evaluates(expression, scenario) === true)) continue;
    const field = fields.find(
      (path) => !payloadHas(path, event) && scenarios.every((scenario) => holdsThrough(expression, path, scenario)),
    );
    if (field !== undefined) return { field, event };
  }
  return undefined;
}

function holdsThrough(node: ExpressionNode, path: string, scenario: Scenario): boolean {
  if (node.type === 'or') {
    return node.args.every((arg) => evaluates(arg, scenario) !== true || holdsThrough(arg, path, scenario));
  }
  return node.type === 'and'
    ? node.args.some((arg) => holdsThrough(arg, path, scenario))
    : accessedPaths(node).includes(path);
}
