import { isHandedToken } from '#lib/analysis/privileges/handed-token.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { isNoOp } from '#lib/analysis/privileges/no-op-steps.ts';
import { writesMoreThanTalk } from '#lib/analysis/privileges/worthy-writes.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { evaluates } from '#lib/analysis/reachability/conditions.ts';
import { outsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { replaceVerbatim, stripFinalBreak } from '#lib/workflow/edits/scalars.ts';
import { conditionOf, expressionsIn, parseExpression } from '#lib/workflow/expressions/expression.ts';
import { runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Conditional, type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'text' | 'block' | 'guard';

export const unsoundCondition = defineRule({
  id: 'unsound-condition',
  meta: {
    title: 'Condition is always true',
    why: 'Any character outside of `${{ }}` turns the whole value into a string, and a non-empty string is true. The condition looks like a check but checks nothing.',
    attack:
      'If the condition was meant to keep outsiders away from a privileged job, it lets everyone in: they only have to trigger the event.',
    recommendation:
      'Write one expression: omit the `${{ }}`, or put it around everything. In a block scalar use `|-` or `>-`, which drop the trailing newline.',
    limits: 'Whether the condition is otherwise correct is not checked.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idif',
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions',
    ],
    messages: {
      text: 'This condition is a string that contains {{fence}}, so it is always true.',
      block: 'The trailing newline of this block scalar makes the condition always true.',
      guard:
        'This condition is always true and lets in anyone through {{event}}, although it was meant to keep them out.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              # expect: text
              if: \${{ github.ref }} == 'refs/heads/main' && \${{ inputs.release || inputs.force }}
              runs-on: ubuntu-latest
              steps:
                # expect: text
                - if: "!cancelled() && \${{ github.event_name }} == 'push'"
                  run: make
                # expect: block
                - if: |
                    \${{ github.ref == 'refs/heads/main' }}
                  run: make release
                # expect: block
                - if: >
                    \${{ github.ref == 'refs/heads/main' }}
                  run: make release
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              # expect: text
              if: \${{ github.ref == 'refs/heads/main' && (inputs.release || inputs.force) }}
              runs-on: ubuntu-latest
              steps:
                # expect: text
                - if: "\${{ !cancelled() && github.event_name == 'push' }}"
                  run: make
                # expect: block
                - if: |-
                    \${{ github.ref == 'refs/heads/main' }}
                  run: make release
                # expect: block
                - if: >-
                    \${{ github.ref == 'refs/heads/main' }}
                  run: make release
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Build
            description: Builds
            inputs: { fast: { description: Fast } }
            runs:
              using: composite
              steps:
                # expect: text
                - if: "'\${{ inputs.fast }}' == 'true'"
                  shell: bash
                  run: make
          `,
        },
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            deploy:
              # expect: guard
              if: \${{ github.event.comment.author_association }} == 'OWNER'
              runs-on: ubuntu-latest
              steps: [{ run: make deploy }]
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: read }
          jobs:
            upload-alerts:
              permissions: { security-events: write }
              # expect: guard MEDIUM
              if: >
                \${{ github.event.comment.author_association == 'OWNER' }}
              runs-on: ubuntu-latest
              steps: [{ run: make scan }]
            upload-alerts-with-key:
              permissions: { security-events: write }
              # expect: guard HIGH
              if: >
                \${{ github.event.comment.author_association == 'OWNER' }}
              runs-on: ubuntu-latest
              steps: [{ run: make scan, env: { KEY: "\${{ secrets.SCAN_KEY }}" } }]
            tag:
              permissions: { security-events: write, contents: write }
              # expect: guard HIGH
              if: >
                \${{ github.event.comment.author_association == 'OWNER' }}
              runs-on: ubuntu-latest
              steps: [{ run: make tag }]
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: text MEDIUM
                - if: \${{ github.ref }} == 'refs/heads/main'
                  run: ./deploy.sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
                # expect: text LOW
                - if: \${{ success() }} || \${{ failure() }}
                  uses: actions/upload-artifact@v4
                  with: { path: report.html }
                # expect: block LOW
                - if: |
                    \${{ failure() }}
                  run: echo 'See the report.'
                # expect: text MEDIUM
                - if: \${{ success() }} || \${{ failure() }}
                  uses: acme/upload-report@v1
                  with: { path: report.html }
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: text LOW
                - if: \${{ github.ref }} == 'refs/heads/main'
                  run: make test
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Deploy
            description: Deploys
            inputs: { token: { description: Token }, os: { description: System } }
            runs:
              using: composite
              steps:
                # expect: text MEDIUM
                - if: "\${{ inputs.os }} == 'linux'"
                  shell: bash
                  run: ./deploy.sh
                  env: { TOKEN: "\${{ inputs.token }}" }
                # expect: text LOW
                - if: "\${{ inputs.os }} == 'linux'"
                  uses: actions/cache@v4
                  with: { path: deps, key: deps }
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              if: \${{ github.ref == 'refs/heads/main' && inputs.release }}
              runs-on: ubuntu-latest
              steps:
                - if: github.event_name == 'push'
                  run: make
                - if: |
                    github.event_name == 'push'
                  run: make
                - if: |-
                    \${{ github.event_name == 'push' }}
                  run: make
                - if: " \${{ always() }} "
                  run: make
                - if: true
                  run: make
                - if: \${{ github.event_name = 'push' }}
                  run: make
        `,
      },
    ],
  },
  check: { condition: check },
});

