import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { expandedSteps } from '#lib/analysis/publishing/releases.ts';
import { indentUnit, insertKeys, mayInsert } from '#lib/workflow/edits/keys.ts';
import { replaceRange } from '#lib/workflow/edits/scalars.ts';
import type { Job, Text, Workflow } from '#lib/workflow/model/model.ts';
import { textOf, toText, valuesOf } from '#lib/workflow/parse/fields.ts';
import type { Repository } from '#lib/workflow/repository.ts';
import { entryOf, valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'race' | 'shared';

/**
 * Runs that overlap cost minutes everywhere; they do harm where two of them publish, so only those are told, once for
 * each workflow. Releases of tags and of published releases hardly overlap and have no common target.
 */
export const concurrencyLimits = defineRule({
  id: 'concurrency-limits',
  meta: {
    title: 'Runs that should take turns do not',
    why: 'Two runs of one workflow can be under way at once. When both publish or deploy, the older one may finish last and put the older state live. A concurrency group makes them take turns; one whose name an outsider can form lets that outsider stop the runs of others.',
    attack:
      'An outsider opens a pull request from a fork’s branch named like the default branch. Its run falls into the same group as the run of the default branch, and cancels it.',
    recommendation:
      'Give workflows that publish or deploy a `concurrency` group of workflow and ref, with `cancel-in-progress: false`. Build groups from `github.ref`, which tells branches and pull requests apart, not from `github.ref_name`.',
    limits:
      'Only workflows that publish or deploy on pushes to a branch are expected to have a group. Locks outside of the workflow, of a deployment tool for example, are not seen.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: [],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency',
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#concurrency',
    ],
    messages: {
      race: 'Two pushes in a row run {{publish}} of the job {{job}} side by side; the older one may end last.',
      shared:
        'The group takes the branch’s name from a pull request or a push alike: a fork’s branch with the name of one of yours cancels its run.',
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

/** Pushes of tags have each their own target. */
function pushesToBranches({ triggers, source }: Workflow): boolean {
  return triggers.some(({ event, branches, tags, settings }) => {
    if (event !== 'push' || (branches === undefined && tags !== undefined)) return false;
    // A workflow that starts when its own file changes tries itself out.
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
/** What else in a group's name keeps a pull request apart from a push. */
const TOLD_APART = /event_name|event\.number|pull_request\.(?:number|id)|run_id|github\.ref\b(?!_)|github\.sha/;

/** A group that a pull request's branch and a branch of the repository have in common. */
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

/** The full ref names a branch, a tag or a pull request: no branch of a fork is called like that. */
function byRef(group: Text, end: number): Fix | undefined {
  const edit = replaceRange(group, end - '_name'.length, end, '');
  return edit && { safety: 'safe', edits: [edit] };
}
