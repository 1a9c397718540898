import { expressionTexts } from '#lib/analysis/dataflow/secret-use.ts';
import { rejectionOf } from '#lib/analysis/impact/start-barriers.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import {
  conditionOf,
  type Expression,
  type ExpressionNode,
  expressionsIn,
  nodesOf,
} from '#lib/workflow/expressions/expression.ts';
import {
  type Action,
  type Definition,
  type Job,
  type Step,
  stepsOf,
  type Trigger,
  type Workflow,
} from '#lib/workflow/model/model.ts';
import { textsOf } from '#lib/workflow/parse/fields.ts';
import { entryOf, valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { contractOf, inputProblems } from '../shared/action-contract.ts';
import { Scope } from '../shared/lint-scope.ts';

const SNAPSHOT = provenance['action-interfaces.ts'].date;

type Message =
  | 'needs'
  | 'cycle'
  | 'duplicate'
  | 'both'
  | 'rejected'
  | 'filter'
  | 'unneeded'
  | 'output'
  | 'step'
  | 'unset'
  | 'input'
  | 'unknown'
  | 'lacking';

export const workflowLint = defineRule({
  id: 'workflow-lint',
  meta: {
    title: 'Workflow logic error',
    why: 'A condition on a value that never exists, or a filter that never matches, looks like a gate but is not one: either it lets everything through, or the check behind it never runs. A file that GitHub rejects runs no check at all.',
    attack:
      'A condition on an earlier job’s output is meant to stop a job for strangers. The output’s name is misspelled, so the comparison is with an empty string, and the job runs for everyone.',
    recommendation:
      'Correct the name, list the job in `needs`, or declare the output. Then check with test runs that the condition can be both true and false.',
    limits: `Outputs of scripts and of workflows in other repositories are not known. Inputs and outputs are known for actions of this repository, for actions looked up on GitHub, and for the newest releases of popular ones as of ${SNAPSHOT}. Most violations of GitHub’s schema for keys, contexts and permissions are reported as diagnostics of the file instead.`,
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: [],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet',
    ],
    messages: {
      needs: 'The job {{job}} needs {{name}}, which does not exist, so GitHub rejects the file.',
      cycle: 'The job {{job}} depends on itself through its needs, so GitHub rejects the file.',
      duplicate: 'Another step of this job also has the id {{name}}, so GitHub rejects the file.',
      both: '{{name}} and {{name}}-ignore cannot be combined, so GitHub rejects the file.',
      rejected: '{{because}}.',
      filter: 'The filter {{pattern}} never matches: {{why}}.',
      unneeded: '{{path}} is always empty here: the job does not list {{name}} in its needs.',
      output: '{{path}} is always empty: the job {{name}} declares no such output.',
      step: '{{path}} is always empty here: no earlier step has the id {{name}}.',
      unset: '{{path}} is always empty: {{name}} sets no such output.',
      input: '{{path}} is always empty: no such input is declared.',
      unknown: '{{name}} has no input {{input}}{{meant}}, so it is ignored.',
      lacking: '{{name}} requires the input {{input}}, which this step does not set.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            fetch:
              runs-on: ubuntu-latest
              steps:
                - { id: cargo, uses: actions/cache@v4, with: { path: target, key: cargo } }
                # expect: step LOW
                - if: steps.registry.outputs.cache-hit != 'true'
                  run: cargo fetch
                # expect: step MEDIUM
                - if: steps.look.outputs.refused != 'true'
                  run: cargo test
        `,
      },
      {
        yaml: yaml`
          on:
            push:
              # expect: filter
              branches: [refs/heads/main]
              # expect: both
              tags: [v1]
              tags-ignore: [v2]
            pull_request:
              # expect: filter
              paths: ['!docs/**']
          jobs:
            check:
              runs-on: ubuntu-latest
              outputs:
                trusted: \${{ steps.look.outputs.trusted }}
                # expect: step
                other: \${{ steps.lock.outputs.other }}
              steps:
                # expect: step
                - if: steps.look.outputs.trusted != 'true'
                  run: exit 1
                - { id: look, run: ./look }
                # expect: duplicate
                - { id: look, run: ./look }
                # expect: input
                - run: echo "\${{ inputs.name }}"
            deploy:
              needs: check
              # expect: output
              if: needs.check.outputs.trustd != 'false'
              runs-on: ubuntu-latest
              steps:
                # expect: unneeded
                - run: echo "\${{ needs.build.result }}"
            build:
              # expect: needs
              needs: [check, chekc]
              runs-on: ubuntu-latest
              steps: [run: make]
            # expect: cycle
            one: { needs: two, runs-on: ubuntu-latest, steps: [run: make] }
            two: { needs: one, runs-on: ubuntu-latest, steps: [run: make] }
        `,
      },
      {
        yaml: {
          '.github/workflows/example.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6
                    with:
                      # expect: unknown
                      persist-credential: false
                  # expect: lacking INFO
                  - uses: actions/cache@v4
                    with: { path: ~/.npm }
                  - { id: own, uses: ./greet, with: { who: me } }
                  # expect: unset MEDIUM
                  - if: steps.own.outputs.stranger != 'true'
                    run: ./deploy
          `,
          'greet/action.yml': yaml`
            name: Greet
            description: Greets
            inputs: { who: { description: Who, required: true } }
            outputs: { known: { description: Whether, value: yes } }
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            check:
              # expect: rejected
              if: github.actor == 'alice || github.actor == 'bob'
              runs-on: ubuntu-latest
              steps: [run: make]
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            check:
              strategy:
                matrix:
                  include:
                    # expect: rejected
                    - token: \${{ secrets.TOKEN }}
              runs-on: ubuntu-latest
              steps: [run: make]
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            check:
              if: github.event.comment.body == 'it''s fine' && contains(vars.TEAM, github.actor)
              strategy: { matrix: { token: [TEST_TOKEN] } }
              runs-on: ubuntu-latest
              steps:
                - if: env.READY == '1' && matrix.token != ''
                  run: make
                  env: { TOKEN: "\${{ secrets[matrix.token] }}" }
        `,
      },
      {
        yaml: yaml`
          on:
            push: { branches: [main, 'releases/**'], paths: ['src/**', '!src/docs/**'] }
            workflow_dispatch: { inputs: { Name: { type: string } } }
          jobs:
            check:
              runs-on: ubuntu-latest
              outputs: { Trusted: "\${{ steps.look.outputs.trusted }}" }
              steps:
                - { id: Look, run: ./look }
                - if: steps.look.outputs.trusted != 'true' && steps.look.outcome == 'success'
                  run: echo "\${{ inputs.name }} \${{ toJSON(steps) }}"
            called:
              uses: ./.github/workflows/other.yml
            deploy:
              needs: [check, called]
              if: needs.check.outputs.trusted == 'true' && needs.called.outputs.any != ''
              runs-on: ubuntu-latest
              steps: [run: "echo \${{ needs.check.result }} \${{ toJSON(needs.*.result) }}"]
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { Persist-Credentials: false }
                # Newer than the known releases, a branch, and an unknown action.
                - { uses: actions/checkout@v6.99.0, with: { brand-new: true } }
                - { uses: actions/checkout@main, with: { brand-new: true } }
                - { uses: acme/tool@v1, with: { any: thing } }
                - { uses: actions/cache@v4, with: "\${{ fromJSON(vars.CACHE) }}" }
                # Its outputs are named after its filters.
                - { id: changed, uses: dorny/paths-filter@v3, with: { filters: 'src: src/**' } }
                - if: steps.changed.outputs.src == 'true'
                  run: make
                # One letter from the declared output, but named here.
                - { id: kind, uses: dorny/paths-filter@v3, with: { filters: 'change: src/**' } }
                - if: steps.kind.outputs.change == 'true'
                  run: make
                - { id: files, uses: tj-actions/changed-files@v45, with: { files_yaml: 'al: src/**' } }
                - if: steps.files.outputs.al_changed_files != ''
                  run: make
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Greet
            description: Greets
            inputs: { who: { description: Who } }
            runs:
              using: composite
              steps:
                - { id: a, run: 'echo "\${{ inputs.who }}"', shell: bash }
                - { run: 'echo "\${{ steps.a.outputs.x }}"', shell: bash }
          `,
        },
      },
    ],
  },
  check: { workflow: checkWorkflow, action: checkAction },
});

