import { memoByNode } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { originsOfWrite, type TaintedSource } from '#lib/analysis/workspace/tainted-sources.ts';
import { accessedPaths, conditionOf, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step, stepsOf, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import { type CommandFileWrite, commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'decision' | 'code' | 'value';

export const outputClobbering = defineRule({
  id: 'output-clobbering',
  meta: {
    title: 'Untrusted text can overwrite step outputs',
    why: 'Each line in the `GITHUB_OUTPUT` file sets one output of the step. A newline in untrusted text adds a line, and so replaces outputs that the script sets itself, such as the result of a check.',
    attack:
      'An outsider’s comment contains a second line, `allowed=true`. The script copies the comment into an output, and a later condition on `allowed` lets the outsider through.',
    recommendation:
      'Write the text with a random delimiter (`openssl rand -hex 16`), strip its newlines (`tr -d "\\r\\n"`), or encode it with `jq -c` first.',
    limits:
      'Only outputs of the same step that the same job uses or exports are checked. Untrusted text printed in runs where the old `::set-output` command still works is not followed.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#multiline-strings',
      'https://docs.github.com/actions/concepts/security/script-injections',
    ],
    messages: {
      decision:
        'Anyone can choose {{source}}, which is written to GITHUB_OUTPUT: a newline in it sets {{other}}, which a condition tests.',
      code: 'Anyone can choose {{source}}, which is written to GITHUB_OUTPUT: a newline in it sets {{other}}, which is inserted into a script.',
      value:
        'Anyone can choose {{source}}, which is written to GITHUB_OUTPUT: a newline in it sets {{other}}, which later steps use.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            reply:
              runs-on: ubuntu-latest
              env:
                BODY: \${{ github.event.comment.body }}
              steps:
                - id: check
                  run: |
                    echo "allowed=$(./allowed.sh)" >> "$GITHUB_OUTPUT"
                    # expect: decision
                    echo "body=$BODY" >> "$GITHUB_OUTPUT"
                - if: steps.check.outputs.allowed == 'true'
                  run: make deploy
                - id: parse
                  run: |
                    {
                      echo "version=1"
                      echo "text<<EOF"
                      # expect: code
                      echo "$BODY"
                      echo "EOF"
                    } >> $GITHUB_OUTPUT
                - run: ./release.sh \${{ steps.parse.outputs.version }}
                - id: old
                  run: |
                    echo "tag=v1" >> $GITHUB_OUTPUT
                    # expect: value
                    echo "::set-output name=body::$BODY"
                - uses: acme/tag@v1
                  with: { tag: "\${{ steps.old.outputs.tag }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [issue_comment, pull_request_target]
          permissions: { contents: write }
          jobs:
            reply:
              runs-on: ubuntu-latest
              env:
                BODY: \${{ github.event.comment.body }}
                TITLE: \${{ github.event.issue.title }}
              steps:
                - id: only
                  run: echo "body=$BODY" >> "$GITHUB_OUTPUT"
                - run: ./use.sh
                  env: { TEXT: "\${{ steps.only.outputs.body }}" }
                - id: marked
                  run: |
                    mark=$(uuidgen)
                    echo "ok=true" >> "$GITHUB_OUTPUT"
                    { echo "body<<$mark"; echo "$BODY"; echo "$mark"; } >> "$GITHUB_OUTPUT"
                    echo "title=$TITLE" >> "$GITHUB_OUTPUT"
                    echo "first=$(echo "$BODY" | head -n 1)" >> "$GITHUB_OUTPUT"
                    echo "json=$(jq -Rsc . <<< "$BODY")" >> "$GITHUB_OUTPUT"
                - if: steps.marked.outputs.ok == 'true'
                  run: make
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - id: read
                  run: |
                    echo "ok=true" >> "$GITHUB_OUTPUT"
                    echo "body=\${{ github.event.pull_request.body }}" >> "$GITHUB_OUTPUT"
                - if: steps.read.outputs.ok
                  run: make
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  if (!/GITHUB_OUTPUT|::set-output/.test(workflow.source.text)) return;
  for (const step of stepsOf(workflow)) {
    const job = jobOf(step);
    if (job === undefined || step.id === undefined || privilegedOutsiderEvents(step, repository).length === 0) continue;
    const writes = writesOf(step, repository);
    const names = new Set(writes.flatMap(({ keys }) => keys));
    for (const { span, keys, origin } of writes) {
      const others = [...names].filter((name) => !keys.includes(name));
      const use = origin === undefined ? undefined : worstUse(others, step.id.value, step, job);
      if (origin === undefined || use === undefined) continue;
      yield {
        message: use.kind,
        data: { source: origin.source, other: use.path },
        at: step,
        span,
        severity: severityOf(use.kind, origin, job),
        attributes: { origin: origin.kind },
      };
    }
  }
}

interface OutputWrite {
  readonly span: Span;
  readonly keys: readonly string[];
  readonly origin: TaintedSource | undefined;
}

function writesOf(step: Step, repository: RuleContext['repository']): OutputWrite[] {
  const files = commandFileWrites(step).filter(({ file }) => file === 'output');
  return files.map((write, index) => ({
    span: write.span,
    keys: keysOf(write, files.slice(0, index)),
    origin: write.randomDelimiter ? undefined : originsOfWrite(write, step, repository).find(isForeign),
  }));
}

function isForeign({ writer, reach, multiline }: TaintedSource): boolean {
  return writer === 'outsider' && reach === 'outsider-privileged' && multiline;
}

function keysOf(write: CommandFileWrite, before: readonly CommandFileWrite[]): string[] {
  const own = keysIn(write);
  if (own.length > 0) return own;
  const opened = before.findLast((earlier) => keysIn(earlier).length > 0);
  return opened === undefined ? [] : keysIn(opened);
}

function keysIn({ words }: CommandFileWrite): string[] {
  return words.flatMap(({ value }) =>
    [...value.matchAll(/^["']?([\w-]+)(?:=|<<)/gm)].map(([, key]) => (key as string).toLowerCase()),
  );
}

const KINDS = ['decision', 'code', 'value'] as const;

function worstUse(
  names: readonly string[],
  id: string,
  step: Step,
  job: Job,
): { readonly kind: Message; readonly path: string } | undefined {
  const wanted = new Set(names.map((name) => `steps.${id.toLowerCase()}.outputs.${name}`));
  if (wanted.size === 0) return undefined;
  const uses = usesOfOutputs(job);
  for (const kind of KINDS) {
    const byPath = uses[kind];
    let first: Use | undefined;
    for (const path of wanted) {
      const use = byPath.get(path)?.find(({ stepIndex }) => stepIndex > step.index);
      if (use !== undefined && (first === undefined || use.order < first.order)) first = use;
    }
    if (first !== undefined) return { kind, path: first.path };
  }
  return undefined;
}

interface Use {
  readonly path: string;
  readonly stepIndex: number;
  readonly order: number;
}

const usesOfOutputs = memoByNode((job: Job) => {
  const uses = { decision: new Map<string, Use[]>(), code: new Map<string, Use[]>(), value: new Map<string, Use[]>() };
  let order = 0;
  const note = (kind: Message, paths: readonly string[], stepIndex: number): void => {
    for (const path of paths) {
      order += 1;
      const known = uses[kind].get(path);
      if (known === undefined) uses[kind].set(path, [{ path, stepIndex, order }]);
      else known.push({ path, stepIndex, order });
    }
  };
  for (const step of job.steps) {
    const decided = step.condition === undefined ? undefined : conditionOf(step.condition).node;
    if (decided !== undefined) note('decision', accessedPaths(decided), step.index);
    if (step.run !== undefined) note('code', pathsIn(step.run), step.index);
    for (const text of textsBelow(step.mapping)) {
      if (text.node !== step.run?.node) note('value', pathsIn(text), step.index);
    }
  }
  for (const { value } of job.outputs?.entries ?? []) note('value', pathsIn(value), Number.POSITIVE_INFINITY);
  return uses;
});

function pathsIn(text: Text): string[] {
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
}

function severityOf(kind: Message, origin: TaintedSource, job: Job): Severity {
  const stakes = credentialsOf(job);
  return kind === 'value' || !origin.certain || !(stakes.any || stakes.mayWrite) ? 'LOW' : 'MEDIUM';
}
