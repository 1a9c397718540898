import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { ActionsPolicy } from '#lib/facts/settings.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { SHARED } from '../testing/settings-examples.ts';

type Message = 'ready' | 'almost';

/** At most one reference in so many may be without a pin for the option to be worth turning on now. */
const ALMOST = 5;

const OFF: ActionsPolicy = { enabled: true, allowed: 'all', pinsRequired: false, selected: null };

const PINNED = yaml`
  on: push
  permissions: {}
  jobs:
    build:
      runs-on: ubuntu-latest
      steps:
        - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
`;

export const shaPinningNotEnforced = defineRule({
  id: 'sha-pinning-not-enforced',
  meta: {
    title: 'Pins to full commits are a habit, not a rule',
    why: 'The workflows name actions by full commit ids, or nearly all do. The setting that demands it is off, so that the next edit may bring a movable tag back unnoticed.',
    attack: 'Somebody adds one action by its tag. When that tag is moved to malicious code, the job runs it.',
    recommendation:
      'Turn on “Require actions to be pinned to a full-length commit SHA” in the Actions settings, after pinning what is named.',
    limits:
      'Actions that actions use have to be pinned too once the setting is on; they are not looked at. Repositories that hardly pin get findings about that instead.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'actionsPolicy'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository',
      'https://github.blog/changelog/2025-08-15-github-actions-policy-now-supports-blocking-and-sha-pinning-actions/',
    ],
    messages: {
      ready: 'Every action is pinned to a full commit ({{count}}), and no setting demands that it stays so.',
      almost: 'Nearly every action is pinned to a full commit; no setting demands it. Not pinned: {{open}}.',
    },
  },
  examples: {
    bad: [
      { yaml: PINNED, facts: knownSettings({ repository: SHARED, actionsPolicy: OFF }), settings: ['ready'] },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8
                - uses: actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444
                - uses: actions/cache@0400d5f644dc74513175e3cd8d07132dd4860809
                - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02
                - uses: acme/setup@v2
        `,
        facts: knownSettings({ repository: SHARED, actionsPolicy: OFF }),
        settings: ['almost'],
      },
    ],
    good: [
      { yaml: PINNED, facts: knownSettings({ repository: SHARED, actionsPolicy: { ...OFF, pinsRequired: true } }) },
      // A code host that does not have the option.
      { yaml: PINNED, facts: knownSettings({ repository: SHARED, actionsPolicy: { ...OFF, pinsRequired: null } }) },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs: { build: { runs-on: ubuntu-latest, steps: [{ uses: acme/setup@v2 }] } }
        `,
        facts: knownSettings({ repository: SHARED, actionsPolicy: OFF }),
      },
      { yaml: PINNED, facts: knownSettings({ repository: SHARED, actionsPolicy: { ...OFF, enabled: false } }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const policy = known(facts, 'actionsPolicy');
  if (policy?.enabled !== true || policy.pinsRequired !== false) return;
  if (known(facts, 'repository')?.archived !== false) return;
  const references = actionsUsed(repository);
  const open = references.filter(({ ref }) => !isFullSha(ref));
  if (references.length === 0 || open.length * ALMOST > references.length) return;
  const names = [...new Set(open.map(({ slug, ref }) => `${slug}@${ref}`))];
  yield {
    message: open.length === 0 ? 'ready' : 'almost',
    data: { count: String(references.length), open: listed(names) },
    at: { setting: 'sha_pinning_required' },
    attributes: { open: names.slice(0, 100) },
  };
}

/** Actions of other repositories: what the setting looks at. It leaves called workflows alone. */
function actionsUsed({ workflows, actions }: Repository): { readonly slug: string; readonly ref: string }[] {
  return [...workflows, ...actions].flatMap((definition) =>
    [...stepsOf(definition)].flatMap(({ uses }) => (uses?.reference?.kind === 'repository' ? [uses.reference] : [])),
  );
}
