import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { expandedSteps } from '#lib/analysis/publishing/releases.ts';
import { indentUnit, insertKeys, mayInsert } from '#lib/workflow/edits/keys.ts';
import { replaceRange } from '#lib/workflow/edits/scalars.ts';
import type { Job, Text, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textOf, toText, valuesOf } from '#lib/workflow/parse/fields.ts';
import { entryOf, valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'race' | 'shared';

export const concurrencyLimits = defineRule({
  id: 'concurrency-limits',
  meta: {
    title: 'Publishing runs can overlap or cancel each other',
    why: 'Two runs of one workflow can be in progress at once. If both publish or deploy, the older run may finish last and replace the newer version. A concurrency group runs them one after another, but outsiders who can choose its name can cancel other people’s runs.',
    attack:
      'An outsider opens a pull request from a fork’s branch that has the same name as the default branch. Its run lands in the same group as the run on the default branch and cancels it.',
    recommendation:
      'Give workflows that publish or deploy a `concurrency` group built from workflow and ref, with `cancel-in-progress: false`. Build groups from `github.ref`, which distinguishes branches from pull requests, not from `github.ref_name`.',
    limits:
      'Only workflows that publish or deploy on pushes to a branch are expected to have a group. Locks outside the workflow, such as those of a deployment tool, are not seen.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#concurrency',
    ],
    messages: {
      race: 'Two pushes in quick succession run {{publish}} of the job {{job}} in parallel, and the older run may finish last.',
      shared:
        'The group uses the branch name of pull requests and pushes alike: a fork’s branch named like one of yours cancels the run of your branch.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            push:
              branches: [main]
          # expect: race
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: npx wrangler deploy
        `,
        fixed: yaml`
          on:
            push:
              branches: [main]
          # expect: race
          concurrency:
            group: \${{ github.workflow }}-\${{ github.ref }}
            cancel-in-progress: false

          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: npx wrangler deploy
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          concurrency:
            # expect: shared
            group: \${{ github.workflow }}-\${{ github.head_ref || github.ref_name }}
            cancel-in-progress: true
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm test
        `,
        fixed: yaml`
          on: [push, pull_request]
          concurrency:
            # expect: shared
            group: \${{ github.workflow }}-\${{ github.head_ref || github.ref }}
            cancel-in-progress: true
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm test
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            push:
              tags: [v*]
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          concurrency:
            group: \${{ github.workflow }}-\${{ github.head_ref || github.ref }}
            cancel-in-progress: true
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: npx wrangler deploy
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              concurrency: production
              steps:
                - run: npx wrangler deploy
            tagged:
              if: startsWith(github.ref, 'refs/tags/')
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm test
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          concurrency:
            group: ci-\${{ github.head_ref || github.ref_name }}
            cancel-in-progress: true
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm test
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          concurrency:
            group: \${{ github.event_name }}-\${{ github.head_ref || github.ref_name }}
            cancel-in-progress: true
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm test
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const publishing = workflow.jobs.flatMap((job) => publishOf(job, repository));
  if (workflow.concurrency === undefined && pushesToBranches(workflow)) yield* race(workflow, publishing);
  const groups = [workflow.concurrency?.value, ...workflow.jobs.map(({ mapping }) => valueOf(mapping, 'concurrency'))];
  for (const node of groups) yield* shared(node, workflow, publishing.length > 0);
}

interface Publishing {
  readonly job: Job;
  readonly name: string;
}

function publishOf(job: Job, repository: Repository): Publishing[] {
  for (const step of expandedSteps(job, repository)) {
    if (isNotOnPush(step.condition)) continue;
    const found = publishesIn(step).find(({ kind }) => kind !== 'sign' && kind !== 'attest');
    if (found !== undefined) return [{ job, name: found.name }];
  }
  return [];
}

function pushesToBranches({ triggers, source }: Workflow): boolean {
  return triggers.some(({ event, branches, tags, settings }) => {
    if (event !== 'push' || (branches === undefined && tags !== undefined)) return false;
    // A path filter on the workflow's own file only serves to test the workflow.
    return valuesOf(valueOf(settings, 'paths'))?.includes(source.path) !== true;
  });
}

const TAGS_ONLY = /refs\/tags|ref_type|github\.event\.(?:release|created|inputs)|\binputs\./;
const NOT_ON_PUSH = /github\.event_name\s{0,9}==\s{0,9}'(?!push)/;

function isNotOnPush(condition: Text | undefined): boolean {
  return condition !== undefined && (TAGS_ONLY.test(condition.value) || NOT_ON_PUSH.test(condition.value));
}

function* race(workflow: Workflow, publishing: readonly Publishing[]): Generator<Report<Message>> {
  const key = entryOf(workflow.root, 'jobs')?.key;
  const open = publishing.find(
    ({ job }) => valueOf(job.mapping, 'concurrency') === undefined && !isNotOnPush(job.condition),
  );
  if (key === undefined || open === undefined) return;
  yield {
    message: 'race',
    data: { publish: open.name, job: open.job.id },
    at: workflow,
    span: key.span,
    fix: takeTurns(workflow),
  };
}

function takeTurns(workflow: Workflow): Fix | undefined {
  if (workflow.root.flow || !mayInsert(workflow)) return undefined;
  const turns = { group: '${{ github.workflow }}-${{ github.ref }}', 'cancel-in-progress': 'false' };
  const placement = { before: 'jobs', unit: indentUnit(workflow), spaced: true };
  const edit = insertKeys(workflow.root, { concurrency: turns }, placement);
  return edit && { safety: 'review', edits: [edit] };
}

const HEAD_OR_NAME = /(?:github\.head_ref|github\.event\.pull_request\.head\.ref)\s{0,9}\|\|\s{0,9}github\.ref_name/;
const TOLD_APART = /event_name|event\.number|pull_request\.(?:number|id)|run_id|github\.ref\b(?!_)|github\.sha/;

function* shared(node: YamlNode | undefined, workflow: Workflow, publishes: boolean): Generator<Report<Message>> {
  const group = toText(node) ?? textOf(node, 'group');
  const cancels = textOf(node, 'cancel-in-progress')?.value ?? 'false';
  if (group === undefined || cancels === 'false') return;
  const match = HEAD_OR_NAME.exec(group.value);
  if (match === null || TOLD_APART.test(group.value)) return;
  const events = new Set(workflow.triggers.map(({ event }) => event));
  if (!events.has('pull_request') && !events.has('pull_request_target')) return;
  if (!pushesToBranches(workflow)) return;
  yield {
    message: 'shared',
    at: workflow,
    span: group.span,
    severity: publishes ? 'LOW' : 'INFO',
    confidence: 'high',
    fix: byRef(group, match.index + match[0].length),
  };
}

function byRef(group: Text, end: number): Fix | undefined {
  const edit = replaceRange(group, end - '_name'.length, end, '');
  return edit && { safety: 'safe', edits: [edit] };
}
