import { memoByRepository } from '#lib/analysis/memo.ts';
import { setKey } from '#lib/workflow/edits/keys.ts';
import type { Action, Workflow } from '#lib/workflow/model/model.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'workflow' | 'followed' | 'action';

export const anonymousDefinition = defineRule({
  id: 'anonymous-definition',
  meta: {
    title: 'Workflow or action has no name',
    why: 'Without a name, runs, checks and logs show the path of the file, and other workflows can refer to this one only by that path: moving the file silently disconnects them.',
    attack: 'No direct attack. Runs that nobody recognises get less scrutiny.',
    recommendation: 'Give the file a `name` that describes what it does.',
    limits: 'Whether the name is descriptive or unique is not checked. Compiled `.lock.yml` files are skipped.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-10',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#name',
      'https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax#name',
    ],
    messages: {
      workflow: 'The workflow {{file}} has no name.',
      followed: 'The workflow {{file}} has no name, and {{follower}} refers to it by path in workflow_run.',
      action: 'The action {{file}} has no name.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/nightly-build.yml': yaml`
            # Builds at night.
            # expect: workflow
            on:
              schedule: [{ cron: "0 3 * * *" }]
            jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
        },
        fixed: yaml`
          # Builds at night.
          # expect: workflow
          name: Nightly build
          on:
            schedule: [{ cron: "0 3 * * *" }]
          jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
        `,
      },
      {
        yaml: {
          '.github/workflows/after.yml': yaml`
            name: After
            on: { workflow_run: { workflows: [.github/workflows/build.yml] } }
            jobs: { report: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
          '.github/workflows/build.yml': yaml`
            # expect: followed
            on: push
            jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
          'setup/action.yml': yaml`
            # expect: action
            description: Sets up
            runs:
              using: composite
              steps: [{ shell: bash, run: make setup }]
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/build.yml': yaml`
            name: Build
            on: push
            jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
          '.github/workflows/agent.lock.yml': yaml`
            on: push
            jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
          'action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: node24, main: index.js }
          `,
        },
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Workflow | Action, { repository }: RuleContext): Generator<Report<Message>> {
  const { path } = definition.source;
  if ((definition.name?.value ?? '').trim() !== '' || path.endsWith('.lock.yml')) return;
  const [first] = definition.root.entries.values();
  if (first === undefined) return;
  const follower = definition.kind === 'workflow' ? followers(repository).get(path) : undefined;
  yield {
    message: definition.kind === 'action' ? 'action' : follower === undefined ? 'workflow' : 'followed',
    data: { file: path, follower: follower ?? '' },
    at: definition,
    span: first.key.span,
    fix: definition.kind === 'workflow' && follower === undefined ? insertName(definition) : undefined,
  };
}

const followers = memoByRepository(({ workflows }): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const { triggers, source } of workflows) {
    for (const { event, workflows: followed } of triggers) {
      if (event !== 'workflow_run') continue;
      for (const name of followed ?? []) if (!found.has(name)) found.set(name, source.path);
    }
  }
  return found;
});

const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function insertName({ root, name, source }: Workflow): Fix | undefined {
  const words =
    /(?<![^/])([^/]+)\.ya?ml$/
      .exec(source.path)?.[1]
      ?.replace(/[-_.]+/g, ' ')
      .trim() ?? '';
  if (name !== undefined || root.flow || !/^[a-z][a-z\d ]*$/i.test(words) || NO_TEXT.test(words)) return undefined;
  const edit = setKey(root, 'name', words[0]?.toUpperCase() + words.slice(1));
  return edit && { safety: 'review', edits: [edit] };
}
