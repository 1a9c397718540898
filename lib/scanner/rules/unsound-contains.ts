import { taintsOf } from '#lib/analysis/dataflow/taint.ts';
import { worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { replaceRange } from '#lib/workflow/edits/scalars.ts';
import { conditionOf, type Expression, type ExpressionNode, nodesOf } from '#lib/workflow/expressions/expression.ts';
import type { Conditional, Job, Step, Text } from '#lib/workflow/model/model.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'chosen' | 'part';

export const unsoundContains = defineRule({
  id: 'unsound-contains',
  meta: {
    title: 'contains() on a string used as a membership test',
    why: '`contains` on a string matches any substring: for the list `main release`, the values `m`, `ease` and the empty string pass as well. A missing value is an empty string.',
    attack:
      'The attacker chooses a name that is a substring of the list, such as a branch called `m`, or triggers an event without that value, and passes the check.',
    recommendation: `Use a real list: \`contains(fromJSON('["main", "release"]'), github.ref_name)\`.`,
    limits: 'Checks only conditions of jobs and steps with a literal list.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions#contains',
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions#fromjson',
    ],
    messages: {
      chosen: 'Any substring of {{list}} passes this test, and anyone can choose {{value}} through {{event}}.',
      part: 'Any substring of {{list}} passes this test, and so does an empty {{value}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              # expect: chosen
              if: contains('main, release', github.head_ref)
              runs-on: ubuntu-latest
              steps:
                # expect: part
                - if: \${{ github.event_name == 'push' && contains('alice bob', github.actor) }}
                  run: make
                # expect: part
                - if: contains('push pull_request_target', github.event_name)
                  run: make
        `,
        fixed: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              # expect: chosen
              if: contains(fromJSON('["main", "release"]'), github.head_ref)
              runs-on: ubuntu-latest
              steps:
                # expect: part
                - if: \${{ github.event_name == 'push' && contains(fromJSON('["alice", "bob"]'), github.actor) }}
                  run: make
                # expect: part
                - if: contains(fromJSON('["push", "pull_request_target"]'), github.event_name)
                  run: make
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Build
            description: Builds
            inputs: { mode: { description: Mode } }
            runs:
              using: composite
              steps:
                # expect: part
                - if: "contains('fast slow', inputs.mode)"
                  shell: bash
                  run: make
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            build:
              if: contains(fromJSON('["main", "release"]'), github.ref_name)
              runs-on: ubuntu-latest
              steps:
                - if: contains(github.event.pull_request.labels.*.name, 'ready')
                  run: make
                - if: contains(github.event.head_commit.message, '[skip ci]') || contains('abc', 'b')
                  run: make
                - if: contains(needs.*.result, 'failure')
                  run: make
                - if: contains('deadbeef', github.sha)
                  run: make
        `,
      },
    ],
  },
  check: { condition: check },
});

const FIXED =
  /^(?:runner\.|matrix\.|strategy\.|job\.status|github\.(?:event_name|repository|repository_owner|ref_type|workflow|job|event\.action|event\.\w+\.(?:author_association|state|conclusion|event)$)|needs\.[^.]+\.result|steps\.[^.]+\.(?:outcome|conclusion))/;

const NEVER_A_PART = /^github\.(?:sha|run_id|token|event\.(?:before|after))$/;

function* check(node: Conditional, context: RuleContext): Generator<Report<Message>> {
  const { condition } = node;
  if (!/contains\s*\(\s*'/i.test(condition.value)) return;
  const expression = conditionOf(condition);
  for (const call of expression.node === undefined ? [] : nodesOf(expression.node)) {
    const report = judge(call, node, condition, expression, context);
    if (report !== undefined) yield report;
  }
}

function judge(
  call: ExpressionNode,
  node: Job | Step,
  condition: Text,
  expression: Expression,
  { repository }: RuleContext,
): Report<Message> | undefined {
  if (call.type !== 'call' || call.name !== 'contains') return undefined;
  const [list, item] = call.args;
  if (list?.type !== 'literal' || typeof list.value !== 'string' || item?.type !== 'access') return undefined;
  const value = item.path.join('.');
  if (NEVER_A_PART.test(value)) return undefined;
  const taint = worstTaint(taintsOf(item, node, repository));
  const chosen = taint?.writer === 'outsider' && taint.reach === 'outsider-privileged' ? taint : undefined;
  return {
    message: chosen === undefined ? 'part' : 'chosen',
    data: { list: `'${list.value}'`, value, event: chosen?.event ?? '' },
    at: node,
    span: expression.span,
    anchor: `${list.value} ${value}`,
    severity: chosen === undefined ? severityOf(value, node, { repository }) : atStake(node) ? 'HIGH' : 'MEDIUM',
    fix: listFix(list.value, node, condition, expression),
  };
}

function atStake(node: Job | Step): boolean {
  const job = node.kind === 'job' ? node : node.parent.kind === 'job' ? node.parent : undefined;
  return job !== undefined && credentialsOf(job).any;
}

/** Rates values that outsiders cannot choose freely; account names are chosen once, from those still available. */
function severityOf(value: string, node: Job | Step, { repository }: Pick<RuleContext, 'repository'>): Severity {
  if (FIXED.test(value)) return 'INFO';
  const login = /\.(?:actor|triggering_actor|login)$/.test(value);
  return login && outsiderEvents(node, repository).some(({ reach }) => reach === 'outsider-privileged')
    ? 'MEDIUM'
    : 'LOW';
}

function listFix(list: string, node: Job | Step, condition: Text, expression: Expression): Fix | undefined {
  const { style } = condition.node;
  const members = list.split(/[\s,;|]+/).filter((member) => member !== '');
  // Quoted scalars escape quotes, and commas have another meaning in a flow mapping.
  if (style === 'single' || style === 'double' || node.mapping.flow || /["'\\]/.test(list)) return undefined;
  const literal = `'${list}'`;
  const start = condition.value.indexOf(literal, expression.range.start);
  if (members.length === 0 || start === -1 || condition.value.includes(literal, start + 1)) return undefined;
  const text = `fromJSON('[${members.map((member) => `"${member}"`).join(', ')}]')`;
  const edit = replaceRange(condition, start, start + literal.length, text);
  return edit && { safety: 'review', edits: [edit] };
}
