import { known, knownSettings } from '#lib/facts/facts.ts';
import type { ActionsPolicy } from '#lib/facts/settings.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { SHARED } from '../testing/settings-examples.ts';

type Message = 'all' | 'wide';

const ALL: ActionsPolicy = { enabled: true, allowed: 'all', pinsRequired: false, selected: null };
const SELECTED: ActionsPolicy = {
  ...ALL,
  allowed: 'selected',
  selected: { ofCodeHost: true, ofVerifiedCreators: false, patterns: ['acme/*'] },
};

const USES = yaml`
  on: push
  permissions: {}
  jobs:
    build:
      runs-on: ubuntu-latest
      steps:
        - uses: actions/checkout@v4
        - uses: acme/setup@v2
`;

export const actionsUnrestricted = defineRule({
  id: 'actions-unrestricted',
  meta: {
    title: 'No allow-list for actions',
    why: 'Every action runs with its job’s token and secrets. Without an allow-list, one line in a workflow is enough to run a stranger’s code.',
    attack:
      'A pull request that adds a helpful-looking action owned by the attacker, or a misspelled action name, is enough to run their code in jobs that hold secrets.',
    recommendation:
      'Allow only selected actions: your own, those created by GitHub, and the ones your workflows use today.',
    limits:
      'The allow-list is not compared with what workflows use. A policy that an organization enforces shows only in the effective setting. Actions used inside other actions are not checked.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'actionsPolicy'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#allowing-select-actions-and-reusable-workflows-to-run',
    ],
    messages: {
      all: 'Any action can run in this repository. Its workflows use {{used}}.',
      wide: 'The allow-list admits actions from any owner: {{patterns}}.',
    },
  },
  examples: {
    bad: [
      { yaml: USES, facts: knownSettings({ repository: SHARED, actionsPolicy: ALL }), settings: ['all'] },
      {
        yaml: USES,
        facts: knownSettings({
          repository: SHARED,
          actionsPolicy: { ...SELECTED, selected: { ofCodeHost: true, ofVerifiedCreators: false, patterns: ['*/*'] } },
        }),
        settings: ['wide'],
      },
    ],
    good: [
      { yaml: USES, facts: knownSettings({ repository: SHARED, actionsPolicy: SELECTED }) },
      { yaml: USES, facts: knownSettings({ repository: SHARED, actionsPolicy: { ...ALL, allowed: 'local' } }) },
      { yaml: USES, facts: knownSettings({ repository: SHARED, actionsPolicy: { ...ALL, enabled: false } }) },
      { yaml: USES, facts: knownSettings({ repository: { ...SHARED, archived: true }, actionsPolicy: ALL }) },
      { yaml: {}, facts: knownSettings({ repository: SHARED, actionsPolicy: ALL }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const policy = known(facts, 'actionsPolicy');
  if (policy?.enabled !== true || known(facts, 'repository')?.archived !== false) return;
  if (repository.workflows.length === 0) return;
  const wide = (policy.selected?.patterns ?? []).filter((pattern) => /^\*+(?:\/|@|$)/.test(pattern));
  if (policy.allowed !== 'all' && (policy.allowed !== 'selected' || wide.length === 0)) return;
  const owners = ownersUsed(repository);
  yield {
    message: policy.allowed === 'all' ? 'all' : 'wide',
    data: {
      used: owners.length === 0 ? 'no actions from other owners' : `actions from ${joinList(owners)}`,
      patterns: joinList(wide.map((pattern) => `\`${pattern}\``)),
    },
    at: { setting: 'allowed_actions' },
    attributes: { owners },
  };
}

function ownersUsed({ workflows, actions, owners }: Repository): string[] {
  const uses = [...workflows, ...actions].flatMap((definition) => [
    ...[...stepsOf(definition)].map((step) => step.uses),
    ...(definition.kind === 'workflow' ? definition.jobs.map((job) => job.uses) : []),
  ]);
  const named = uses.flatMap((each) =>
    each?.reference?.kind === 'repository' ? [each.reference.owner.toLowerCase()] : [],
  );
  return [...new Set(named)].filter((owner) => !owners.has(owner)).sort();
}
