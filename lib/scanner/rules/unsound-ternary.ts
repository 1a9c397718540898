import { expressionTexts } from '#lib/analysis/dataflow/secret-use.ts';
import { replaceExpression } from '#lib/workflow/edits/scalars.ts';
import {
  type Expression,
  type ExpressionNode,
  expressionsIn,
  parseExpression,
} from '#lib/workflow/expressions/expression.ts';
import { type Definition, type Job, jobOf, type Step, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'never' | 'off' | 'unset';

export const unsoundTernary = defineRule({
  id: 'unsound-ternary',
  meta: {
    title: '`a && b || c` is not a safe ternary',
    why: 'Expressions have no ternary operator, so `a && b || c` is used as one. It fails when `b` is empty, zero, null or false: then the result is `c`, whatever `a` is.',
    attack:
      'If the expression selects a ref, runner, environment or credential, the value intended for untrusted runs is never used, and they get the one intended for trusted runs.',
    recommendation:
      'Invert the condition so that the value that may be falsy comes last: `!a && c || b`. If both may be falsy, use `case(a, b, c)` if your server supports it.',
    limits:
      'Checks only values that are certainly falsy, Boolean inputs, and a secret with another secret as fallback. A fallback for an empty text input, variable or step output is considered intended. `if` conditions are not checked, since they are no ternaries.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions#operators',
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions#literals',
    ],
    messages: {
      never: '{{middle}} is falsy, so it is never the result even when the condition is true.',
      off: '{{middle}} is never the result when it is false: the value after `||` is used instead.',
      unset: 'If {{middle}} is not set, {{other}} is silently used instead.',
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
              env:
                # expect: never
                FLAGS: \${{ github.ref == 'refs/heads/main' && '' || '--debug' }}
              steps: [{ run: make $FLAGS }]
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                # expect: never
                FLAGS: \${{ github.ref != 'refs/heads/main' && '--debug' || '' }}
              steps: [{ run: make $FLAGS }]
        `,
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                cache: { type: boolean }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with:
                    # expect: never
                    ref: \${{ !contains(github.ref, 'x') && '' || github.head_ref }}
                    # expect: never
                    depth: \${{ (github.actor == 'a' || github.actor == 'b') && 0 || 1 }}
                    # expect: off
                    cache: \${{ github.event_name == 'workflow_dispatch' && inputs.cache || 'true' }}
                    # expect: unset
                    token: \${{ github.ref == 'refs/heads/main' && secrets.WRITE_TOKEN || secrets.READ_TOKEN }}
        `,
        fixed: yaml`
          on:
            workflow_dispatch:
              inputs:
                cache: { type: boolean }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with:
                    # expect: never
                    ref: \${{ case(!contains(github.ref, 'x'), '', github.head_ref) }}
                    # expect: never
                    depth: \${{ !(github.actor == 'a' || github.actor == 'b') && 1 || 0 }}
                    # expect: off
                    cache: \${{ github.event_name != 'workflow_dispatch' && 'true' || inputs.cache }}
                    # expect: unset
                    token: \${{ case(github.ref == 'refs/heads/main', secrets.WRITE_TOKEN, secrets.READ_TOKEN) }}
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            build:
              # expect: never
              runs-on: \${{ fromJSON(format('["{0}"]', github.event.pull_request.head.repo.fork && null || 'big')) }}
              steps: [{ run: make }]
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            pull_request:
            workflow_dispatch:
              inputs:
                cache: { type: boolean }
                ref: { type: string }
          jobs:
            build:
              if: github.event_name == 'push' && false || inputs.cache
              runs-on: \${{ github.event_name == 'push' && 'ubuntu-24.04' || 'ubuntu-latest' }}
              steps:
                - if: \${{ github.event_name == 'push' && inputs.cache || true }}
                  run: make
                  env:
                    REF: \${{ github.event_name == 'workflow_dispatch' && inputs.ref || github.ref }}
                    HEAD: \${{ github.event_name == 'pull_request' && github.event.pull_request.head.sha || github.sha }}
                    EMPTY: \${{ github.event_name == 'push' && secrets.TOKEN || '' }}
                    DEFAULT: \${{ github.event_name == 'push' && secrets.TOKEN || github.token }}
                    CHAIN: \${{ runner.os == 'Linux' && '' || runner.os == 'macOS' && 'x' || '' }}
                    LOGIC: \${{ github.event_name == 'push' && inputs.cache || github.ref == 'refs/heads/main' }}
                    NEGATED: \${{ !(github.event_name == 'push' && false || inputs.cache) }}
                    WHOLE: \${{ github.event_name == 'push' && 1 || 0 }}
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  for (const { text, at } of expressionTexts(definition, '&&')) {
    if (at.kind === 'job' || at.kind === 'step' ? text.node === at.condition?.node : false) continue;
    for (const expression of expressionsIn(text)) {
      if (expression.node === undefined) continue;
      for (const ternary of ternariesIn(expression.node)) {
        const verdict = judge(ternary, at);
        if (verdict === undefined) continue;
        const [message, data] = verdict;
        yield {
          message,
          data,
          at,
          span: expression.span,
          // A missing credential is a setup mistake, not a vulnerability.
          severity: message === 'unset' ? 'INFO' : message === 'never' && decides(text, at) ? 'MEDIUM' : 'LOW',
          confidence: message === 'unset' ? 'medium' : 'high',
          fix: rewritten(text, expression, ternary),
        };
      }
    }
  }
}

interface Ternary {
  readonly whole: ExpressionNode;
  readonly middle: ExpressionNode;
  readonly other: ExpressionNode;
}

function* ternariesIn(node: ExpressionNode): Generator<Ternary> {
  switch (node.type) {
    case 'or': {
      const other = node.args.at(-1) as ExpressionNode;
      for (const arg of node.args.slice(0, -1)) {
        if (arg.type === 'and') yield { whole: node, middle: arg.args.at(-1) as ExpressionNode, other };
      }
      for (const arg of node.args) yield* ternariesIn(arg);
      break;
    }
    case 'and':
      yield* ternariesIn(node.args.at(-1) as ExpressionNode);
      break;
    case 'compare':
      for (const arg of node.args) yield* ternariesIn(arg);
      break;
    case 'call':
      for (const [index, arg] of node.args.entries()) {
        const tested = node.name === 'case' && index % 2 === 0 && index < node.args.length - 1;
        if (!tested) yield* ternariesIn(arg);
      }
      break;
    case 'index':
      yield* ternariesIn(node.target);
      break;
    case 'access':
    case 'literal':
    case 'not':
      break;
  }
}

function judge({ middle, other }: Ternary, at: Place): readonly [Message, Record<string, string>] | undefined {
  if (isFalsy(other)) return undefined;
  if (middle.type === 'literal') return isFalsy(middle) ? ['never', { middle: literalText(middle) }] : undefined;
  if (middle.type !== 'access') return undefined;
  const [context = '', name = ''] = middle.path;
  if (context === 'inputs' && other.type === 'literal' && isSwitch(name, at)) {
    return ['off', { middle: `The input ${name}` }];
  }
  const [otherContext, otherName = ''] = other.type === 'access' ? other.path : [];
  return context === 'secrets' && otherContext === 'secrets' && ![name, 'github_token'].includes(otherName)
    ? ['unset', { middle: `the secret ${name.toUpperCase()}`, other: otherName.toUpperCase() }]
    : undefined;
}

function isFalsy(node: ExpressionNode): boolean {
  return node.type === 'literal' && (node.value === '' || node.value === 0 || !node.value);
}

function literalText({ value }: { readonly value: string | number | boolean | null }): string {
  return value === '' ? 'An empty string' : `The value ${String(value)}`;
}

type Place = Definition | Job | Step;

function workflowOf(at: Place): Workflow | undefined {
  if (at.kind === 'workflow') return at;
  return at.kind === 'job' ? at.workflow : at.kind === 'step' ? jobOf(at)?.workflow : undefined;
}

/** True if the input is a Boolean. Inputs of actions are strings, and the string `false` is truthy. */
function isSwitch(name: string, at: Place): boolean {
  const inputs = workflowOf(at)?.triggers.flatMap((trigger) => trigger.inputs) ?? [];
  const named = inputs.filter((input) => input.name.toLowerCase() === name);
  return named.length > 0 && named.every(({ type }) => type === 'boolean');
}

const DECISIVE = /^(?:ref|repository|environment|runs-on|permissions?(?:-.+)?|role-to-assume)$|token|password|secret/i;

function decides(text: Text, at: Place): boolean {
  const within = (span: Span | undefined): boolean =>
    span !== undefined && span.start <= text.span.start && text.span.end <= span.end;
  if (at.kind === 'job' && (within(at.runsOn?.span) || within(at.environment?.span))) return true;
  const variables = at.kind === 'job' || at.kind === 'step' ? [at.with, at.env] : [];
  return variables.some((block) =>
    block?.entries.some(({ name, value }) => value.node === text.node && DECISIVE.test(name)),
  );
}

const KNOWN_FULL =
  /^github\.(?:sha|ref|ref_name|repository|repository_owner|run_id|run_number|actor|event_name|token)$/;

function rewritten(text: Text, fence: Expression, ternary: Ternary): Fix | undefined {
  const { node, source } = fence;
  if (node !== ternary.whole || text.node.shared || node.type !== 'or' || node.args.length !== 2) return undefined;
  const and = outsideOfQuotes(source, '&&');
  const or = outsideOfQuotes(source, '||');
  const at = and.at(-1);
  const last = or.at(-1);
  if (at === undefined || last === undefined || at > last) return undefined;
  const [test, middle, other] = [source.slice(0, at), source.slice(at + 2, last), source.slice(last + 2)].map((part) =>
    part.trim(),
  ) as [string, string, string];
  // Rejects cuts inside nested expressions, which parse differently.
  const [tested, shown, rest] = [test, middle, other].map((part) => parseExpression(part).node);
  if (tested === undefined || shown === undefined || rest === undefined) return undefined;
  if (JSON.stringify(shown) !== JSON.stringify(ternary.middle)) return undefined;
  const isFull =
    (rest.type === 'literal' && !isFalsy(rest)) || (rest.type === 'access' && KNOWN_FULL.test(rest.path.join('.')));
  const expression = isFull
    ? `${negated(test, tested)} && ${other} || ${middle}`
    : `case(${test}, ${middle}, ${other})`;
  const edit = replaceExpression(text, fence, expression);
  return edit && { safety: 'review', edits: [edit] };
}

function negated(test: string, node: ExpressionNode): string {
  if (node.type === 'not' && /^![\w.]+$/.test(test)) return test.slice(1);
  const equals = outsideOfQuotes(test, '==');
  if (node.type === 'compare' && node.operator === '==' && equals.length === 1 && !test.startsWith('(')) {
    return `${test.slice(0, equals[0])}!=${test.slice((equals[0] ?? 0) + 2)}`;
  }
  const enclosed = /^\([^()]*\)$/.test(test) || /^\w+\([^()]*\)$/.test(test) || /^[\w.]+$/.test(test);
  return enclosed ? `!${test}` : `!(${test})`;
}

function outsideOfQuotes(source: string, operator: string): number[] {
  const found: number[] = [];
  let quoted = false;
  for (let index = 0; index < source.length; index += 1) {
    if (source[index] === "'") quoted = !quoted;
    else if (!quoted && source.startsWith(operator, index)) found.push(index);
  }
  return found;
}
