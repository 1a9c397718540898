import { type ArgumentInjectionSink, argumentInjectionSinks } from '#lib/analysis/dataflow/argument-injection-sinks.ts';
import { taintsOfWord } from '#lib/analysis/dataflow/eval-sinks.ts';
import { secretInCommand, secretVariables } from '#lib/analysis/dataflow/secret-use.ts';
import { mayHoldOutsiderText } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { eventOf, worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { type Definition, jobOf, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = ArgumentInjectionSink['risk'];

export const argumentInjection = defineRule({
  id: 'argument-injection',
  meta: {
    title: 'Untrusted text injected as a command argument',
    why: 'A quoted variable cannot become shell code, but the command that receives it still interprets it. Text that begins with a dash is an option, and sed, awk and make have languages of their own that run commands.',
    attack:
      'An attacker opens an issue titled `--upload-pack=…` or with a sed command in the title. The tool treats it as an option or a program, and runs a command or reads a file with the job’s permissions.',
    recommendation:
      'Put `--` before the value, keep it out of sed, awk and jq programs (`awk -v t="$TITLE"`, `jq --arg t "$TITLE"`), hard-code the host of a request, and validate the value first: `[[ "$NAME" =~ ^[a-z0-9-]+$ ]]`.',
    limits:
      'Reads POSIX shells and knows about twenty tools. Branch names are reported only inside programs, because they cannot begin with a dash or contain spaces. Expressions interpolated into the script itself are reported by template-injection.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    inUsedActions: true,
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://cwe.mitre.org/data/definitions/88.html',
      'https://sonarsource.github.io/argument-injection-vectors/',
      'https://docs.github.com/actions/concepts/security/script-injections',
    ],
    messages: {
      option:
        '{{source}}, which anyone can set through {{event}}, is passed to {{tool}} as an argument and may begin with a dash.',
      program: '{{source}}, which anyone can set through {{event}}, is part of the program that {{tool}} runs.',
      request:
        '{{source}}, which anyone can set through {{event}}, chooses the host that {{tool}} connects to{{token}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { contents: write }
          jobs:
            search:
              runs-on: ubuntu-latest
              steps:
                - env:
                    TITLE: \${{ github.event.issue.title }}
                  run: |
                    # expect: option
                    git log --oneline "$TITLE"
                    # expect: program
                    sed -i "s/@title@/$TITLE/" notes.md
                    # expect: option
                    make $TITLE
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            stamp:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: program MEDIUM
                    sed -i "s/branch = .*/branch = $GITHUB_HEAD_REF/" config.ini
                - run: |
                    # expect: program MEDIUM
                    awk "BEGIN { print \\"$BRANCH\\" }"
                  env: { BRANCH: "\${{ github.head_ref }}" }
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: read }
          jobs:
            fetch:
              runs-on: ubuntu-latest
              env:
                BODY: \${{ github.event.comment.body }}
              steps:
                - env: { TOKEN: "\${{ secrets.API_TOKEN }}" }
                  run: |
                    # expect: request
                    curl -H "Authorization: Bearer $TOKEN" "https://$BODY/status"
                    # expect: program
                    jq ".[] | select(.name == \\"$BODY\\")" list.json
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [issue_comment, pull_request_target]
          permissions: { contents: write }
          jobs:
            safe:
              runs-on: ubuntu-latest
              env:
                BODY: \${{ github.event.comment.body }}
                BRANCH: \${{ github.head_ref }}
                NUMBER: \${{ github.event.issue.number }}
              steps:
                - run: |
                    git log -- "$BODY"
                    git commit -m "$BODY"
                    git fetch origin "$BRANCH" "refs/pull/$NUMBER/head"
                    awk -v branch="$BRANCH" '$0 ~ branch' list.txt
                    jq ".[] | select(.name == \\"$BRANCH\\")" list.json
                    jq --arg body "$BODY" '.[] | select(.name == $body)' list.json
                    awk -v body="$BODY" '$0 ~ body' list.txt
                    curl -d "$BODY" https://api.example.com/comments
                    curl "https://api.example.com/search?q=$BODY"
                    echo "$BODY" | sed 's/a/b/'
                    gh issue comment "$NUMBER" --body "$BODY"
                - run: |
                    [[ "$BODY" =~ ^[a-z]+$ ]] || exit 1
                    make "$BODY"
            members:
              if: github.event.comment.author_association == 'OWNER'
              runs-on: ubuntu-latest
              steps:
                - run: make "$BODY"
                  env: { BODY: "\${{ github.event.comment.body }}" }
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  if (!mayHoldOutsiderText(definition, context.repository)) return;
  for (const step of stepsOf(definition)) {
    let told: unknown;
    for (const argument of argumentInjectionSinks(step)) {
      if (told === argument.command) continue;
      const report = judge(argument, step, context);
      if (report === undefined) continue;
      told = argument.command;
      yield report;
    }
  }
}

function judge(argument: ArgumentInjectionSink, step: Step, { repository }: RuleContext): Report<Message> | undefined {
  const { command, word, risk } = argument;
  const texts: readonly Taint['text'][] = risk === 'program' && argument.runs ? ['free', 'ref'] : ['free'];
  const taint = worstTaint(
    taintsOfWord(word, step, repository).filter(({ writer, text }) => writer === 'outsider' && texts.includes(text)),
  );
  if (taint === undefined) return undefined;
  const secret = risk === 'request' ? secretInCommand(command, secretVariables(step)) : undefined;
  return {
    message: risk,
    data: {
      source: [...taint.via, taint.source].join(' ← '),
      event: eventOf(taint),
      tool: command.program,
      token: secret === undefined ? '' : `, and the request carries ${secret.toUpperCase()}`,
    },
    at: step,
    span: command.span,
    severity: severityOf(argument, taint, step, secret !== undefined),
    attributes: { source: 'event', event: taint.event, sink: risk, tool: command.program },
  };
}

function severityOf({ risk, runs }: ArgumentInjectionSink, taint: Taint, step: Step, withSecret: boolean): Severity {
  if (taint.reach !== 'outsider-privileged') return 'LOW';
  const job = jobOf(step);
  if (risk === 'request') {
    const inside = job !== undefined && runnerKind(job) === 'self-hosted';
    return withSecret || inside ? 'HIGH' : 'LOW';
  }
  if (!runs) return 'LOW';
  const stakes = job === undefined ? undefined : credentialsOf(job);
  const holds = stakes === undefined || stakes.any || stakes.mayWrite;
  return risk === 'program' && holds && taint.text === 'free' ? 'HIGH' : 'MEDIUM';
}