function* check(node: Conditional, context: RuleContext): Generator<Report<Message>> {
  const { condition } = node;
  if (!condition.value.includes('${{')) return;
  const fences = expressionsIn(condition);
  const [first] = fences;
  if (first === undefined || conditionOf(condition).node !== undefined || isWhole(condition)) return;
  const block = isBlock(condition) && fences.length === 1 && condition.value.trim() === fenceText(condition);
  const event = eventLetIn(node, condition, context);
  yield {
    message: event === undefined ? (block ? 'block' : 'text') : 'guard',
    data: { fence: first.source, event: event ?? '' },
    at: node,
    span: condition.span,
    severity: event !== undefined && opensMuch(node, context.repository) ? 'HIGH' : isAtStake(node) ? 'MEDIUM' : 'LOW',
    fix: block ? chomp(condition) : fenceAll(condition),
  };
}

function isAtStake(node: Job | Step): boolean {
  if (node.kind === 'step' && (isNoOp(node) || runsAction(node, 'actions/upload-artifact'))) return false;
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job !== undefined) return credentialsOf(job).any;
  return node.kind === 'step' && (isHandedToken(node) || publishesIn(node).length > 0 || takesCredential(node));
}

function opensMuch(node: Job | Step, repository: Repository): boolean {
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined) return false;
  const { secrets, mintsOidc } = credentialsOf(job);
  return secrets.length > 0 || mintsOidc || writesMoreThanTalk(job, repository);
}

function takesCredential({ mapping }: Step): boolean {
  return textsBelow(mapping).some(({ value }) => /\binputs\.[\w-]*(?:token|secret|password|key)/i.test(value));
}

function isBlock({ node }: Text): boolean {
  return node.style === 'literal' || node.style === 'folded';
}

function fenceText(condition: Text): string {
  const range = expressionsIn(condition)[0]?.range ?? { start: 0, end: 0 };
  return condition.value.slice(range.start, range.end);
}

function isWhole(condition: Text): boolean {
  return !isBlock(condition) && condition.value.trim() === fenceText(condition);
}

function withoutFences({ value }: Text, fences: ReturnType<typeof expressionsIn>): string | undefined {
  let text = '';
  let at = 0;
  for (const { range, source, node } of fences) {
    const compound = node !== undefined && ['and', 'or', 'compare'].includes(node.type);
    text += value.slice(at, range.start) + (compound ? `(${source})` : source);
    at = range.end;
  }
  text = (text + value.slice(at)).trim();
  return parseExpression(text).node === undefined ? undefined : text;
}

function eventLetIn(node: Job | Step, condition: Text, { repository }: RuleContext): string | undefined {
  const job = node.kind === 'job' ? node : node.parent.kind === 'job' ? node.parent : undefined;
  if (job === undefined || !credentialsOf(job).any) return undefined;
  const meant = withoutFences(condition, expressionsIn(condition));
  const expression = meant === undefined ? undefined : parseExpression(meant).node;
  if (expression === undefined) return undefined;
  return outsiderEvents(node, repository).find(
    (candidate) =>
      candidate.reach === 'outsider-privileged' &&
      candidate.workflow === job.workflow &&
      scenariosOf(candidate).every((scenario) => evaluates(expression, scenario) === false),
  )?.event;
}

function chomp(condition: Text): Fix | undefined {
  const edit = stripFinalBreak(condition);
  return edit && { safety: 'review', edits: [edit] };
}

function fenceAll(condition: Text): Fix | undefined {
  const { value } = condition;
  const fences = expressionsIn(condition);
  if (fences.some(({ range }) => value[range.start - 1] === "'" || value[range.end] === "'")) return undefined;
  const meant = withoutFences(condition, fences);
  if (meant === undefined) return undefined;
  const edit = replaceVerbatim(condition, 0, value.length, `\${{ ${meant} }}`);
  return edit && { safety: 'review', edits: [edit] };
}
