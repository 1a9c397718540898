import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'unapproved' | 'approved';

const RUNNERS = [{ name: 'lab-1', labels: ['linux', 'self-hosted'] }];
const FIRST_TIME = { kind: 'public', approvalFor: 'first-time' } as const;

export const runnerGroupExposed = defineRule({
  id: 'runner-group-exposed',
  meta: {
    title: 'Self-hosted runners available to a public repository',
    why: 'A pull request from a fork brings its own workflow, which can request any runner of the repository. Whatever runs on a self-hosted machine can persist there: files, stolen credentials, access to the internal network.',
    attack:
      'An outsider gets a small fix merged, then opens a pull request whose workflow runs on the self-hosted machine. It installs a backdoor that waits for the next job with secrets.',
    recommendation:
      'Remove the runners from the public repository, or use ephemeral runners. Until then, require approval for all external contributors.',
    limits:
      'Only runners of the repository itself are visible, not runner groups of its organization or enterprise. Whether a machine is ephemeral is not known.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-7',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-build-l3'],
    needs: ['settings'],
    settings: ['repository', 'runners'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
      'https://docs.github.com/actions/how-tos/manage-runners/self-hosted-runners/add-runners',
    ],
    messages: {
      unapproved:
        'This public repository has self-hosted runners ({{runners}}), and pull requests from anyone who has contributed once run without approval.',
      approved:
        'This public repository has self-hosted runners ({{runners}}); an approved fork pull request can run on them.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, runners: RUNNERS, forkWorkflows: FIRST_TIME }),
        settings: ['unapproved'],
      },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, runners: RUNNERS }), settings: ['approved'] },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, runners: [], forkWorkflows: FIRST_TIME }) },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: { ...SHARED, visibility: 'private' }, runners: RUNNERS }),
      },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, runners: RUNNERS }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const runners = known(facts, 'runners') ?? [];
  const repository = known(facts, 'repository');
  if (runners.length === 0 || repository?.visibility !== 'public' || repository.archived) return;
  const policy = known(facts, 'forkWorkflows');
  const unapproved = policy?.kind === 'public' && policy.approvalFor !== 'all-outsiders';
  yield {
    message: unapproved ? 'unapproved' : 'approved',
    data: { runners: joinList(runners.map(({ name }) => `\`${name}\``)) },
    at: { setting: 'runners' },
    severity: unapproved ? 'HIGH' : 'MEDIUM',
    attributes: { runners: runners.slice(0, 100).map(({ name }) => name) },
  };
}
