import { insertFirstItem } from '#lib/workflow/edits/steps.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import { type Action, type Dependabot, type DependabotUpdate, stepsOf, type Uses } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textOf, valuesOf } from '#lib/workflow/parse/fields.ts';
import { entryOf, valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'none' | 'ecosystem' | 'uncovered';

export const missingDependencyUpdates = defineRule({
  id: 'missing-dependency-updates',
  meta: {
    title: 'Actions are not updated automatically',
    why: 'An action pinned to a commit stays at that version even after a vulnerability in it is fixed. Without a bot, pins are rarely updated.',
    attack:
      'A vulnerability in an action becomes public. Attackers search for workflows that still use the old version and find many, even years later.',
    recommendation:
      'Add an entry for `github-actions` to `.github/dependabot.yml`, with a weekly schedule, a single group so that there is one pull request, and a cooldown of a week.',
    limits:
      'Recognizes Dependabot’s configuration, the usual locations of Renovate’s, and workflows that run Renovate. A bot configured outside the repository is not detected, and Renovate presets are assumed to include actions.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/dependabot/working-with-dependabot/keeping-your-actions-up-to-date-with-dependabot',
      'https://docs.renovatebot.com/modules/manager/github-actions/',
    ],
    messages: {
      none: 'The workflows use {{count}} from other repositories, and no bot updates them{{pinned}}.',
      ecosystem: 'Dependabot updates {{others}}, but not the actions that the workflows use.',
      uncovered:
        'Dependabot’s entry for actions does not cover the directory of {{action}}, which uses actions from other repositories.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                # expect: none
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                - uses: actions/setup-node@v5
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            # expect: ecosystem
            updates:
              - package-ecosystem: npm
                directory: /
                schedule:
                  interval: daily
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
          `,
        },
        fixed: yaml`
          version: 2
          # expect: ecosystem
          updates:
            - package-ecosystem: github-actions
              directory: /
              schedule:
                interval: weekly
              cooldown:
                default-days: 7
              groups:
                actions:
                  patterns: ['*']
            - package-ecosystem: npm
              directory: /
              schedule:
                interval: daily
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: github-actions
                # expect: uncovered
                directory: /
                schedule: { interval: weekly }
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  - uses: ./.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Set up
            runs:
              using: composite
              steps:
                - uses: actions/setup-node@v5
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            updates:
              - package-ecosystem: github-actions
                directories: ['/', '/.github/actions/*']
                schedule: { interval: weekly }
          `,
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  - uses: ./.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Set up
            runs:
              using: composite
              steps:
                - uses: actions/setup-node@v5
          `,
        },
      },
      {
        yaml: {
          'renovate.json': '{ "extends": ["config:recommended"] }',
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
          `,
        },
      },
      {
        yaml: yaml`
          on: { schedule: [{ cron: '0 4 * * 1' }] }
          jobs:
            renovate:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: renovatebot/github-action@v43
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: make test
                - uses: ./tools/action
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository): Generator<Report<Message>> {
  const { dependabot, partial } = repository;
  if (partial) return;
  const used = repository.workflows.flatMap((workflow) =>
    [...usesOf(workflow)].flatMap(({ uses, at }) => (isRemote(uses) ? [{ uses, at }] : [])),
  );
  const [first] = used;
  if (first === undefined || isRenovated(repository)) return;
  const entries = dependabot?.updates.filter(({ ecosystem }) => ecosystem?.value === 'github-actions') ?? [];
  if (entries.length > 0) {
    yield* uncovered(entries, repository);
    return;
  }
  const key = dependabot === undefined ? undefined : entryOf(dependabot.root, 'updates')?.key;
  if (dependabot !== undefined && key !== undefined) {
    const others = [...new Set(dependabot.updates.flatMap(({ ecosystem }) => ecosystem?.value ?? []))];
    yield {
      message: 'ecosystem',
      data: { others: others.slice(0, 5).join(', ') || 'nothing' },
      at: dependabot,
      span: key.span,
      confidence: 'high',
      fix: watchActions(dependabot),
    };
    return;
  }
  const count = namesOf(used).size;
  const pinned = namesOf(used.filter(({ uses }) => isPinned(uses))).size;
  yield {
    message: 'none',
    data: {
      count: count === 1 ? 'one action' : `${count} actions`,
      pinned: pinned === 0 ? '' : `, although ${pinnedText(pinned, count)} pinned to a commit`,
    },
    at: first.at,
    span: first.uses.span,
    anchor: 'no updates',
  };
}

function isRemote({ reference }: Uses): boolean {
  return reference?.kind === 'repository';
}

function isPinned({ reference }: Uses): boolean {
  return reference?.kind === 'repository' && isFullSha(reference.ref);
}

function namesOf(used: readonly { readonly uses: Uses }[]): ReadonlySet<string> {
  return new Set(used.flatMap(({ uses: { reference } }) => (reference?.kind === 'repository' ? reference.name : [])));
}

function pinnedText(pinned: number, count: number): string {
  if (count === 1) return 'it is';
  return pinned === 1 ? 'one of them is' : `${pinned} of them are`;
}

const RENOVATE = /^(?:renovatebot\/github-action|suzuki-shunsuke\/pinact-action)$|renovate/;

const LEAVES_ACTIONS_OUT = /"?github-actions"?\s{0,9}:\s{0,9}\{\s{0,9}"?enabled"?\s{0,9}:\s{0,9}false/;

function isRenovated({ renovate, workflows }: Repository): boolean {
  if (renovate !== undefined) return !LEAVES_ACTIONS_OUT.test(renovate.text);
  return workflows.some(
    (workflow) =>
      [...usesOf(workflow)].some(
        ({ uses: { reference } }) =>
          reference?.kind === 'repository' && RENOVATE.test(`${reference.slug}/${reference.path}`.replace(/\/$/, '')),
      ) || [...stepsOf(workflow)].some(({ run }) => run !== undefined && /\brenovate\b/.test(run.value)),
  );
}

/** Dependabot’s `/` covers the workflows and an action at the root, but no other directory. */
function* uncovered(entries: readonly DependabotUpdate[], repository: Repository): Generator<Report<Message>> {
  const { dependabot } = repository;
  const patterns = entries.flatMap(({ mapping }) => [
    textOf(mapping, 'directory')?.value ?? [],
    ...(valuesOf(valueOf(mapping, 'directories')) ?? []),
  ]);
  const missed = usedActions(repository).find(
    (action) =>
      [...usesOf(action)].some(({ uses }) => isRemote(uses)) &&
      !patterns.flat().some((pattern) => covers(pattern, folderOf(action))),
  );
  const [entry] = entries;
  if (missed === undefined || dependabot === undefined || entry === undefined) return;
  const place = entryOf(entry.mapping, 'directories') ?? entryOf(entry.mapping, 'directory');
  yield {
    message: 'uncovered',
    data: { action: missed.source.path },
    at: dependabot,
    span: place?.span ?? entry.span,
    anchor: `uncovered ${folderOf(missed)}`,
    severity: 'INFO',
    confidence: 'high',
  };
}

function usedActions(repository: Repository): Action[] {
  const found = new Set<Action>();
  for (const workflow of repository.workflows) {
    for (const { uses } of usesOf(workflow)) {
      const action = uses.reference?.kind === 'local' ? repository.actionAt(uses.reference.path) : undefined;
      if (action !== undefined) found.add(action);
    }
  }
  return [...found];
}

function folderOf({ source }: Action): string {
  return source.path.replace(/\/?action\.ya?ml$/, '');
}

function covers(pattern: string, folder: string): boolean {
  const wanted = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  const segments = folder.split('/').filter((segment) => segment !== '');
  for (const [index, segment] of wanted.entries()) {
    if (segment === '**') return true;
    if (!segment.includes('*') && segment !== segments[index]) return false;
  }
  return wanted.length === segments.length;
}

function watchActions({ root }: Dependabot): Fix | undefined {
  const updates = valueOf(root, 'updates');
  const item = [
    'package-ecosystem: github-actions',
    'directory: /',
    'schedule:',
    '  interval: weekly',
    'cooldown:',
    '  default-days: 7',
    'groups:',
    '  actions:',
    "    patterns: ['*']",
  ];
  const edit = updates?.kind === 'sequence' ? insertFirstItem(updates, item) : undefined;
  return edit && { safety: 'safe', edits: [edit] };
}
