import { gitUse } from '#lib/analysis/privileges/git-use.ts';
import { isNoOp } from '#lib/analysis/privileges/no-op-steps.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { append, replaceMatch, replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { actionOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Step, stepsOf, type Variable } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { spanInScalar } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

const SWITCH = 'ACTIONS_ALLOW_UNSECURE_COMMANDS';

const OLD_COMMANDS: Readonly<Record<string, { readonly file: string; readonly gone: boolean }>> = {
  'set-env': { file: 'GITHUB_ENV', gone: true },
  'add-path': { file: 'GITHUB_PATH', gone: true },
  'set-output': { file: 'GITHUB_OUTPUT', gone: false },
  'save-state': { file: 'GITHUB_STATE', gone: false },
};

const OLD_COMMAND = /::(set-env|add-path|set-output|save-state)\b[^:\n]*::/;

type Message = 'enabled' | 'computed' | 'written' | 'removed' | 'deprecated';

export const insecureCommands = defineRule({
  id: 'insecure-commands',
  meta: {
    title: 'Deprecated workflow commands enabled or used',
    why: 'With ACTIONS_ALLOW_UNSECURE_COMMANDS, the runner obeys every printed line that looks like `::set-env` or `::add-path`. A program that prints a commit message, an issue title or a file name then lets its author set the job’s environment variables and PATH.',
    attack:
      'An outsider puts `::set-env name=BASH_ENV::…` into text that some step prints. The next step runs the outsider’s code with the job’s token and secrets.',
    recommendation:
      'Remove the variable, and write to the environment files instead: `echo "NAME=value" >> "$GITHUB_ENV"`, `"$GITHUB_PATH"`, `"$GITHUB_OUTPUT"` or `"$GITHUB_STATE"`.',
    limits: 'Commands printed by a called program or action are not seen, nor are the settings of self-hosted runners.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/advisories/GHSA-mfwh-5m23-j46w',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands',
    ],
    messages: {
      enabled: 'ACTIONS_ALLOW_UNSECURE_COMMANDS lets any printed line set environment variables and PATH {{scope}}.',
      computed:
        'ACTIONS_ALLOW_UNSECURE_COMMANDS is computed and may let any printed line set environment variables {{scope}}.',
      written: 'ACTIONS_ALLOW_UNSECURE_COMMANDS is enabled for all later steps of the job.',
      removed: 'The command ::{{command}}:: was removed as insecure: it fails unless insecure commands are re-enabled.',
      deprecated: 'The command ::{{command}}:: is deprecated: the runner obeys any printed line that looks like it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          env:
            # expect: enabled
            ACTIONS_ALLOW_UNSECURE_COMMANDS: true
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                # expect: enabled
                ACTIONS_ALLOW_UNSECURE_COMMANDS: 'True' # for an old action
              steps:
                - env:
                    # expect: computed
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: \${{ inputs.unsafe }}
                  run: |
                    # expect: removed
                    echo "::set-env name=MODE::fast"
                    # expect: deprecated
                    echo "::set-output name=dir::$(go env GOCACHE)"
                    # expect: written
                    echo "ACTIONS_ALLOW_UNSECURE_COMMANDS=true" >> $GITHUB_ENV
                # expect: removed
                - run: echo ::add-path::/opt/tool/bin
        `,
        fixed: yaml`
          on: push
          env:
            # expect: enabled
            ACTIONS_ALLOW_UNSECURE_COMMANDS: false
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                # expect: enabled
                ACTIONS_ALLOW_UNSECURE_COMMANDS: false # for an old action
              steps:
                - env:
                    # expect: computed
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: false
                  run: |
                    # expect: removed
                    echo "MODE=fast" >> "$GITHUB_ENV"
                    # expect: deprecated
                    echo "dir=$(go env GOCACHE)" >> "$GITHUB_OUTPUT"
                    # expect: written
                    echo "ACTIONS_ALLOW_UNSECURE_COMMANDS=false" >> $GITHUB_ENV
                # expect: removed
                - run: echo /opt/tool/bin >> "$GITHUB_PATH"
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/setup-java@v1
                  env:
                    # expect: enabled LOW
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: true
                  with: { java-version: '8' }
                - uses: actions/setup-node@v1
                  env:
                    # expect: enabled MEDIUM
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: true
                  with: { node-version-file: .nvmrc }
                - uses: actions/checkout@v1
                  env:
                    # expect: enabled MEDIUM
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: true
                - run: git log -1
                  env:
                    # expect: enabled MEDIUM
                    ACTIONS_ALLOW_UNSECURE_COMMANDS: true
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: windows-latest
              steps:
                # expect: deprecated
                - run: Write-Output "::set-output name=version::$version"
                - shell: bash
                  run: |
                    body="\${body//$'\n'/'%0A'}"
                    # expect: deprecated
                    echo "::set-output name=body::$body"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          env:
            ACTIONS_ALLOW_UNSECURE_COMMANDS: false
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # was: echo "::set-output name=a::b"
                    echo "a=b" >> "$GITHUB_OUTPUT"
                    echo "::add-mask::$TOKEN"
                    echo "::group::Build"
                    if grep -r '::set-output' .github; then exit 1; fi
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

const SWITCH_NAME = /ACTIONS_ALLOW_UNSECURE_COMMANDS/i;

function* check(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  const { text } = definition.source;
  const steps = stepsOf(definition);
  if (SWITCH_NAME.test(text)) {
    if (definition.kind === 'workflow') {
      const idle = isIdle(steps, repository) && definition.jobs.every(({ uses }) => uses === undefined);
      yield* switchIn(definition.env?.get(SWITCH), definition, 'in every job', idle);
      for (const job of definition.jobs) {
        yield* switchIn(job.env?.get(SWITCH), job, 'in every step of the job', isIdle(job.steps, repository));
      }
    }
    for (const step of steps) {
      const severity = printsOwnTextOnly(step) ? 'LOW' : 'MEDIUM';
      yield* switchIn(step.env?.get(SWITCH), step, 'in this step', isIdle([step], repository), severity);
      yield* switchWritten(step);
    }
  }
  if (OLD_COMMAND.test(text)) for (const step of steps) yield* oldCommands(step);
}

/** Old releases of many actions print such commands, ordinary programs do not. */
function isIdle(steps: readonly Step[], repository: Repository): boolean {
  return steps.every((step) =>
    step.run === undefined
      ? runsAction(step, 'actions/checkout')
      : !/set-env|add-path/i.test(step.run.value) && gitUse(step, repository) === 'no',
  );
}

const SET_UP = /^actions\/setup-(?:dotnet|go|java|node|python)$/;

function printsOwnTextOnly(step: Step): boolean {
  if (isNoOp(step)) return true;
  const inputs = step.with?.entries ?? [];
  return SET_UP.test(actionOf(step)?.slug ?? '') && inputs.every(({ name }) => !/file|cache/.test(name));
}

function* switchIn(
  variable: Variable | undefined,
  at: Report['at'],
  scope: string,
  idle: boolean,
  severity: Severity = 'MEDIUM',
): Generator<Report<Message>> {
  if (variable === undefined) return;
  const { value } = variable.value;
  const computed = value.includes('${{');
  if (!computed && value.trim().toLowerCase() !== 'true') return;
  const edit = replaceScalar(variable.value, 'false');
  yield {
    message: computed ? 'computed' : 'enabled',
    data: { scope },
    at,
    span: variable.span,
    severity,
    confidence: computed ? 'medium' : 'high',
    fix: edit && { safety: idle && !computed ? 'safe' : 'review', edits: [edit] },
  };
}

function* switchWritten(step: Step): Generator<Report<Message>> {
  for (const { file, words, span } of commandFileWrites(step)) {
    const text = words.map((word) => word.text).join(' ');
    if (file !== 'env' || !/ACTIONS_ALLOW_UNSECURE_COMMANDS=["']?true/i.test(text)) continue;
    const fix = edited(step, span, /(?<=ACTIONS_ALLOW_UNSECURE_COMMANDS=["']?)true/i, 'false');
    yield {
      message: 'written',
      at: step,
      span,
      fix: fix && { safety: 'review', edits: [fix] },
    };
  }
}

function* oldCommands(step: Step): Generator<Report<Message>> {
  if (step.run === undefined || !OLD_COMMAND.test(step.run.value)) return;
  if (shellOf(step) === 'posix') {
    for (const command of commandsOf(step)) {
      if (!/^(?:echo|printf|cat)$/.test(command.program)) continue;
      const words = [...command.args, ...command.redirects.flatMap(({ body }) => body ?? [])];
      const name = OLD_COMMAND.exec(words.map(({ text }) => text).join(' '))?.[1];
      if (name !== undefined) yield reportOf(name, step, command.span, rewrite(command, name, step));
    }
    return;
  }
  let start = 0;
  for (const line of step.run.value.split('\n')) {
    const match = /^\s*(?:#|::|rem\b)/i.test(line) ? null : OLD_COMMAND.exec(line);
    if (match !== null) {
      const { node } = step.run;
      const from = start + match.index;
      const span = spanInScalar(node, from, from + match[0].length);
      yield reportOf(match[1] as string, step, span, undefined);
    }
    start += line.length + 1;
  }
}

function reportOf(command: string, step: Step, span: Span, fix: Fix | undefined): Report<Message> {
  const gone = OLD_COMMANDS[command]?.gone === true;
  return { message: gone ? 'removed' : 'deprecated', data: { command }, at: step, span, severity: 'LOW', fix };
}

function rewrite(command: ShellCommand, name: string, step: Step): Fix | undefined {
  const escaped = /%0[AD]|%25/i.test(step.run?.value ?? '');
  if (command.program !== 'echo' || command.pipeline.length > 1 || command.redirects.length > 0 || escaped)
    return undefined;
  if (command.args.length !== 1 || command.within !== undefined) return undefined;
  const key = /::[\w-]+(?: name=([\w-]+))?::/.exec(command.text)?.[1];
  if ((key === undefined) !== (name === 'add-path')) return undefined;
  const edit = edited(step, command.span, /::[\w-]+(?: name=[\w-]+)?::/, key === undefined ? '' : `${key}=`);
  if (edit === undefined) return undefined;
  return { safety: 'review', edits: [edit, append(command.span, ` >> "$${OLD_COMMANDS[name]?.file}"`)] };
}

function edited(step: Step, span: Span, pattern: RegExp, text: string): TextEdit | undefined {
  const style = step.run?.node.style;
  return step.run === undefined || (style !== 'literal' && style !== 'plain')
    ? undefined
    : replaceMatch(step.run, span, pattern, text);
}
