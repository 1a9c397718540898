import { mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, jobOf, type Step, stepsOf, type Text } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { firstLineOf, textAround } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'pipe' | 'unstopped' | 'pipInstall' | 'cmd' | 'spawn';

export const misfeature = defineRule({
  id: 'misfeature',
  meta: {
    title: 'Feature that hides failures or defeats analysis',
    why: 'Some features do less than they appear to. A pipe in the default shell ignores a failure of its first command, a shell without `-e` continues after an error, and code in another language or in `cmd` is invisible to most analysis tools.',
    attack:
      'Verification of a signature fails, but its output is piped into a command that succeeds. The step passes, and the forged file is installed or released.',
    recommendation:
      'Set `shell: bash`, which also stops when a command in a pipe fails. Install Python packages in a separate step with hashes, and run programs in `run` steps.',
    limits:
      'Only pipes and shells around known verification commands count as hiding a failure; scripts that set shell options themselves are trusted. Whether a program reports failure through its exit code is not known. Only POSIX shell scripts are analyzed.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: [],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell',
      'https://github.com/actions/setup-python/blob/main/docs/advanced-usage.md',
    ],
    messages: {
      pipe: 'The step succeeds even if {{program}} fails, because the default shell uses only the exit code of the last command in a pipe.',
      unstopped:
        'The script continues even if {{program}} fails, because the shell `{{shell}}` does not stop on errors.',
      pipInstall: 'The input pip-install installs {{packages}} without a lockfile or hashes.',
      cmd: 'The shell cmd has no safe way to quote values, and few tools can analyze its scripts{{more}}.',
      spawn: 'This github-script code starts other programs, out of reach of shell analysis tools.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            verify:
              runs-on: ubuntu-latest
              steps:
                # expect: pipe
                - run: cosign verify-blob --key key.pub tool | tee verify.log
                - shell: bash -l {0}
                  run: |
                    # expect: unstopped
                    sha256sum --check SUMS
                    ./tool
                - uses: actions/setup-python@v6
                  with:
                    # expect: pipInstall
                    pip-install: build twine
                # expect: cmd
                - { shell: cmd, run: build.bat }
                - { shell: cmd, run: test.bat }
                - uses: actions/github-script@v8
                  with:
                    # expect: spawn
                    script: require('child_process').execSync('make')
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            verify:
              runs-on: ubuntu-latest
              steps:
                - name: Verify
                  # expect: pipe
                  run: gh attestation verify tool --owner acme | tail -n 1
        `,
        fixed: yaml`
          on: push
          jobs:
            verify:
              runs-on: ubuntu-latest
              steps:
                - name: Verify
                  # expect: pipe
                  shell: bash
                  run: gh attestation verify tool --owner acme | tail -n 1
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            verify:
              runs-on: ubuntu-latest
              steps:
                - shell: bash
                  run: cosign verify-blob --key key.pub tool | tee verify.log
                - run: |
                    set -o pipefail
                    cosign verify-blob --key key.pub tool | tee verify.log
                - run: cosign verify-blob --key key.pub tool | grep -q Verified
                - run: echo "$SUM  tool" | sha256sum --check
                - run: gh attestation verify tool --owner acme
                - shell: bash -euo pipefail {0}
                  run: gh attestation verify tool | tail -n 1
                - shell: bash -l {0}
                  run: |
                    conda list
                    sha256sum --check SUMS
                - uses: actions/github-script@v8
                  with: { script: "await github.rest.issues.create({})" }
            defaults:
              runs-on: ubuntu-latest
              defaults: { run: { shell: bash } }
              steps:
                - run: cosign verify acme/app | jq .
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

const VERIFIES =
  /\b(?:cosign|slsa-verifier|gpgv?2?|minisign|sha\d{1,3}sum|shasum|b2sum|openssl|attestation|codesign|rekor-cli|notation)\b/;

const DECIDES = /^(?:e|f|z)?grep$|^(?:test|\[|\[\[|diff|cmp|awk)$/;

function* check(definition: Definition): Generator<Report<Message>> {
  const inCmd: Step[] = [];
  for (const step of stepsOf(definition)) {
    const shell = declaredShell(step);
    if (step.run !== undefined && /^cmd(?:\.exe)?\b/i.test(shell?.value.trim() ?? '')) inCmd.push(step);
    yield* hiddenFailure(step, shell?.value.trim(), definition);
    yield* inInputs(step);
  }
  const [first] = inCmd;
  if (first === undefined) return;
  const others = inCmd.length - 1;
  yield {
    message: 'cmd',
    data: { more: others === 0 ? '' : `; ${others} more ${others === 1 ? 'step uses' : 'steps use'} it in this file` },
    at: first,
    span: first.shell?.span ?? first.runSpan ?? first.span,
  };
}

const MAX_JUDGED = 100;

function declaredShell(step: Step): Text | undefined {
  const job = jobOf(step);
  return step.shell ?? job?.defaultShell ?? job?.workflow.defaultShell;
}

function* hiddenFailure(step: Step, shell: string | undefined, definition: Definition): Generator<Report<Message>> {
  const { run } = step;
  if (run === undefined || !VERIFIES.test(run.value) || /\bset\s+-\w*[eo]|\bpipefail\b/.test(run.value)) return;
  const commands = commandsOf(step);
  let judged = 0;
  for (const command of commands) {
    const program = verification(command);
    if (program === undefined || command.within !== undefined) continue;
    judged += 1;
    if (judged > MAX_JUDGED) return;
    const { pipeline } = command;
    const after = pipeline.slice(pipeline.indexOf(command) + 1);
    if (after.length > 0 && !stopsInPipes(shell) && !after.some((next) => DECIDES.test(next.program))) {
      const fix = shell === undefined ? sayBash(step, definition) : undefined;
      yield { message: 'pipe', data: { program }, at: step, span: command.span, severity: 'MEDIUM', fix };
    } else if (after.length === 0 && shell !== undefined && goesOn(shell) && !isHandled(command, commands, run)) {
      yield { message: 'unstopped', data: { program, shell }, at: step, span: command.span, severity: 'LOW' };
    }
  }
}

function verification({ program, args }: ShellCommand): string | undefined {
  const values = args.map(({ value }) => value);
  const [first = ''] = values;
  switch (program) {
    case 'cosign':
    case 'slsa-verifier':
    case 'notation':
      return first.startsWith('verify') ? `${program} ${first}` : undefined;
    case 'gh':
      return first === 'attestation' && values[1] === 'verify' ? 'gh attestation verify' : undefined;
    case 'gpg':
    case 'gpg2':
      return values.includes('--verify') ? 'gpg --verify' : undefined;
    case 'gpgv':
      return program;
    case 'minisign':
      return values.some((value) => /^-[a-zA-Z]*V/.test(value)) ? 'minisign -V' : undefined;
    case 'openssl':
      return values.includes('-verify') ? 'openssl -verify' : undefined;
    default:
      return /^(?:sha\d{1,3}sum|shasum|b2sum)$/.test(program) &&
        values.some((value) => /^(?:-[^\Wc]*c\w*|--check)$/.test(value))
        ? `${program} --check`
        : undefined;
  }
}

function stopsInPipes(shell: string | undefined): boolean {
  return shell !== undefined && (shell === 'bash' || /pipefail/.test(shell) || !/^(?:ba|z|da)?sh\b/.test(shell));
}

/** GitHub adds no options to a custom shell command. */
function goesOn(shell: string): boolean {
  return /^(?:\S*\/)?(?:ba|z|da)?sh\s/.test(shell) && shell.includes('{0}') && !/\s-\w*e|errexit/.test(shell);
}

function isHandled(command: ShellCommand, commands: readonly ShellCommand[], run: Text): boolean {
  if (commands.at(-1) === command) return true;
  const { before, after } = textAround(command.span, run.node.origin, 40);
  return /^\s*(?:\|\||&&|(?:;\s*)?then\b)/.test(after) || /(?:\bif|\bwhile|\buntil|!|&&|\|\|)\s*$/.test(before);
}

function sayBash(step: Step, definition: Definition): Fix | undefined {
  if (step.mapping.flow || !mayInsert(definition)) return undefined;
  const edit = setKey(step.mapping, 'shell', 'bash', { before: 'run' });
  return edit && { safety: 'review', edits: [edit] };
}

const SPAWNS = /\bchild_process\b|\bexecSync\s*\(|\bexec\.(?:exec|getExecOutput)\s*\(/;

function* inInputs(step: Step): Generator<Report<Message>> {
  const slug = actionOf(step)?.slug;
  if (slug === 'actions/setup-python') {
    const packages = inputOf(step, 'pip-install');
    if (packages !== undefined && !/^\s*$|--require-hashes/.test(packages.value)) {
      yield {
        message: 'pipInstall',
        data: { packages: packages.value },
        at: step,
        span: packages.span,
        severity: 'LOW',
      };
    }
  }
  const script = slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
  if (script !== undefined && SPAWNS.test(script.value)) {
    yield { message: 'spawn', at: step, span: firstLineOf(script.span, script.node.origin) };
  }
}