function* checkAction(action: Action, context: RuleContext): Generator<Report<Message>> {
  yield* checkInputs(action, context);
  yield* checkValues(action, context);
}

function* checkWorkflow(workflow: Workflow, context: RuleContext): Generator<Report<Message>> {
  for (const trigger of workflow.triggers) yield* inFilters(trigger, workflow);
  const jobs = new Map(workflow.jobs.map((job) => [job.id.toLowerCase(), job]));
  const rejection = rejectionOf(workflow);
  if (rejection !== undefined) {
    const { because, at, span } = rejection;
    yield { message: 'rejected', data: { because }, at, span };
  }
  const looping = jobInCycle(workflow.jobs, jobs);
  for (const job of workflow.jobs) {
    const needs = textsOf(valueOf(job.mapping, 'needs'));
    const unknown = needs.find(({ value }) => !value.includes('${{') && !jobs.has(value.toLowerCase()));
    if (unknown !== undefined) {
      yield { message: 'needs', data: { job: job.id, name: unknown.value }, at: job, span: unknown.span };
    }
    if (looping === job) yield { message: 'cycle', data: { job: job.id }, at: job, span: job.idSpan };
    yield* duplicateIds(job);
  }
  yield* checkInputs(workflow, context);
  yield* checkValues(workflow, context);
}

function* checkInputs(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  for (const step of stepsOf(definition)) {
    for (const problem of inputProblems(step, context)) {
      const contract = contractOf(step, context);
      if (contract === undefined) continue;
      const { name, confidence } = contract;
      if (problem.kind === 'unknown') {
        const meant = problem.meant === undefined ? '' : ` (${problem.meant}?)`;
        const data = { name, input: problem.name.value, meant };
        yield { message: 'unknown', data, at: step, span: problem.name.span, confidence };
      } else if (problem.kind === 'missing') {
        const span = step.uses?.text.span ?? step.span;
        const data = { name, input: problem.name };
        // GitHub does not enforce required inputs, and a missing one usually fails in the first run.
        yield { message: 'lacking', data, at: step, span, severity: 'INFO', confidence };
      }
    }
  }
}

