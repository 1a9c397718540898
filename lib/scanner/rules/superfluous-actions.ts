import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { REPLACEABLE_ACTIONS, type ReplaceableAction } from '#lib/data/curated/replaceable-actions.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

const BY_ACTION: ReadonlyMap<string, ReplaceableAction> = new Map(
  REPLACEABLE_ACTIONS.map((entry) => [entry.action, entry]),
);

type Message = 'all' | 'most';

export const superfluousActions = defineRule({
  id: 'superfluous-actions',
  meta: {
    title: 'Third-party action replaceable by a built-in tool',
    why: 'Each third-party action is code that must be reviewed, pinned and updated. If a preinstalled tool does the same in one line, the action is avoidable work and an avoidable risk.',
    attack:
      'An attacker who takes over one of many small actions reaches every workflow that uses it; a step that calls a preinstalled tool has no such publisher.',
    recommendation:
      'Call the tool in a `run` step. Pass values through `env`, never as `${{ }}` inside the script, and give `gh` its token as `GH_TOKEN`.',
    limits:
      'Uses a built-in list of actions. Whether your inputs need features that the tool lacks is not checked. Jobs in containers or on self-hosted runners, and composite actions, are not reported: the tool may be missing there.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/use-github-cli',
      'https://github.com/actions/runner-images#available-images',
    ],
    messages: {
      all: '{{name}} does what {{by}} can do on GitHub-hosted runners{{more}}.',
      most: '{{name}} does little more than {{by}} can do on GitHub-hosted runners{{more}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: all
                - uses: svenstaro/upload-release-action@v2
                # expect: most
                - uses: softprops/action-gh-release@v2
                - uses: softprops/action-gh-release@v2
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - run: gh release create "$TAG" dist/*
                - uses: actions/checkout@v4
            own:
              runs-on: [self-hosted]
              steps:
                - uses: svenstaro/upload-release-action@v2
            contained:
              runs-on: ubuntu-latest
              container: alpine:3.20
              steps:
                - uses: svenstaro/upload-release-action@v2
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check({ workflows }: Repository): Generator<Report<Message>> {
  const found = new Map<ReplaceableAction, Step[]>();
  for (const workflow of workflows) {
    for (const step of stepsOf(workflow)) {
      const entry = replaceable(step);
      if (entry === undefined) continue;
      const steps = found.get(entry);
      if (steps === undefined) found.set(entry, [step]);
      else steps.push(step);
    }
  }
  for (const [{ extent, by }, steps] of found) {
    const [first] = steps;
    const action = first && actionOf(first);
    if (first?.uses === undefined || action === undefined) continue;
    const others = steps.length - 1;
    yield {
      message: extent,
      data: {
        name: `${action.owner}/${action.repo}`,
        by,
        more: others === 0 ? '' : `; ${others} more ${others === 1 ? 'step uses' : 'steps use'} it`,
      },
      at: first,
      span: first.uses.text.span,
      confidence: extent === 'all' ? 'medium' : 'low',
    };
  }
}

function replaceable(step: Step): ReplaceableAction | undefined {
  const action = actionOf(step);
  const entry = action && (BY_ACTION.get(action.name) ?? BY_ACTION.get(action.slug));
  const job = jobOf(step);
  return job !== undefined && job.container === undefined && runnerKind(job) === 'hosted' ? entry : undefined;
}
