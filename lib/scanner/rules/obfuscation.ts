import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { type ExpressionNode, expressionsIn, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, stepsOf, type Text } from '#lib/workflow/model/model.ts';
import { decodedCodeIn } from '#lib/workflow/shell/decoded-payloads.ts';
import { hiddenTextIn } from '#lib/workflow/text/hidden-text.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Fix, type Report, type Severity, yaml } from '../engine/rule.ts';

type Message = 'decoded' | 'invisible' | 'blank' | 'pushed' | 'lookalike' | 'path' | 'constant' | 'computed' | 'block';

export const obfuscation = defineRule({
  id: 'obfuscation',
  meta: {
    title: 'Obfuscated code or text',
    why: 'Workflows are reviewed by people who read them. Encoded scripts, invisible characters and roundabout constructs hide from reviewers, and from most tools, what a run does.',
    attack:
      'The attacker hides a command in a change that looks harmless; the reviewer approves it, and the run executes it with the job’s token and secrets.',
    recommendation: 'Replace the construct with plain code, and find out who added it and why.',
    limits:
      'Scripts outside the workflow are not read, and code assembled from variables is not detected. Lookalike letters are reported only in names of actions.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://trojansource.codes/',
      'https://docs.github.com/actions/reference/workflows-and-actions/expressions',
    ],
    messages: {
      decoded: 'Encoded text is decoded and executed here.',
      invisible: 'The invisible character {{code}} makes this line look different from what it contains.',
      blank: 'This line contains the invisible character {{code}}.',
      pushed: 'This text is pushed so far to the right that it is off-screen in every editor.',
      lookalike: 'The name {{name}} contains lookalike letters, which no action name can have.',
      path: 'The path {{name}} has empty or dotted segments, which evade checks of its name.',
      constant: 'This expression always yields the same text; write the text instead.',
      computed:
        'The name of a {{context}} value is assembled from constant strings here, which hides it from a text search.',
      block: 'The whole {{key}} block is computed here, so the file does not show what it contains.',
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
              steps:
                # expect: decoded
                - run: echo ZWNobyBoaQo= | base64 -d | bash
                - run: |
                    # expect: decoded
                    eval "$(echo 6563686f | xxd -r -p)"
                    # expect: decoded
                    echo "\${{ secrets.SCRIPT }}" | base64 --decode | sh
                    # expect: decoded
                    bash -c "$(printf '\x65\x63\x68\x6f')"
                - shell: pwsh
                  # expect: decoded
                  run: iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('ZWNobw==')))
                - shell: python
                  # expect: decoded
                  run: exec(base64.b64decode('cHJpbnQoMSk='))
                # expect: lookalike
                - uses: ${'а'}ctions/checkout@v5
                # expect: constant
                - run: make \${{ format('re{0}', 'lease') }}
                # expect: computed
                - run: make \${{ github[format('to{0}', 'ken')] }}
                # expect: block
                - env: \${{ fromJSON(needs.plan.outputs.env) }}
                  run: make
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: invisible
                - run: make ${'\u202E'}test
                # expect: blank
                - run: make${'\u200B'} test
                # expect: path
                - uses: actions/cache//./save@v4
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: invisible
                - run: make test
                # expect: blank
                - run: make test
                # expect: path
                - uses: actions/cache/save@v4
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: pushed
                - run: make test${' '.repeat(200)}; make leak
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          # ${'👩‍💻 builds, é and 日本語 too'}
          on: push
          jobs:
            build:
              name: ${'🧑‍🚀 Build'}
              runs-on: ubuntu-latest
              env: { KEY: "\${{ secrets.KEY }}" }
              steps:
                - uses: ./.github/actions/setup/
                - uses: ./
                - uses: ./../action/init
                - uses: actions/cache/save@v4
                - run: |
                    echo "$KEY" | base64 -d > key.json
                    echo "$KEY" | base64 --decode | gpg --import
                    echo "$DATA" | base64 -d | python3 parse.py
                    curl -fsSL https://acme.example/install.sh | bash
                    eval "$(ssh-agent -s)"
                    echo '\x1b[31mred\x1b[0m' | sh render.sh
                    grep -e aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa file
                - run: make \${{ 'literal' }} \${{ format('{0}-{1}', matrix.os, 'x') }} \${{ vars[inputs.name] }}
                - if: contains(fromJSON('["a", "b"]'), github.ref_name)
                  run: make
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  yield* hiddenText(definition);
  for (const step of stepsOf(definition)) {
    for (const { span, literal } of decodedCodeIn(step)) {
      yield { message: 'decoded', at: step, span, severity: literal ? 'HIGH' : 'MEDIUM' };
    }
    if (step.env?.expression !== undefined) yield computedBlock(step.env.expression, 'env', step);
    if (step.with?.expression !== undefined) yield computedBlock(step.with.expression, 'with', step);
  }
  for (const { uses, at } of usesOf(definition)) {
    const name = uses.text.value.split('@')[0] ?? '';
    if (/[^\u0000-\u007F]/.test(name)) yield { message: 'lookalike', data: { name }, at, span: uses.text.span };
    else if (detour(name)) {
      yield {
        message: 'path',
        data: { name },
        at,
        span: uses.text.span,
        severity: 'LOW',
        fix: straighten(uses.text, name),
      };
    }
  }
  if (!/\b(?:format|join|tojson)\s*\(/i.test(definition.source.text)) return;
  for (const text of textsBelow(definition.root)) yield* expressionsOf(text, definition);
}

const SEVERITIES = { invisible: 'HIGH', blank: 'MEDIUM', pushed: 'MEDIUM' } as const satisfies Record<string, Severity>;

function* hiddenText(definition: Definition): Generator<Report<Message>> {
  for (const { kind, span, code, comment } of hiddenTextIn(definition.source.text)) {
    yield {
      message: kind,
      data: { code },
      at: definition,
      span,
      // Zero-width characters in a comment usually arrive with copied text.
      severity: comment && kind !== 'invisible' ? 'LOW' : SEVERITIES[kind],
      fix: kind === 'pushed' ? undefined : { safety: 'review', edits: [{ span, text: '' }] },
    };
  }
}

function computedBlock({ span }: Text, key: string, at: Report['at']): Report<Message> {
  return { message: 'block', data: { key }, at, span, severity: 'LOW' };
}

const SEGMENT = /\/\/|(?:^|\/)\.\.?(?:\/|$)/;

/**
 * True for empty or dotted segments inside a path. Allows a trailing slash, and `./../`, which leads to another
 * checkout.
 */
function detour(name: string): boolean {
  if (!SEGMENT.test(name)) return false;
  const inner = name.replace(/^[.$](?:\/\.\.)*\//, '').replace(/\/$/, '');
  return (
    !name.startsWith('docker:') &&
    inner.split('/').some((part, index) => part === '.' || part === '..' || (part === '' && index > 0))
  );
}

function straighten(text: Text, name: string): Fix | undefined {
  const parts = name.split('/');
  if (parts.includes('..')) return undefined;
  const straight = parts.filter((part, index) => part !== '' && (part !== '.' || index === 0)).join('/');
  const edit = replaceVerbatim(text, 0, name.length, straight);
  return edit && { safety: 'safe', edits: [edit] };
}

function* expressionsOf(text: Text, definition: Definition): Generator<Report<Message>> {
  if (!text.value.includes('${{') || !/format|join|tojson/i.test(text.value)) return;
  for (const { node, span } of expressionsIn(text)) {
    if (node === undefined) continue;
    if (isConstantCall(node)) yield { message: 'constant', at: definition, span, severity: 'INFO' };
    for (const child of nodesOf(node)) {
      if (child.type !== 'access' || !child.indexes.some(isConstantCall)) continue;
      yield { message: 'computed', data: { context: child.path[0] ?? '' }, at: definition, span };
    }
  }
}

/** `fromJSON` is left out, since it is the common way to write a list. */
function isConstantCall(node: ExpressionNode): boolean {
  if (node.type !== 'call' || (node.name !== 'format' && node.name !== 'join' && node.name !== 'tojson')) return false;
  return nodesOf(node).every(({ type }) => type === 'literal' || type === 'call');
}
