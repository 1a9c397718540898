import { secretInCommand, secretVariables } from '#lib/analysis/dataflow/secret-use.ts';
import { namesKey } from '#lib/analysis/privileges/job-credentials.ts';
import { opensLittle } from '#lib/analysis/privileges/secret-names.ts';
import { writesTo } from '#lib/analysis/values/written-files.ts';
import { expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { type Definition, type Step, sourceOf, stepsOf, type Text } from '#lib/workflow/model/model.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, commandWith, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { defineRule, type Report, type Severity, yaml } from '../engine/rule.ts';

const PRINTERS: ReadonlySet<string> = new Set(['echo', 'printf', 'cat', 'tee']);

const TRANSFORMERS: ReadonlySet<string> = new Set(
  'awk base32 base64 cut fold gzip head hexdump jq od paste rev sed tail tr xxd yq'.split(' '),
);

const ENCODERS: ReadonlySet<string> = new Set('base32 base64 hexdump od rev xxd'.split(' '));

const SECRET_NAME = /key|token|secret|pass(?!ed)|pwd|cred|auth(?!or)/i;
const HARMLESS_NAME = /(?:id|name|user|email|ur[il]|host|region|type|length|keys|public\w{0,20})\W*$/i;

const ADDRESS_WITH_KEY = /(?:hook|response|sas|signed)_?ur[il]$/i;

const OUTPUT_FILE = /^(?:-o|--output)(?:=|$)/;

type Printed = Pick<Report<Message>, 'message' | 'data' | 'severity'>;

type Message = 'shown' | 'altered' | 'file' | 'changed' | 'part' | 'late' | 'expanded' | 'verbose';

export const secretInLog = defineRule({
  id: 'secret-in-log',
  meta: {
    title: 'Secret is printed to the log',
    why: 'The runner masks a secret in the log only where its exact text appears, or the whole of it in base64 or another common encoding. With other text or a line break behind it in base64, decoded, truncated or split, it is printed in the clear, and anyone can read the log of a public repository for months.',
    attack:
      'The attacker searches public logs for values that a step printed, reverses the encoding and obtains the secret.',
    recommendation:
      'Do not print secrets. If a script creates a new secret value, mask it with `::add-mask::` before anything can print it.',
    limits:
      'The length of a secret decides whether the runner recognizes it in base64 with more text behind it, and is not known. Reads only POSIX shell scripts and follows a value within one step, but not into functions, and files that a job’s scripts write and print. What other programs print is not known. Secrets whose names tell of names, addresses or keys that open next to nothing are LOW, and so are masked values whose names tell of no key.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#masking-a-value-in-a-log',
      'https://github.com/actions/runner/blob/main/src/Sdk/DTLogging/Logging/ValueEncoders.cs',
    ],
    messages: {
      shown: 'The secret {{secret}} is printed; only the runner’s masking hides it.',
      altered: 'The secret {{secret}} is printed after {{program}} transformed it, so the runner does not mask it.',
      file: '{{file}}, which holds the secret {{secret}}, is printed; only the runner’s masking hides it.',
      changed:
        '{{file}}, which holds the secret {{secret}}, is printed after {{program}} transformed it, so the runner does not mask it.',
      part: 'Part of the secret {{secret}} is printed, which the runner does not mask.',
      late: 'The value of {{name}} is printed before it is masked.',
      expanded: 'The value to be masked comes from {{source}}, which the log already shows at the start of the step.',
      verbose:
        'The verbose output of curl includes the secret {{secret}} in base64 with more text behind it, which the runner does not mask.',
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
                tenant: { type: string }
                key_id: { type: string }
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
                    SIGNING_KEY=$(echo "$KEY" | jq -r '.private_key')
                    COPY="$SIGNING_KEY"
                    # expect: altered
                    echo "signing with $COPY"
                    PLAIN=$(base64 -d <<< "$KEY")
                    # expect: altered
                    printf '%s' "$PLAIN"
                    FIRST="\${KEY:0:8}"
                    # expect: part
                    echo "key \${FIRST}${'…'}"
                    # expect: shown
                    echo "$KEY" >> "$GITHUB_STEP_SUMMARY"
                    # expect: altered
                    echo -n "$KEY:" | base64 -w0
                    # expect: altered
                    echo -n "$KEY" | base64
                    # expect: altered
                    printf '%s' "$KEY" | base64 --decode
                    # expect: altered
                    echo "$KEY" | base64 -w0
                    # expect: shown LOW
                    echo -n "ci:$KEY" | base64 --wrap=0
                    # expect: shown LOW
                    printf '%s' "$KEY" | base64 | tr -d '\n'
                    # expect: verbose
                    curl -v -u "$KEY:" https://acme.dev
                    # expect: verbose
                    curl -v --user "\${KEY}:x-oauth-basic" https://acme.dev
                - run: |
                    TOKEN=$(./login.sh)
                    # expect: late
                    echo "got $TOKEN"
                    echo "::add-mask::$TOKEN"
                - run: |
                    HOST=$(./find-host.sh)
                    if [ "$1" = dry ]; then
                      # expect: late LOW
                      echo "found $HOST"
                    else
                      exit 1
                    fi
                    echo "::add-mask::$HOST"
                - run: |
                    PASSWORD=$(./login.sh)
                    # expect: late MEDIUM
                    [ "$1" = quiet ] || echo "got $PASSWORD"
                    [ -n "$PASSWORD" ] || exit 1
                    echo "::add-mask::$PASSWORD"
                - run: |
                    API_KEY=$(./login.sh)
                    # expect: late MEDIUM
                    echo "got $API_KEY" || exit 1
                    echo "::add-mask::$API_KEY"
                - run: |
                    LENT=$(./login.sh)
                    if [ "$1" = dry ]; then
                      # expect: late LOW
                      echo "would use $LENT"
                      exit 0
                    fi
                    echo "::add-mask::$LENT"
                # expect: expanded MEDIUM
                - run: echo "::add-mask::\${{ inputs.password }}"
                # expect: expanded LOW
                - run: echo "::add-mask::\${{ inputs.tenant }}"
                # expect: expanded LOW
                - run: echo "::add-mask::\${{ inputs.key_id }}"
                # expect: expanded MEDIUM
                - run: echo "::add-mask::\${{ github.event.client_payload.response_url }}"
                # expect: expanded LOW
                - run: echo "::add-mask::\${{ github.event.client_payload.page_url }}"
                # expect: expanded MEDIUM
                - run: echo "::add-mask::$VALUE"
                  env:
                    VALUE: \${{ inputs.password }}
                - env:
                    TOKEN: \${{ steps.login.outputs.value }}
                  run: |
                    # expect: late MEDIUM
                    echo "$TOKEN"
                    echo "::add-mask::$TOKEN"
                - env:
                    VALUE: \${{ steps.login.outputs.access_token }}
                  run: |
                    # expect: late MEDIUM
                    echo "$VALUE"
                    echo "::add-mask::$VALUE"
                - env:
                    CHANNEL: \${{ secrets.SLACK_CHANNEL_ID }}
                    REPORTS: \${{ secrets.CODECOV_TOKEN }}
                  run: |
                    # expect: altered LOW
                    echo "$CHANNEL" | base64
                    # expect: part LOW
                    echo "reports with \${REPORTS:0:4}"
                # expect: shown
                - run: echo \${{ secrets.KEY }}
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - env:
                    KEY: \${{ secrets.DEPLOY_KEY }}
                    ACCOUNT: \${{ secrets.ACCOUNT_BASE64 }}
                  run: |
                    mkdir -p ~/.ssh
                    echo "$KEY" > ~/.ssh/id_rsa
                    # expect: file LOW
                    cat ~/.ssh/id_rsa
                    echo "$ACCOUNT" | base64 --decode > account.json
                # expect: changed MEDIUM
                - run: cat ./account.json
                - run: printf '%s' "\${{ secrets.TOKEN }}" | tee token > /dev/null
                # expect: changed MEDIUM
                - run: cat token | base64
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
                - run: |
                    host=$(./find-host.sh)
                    if [[ ! $host =~ ^[0-9.]+$ ]]; then
                      echo "Not an address: $host" >&2
                      echo "See the manual"
                      exit 1
                    fi
                    echo "::add-mask::$host"
                - run: |
                    port=$(./find-port.sh)
                    case "$port" in
                      *[!0-9]*) echo "Not a port: $port"; exit 1 ;;
                    esac
                    echo "::add-mask::$port"
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - env:
                    KEY: \${{ secrets.DEPLOY_KEY }}
                    ACCOUNT: \${{ secrets.ACCOUNT_BASE64 }}
                  run: |
                    cat key
                    echo "$KEY" > key
                    echo "$KEY" > other
                    echo "\${KEY:+set}" > state
                    echo "$ACCOUNT" | base64 --decode > account.json
                - run: |
                    cat state
                    cat account.json | sed 's/"private_key": .*/"private_key": "***"/'
                    jq -r .client_email account.json
                    cat key | ssh-add -
                    wc -c < key
                    cat key > ~/.ssh/id_rsa
                    PRINTED=$(cat account.json)
                    echo done > other
                    cat other
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - env:
                    KEY: \${{ secrets.KEY }}
                    OTHER_KEY: \${{ secrets.OTHER_KEY }}
                    TOKEN: \${{ secrets.GITHUB_TOKEN }}
                    READY: \${{ secrets.KEY != '' }}
                  run: |
                    echo "$KEY" > key.pem
                    echo "$KEY" | base64 -d > key.bin
                    echo "$KEY" | docker login -u ci --password-stdin
                    PASS=$(echo "$KEY" | jq -r .pass)
                    echo "::add-mask::$PASS"
                    echo "password $PASS"
                    PROJECT=$(echo "$KEY" | jq -r .project_id)
                    echo "deploying to $PROJECT"
                    KEY_ID=$(echo "$KEY" | jq -r .private_key_id)
                    echo "signing with $KEY_ID"
                    FINGERPRINT=$(echo "$KEY" | base64 -d | sha256sum)
                    echo "key $FINGERPRINT"
                    PLAIN=$(echo "$KEY" | base64 -d)
                    echo "$PLAIN" > key.json
                    PLAIN=done
                    echo "$PLAIN"
                    SAME="$KEY"
                    echo "$SAME" > copy.pem
                    echo "key=$KEY" >> "$GITHUB_ENV"
                    echo "length \${#KEY}, given: \${KEY:+yes}, ready: $READY"
                    echo "length \${#OTHER_KEY}"
                    if [ -z "$KEY" ]; then echo 'no $KEY'; fi
                    echo "$KEY" | wc -c
                    echo "bytes: $(echo "$KEY" | base64 -d | wc -c)"
                    echo "$KEY" | base64 --decode --output=key.p12
                    curl -u "$KEY:" https://acme.dev
                    curl -v -u "ci:$KEY" https://acme.dev
                    curl -v -u "\${{ secrets.CI_USER }}:\${{ secrets.KEY }}" https://acme.dev
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
    yield* printedFiles(step);
    const variables = secretVariables(step);
    if (variables.size === 0 && !/secrets/i.test(script)) continue;
    const commands = commandsOf(step);
    const masked = new Set(commands.filter(isMasking).flatMap(({ args }) => args.flatMap((word) => word.variables)));
    const inside = new Map(commands.flatMap((one) => (one.within === undefined ? [] : [[one.within, one.pipeline]])));
    const derived = new Map<string, Derived>();
    for (const command of commands) {
      const report = printed(command, variables) ?? printedDerived(command, derived, masked);
      if (report !== undefined) yield { ...rated(report), at: step, span: command.span };
      for (const { name, value } of command.assignments) {
        const found = derivedFrom({ name, value }, inside.get(command) ?? [], { variables, derived });
        if (found === undefined) derived.delete(name);
        else derived.set(name, found);
      }
    }
  }
}

function rated({ severity, ...report }: Printed): Printed {
  const secret = report.data?.['secret']?.toLowerCase() ?? '';
  return { ...report, severity: severity ?? (namesKey(secret) && !opensLittle(secret) ? 'MEDIUM' : 'LOW') };
}

const SHOWS_WHOLE: ReadonlySet<string> = new Set([...ENCODERS, 'cat', 'head', 'less', 'more', 'nl', 'tail', 'tee']);
const SHOWS_FILE = /\b(?:base32|base64|cat|head|hexdump|less|more|nl|od|rev|tail|xxd)\b/;

function* printedFiles(step: Step): Generator<Report<Message>> {
  if (!SHOWS_FILE.test(step.run?.value ?? '')) return;
  for (const command of commandsOf(step)) {
    const [reader] = command.pipeline;
    if (reader === undefined || command.pipeline.at(-1) !== command || !reachesLog(command)) continue;
    if (!command.pipeline.every(({ program }) => SHOWS_WHOLE.has(program)) || reader.program === 'tee') continue;
    for (const { value } of reader.args) {
      const held = value.startsWith('-') ? undefined : heldByFile(value, command, step);
      if (held === undefined) continue;
      const program = held.program ?? command.pipeline.find(({ program }) => ENCODERS.has(program))?.program;
      const data = { secret: held.secret, file: value };
      yield {
        ...(program === undefined
          ? { message: 'file', data, severity: 'LOW' }
          : rated({ message: 'changed', data: { ...data, program } })),
        at: step,
        span: command.span,
      };
      break;
    }
  }
}

function heldByFile(file: string, reader: ShellCommand, at: Step): Derived | undefined {
  const earlier = writesTo(file, at).filter(
    ({ step, command }) => step !== at || command.span.start < reader.span.start,
  );
  const last = earlier.findLastIndex(({ command }) => command.redirects.some(({ operator }) => operator === '>'));
  for (const { step, command } of earlier.slice(Math.max(0, last))) {
    const pipeline = command.pipeline.slice(0, command.pipeline.indexOf(command) + 1);
    if (!pipeline.every(({ program }) => PRINTERS.has(program) || TRANSFORMERS.has(program))) continue;
    const variables = secretVariables(step);
    const source = pipeline.find((part) => sourceSecret(part, variables) !== undefined);
    const secret = source === undefined ? undefined : sourceSecret(source, variables);
    if (source === undefined || secret === undefined || useIn(source, variables) === 'test') continue;
    return { secret, program: pipeline.find(({ program }) => ENCODERS.has(program))?.program };
  }
  return undefined;
}

interface Derived {
  readonly secret: string;
  readonly program: string | undefined;
}

function printedDerived(
  command: ShellCommand,
  derived: ReadonlyMap<string, Derived>,
  masked: ReadonlySet<string>,
): Printed | undefined {
  // Each pipeline is checked once, at its last command; curl prints its own arguments.
  const alone = command.program === 'curl';
  if (derived.size === 0 || (!alone && command.pipeline.at(-1) !== command)) return undefined;
  const used = (alone ? [command] : command.pipeline)
    .flatMap(({ args, redirects }) => [...args, ...redirects.flatMap(({ body }) => body ?? [])])
    .flatMap((word) => word.variables)
    .filter((name) => derived.has(name));
  const [name] = used;
  const made = name === undefined ? undefined : derived.get(name);
  if (name === undefined || made === undefined || masked.has(name)) return undefined;
  const secrets = new Map(used.map((each) => [each, derived.get(each)?.secret ?? '']));
  if (printed(command, secrets) === undefined) return undefined;
  const { secret, program } = made;
  return program === undefined
    ? { message: 'part', data: { secret } }
    : { message: 'altered', data: { secret, program } };
}

function derivedFrom(
  { name, value }: { readonly name: string; readonly value: ShellWord },
  inner: readonly ShellCommand[],
  {
    variables,
    derived,
  }: { readonly variables: ReadonlyMap<string, string>; readonly derived: ReadonlyMap<string, Derived> },
): Derived | undefined {
  const copied = value.variables.flatMap((used) => derived.get(used) ?? [])[0];
  if (!/\$\(|`/.test(value.text)) {
    const cut = value.variables.find(
      (used) => variables.has(used) && /^\s?-?\d/.test(value.text.split(`\${${used}:`)[1] ?? ''),
    );
    const secret = cut === undefined ? undefined : variables.get(cut);
    return copied ?? (secret === undefined ? undefined : { secret, program: undefined });
  }
  if (!inner.every(({ program }) => PRINTERS.has(program) || TRANSFORMERS.has(program))) return undefined;
  const source = inner.find((part) => sourceSecret(part, variables) !== undefined);
  const secret = source === undefined ? undefined : sourceSecret(source, variables);
  if (source === undefined || secret === undefined) return copied;
  const transformer = inner.slice(inner.indexOf(source)).find(({ program }) => TRANSFORMERS.has(program));
  if (transformer === undefined) return copied;
  const texts = [name, ...transformer.args.map((word) => word.value)];
  const tells =
    ENCODERS.has(inner.at(-1)?.program ?? '') ||
    (texts.some((text) => SECRET_NAME.test(text)) && !texts.some((text) => HARMLESS_NAME.test(text)));
  return tells ? { secret, program: transformer.program } : undefined;
}

function printed(command: ShellCommand, variables: ReadonlyMap<string, string>): Printed | undefined {
  if (command.program === 'curl') return verbose(command, variables);
  if (command.pipeline.at(-1) !== command || !reachesLog(command)) return undefined;
  if (!command.pipeline.every(({ program }) => PRINTERS.has(program) || TRANSFORMERS.has(program))) return undefined;
  if (command.pipeline.some(isMasking) || command.args.some(({ value }) => OUTPUT_FILE.test(value))) return undefined;
  const source = command.pipeline.find((part) => sourceSecret(part, variables) !== undefined);
  const secret = source === undefined ? undefined : sourceSecret(source, variables);
  if (source === undefined || secret === undefined) return undefined;
  const after = command.pipeline.slice(command.pipeline.indexOf(source));
  const transformer = after.find(({ program }) => TRANSFORMERS.has(program));
  if (transformer !== undefined) {
    return isMaskedBase64(after, variables)
      ? { message: 'shown', data: { secret }, severity: 'LOW' }
      : { message: 'altered', data: { secret, program: transformer.program } };
  }
  const use = useIn(source, variables);
  if (use === 'test') return undefined;
  return use === 'part'
    ? { message: 'part', data: { secret } }
    : { message: 'shown', data: { secret }, severity: 'LOW' };
}

function sourceSecret(command: ShellCommand, variables: ReadonlyMap<string, string>): string | undefined {
  // The output of a command substitution belongs to the inner command.
  const args = TRANSFORMERS.has(command.program) ? [] : command.args.filter(({ text }) => !/\$\(|`/.test(text));
  return secretInCommand(commandWith(command, { args }), variables);
}

/** `${#KEY}` and `${KEY:+yes}` only test whether it is set; `${KEY:0:4}` and the like cut it. */
function useIn(
  { text, words, redirects }: ShellCommand,
  variables: ReadonlyMap<string, string>,
): 'whole' | 'part' | 'test' {
  const used = [...words, ...redirects.flatMap(({ body }) => body ?? [])].flatMap((word) => word.variables);
  const names = [...new Set(used)].filter((name) => variables.has(name));
  let use: 'whole' | 'part' | 'test' = 'whole';
  for (const name of names) {
    if (text.includes(`\${#${name}}`) || text.includes(`\${${name}:+`) || text.includes(`\${${name}+`)) use = 'test';
    else if (['#', '%', '/', '^', ',', ':0', ':1', ':2', ': -', '@'].some((cut) => text.includes(`\${${name}${cut}`)))
      return 'part';
    else return 'whole';
  }
  return use;
}

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

function verbose(command: ShellCommand, variables: ReadonlyMap<string, string>): Printed | undefined {
  const values = command.args.map(({ value }) => value);
  const chatty = values.some((value) => /^(?:--verbose|--trace(?:-ascii)?|-[a-uw-zA-Z]*v[a-zA-Z]*)$/.test(value));
  const user = command.args.find((_, index) => /^(?:-u|--user)$/.test(values[index - 1] ?? ''));
  const secret = user && keyBeforeText(user, variables);
  return chatty && secret !== undefined && reachesLog(commandWith(command, { redirects: [] })) && !silences(command)
    ? { message: 'verbose', data: { secret } }
    : undefined;
}

const EXPANSION = /\$\{\{[^{}]{0,200}\}\}|\$\{\w+\}|\$\w+/g;

function keyBeforeText({ value }: ShellWord, variables: ReadonlyMap<string, string>): string | undefined {
  for (const { 0: text, index } of value.matchAll(EXPANSION)) {
    if (index + text.length === value.length) continue;
    const secret = variables.get(/\w+/.exec(text)?.[0] ?? '') ?? /\bsecrets\.(\w+)/i.exec(text)?.[1]?.toLowerCase();
    if (secret !== undefined && secret !== 'github_token' && namesKey(secret)) return secret;
  }
  return undefined;
}

function isMaskedBase64([source, ...rest]: readonly ShellCommand[], variables: ReadonlyMap<string, string>): boolean {
  const [encoder, joiner] = rest;
  if (source === undefined || encoder?.program !== 'base64') return false;
  const options = encoder.args.map(({ value }) => value);
  if (options.some((option) => /^(?:-d|-D|--decode)$/.test(option))) return false;
  const unwrapped = /^(?:-w ?0|--wrap[ =]0)$/.test(options.join(' '));
  const joined = joiner?.args.map(({ value }) => value).join(' ') === '-d \\n' && joiner.program === 'tr';
  if (rest.length !== (unwrapped ? 1 : 2) || (!unwrapped && !joined)) return false;
  const words = source.args.filter(({ value }) => value !== '-n' && value !== '%s');
  const endsAtOnce = source.program === 'printf' || source.args[0]?.value === '-n';
  return endsAtOnce && words.length === 1 && words.every((word) => keyBeforeText(word, variables) === undefined);
}

function silences({ redirects }: ShellCommand): boolean {
  return redirects.some(({ operator, target }) => /^(?:2|&)>/.test(operator) || target?.value === '/dev/null');
}

function* badMasks(step: Step): Generator<Report<Message>> {
  const commands = commandsOf(step);
  const shown = firstShown(step);
  for (const [index, command] of commands.entries()) {
    if (!isMasking(command) || command.program !== 'echo') continue;
    const shownBy = command.args.flatMap((word) => [
      ...word.expressions.flatMap(({ node }) => (node === undefined ? [] : flowingAccesses(node))),
      ...word.variables.flatMap((name) => accessesIn(environmentValue(name, step)?.text)),
    ]);
    const open = shownBy.map(({ path }) => path.join('.')).find((path) => /^(?:inputs|github\.event)\./.test(path));
    if (open !== undefined) {
      yield {
        message: 'expanded',
        data: { source: open },
        at: step,
        span: command.span,
        severity: severityOf(shownBy.flatMap(({ path }) => path.at(-1) ?? [])),
      };
      continue;
    }
    const names = new Set(command.args.flatMap(({ variables }) => variables));
    const earlier = [...names].flatMap((name) => shown.get(name) ?? []).sort((a, b) => a.at - b.at)[0];
    if (earlier !== undefined && earlier.at < index) {
      const [name] = earlier.command.args.flatMap(({ variables }) => variables.filter((used) => names.has(used)));
      if (name === undefined) continue;
      const severity = severityOf([name, ...shownBy.flatMap(({ path }) => path.at(-1) ?? [])]);
      yield { message: 'late', data: { name }, at: step, span: earlier.command.span, severity };
    }
  }
}

function severityOf(names: readonly string[]): Severity {
  const tells = names.some(
    (name) => ADDRESS_WITH_KEY.test(name) || (SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)),
  );
  return tells ? 'MEDIUM' : 'LOW';
}

function firstShown(step: Step): Map<string, { readonly command: ShellCommand; readonly at: number }> {
  const { text } = sourceOf(step);
  const shown = new Map<string, { readonly command: ShellCommand; readonly at: number }>();
  const commands = commandsOf(step);
  let fails = false;
  for (const [at, command] of [...commands.entries()].reverse()) {
    const next = commands[at + 1];
    const staysInBranch = !LEAVES_BRANCH.test(text.slice(command.span.end, next?.span.start ?? command.span.end));
    fails = next !== undefined && staysInBranch && (prints(next) ? fails : isFailingExit(next));
    if (fails || !prints(command) || isMasking(command) || command.pipeline.length > 1 || !reachesLog(command))
      continue;
    for (const name of command.args.flatMap(({ variables }) => variables)) shown.set(name, { command, at });
  }
  return shown;
}

function prints({ program }: ShellCommand): boolean {
  return program === 'echo' || program === 'printf';
}

function isFailingExit({ program, args }: ShellCommand): boolean {
  return /^(?:exit|return)$/.test(program) && (args[0]?.value ?? '0') !== '0';
}

const LEAVES_BRANCH = /\|\||&&|\b(?:done|elif|else|esac|fi)\b|;;|\}/;

function accessesIn(text: Text | undefined): ReturnType<typeof flowingAccesses> {
  if (text === undefined) return [];
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : flowingAccesses(node)));
}
