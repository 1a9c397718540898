import { originsOfWrite, type TaintedSource } from '#lib/analysis/dataflow/tainted-sources.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { type Definition, jobOf, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import { type CommandFile, type CommandFileWrite, commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'variables' | 'value' | 'path' | 'contributor';

export const githubEnv = defineRule({
  id: 'github-env',
  meta: {
    title: 'Untrusted text written to GITHUB_ENV or GITHUB_PATH',
    why: 'Each line of the file behind GITHUB_ENV sets an environment variable for all later steps of the job, and GITHUB_PATH decides which programs they start. A line break in somebody else’s text adds a line of their own, and variables such as LD_PRELOAD or BASH_ENV run code.',
    attack:
      'An outsider writes a comment or file whose second line sets BASH_ENV; the job copies it into GITHUB_ENV, and every later step runs the outsider’s code with the job’s token and secrets.',
    recommendation:
      'Pass the value as a step output or argument instead. If it has to be a variable, check it first (`[[ "$VALUE" =~ ^[0-9]+$ ]]`) or write it between marks made by `openssl rand -hex 16`.',
    limits:
      'Follows words, variables, substitutions, pipes and a few lookups of POSIX shell scripts; of other shells single lines only. What a program of the repository prints is not known.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#setting-an-environment-variable',
      'https://docs.github.com/actions/concepts/security/script-injections',
    ],
    messages: {
      variables:
        '{{source}}, which an outsider chooses, goes into {{file}}: a line break in it sets any variable of the later steps.',
      value: '{{source}}, which an outsider chooses, becomes a variable of all later steps.',
      path: '{{source}}, which an outsider chooses, goes into GITHUB_PATH, where later steps look for programs.',
      contributor:
        '{{source}}, which may come from somebody else’s contribution, goes into {{file}}: a line break in it sets any variable of the later steps.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: [issue_comment, issues]
          permissions: { contents: write }
          jobs:
            reply:
              runs-on: ubuntu-latest
              env:
                TITLE: \${{ github.event.issue.title }}
              steps:
                - env:
                    BODY: \${{ github.event.comment.body }}
                  run: |
                    # expect: variables
                    echo "BODY=$BODY" >> $GITHUB_ENV
                    # expect: value
                    echo "TITLE=$TITLE" >> "\${GITHUB_ENV}"
                    first=$(echo "$BODY" | cut -d: -f2)
                    {
                      echo "A=1"
                      # expect: variables
                      echo "FIRST=$first"
                    } >> "$GITHUB_ENV"
                    # expect: variables
                    cat <<EOF | tee -a "$GITHUB_ENV"
                    NOTE=$BODY
                    EOF
                    # expect: path
                    echo "$TITLE" >> $GITHUB_PATH
                    env_file=$GITHUB_ENV
                    # expect: variables
                    printf 'BODY<<EOF\n%s\nEOF\n' "$BODY" >> "$env_file"
                    # expect: variables
                    gh issue view 1 --json body --jq .body >> $GITHUB_ENV
                - run: make
            windows:
              runs-on: windows-latest
              env:
                BODY: \${{ github.event.comment.body }}
              steps:
                # expect: variables
                - run: echo "BODY=$env:BODY" | Out-File -FilePath $env:GITHUB_ENV -Append
                - run: make
        `,
      },
      {
        yaml: {
          '.github/workflows/report.yml': yaml`
            on:
              workflow_run: { workflows: [Test], types: [completed] }
            permissions: { pull-requests: write }
            jobs:
              report:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with:
                      name: data
                      run-id: \${{ github.event.workflow_run.id }}
                      github-token: \${{ github.token }}
                  # expect: variables
                  - run: cat data.env >> "$GITHUB_ENV"
                  - run: gh pr comment "$NUMBER" --body done
          `,
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - run: make test > data.env
                  - uses: actions/upload-artifact@v4
                    with: { name: data, path: data.env }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/board.yml': yaml`
            on:
              workflow_run: { workflows: [Collect], types: [completed] }
            permissions: { actions: read }
            jobs:
              board:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: merged, run-id: "\${{ github.event.workflow_run.id }}" }
                  # expect: variables HIGH
                  - run: cat pr.env >> "$GITHUB_ENV"
                  - run: gh project item-add 1 --url "$URL"
                    env: { GH_TOKEN: "\${{ secrets.BOARD_TOKEN }}" }
          `,
          '.github/workflows/collect.yml': yaml`
            name: Collect
            on:
              pull_request: { types: [closed] }
            jobs:
              collect:
                if: github.event.pull_request.merged == true
                runs-on: ubuntu-latest
                steps:
                  - run: echo "URL=https://example.com" > pr.env
                  - uses: actions/upload-artifact@v4
                    with: { name: merged, path: pr.env }
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - env:
                    MESSAGE: \${{ github.event.head_commit.message }}
                  # expect: contributor
                  run: echo "MESSAGE=$MESSAGE" >> $GITHUB_ENV
                - run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [issue_comment, pull_request_target]
          permissions: { contents: write }
          env:
            BODY: \${{ github.event.comment.body }}
          jobs:
            safe:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    echo "MODE=fast" >> $GITHUB_ENV
                    echo "SHA=$(git rev-parse HEAD)" >> $GITHUB_ENV
                    echo "NOW=$(date +%s)" >> "$GITHUB_ENV"
                    echo "$(pwd)/bin" >> $GITHUB_PATH
                    echo "DIR=$(mktemp -d)" >> $GITHUB_ENV
                    echo "NUMBER=\${{ github.event.issue.number }}" >> $GITHUB_ENV
                    mark="end_$(openssl rand -hex 16)"
                    {
                      echo "BODY<<$mark"
                      echo "$BODY"
                      echo "$mark"
                    } >> $GITHUB_ENV
                    echo "LENGTH=$(echo "$BODY" | wc -c)" >> $GITHUB_ENV
                    echo "BODY=$BODY" >> "$RUNNER_TEMP/env"
                    number=$(echo "$BODY" | cut -d' ' -f2)
                    if ! [[ "$number" =~ ^[0-9]+$ ]]; then exit 1; fi
                    echo "NUMBER=$number" >> $GITHUB_ENV
                - run: make
            members:
              if: contains(fromJSON('["OWNER", "MEMBER"]'), github.event.comment.author_association)
              runs-on: ubuntu-latest
              steps:
                - if: github.event_name == 'issue_comment'
                  run: echo "BODY=$BODY" >> $GITHUB_ENV
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: echo "BODY=\${{ github.event.pull_request.body }}" >> $GITHUB_ENV
                - run: make
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

/** What a push tells of others’ commits. */
const CONTRIBUTION = /github\.event\.(?:head_commit|commits)\b/;

const MENTION = /GITHUB_(?:ENV|PATH)|github\.(?:env|path)\b/;

function* check(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  const { text } = definition.source;
  if (!MENTION.test(text)) return;
  for (const step of stepsOf(definition)) {
    if (!MENTION.test(text.slice(step.span.start, step.span.end))) continue;
    const foreign = jobOf(step) === undefined || privilegedOutsiderEvents(step, repository).length > 0;
    if (!foreign && !CONTRIBUTION.test(text)) continue;
    for (const write of commandFileWrites(step)) {
      if (write.file !== 'env' && write.file !== 'path') continue;
      const origin = originsOfWrite(write, step, repository).find(isForeign);
      const report = origin === undefined ? undefined : judge(origin, write, write.file, step);
      if (report !== undefined) yield report;
    }
  }
}

/** A fork's own run holds nothing worth taking, and whoever may start or change the workflow needs no trick. */
function isForeign({ writer, reach, multiline }: TaintedSource): boolean {
  if (writer === 'outsider') return reach !== 'outsider-unprivileged';
  return writer === 'contributor' && multiline;
}

function judge(
  origin: TaintedSource,
  write: CommandFileWrite,
  file: CommandFile & ('env' | 'path'),
  step: Step,
): Report<Message> | undefined {
  const multiline = origin.multiline && !write.randomDelimiter;
  if (write.randomDelimiter && file === 'env') return undefined;
  // A composite action's caller may run on any event: only what is dangerous whoever calls is worth a word.
  if (origin.reach === 'trusted' && !multiline) return undefined;
  const message = file === 'path' ? 'path' : multiline ? 'variables' : 'value';
  return {
    message: origin.writer === 'contributor' ? 'contributor' : message,
    data: { source: origin.source, file: file === 'env' ? 'GITHUB_ENV' : 'GITHUB_PATH' },
    at: step,
    span: write.span,
    severity: severityOf(origin, message, step),
    confidence: origin.certain && origin.kind === 'event' && origin.writer === 'outsider' ? 'high' : 'medium',
    attributes: { origin: origin.kind, writer: origin.writer, file },
  };
}

function severityOf(origin: TaintedSource, message: Message, step: Step): Severity {
  const job = jobOf(step);
  if (origin.writer === 'contributor' || job === undefined) return 'MEDIUM';
  if (message === 'value') return 'LOW';
  const stakes = credentialsOf(job);
  const later = job.steps.length > step.index + 1;
  if (!later || !(stakes.any || stakes.mayWrite)) return 'LOW';
  return message === 'variables' && origin.certain && origin.reach === 'outsider-privileged' ? 'HIGH' : 'MEDIUM';
}