function jobInCycle(all: readonly Job[], jobs: ReadonlyMap<string, Job>): Job | undefined {
  const open = new Map(
    all.map((job) => [job, new Set(job.needs.flatMap((name) => jobs.get(name.toLowerCase()) ?? []))]),
  );
  const waiting = new Map<Job, Job[]>();
  for (const [job, needs] of open)
    for (const need of needs) {
      const list = waiting.get(need);
      if (list === undefined) waiting.set(need, [job]);
      else list.push(job);
    }
  const ready = all.filter((job) => open.get(job)?.size === 0);
  for (let job = ready.pop(); job !== undefined; job = ready.pop()) {
    open.delete(job);
    for (const next of waiting.get(job) ?? []) {
      const left = open.get(next);
      left?.delete(job);
      if (left?.size === 0) ready.push(next);
    }
  }
  // The remaining jobs are in a cycle or depend on one; those with dependents are in it or closer to it.
  return all.find((job) => open.has(job) && waiting.get(job)?.some((next) => open.has(next)) === true);
}

function* duplicateIds({ steps }: Job): Generator<Report<Message>> {
  const seen = new Set<string>();
  for (const step of steps) {
    const id = step.id?.value.toLowerCase();
    if (step.id === undefined || id === undefined) continue;
    if (seen.has(id)) yield { message: 'duplicate', data: { name: step.id.value }, at: step, span: step.id.span };
    seen.add(id);
  }
}

function* inFilters({ settings }: Trigger, workflow: Workflow): Generator<Report<Message>> {
  for (const name of ['branches', 'tags', 'paths'] as const) {
    const own = entryOf(settings, name);
    const ignored = entryOf(settings, `${name}-ignore`);
    if (own !== undefined && ignored !== undefined) {
      yield { message: 'both', data: { name }, at: workflow, span: own.key.span };
    }
    const patterns = textsOf(own?.value);
    for (const { value, span } of [...patterns, ...textsOf(ignored?.value)]) {
      const why = whyNever(name, value.replace(/^!/, ''));
      if (why !== undefined) yield { message: 'filter', data: { pattern: value, why }, at: workflow, span };
    }
    const [first] = patterns;
    // Some workflows exclude all tags on purpose.
    if (first !== undefined && !/^!\*+$/.test(first.value) && patterns.every(({ value }) => value.startsWith('!'))) {
      const why = 'a pattern with an exclamation mark only excludes from earlier patterns';
      yield { message: 'filter', data: { pattern: first.value, why }, at: workflow, span: first.span };
    }
  }
}

function whyNever(name: 'branches' | 'tags' | 'paths', pattern: string): string | undefined {
  if (name === 'paths') return /^\.?\//.test(pattern) ? 'paths do not start with a slash or dot' : undefined;
  return /^refs\/(?:heads|tags)\//.test(pattern) ? `${name} are written without refs/` : undefined;
}

function* checkValues(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  const scope = new Scope(definition, context);
  const conditions = new Set<object>();
  for (const at of scope.places) {
    if (at.condition === undefined) continue;
    conditions.add(at.condition.node);
    yield* inExpression(conditionOf(at.condition), at, scope, true);
  }
  const told = new Set<object>();
  for (const word of ['needs', 'steps', 'inputs']) {
    for (const { text, at } of expressionTexts(definition, word)) {
      if (conditions.has(text.node) || told.has(text.node) || (at.kind !== 'job' && at.kind !== 'step')) continue;
      told.add(text.node);
      for (const expression of expressionsIn(text)) yield* inExpression(expression, at, scope, false);
    }
  }
}

function* inExpression(
  { node, span }: Expression,
  at: Job | Step,
  scope: Scope,
  condition: boolean,
): Generator<Report<Message>> {
  if (node === undefined) return;
  for (const access of nodesOf(node)) {
    if (access.type !== 'access') continue;
    const problem = scope.problemOf(access.path, at);
    if (problem === undefined) continue;
    const path = access.path.join('.');
    const severity: Severity =
      condition && opensWhenEmpty(node, path) && !path.endsWith('.cache-hit') ? 'MEDIUM' : 'LOW';
    if (!scope.isFirst(`${problem.message} ${severity} ${path}`)) continue;
    yield { message: problem.message, data: { path, name: problem.name }, at, span, severity };
  }
}

function opensWhenEmpty(node: ExpressionNode, path: string): boolean {
  const names = (child: ExpressionNode): boolean => child.type === 'access' && child.path.join('.') === path;
  return nodesOf(node).some((child) => {
    if (child.type === 'not') return names(child.arg);
    if (child.type !== 'compare' || child.operator !== '!=' || !child.args.some(names)) return false;
    return child.args.some((other) => other.type === 'literal' && other.value !== '' && other.value !== null);
  });
}
