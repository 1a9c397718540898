import {
  expressionTexts,
  secretInCommand,
  secretsFlowing,
  secretVariables,
} from '#lib/analysis/dataflow/secret-use.ts';
import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Definition, type Job, jobOf, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';
import { mentionsSecrets } from '../shared/when.ts';

type Message = 'field' | 'derived';

const HARMLESS_FIELD =
  /(?:^|[_-]|[a-z](?=[A-Z]))(?:id|name|user|username|url|uri|host|hostname|region|email|account|bucket|project|domain|port|endpoint|subscription|tenant|version)$|(?:Id|Name|Url|Uri|Host|Region|Email)$/;

export const unredactedSecrets = defineRule({
  id: 'unredacted-secrets',
  meta: {
    title: 'Derived secret value is not masked in the log',
    why: 'The runner masks a secret in the log by its exact text. A field of a JSON secret, or a value that a script decodes from a secret, is a different text: it is printed in the clear, even in the listing of a step’s `env` and inputs.',
    attack:
      'Anyone who can read the log, which is everyone in a public repository, finds the password that was extracted from the structured secret.',
    recommendation:
      'Store each value as a separate secret. If it must be extracted, mask it with `::add-mask::` before anything else uses it.',
    limits:
      'In scripts, only values that one step decodes or extracts and writes to the environment or outputs are detected.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#masking-a-value-in-a-log',
    ],
    messages: {
      field: 'An expression extracts the field {{field}} of the secret {{secret}}, which the log shows unmasked.',
      derived:
        '{{program}} extracts a value from the secret {{secret}} and writes it to {{target}} without a mask, so the log can show it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: ./deploy.sh
                  env:
                    # expect: field
                    PASSWORD: \${{ fromJSON(secrets.DATABASE).password }}
                    # expect: field
                    USER: \${{ fromJSON(secrets.DATABASE)['user'] }}
                - env:
                    DATA: \${{ secrets.DATA }}
                  run: |
                    # expect: derived
                    echo "KEY=$(echo "$DATA" | base64 -d)" >> "$GITHUB_ENV"
                    PASS=$(jq -r .password <<< "$DATA")
                    # expect: derived
                    echo "pass=$PASS" >> $GITHUB_OUTPUT
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: echo "::add-mask::$(jq -r .password <<< "$DATA")"
                  env:
                    DATA: \${{ secrets.DATA }}
                - run: ./deploy.sh
                  env:
                    PASSWORD: \${{ fromJSON(secrets.DATA).password }}
            other:
              runs-on: ubuntu-latest
              if: fromJSON(vars.SETTINGS).enabled
              steps:
                - run: ./deploy.sh
                  env:
                    ALL: \${{ secrets.DATABASE }}
                    READY: \${{ fromJSON(secrets.DATABASE).stage == 'ready' }}
                    KIND: \${{ fromJSON(vars.SETTINGS).kind }}
                - env:
                    DATA: \${{ secrets.DATA }}
                  run: |
                    echo "$DATA" | base64 -d > key.json
                    echo "ready=true" >> "$GITHUB_OUTPUT"
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - env:
                    TOKEN: \${{ secrets.BOT_TOKEN }}
                  run: |
                    commit=$(git ls-remote "https://bot:\${TOKEN}@github.com/acme/app.git" refs/heads/main | cut -f1)
                    echo "commit=$commit" >> "$GITHUB_OUTPUT"
                    echo "state=$(curl -s -H "X-Key: $TOKEN" https://api.example/state | jq -r .state)" >> "$GITHUB_OUTPUT"
        `,
      },
    ],
  },
  when: mentionsSecrets,
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  for (const { text, at } of expressionTexts(definition, 'secrets')) {
    if (!/fromjson/i.test(text.value) || isMasked(at)) continue;
    for (const { node, span } of expressionsIn(text)) {
      for (const { field, secret } of node === undefined ? [] : fieldsOf(node)) {
        const severity = HARMLESS_FIELD.test(field) ? 'LOW' : 'MEDIUM';
        yield { message: 'field', data: { field, secret }, at, span, severity };
      }
    }
  }
  for (const step of stepsOf(definition)) yield* derived(step);
}

function* fieldsOf(node: ExpressionNode): Generator<{ field: string; secret: string }> {
  if (node.type === 'index') {
    let target: ExpressionNode = node;
    while (target.type === 'index') target = target.target;
    const [secret] = target.type === 'call' && target.name === 'fromjson' ? target.args.flatMap(secretsFlowing) : [];
    const field = node.key.type === 'literal' ? String(node.key.value) : 'with a computed name';
    if (secret !== undefined) yield { field, secret };
  } else if (node.type === 'call') {
    if (!['contains', 'startswith', 'endswith', 'hashfiles'].includes(node.name))
      for (const arg of node.args) yield* fieldsOf(arg);
  } else if (node.type === 'or') for (const arg of node.args) yield* fieldsOf(arg);
  else if (node.type === 'and') yield* fieldsOf(node.args.at(-1) as ExpressionNode);
}

function isMasked(at: Definition | Job | Step): boolean {
  if (at.kind !== 'step') return false;
  const steps = jobOf(at)?.steps ?? at.parent.steps;
  return steps.slice(0, at.index + 1).some(({ run, with: inputs }) => {
    const script = run?.value ?? inputs?.get('script')?.value.value ?? '';
    return script.includes('add-mask') || script.includes('setSecret');
  });
}

function* derived(step: Step): Generator<Report<Message>> {
  const script = step.run?.value;
  if (script === undefined || !/base64|jq|cut|awk/.test(script) || !/GITHUB_(?:ENV|OUTPUT)/.test(script)) return;
  const variables = secretVariables(step);
  if ((variables.size === 0 && !script.includes('secrets')) || isMasked(step)) return;
  const decoded = new Map<string, { program: string; secret: string }>();
  const reported = new Set<ShellCommand>();
  for (const command of commandsOf(step)) {
    const target = targetOf(command);
    const held = command.args.flatMap((word) => word.variables.flatMap((name) => decoded.get(name) ?? []))[0];
    if (target !== undefined && held !== undefined && !reported.has(command)) {
      reported.add(command);
      yield { message: 'derived', data: { ...held, target }, at: step, span: command.span };
    }
    if (!isDecoder(command)) continue;
    const secret = command.pipeline
      .filter(({ program }) => PRINTS_WHAT_IT_IS_GIVEN.test(program))
      .map((part) => secretInCommand(part, variables))
      .find((found) => found !== undefined);
    if (secret === undefined) continue;
    let outer = command;
    while (outer.within !== undefined && targetOf(outer) === undefined) outer = outer.within;
    const outerTarget = command.pipeline.map(targetOf).find((found) => found !== undefined) ?? targetOf(outer);
    for (const { name } of outer.assignments) decoded.set(name, { program: command.program, secret });
    if (outerTarget === undefined || reported.has(outer)) continue;
    reported.add(outer);
    yield {
      message: 'derived',
      data: { program: command.program, secret, target: outerTarget },
      at: step,
      span: outer.span,
    };
  }
}

const PRINTS_WHAT_IT_IS_GIVEN =
  /^(?:awk|base64|cat|cut|echo|grep|head|jq|openssl|paste|printf|rev|sed|tail|tr|xargs|yq)$/;

function isDecoder({ program, args }: ShellCommand): boolean {
  if (program === 'base64') return args.some(({ value }) => /^(?:-[^\WdD]*[dD]\w*|--decode)$/.test(value));
  return program === 'jq' || program === 'yq' || program === 'cut' || program === 'awk';
}

function targetOf(command: ShellCommand): string | undefined {
  return command.redirects
    .flatMap(({ target }) => target?.variables ?? [])
    .find((name) => name === 'GITHUB_ENV' || name === 'GITHUB_OUTPUT');
}
