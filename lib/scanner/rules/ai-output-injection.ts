import { type Agent, agentsOf } from '#lib/analysis/agents/catalog.ts';
import { exposureOf } from '#lib/analysis/agents/exposure.ts';
import { outsideInput } from '#lib/analysis/agents/input.ts';
import {
  type Answer,
  answersIn,
  answersOf,
  answersOfVariable,
  answersOfWord,
  mayHoldAnswer,
  pipedAgent,
} from '#lib/analysis/agents/output.ts';
import { evaluatedWords } from '#lib/analysis/dataflow/eval-sinks.ts';
import { scriptSinksOf } from '#lib/analysis/dataflow/script-sinks.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { autoMergeStep } from '#lib/analysis/reachability/auto-merge-steps.ts';
import { conditionOf, expressionsIn, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'code' | 'evaluated' | 'variables' | 'ref' | 'decision';

export const aiOutputInjection = defineRule({
  id: 'ai-output-injection',
  meta: {
    title: 'AI output used as code, environment variable or decision',
    why: 'A model that reads untrusted text can be made to answer anything. Using the answer as code, as an environment variable of later steps or as permission to merge gives an outsider the very privileges that were withheld from the model’s job.',
    attack:
      'An issue tells the model to answer with shell syntax, or to approve. The next step, which holds the token that the agent was denied, runs the answer or merges the pull request.',
    recommendation:
      'Pass the answer to the step through `env:`, compare it with a list of allowed values before use, and let a person decide what to merge or publish.',
    limits:
      'Answers are tracked through outputs, variables and files named in the agent’s own call, also through called workflows and local actions. Validation inside github-script or a called program is not seen.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://genai.owasp.org/llmrisk/llm052025-improper-output-handling/',
      'https://docs.github.com/actions/concepts/security/script-injections',
    ],
    messages: {
      code: '{{source}}, written by {{agent}}{{reader}}, is interpolated into {{sink}}.',
      evaluated: '{{source}}, written by {{agent}}{{reader}}, is executed as code by {{sink}}.',
      variables: '{{source}}, written by {{agent}}{{reader}}, sets variables of later steps through {{sink}}.',
      ref: '{{source}}, written by {{agent}}{{reader}}, chooses what {{sink}} checks out.',
      decision: '{{source}}, written by {{agent}}{{reader}}, decides whether this step {{sink}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { contents: write, models: read }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - id: ai
                  uses: actions/ai-inference@v2
                  with:
                    prompt: 'Summarise: \${{ github.event.issue.body }}'
                - run: |
                    # expect: code
                    echo "\${{ steps.ai.outputs.response }}" > summary.md
                - env:
                    ANSWER: \${{ steps.ai.outputs.response }}
                  run: |
                    # expect: evaluated
                    eval "$ANSWER"
                    # expect: variables
                    echo "LABEL=$ANSWER" >> "$GITHUB_ENV"
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target: { types: [opened] }
          permissions: { contents: write, pull-requests: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              outputs:
                verdict: \${{ steps.review.outputs.verdict }}
              steps:
                - id: review
                  env:
                    TITLE: \${{ github.event.pull_request.title }}
                  run: |
                    VERDICT=$(claude -p "Is this safe? $TITLE")
                    echo "verdict=$VERDICT" >> "$GITHUB_OUTPUT"
                    codex exec "Which branch? $TITLE" > branch.txt
                    # expect: evaluated
                    claude -p "Write a script for $TITLE" | bash
                - run: |
                    # expect: ref
                    git checkout "$(cat branch.txt)"
                # expect: ref
                - uses: actions/checkout@v4
                  with: { ref: "\${{ steps.review.outputs.verdict }}" }
            merge:
              needs: review
              if: contains(needs.review.outputs.verdict, 'SAFE')
              runs-on: ubuntu-latest
              steps:
                # expect: decision
                - run: gh pr merge --auto "$URL"
            approve:
              needs: review
              runs-on: ubuntu-latest
              steps:
                - env:
                    VERDICT: \${{ needs.review.outputs.verdict }}
                  run: |
                    # expect: decision
                    if [ "$VERDICT" = SAFE ]; then gh pr review --approve "$URL"; fi
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { issues: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - id: ai
                  uses: actions/ai-inference@v2
                  with:
                    prompt: 'Summarise: \${{ github.event.issue.body }}'
                - env:
                    ANSWER: \${{ steps.ai.outputs.response }}
                  run: |
                    gh issue comment "$N" --body "$ANSWER"
                    echo "$ANSWER" >> "$GITHUB_STEP_SUMMARY"
                - env:
                    ANSWER: \${{ steps.ai.outputs.response }}
                  run: |
                    [[ "$ANSWER" =~ ^[a-z]+$ ]] || exit 1
                    echo "LABEL=$ANSWER" >> "$GITHUB_ENV"
                - id: agent
                  uses: anthropics/claude-code-action@v1
                  with:
                    prompt: Look at issue \${{ github.event.issue.number }}
                    claude_args: |
                      --json-schema '{"type":"object","properties":{"kind":{"enum":["bug","question"]},"sure":{"type":"boolean"}}}'
                - run: |
                    echo "\${{ fromJSON(steps.agent.outputs.structured_output).kind }}"
                    echo "\${{ steps.agent.outputs.execution_file }} \${{ steps.agent.conclusion }}"
        `,
      },
      {
        yaml: yaml`
          on:
            issues: { types: [opened] }
          permissions: { pull-requests: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - id: ai
                  run: |
                    claude -p "Write to out.md" > out.md
                    echo "done=true" >> "$GITHUB_OUTPUT"
                - if: steps.ai.outputs.done == 'true'
                  run: gh pr review --approve "$URL"
        `,
      },
    ],
  },
  check: { workflow: check },
});

interface Use {
  readonly message: Message;
  readonly answer: Answer;
  readonly sink: string;
  readonly step: Step;
  readonly span: Span;
}

const MENTION =
  /outputs\.|inputs\.|claude|codex|gemini|copilot|opencode|aider|\/(?:messages|completions|responses)\b|:generateContent/;

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  if (!MENTION.test(workflow.source.text)) return;
  if (!mayHoldAnswer(workflow, repository)) return;
  for (const step of stepsOf(workflow)) {
    for (const use of usesIn(step, repository)) {
      const report = judge(use, repository);
      if (report !== undefined) yield report;
    }
  }
}

function* usesIn(step: Step, repository: Repository): Generator<Use> {
  yield* pasted(step, repository);
  yield* evaluated(step, repository);
  yield* written(step, repository);
  yield* chosen(step, repository);
  yield* decided(step, repository);
}

function* pasted(step: Step, repository: Repository): Generator<Use> {
  for (const { text, sink } of scriptSinksOf(step)) {
    for (const { node, span } of expressionsIn(text)) {
      const [answer] = node === undefined ? [] : answersOf(node, step, repository);
      if (answer !== undefined) yield { message: 'code', answer, sink, step, span };
    }
  }
}

const SHELL = /^(?:bash|sh|zsh|dash|python3?|node)$/;

function* evaluated(step: Step, repository: Repository): Generator<Use> {
  for (const { by, span, words, step: at } of evaluatedWords(step)) {
    const [answer] = words.flatMap((word) => answersOfWord(word, at, repository));
    if (answer !== undefined) yield { message: 'evaluated', answer, sink: by, step, span };
  }
  if (agentsOf(step).length === 0) return;
  for (const command of commandsOf(step)) {
    if (!SHELL.test(command.program) || command.args.some(({ value }) => !/^-s?$/.test(value))) continue;
    const agent = pipedAgent(command, step);
    if (agent === undefined) continue;
    const answer = { agent, source: 'The answer' };
    yield { message: 'evaluated', answer, sink: command.program, step, span: agent.span };
  }
}

function* written(step: Step, repository: Repository): Generator<Use> {
  for (const { file, words, span, randomDelimiter } of commandFileWrites(step)) {
    if ((file !== 'env' && file !== 'path') || randomDelimiter) continue;
    const [answer] = words.flatMap((word) => answersOfWord(word, step, repository));
    if (answer === undefined) continue;
    yield { message: 'variables', answer, sink: file === 'env' ? 'GITHUB_ENV' : 'GITHUB_PATH', step, span };
  }
}

function* chosen(step: Step, repository: Repository): Generator<Use> {
  if (actionOf(step)?.slug === 'actions/checkout' && step.uses !== undefined) {
    for (const name of ['ref', 'repository']) {
      const text = inputOf(step, name);
      const [answer] = text === undefined ? [] : answersIn(text, step, repository);
      if (answer === undefined) continue;
      yield { message: 'ref', answer, sink: 'actions/checkout', step, span: step.uses.span };
      return;
    }
  }
  for (const { program, args, span } of commandsOf(step)) {
    if (program !== 'git' || !/^(?:checkout|switch|clone|fetch|pull)$/.test(args[0]?.value ?? '')) continue;
    const [answer] = args.slice(1).flatMap((word) => answersOfWord(word, step, repository));
    if (answer !== undefined) yield { message: 'ref', answer, sink: `git ${args[0]?.value ?? ''}`, step, span };
  }
}

function* decided(step: Step, repository: Repository): Generator<Use> {
  const act = actOf(step, repository);
  if (act === undefined) return;
  const [answer] = [...conditionAnswers(step, repository), ...comparedAnswers(step, repository)];
  if (answer !== undefined) yield { message: 'decision', answer, sink: act.what, step, span: act.span };
}

function actOf(step: Step, repository: Repository): { readonly what: string; readonly span: Span } | undefined {
  const act = autoMergeStep(step, repository);
  if (act !== undefined) return act.kind === 'push' ? undefined : act;
  const dispatch = commandsOf(step).find(
    ({ program, args }) => program === 'gh' && args[0]?.value === 'workflow' && args[1]?.value === 'run',
  );
  return dispatch === undefined ? undefined : { what: 'starts another workflow', span: dispatch.span };
}

function conditionAnswers(step: Step, repository: Repository): Answer[] {
  const job = jobOf(step);
  const places: [Step | Job | undefined, Step | Job][] = [
    [step, step],
    [job, job ?? step],
  ];
  return places.flatMap(([place, at]) => {
    const node = place?.condition === undefined ? undefined : conditionOf(place.condition).node;
    if (node === undefined) return [];
    return nodesOf(node).flatMap((child) => (child.type === 'access' ? answersOf(child, at, repository) : []));
  });
}

function comparedAnswers(step: Step, repository: Repository): Answer[] {
  const names = new Set(
    commandsOf(step).flatMap(({ program, words }) =>
      /^(?:test|\[|grep|jq|echo|printf)$/.test(program) ? words.flatMap(({ variables }) => variables) : [],
    ),
  );
  for (const [, name = ''] of (step.run?.value ?? '').matchAll(/(?:\[\[?|\bcase)\s+["']?\$\{?(\w{1,60})/g)) {
    names.add(name);
  }
  return [...names].flatMap((name) => answersOfVariable(name, step, repository));
}

function judge({ message, answer, sink, step, span }: Use, repository: Repository): Report<Message> | undefined {
  const reader = readerOf(answer.agent, repository);
  // Without outsider influence only interpolation matters, because answers often contain shell syntax.
  if (reader === undefined && message !== 'code') return undefined;
  return {
    message,
    data: {
      source: answer.source,
      agent: answer.agent.name,
      sink,
      reader: reader === undefined ? '' : ` after reading ${reader.source}`,
    },
    at: step,
    span,
    severity: severityOf(message, step, reader),
    attributes: { sink: message, outsider: reader?.byOutsider ?? false, vendor: answer.agent.vendor },
  };
}

interface Reader {
  readonly source: string;
  readonly byOutsider: boolean;
}

function readerOf(agent: Agent, repository: Repository): Reader | undefined {
  const exposure = exposureOf(agent, repository);
  const input = exposure === undefined ? undefined : outsideInput(agent, exposure.events, repository);
  if (exposure === undefined || input === undefined) return undefined;
  return { source: input.source, byOutsider: exposure.byOutsider };
}

/** A ref fetches code without running it. */
function severityOf(message: Message, step: Step, reader: Reader | undefined): Severity {
  if (reader === undefined) return 'LOW';
  const job = jobOf(step);
  const stakes = job === undefined ? undefined : credentialsOf(job);
  const holds = stakes !== undefined && (stakes.any || stakes.mayWrite);
  const level = 2 - (reader.byOutsider ? 0 : 1) - (message === 'ref' ? 1 : 0) - (holds ? 0 : 1);
  return level >= 2 ? 'HIGH' : level === 1 ? 'MEDIUM' : 'LOW';
}
