import { environmentValue } from '../../workflow/environment.ts';
import { expressionsIn, flowingAccesses } from '../../workflow/expression.ts';
import { type Definition, type Step, stepsOf, type Text } from '../../workflow/model.ts';
import { secretInCommand, secretVariables } from '../../workflow/secret-use.ts';
import { commandsOf, type ShellCommand } from '../../workflow/shell.ts';
import { defineRule, type Report, yaml } from '../rule.ts';

/** Print what they are given. */
const PRINTERS: ReadonlySet<string> = new Set(['echo', 'printf', 'cat', 'tee']);

/** Print something else than they read, from which it can be told. */
const TRANSFORMERS: ReadonlySet<string> = new Set(
  'awk base32 base64 cut fold gzip head hexdump jq od paste rev sed tail tr xxd yq'.split(' '),
);

/** Of a transformer that writes to a file. */
const OUTPUT_FILE = /^(?:-o|--output)(?:=|$)/;

type Message = 'shown' | 'altered' | 'part' | 'late' | 'expanded' | 'verbose';

export const secretInLog = defineRule({
  id: 'secret-in-log',
  meta: {
    title: 'Secret or part of it is printed',
    why: 'The runner hides a secret in the log only where its exact text stands. Encoded, decoded, cut or spaced out it is printed as it is, and the log of a public repository can be read by everybody for months.',
    attack: 'Somebody searches the public logs for values that a step printed, undoes the encoding and has the secret.',
    recommendation:
      'Do not print secrets. Where a script makes a new secret value, print `::add-mask::` with it before anything else can print it.',
    limits:
      'Only POSIX shell scripts are read, and a value is followed within one step. What other programs print is not known.',
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
      shown: 'The secret {{secret}} is printed; only the runner’s masking hides it.',
      altered: 'The secret {{secret}} is printed after {{program}} changed it, so the runner does not recognise it.',
      part: 'A part of the secret {{secret}} is printed, which the runner does not recognise.',
      late: 'The value of {{name}} is printed before it is masked.',
      expanded:
        'The value to be masked comes from {{source}}, which the log already shows in the lines that start the step.',
      verbose:
        'curl prints the sign-in with the secret {{secret}} in its verbose output, encoded so that no mask fits.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            workflow_dispatch:
              inputs:
                password: { type: string }
          jobs:
            debug:
              runs-on: ubuntu-latest
              steps:
                - env:
                    KEY: \${{ secrets.KEY }}
                  run: |
                    # expect: shown
                    echo "key: $KEY"
                    # expect: altered
                    echo "$KEY" | base64
                    # expect: altered
                    base64 -d <<< "$KEY"
                    # expect: part
                    echo "begins with \${KEY:0:4}"
                    # expect: shown
                    echo "$KEY" >> "$GITHUB_STEP_SUMMARY"
                    # expect: verbose
                    curl -v -u "ci:$KEY" https://acme.dev
                - run: |
                    TOKEN=$(./login.sh)
                    # expect: late
                    echo "got $TOKEN"
                    echo "::add-mask::$TOKEN"
                # expect: expanded
                - run: echo "::add-mask::\${{ inputs.password }}"
                # expect: shown
                - run: echo \${{ secrets.KEY }}
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
                - env:
                    KEY: \${{ secrets.KEY }}
                    TOKEN: \${{ secrets.GITHUB_TOKEN }}
                    READY: \${{ secrets.KEY != '' }}
                  run: |
                    echo "$KEY" > key.pem
                    echo "$KEY" | base64 -d > key.bin
                    echo "$KEY" | docker login -u ci --password-stdin
                    PASS=$(echo "$KEY" | jq -r .pass)
                    echo "::add-mask::$PASS"
                    echo "key=$KEY" >> "$GITHUB_ENV"
                    echo "length \${#KEY}, given: \${KEY:+yes}, ready: $READY"
                    if [ -z "$KEY" ]; then echo 'no $KEY'; fi
                    echo "$KEY" | wc -c
                    echo "bytes: $(echo "$KEY" | base64 -d | wc -c)"
                    echo "$KEY" | base64 --decode --output=key.p12
                    curl -u "ci:$KEY" https://acme.dev
                    cat > .npmrc <<END
                    //registry.acme.dev/:_authToken=$KEY
                    END
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  const { text } = definition.source;
  if (!/secrets/i.test(text) && !text.includes('add-mask')) return;
  for (const step of stepsOf(definition)) {
    const script = step.run?.value;
    if (script === undefined) continue;
    if (script.includes('add-mask')) yield* badMasks(step);
    const variables = secretVariables(step);
    if (variables.size === 0 && !/secrets/i.test(script)) continue;
    for (const command of commandsOf(step)) {
      const report = printed(command, variables);
      if (report !== undefined) yield { ...report, at: step, span: command.span };
    }
  }
}

/** Looks at the last command of a pipeline: what it prints goes to the log. */
function printed(
  command: ShellCommand,
  variables: ReadonlyMap<string, string>,
): Pick<Report<Message>, 'message' | 'data' | 'severity'> | undefined {
  if (command.program === 'curl') return verbose(command, variables);
  if (command.pipeline.at(-1) !== command || !reachesLog(command)) return undefined;
  if (!command.pipeline.every(({ program }) => PRINTERS.has(program) || TRANSFORMERS.has(program))) return undefined;
  if (command.pipeline.some(isMasking) || command.args.some(({ value }) => OUTPUT_FILE.test(value))) return undefined;
  const source = command.pipeline.find((part) => sourceSecret(part, variables) !== undefined);
  const secret = source === undefined ? undefined : sourceSecret(source, variables);
  if (source === undefined || secret === undefined) return undefined;
  const after = command.pipeline.slice(command.pipeline.indexOf(source));
  const transformer = after.find(({ program }) => TRANSFORMERS.has(program));
  if (transformer !== undefined) return { message: 'altered', data: { secret, program: transformer.program } };
  const use = useIn(source.text, variables);
  if (use === 'test') return undefined;
  return use === 'part'
    ? { message: 'part', data: { secret } }
    : { message: 'shown', data: { secret }, severity: 'LOW' };
}

/** Programs that transform read their secret from a here-string; their arguments are instructions. */
function sourceSecret(command: ShellCommand, variables: ReadonlyMap<string, string>): string | undefined {
  // What a substitution makes of the secret is another command's output.
  const args = TRANSFORMERS.has(command.program) ? [] : command.args.filter(({ text }) => !/\$\(|`/.test(text));
  return secretInCommand({ ...command, args }, variables);
}

/** `${#KEY}` and `${KEY:+yes}` tell only whether there is one; `${KEY:0:4}` and the like cut it. */
function useIn(text: string, variables: ReadonlyMap<string, string>): 'whole' | 'part' | 'test' {
  const names = [...variables.keys()].filter((name) => text.includes(name));
  let use: 'whole' | 'part' | 'test' = 'whole';
  for (const name of names) {
    if (text.includes(`\${#${name}}`) || text.includes(`\${${name}:+`) || text.includes(`\${${name}+`)) use = 'test';
    else if (['#', '%', '/', '^', ',', ':0', ':1', ':2', ': -', '@'].some((cut) => text.includes(`\${${name}${cut}`)))
      return 'part';
    else return 'whole';
  }
  return use;
}

/** Not taken by a substitution, and not written to a file other than the job's summary. */
function reachesLog({ within, redirects, program, args }: ShellCommand): boolean {
  if (within !== undefined) return false;
  if (program === 'tee' && args.some(({ variables }) => variables.includes('GITHUB_ENV'))) return true;
  return redirects.every(({ operator, target }) => {
    if (target === undefined || !operator.includes('>') || operator.startsWith('2')) return true;
    return (
      target.variables.includes('GITHUB_STEP_SUMMARY') || /^(?:&?[12]|\/dev\/(?:stdout|stderr|tty))$/.test(target.value)
    );
  });
}

function isMasking({ text }: ShellCommand): boolean {
  return text.includes('::add-mask::');
}

function verbose(
  command: ShellCommand,
  variables: ReadonlyMap<string, string>,
): Pick<Report<Message>, 'message' | 'data'> | undefined {
  const values = command.args.map(({ value }) => value);
  const chatty = values.some((value) => /^(?:--verbose|--trace(?:-ascii)?|-[a-zA-Z]*v[a-zA-Z]*)$/.test(value));
  // In basic authentication name and password are encoded together.
  const user = command.args.find((_, index) => /^(?:-u|--user)$/.test(values[index - 1] ?? ''));
  const secret =
    user === undefined ? undefined : secretInCommand({ ...command, args: [user], redirects: [] }, variables);
  return chatty && secret !== undefined && reachesLog({ ...command, redirects: [] }) && !silences(command)
    ? { message: 'verbose', data: { secret } }
    : undefined;
}

/** The verbose lines go to the standard error. */
function silences({ redirects }: ShellCommand): boolean {
  return redirects.some(({ operator, target }) => /^(?:2|&)>/.test(operator) || target?.value === '/dev/null');
}

/** Masks that are set after the value was printed, or by a line that prints it. */
function* badMasks(step: Step): Generator<Report<Message>> {
  const commands = commandsOf(step);
  for (const [index, command] of commands.entries()) {
    if (!isMasking(command) || command.program !== 'echo') continue;
    const shownBy = command.args.flatMap((word) => [
      ...word.expressions.flatMap(({ node }) => (node === undefined ? [] : flowingAccesses(node))),
      ...word.variables.flatMap((name) => accessesIn(environmentValue(name, step)?.text)),
    ]);
    const open = shownBy.map(({ path }) => path.join('.')).find((path) => /^(?:inputs|github\.event)\./.test(path));
    if (open !== undefined) {
      yield { message: 'expanded', data: { source: open }, at: step, span: command.span };
      continue;
    }
    const names = new Set(command.args.flatMap(({ variables }) => variables));
    const earlier = commands
      .slice(0, index)
      .find(
        (other) =>
          (other.program === 'echo' || other.program === 'printf') &&
          !isMasking(other) &&
          other.pipeline.length === 1 &&
          reachesLog(other) &&
          other.args.some(({ variables }) => variables.some((name) => names.has(name))),
      );
    const [name] = earlier?.args.flatMap(({ variables }) => variables.filter((used) => names.has(used))) ?? [];
    if (earlier !== undefined && name !== undefined) {
      yield { message: 'late', data: { name }, at: step, span: earlier.span };
    }
  }
}

function accessesIn(text: Text | undefined): ReturnType<typeof flowingAccesses> {
  if (text === undefined) return [];
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : flowingAccesses(node)));
}
