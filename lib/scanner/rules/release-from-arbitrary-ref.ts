import type { Publish } from '#lib/analysis/publishing/publish.ts';
import { publishesOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { neededJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Input, Job, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'ref' | 'repository';

export const releaseFromArbitraryRef = defineRule({
  id: 'release-from-arbitrary-ref',
  meta: {
    title: 'Release builds an arbitrary ref chosen by its starter',
    why: 'A release should contain reviewed code from a known branch or tag. If whoever starts it chooses the ref or repository to build, it can contain any commit, such as one pushed a minute ago or one in a fork.',
    attack:
      'Someone with write access, or with a stolen token of such a person, pushes a commit to a branch of their own and starts the release with its name. The package is signed and published like any other, and the default branch shows no trace of it.',
    recommendation:
      'Release from the run’s own ref (`github.sha` of a protected branch or tag), or check before the build that the commit is part of a protected branch: `git merge-base --is-ancestor`. Put the job into an environment restricted to protected branches.',
    limits:
      'Checks only `actions/checkout` in workflows started manually or through the API, not refs that a caller passes to a reusable workflow. A ref that can only be a tag, and inputs with a list of choices, are considered restricted enough. Whoever can start such a run can push to the repository anyway, so a finding is LOW: what is lost is the trace of what was published.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-1',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l1'],
    since: '0.1.0',
    references: [
      'https://slsa.dev/spec/v1.2/build-requirements',
      'https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflow_dispatch',
      'https://docs.github.com/actions/reference/workflows-and-actions/deployments-and-environments',
    ],
    messages: {
      ref: '{{source}} selects the commit that {{publish}} publishes; any branch or commit is accepted.',
      repository: '{{source}} selects the repository whose code {{publish}} publishes; a fork is accepted.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/publish.yml': yaml`
            on: { workflow_dispatch: { inputs: { ref: { type: string } } } }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                    with:
                      # expect: ref
                      ref: \${{ inputs.ref }}
                  - uses: ./.github/actions/publish
          `,
          '.github/actions/publish/action.yml': yaml`
            name: Publish
            description: Publishes the package
            runs: { using: composite, steps: [{ run: npm publish, shell: bash }] }
          `,
        },
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { ref: { type: string } } }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with:
                    # expect: ref
                    ref: \${{ inputs.ref }}
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on:
            repository_dispatch:
            workflow_dispatch: { inputs: { source: { type: string }, ref: { type: string } } }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with:
                    # expect: repository LOW
                    repository: \${{ github.event.inputs.source || github.repository }}
                    ref: \${{ inputs.ref }}
                - uses: actions/upload-artifact@v4
                  with: { path: dist }
            publish:
              needs: build
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                - uses: pypa/gh-action-pypi-publish@release/v1
            image:
              environment: production
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with:
                    # expect: ref INFO
                    ref: \${{ github.event.client_payload.sha }}
                - run: docker push acme/app
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            push: { tags: ['v*'] }
            workflow_dispatch:
              inputs:
                tag: { type: string }
                channel: { type: choice, options: [stable, next] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/tags/\${{ inputs.tag }}" }
                - run: npm publish
            channel:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ inputs.channel }}" }
                - run: npm publish
            checked:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ inputs.tag }}", fetch-depth: 0 }
                - run: git merge-base --is-ancestor HEAD origin/main
                - run: npm publish
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ inputs.tag }}" }
                - run: npm test
            later:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
                - uses: actions/checkout@v5
                  with: { ref: "\${{ inputs.tag }}" }
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const inputs = workflow.triggers.flatMap((trigger) => (trigger.event === 'workflow_dispatch' ? trigger.inputs : []));
  const dispatched = workflow.triggers.some(({ event }) => event === 'repository_dispatch');
  if (inputs.length === 0 && !dispatched) return;
  const seen = new Set<Step>();
  for (const job of workflow.jobs) {
    const publish = publishesOf(job, repository).find(isRelease);
    if (publish === undefined) continue;
    for (const builder of [job, ...neededJobs(job).filter(handsOver)]) {
      const steps = builder === job ? job.steps.slice(0, publish.step.index) : builder.steps;
      const found = steps.flatMap((step) => chosenRef(step, inputs))[0];
      if (found === undefined || seen.has(found.step) || steps.some(checksAncestry)) continue;
      seen.add(found.step);
      yield reportOf(found, publish, [job, builder]);
    }
  }
}

function isRelease({ kind }: Publish): boolean {
  return kind === 'package' || kind === 'image' || kind === 'release';
}

function handsOver({ steps }: Job): boolean {
  return steps.some((step) => runsAction(step, 'actions/upload-artifact'));
}

interface Chosen {
  readonly step: Step;
  readonly input: 'ref' | 'repository';
  readonly text: Text;
  readonly source: string;
}

function chosenRef(step: Step, inputs: readonly Input[]): Chosen[] {
  if (!runsAction(step, 'actions/checkout')) return [];
  return (['repository', 'ref'] as const).flatMap((input) => {
    const text = inputOf(step, input);
    // A prefix such as `refs/tags/`, `v` or the owner limits the choice.
    if (text === undefined || !text.value.trim().startsWith('${{')) return [];
    const source = expressionsIn(text)
      .flatMap(({ node }) => (node === undefined ? [] : flowingAccesses(node)))
      .map(({ path }) => path.join('.'))
      .find((path) => isTyped(path, inputs));
    return source === undefined ? [] : [{ step, input, text, source }];
  });
}

function isTyped(path: string, inputs: readonly Input[]): boolean {
  if (path.startsWith('github.event.client_payload')) return true;
  const name = /^(?:github\.event\.)?inputs\.(.+)$/.exec(path)?.[1];
  return inputs.some((input) => input.name.toLowerCase() === name && input.type === 'string');
}

function checksAncestry(step: Step): boolean {
  if (!/merge-base|--contains/.test(step.run?.value ?? '')) return false;
  return commandsOf(step).some(
    ({ program, args }) =>
      program === 'git' && args.some(({ value }) => /^(?:--is-ancestor|--contains|merge-base)$/.test(value)),
  );
}

function reportOf({ step, input, text, source }: Chosen, publish: Publish, jobs: readonly Job[]): Report<Message> {
  const gated = jobs.some(({ environment }) => environment !== undefined);
  return {
    message: input,
    data: { source, publish: publish.name },
    at: step,
    span: text.span,
    severity: gated ? 'INFO' : 'LOW',
    attributes: { publish: publish.kind },
  };
}
