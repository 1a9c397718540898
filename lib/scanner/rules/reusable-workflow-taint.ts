import { evalSinksOf } from '#lib/analysis/dataflow/eval-sinks.ts';
import { isLiteralText, scriptSinksOf } from '#lib/analysis/dataflow/script-sinks.ts';
import { mayHoldOutsiderText, taintsOf } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { crossesFiles, eventOf, isMultiline, worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { BY_COLLABORATORS } from '#lib/analysis/reachability/events.ts';
import { knownDefinitions } from '#lib/facts/facts.ts';
import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Definition, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'pasted' | 'evaluated';

export const reusableWorkflowTaint = defineRule({
  id: 'reusable-workflow-taint',
  meta: {
    title: 'Untrusted input from another file is executed as code',
    why: 'A reusable workflow or action trusts its inputs, and its caller trusts it to handle them safely. When untrusted text is passed between them, neither file alone shows the danger: the caller has no script, and the script refers only to an input.',
    attack:
      'The attacker opens an issue or pull request whose text contains shell syntax. One file passes it on through `with`, an output or a dispatch; the other inserts it into a script, which runs it with the receiving job’s token and secrets.',
    recommendation:
      'In the file with the script, pass the input to the step through `env:` and use the quoted variable. If only a few values make sense, declare the input as `choice`, `number` or `boolean`.',
    limits:
      'Follows calls, outputs and dispatches between files of one repository and, with network access, into the composite actions of others, one level deep. Their workflows, payloads created in github-script, and artifacts are not followed.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    inUsedActions: true,
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/security/script-injections',
      'https://docs.github.com/actions/reference/security/secure-use',
      'https://securitylab.github.com/resources/github-actions-untrusted-input/',
    ],
    messages: {
      pasted: '{{source}}, which anyone can set through {{event}} in another file, is inserted into {{sink}}.',
      evaluated: '{{source}}, which anyone can set through {{event}} in another file, is executed as code by {{sink}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/notify.yml': yaml`
            on:
              workflow_call:
                inputs:
                  title: { type: string }
            jobs:
              notify:
                runs-on: ubuntu-latest
                steps:
                  # expect: pasted
                  - run: echo "New issue \${{ inputs.title }}"
          `,
          '.github/workflows/issues.yml': yaml`
            on:
              issues: { types: [opened] }
            permissions: { contents: write }
            jobs:
              notify:
                uses: ./.github/workflows/notify.yml
                with:
                  title: \${{ github.event.issue.title }}
          `,
        },
      },
      {
        yaml: {
          '.github/actions/greet/action.yml': yaml`
            name: Greet
            description: Greets
            inputs:
              text: { description: text, required: true }
            runs:
              using: composite
              steps:
                - shell: bash
                  # expect: pasted
                  run: echo "\${{ inputs.text }}"
                - shell: bash
                  env: { TEXT: "\${{ inputs.text }}" }
                  # expect: evaluated
                  run: eval "$TEXT"
          `,
          '.github/workflows/comment.yml': yaml`
            on: issue_comment
            jobs:
              greet:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/greet
                    with: { text: "\${{ github.event.comment.body }}" }
          `,
        },
      },
      {
        yaml: {
          '.github/actions/backport/action.yml': yaml`
            name: Backport
            description: Applies a change to another branch
            inputs:
              branch: { description: branch, required: true }
            runs:
              using: composite
              steps:
                - shell: bash
                  # expect: pasted HIGH
                  run: git fetch origin "\${{ inputs.branch }}"
          `,
          '.github/workflows/backport.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              backport:
                runs-on: ubuntu-latest
                steps:
                  - id: parse
                    env: { COMMENT: "\${{ github.event.comment.body }}" }
                    run: |
                      first="$(printf '%s' "$COMMENT" | tr -d '\r' | head -n1)"
                      branch="$(printf '%s' "$first" | awk '{print $2}')"
                      git check-ref-format --branch "$branch" || exit 1
                      echo "branch=$branch" >> "$GITHUB_OUTPUT"
                  - uses: ./.github/actions/backport
                    with: { branch: "\${{ steps.parse.outputs.branch }}" }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/send.yml': yaml`
            on: issue_comment
            jobs:
              send:
                runs-on: ubuntu-latest
                env:
                  BODY: \${{ github.event.comment.body }}
                steps:
                  - run: gh workflow run build.yml -f target="$BODY" -f count="$BODY"
                  - uses: peter-evans/repository-dispatch@v3
                    with:
                      event-type: build
                      client-payload: '{"ref": "main", "text": "\${{ github.event.issue.title }}"}'
              parse:
                uses: ./.github/workflows/parse.yml
              use:
                needs: parse
                runs-on: ubuntu-latest
                steps:
                  # expect: pasted
                  - run: make \${{ needs.parse.outputs.command }}
          `,
          '.github/workflows/parse.yml': yaml`
            on:
              workflow_call:
                outputs:
                  command: { value: "\${{ jobs.parse.outputs.command }}" }
            jobs:
              parse:
                runs-on: ubuntu-latest
                outputs:
                  command: \${{ steps.read.outputs.command }}
                steps:
                  - id: read
                    env: { BODY: "\${{ github.event.comment.body }}" }
                    run: echo "command=$BODY" >> "$GITHUB_OUTPUT"
          `,
          '.github/workflows/build.yml': yaml`
            on:
              workflow_dispatch:
                inputs:
                  target: { type: string }
                  count: { type: number }
              repository_dispatch: { types: [build] }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - run: |
                      # expect: pasted
                      make \${{ inputs.target }}
                      make -j \${{ inputs.count }}
                      # expect: pasted
                      echo \${{ github.event.client_payload.text }}
                      git checkout \${{ github.event.client_payload.ref }}
          `,
        },
      },
      {
        facts: knownDefinitions({
          'acme/greet/sub@v1': [
            'inputs: { name: { description: Whom }, quiet: { description: x } }',
            'runs:',
            '  using: composite',
            '  steps:',
            '    - shell: bash',
            '      run: echo "Hello ${{ inputs.name }} ${{ inputs.quiet }}"',
          ].join('\n'),
        }),
        yaml: yaml`
          on: issues
          jobs:
            greet:
              runs-on: ubuntu-latest
              steps:
                # expect: pasted
                - uses: acme/greet/sub@v1
                  with: { name: "\${{ github.event.issue.title }}" }
                - uses: acme/greet/sub@v1
                  with: { name: "\${{ github.event.issue.number }}" }
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/notify.yml': yaml`
            on:
              workflow_call:
                inputs:
                  title: { type: string }
                  number: { type: number }
                  other: { type: string }
            jobs:
              notify:
                runs-on: ubuntu-latest
                steps:
                  - run: echo "$TITLE" \${{ inputs.number }} \${{ inputs.other }}
                    env: { TITLE: "\${{ inputs.title }}" }
          `,
          '.github/workflows/issues.yml': yaml`
            on:
              issues: { types: [opened] }
            jobs:
              notify:
                uses: ./.github/workflows/notify.yml
                with:
                  title: \${{ github.event.issue.title }}
                  number: \${{ github.event.issue.number }}
                  other: \${{ contains(github.event.issue.title, 'bug') && 'bug' || 'other' }}
              local:
                runs-on: ubuntu-latest
                steps:
                  - run: echo "\${{ github.event.issue.title }}"
          `,
          '.github/workflows/push.yml': yaml`
            on: push
            jobs:
              notify:
                uses: ./.github/workflows/notify.yml
                with: { other: "\${{ github.event.head_commit.message }}" }
          `,
        },
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  if (!mayHoldOutsiderText(definition, repository)) return;
  for (const step of stepsOf(definition)) {
    const told = new Set<string>();
    for (const place of placesIn(step, repository)) {
      const report = judge(place, step);
      const key = `${place.message} ${report?.data?.['source'] ?? ''}`;
      if (report === undefined || told.has(key)) continue;
      told.add(key);
      yield report;
    }
  }
}

interface Place {
  readonly message: Message;
  readonly taints: readonly Taint[];
  readonly sink: string;
  readonly span: Span;
}

function* placesIn(step: Step, repository: Repository): Generator<Place> {
  for (const { text, sink } of scriptSinksOf(step)) {
    for (const expression of expressionsIn(text)) {
      const { node, span } = expression;
      if (node === undefined) continue;
      const found = taintsOf(node, step, repository);
      const taints = isLiteralText(expression, step) ? found.filter(isMultiline) : found;
      yield { message: 'pasted', taints, sink, span };
    }
  }
  for (const { taints, by, span } of evalSinksOf(step, repository)) {
    yield { message: 'evaluated', taints, sink: by, span };
  }
}

function judge({ message, taints, sink, span }: Place, step: Step): Report<Message> | undefined {
  const outsiders = taints.filter(({ writer }) => writer === 'outsider');
  const taint = outsiders.every(crossesFiles) ? worstTaint(outsiders) : undefined;
  if (taint === undefined) return undefined;
  return {
    message,
    data: { source: [...taint.via, taint.source].join(' ← '), event: eventOf(taint), sink },
    at: step,
    span,
    severity: severityOf(taint),
    attributes: {
      source: 'event',
      event: taint.event,
      sink: message === 'evaluated' ? 'eval' : sink === 'a script' ? 'run' : 'script',
      trigger_trust: 'outsider',
    },
  };
}

function severityOf({ reach, text, event }: Taint): Severity {
  if (reach !== 'outsider-privileged') return reach === 'trusted' ? 'MEDIUM' : 'LOW';
  return text === 'structured' || BY_COLLABORATORS.has(event) ? 'MEDIUM' : 'HIGH';
}
