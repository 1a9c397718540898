import { known, knownSettings } from '#lib/facts/facts.ts';
import type { ActionsPolicy } from '#lib/facts/settings.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { SHARED } from '../testing/settings-examples.ts';

type Message = 'ready' | 'almost';

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
    title: 'SHA pinning is not enforced',
    why: 'All or nearly all actions are pinned to full commit SHAs. The setting that enforces pinning is off, so the next edit can introduce a mutable tag unnoticed.',
    attack: 'Someone adds one action by its tag. When that tag is moved to malicious code, the job runs it.',
    recommendation:
      'Pin the remaining actions, then enable “Require actions to be pinned to a full-length commit SHA” in the Actions settings.',
    limits:
      'Once the setting is on, actions used by other actions must be pinned too; these are not checked. Repositories that pin few actions get findings about the unpinned ones instead.',
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
      ready: 'Every action is pinned to a full commit SHA ({{count}}), but no setting enforces it.',
      almost: 'Nearly every action is pinned to a full commit SHA, but no setting enforces it. Not pinned: {{open}}.',
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
    data: { count: String(references.length), open: joinList(names) },
    at: { setting: 'sha_pinning_required' },
    attributes: { open: names.slice(0, 100) },
  };
}

function actionsUsed({ workflows, actions }: Repository): { readonly slug: string; readonly ref: string }[] {
  return [...workflows, ...actions].flatMap((definition) =>
    [...stepsOf(definition)].flatMap(({ uses }) => (uses?.reference?.kind === 'repository' ? [uses.reference] : [])),
  );
}
