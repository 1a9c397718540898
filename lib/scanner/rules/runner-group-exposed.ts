import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'unapproved' | 'approved';

const RUNNERS = [{ name: 'lab-1', labels: ['linux', 'self-hosted'] }];
const FIRST_TIME = { kind: 'public', approvalFor: 'first-time' } as const;

export const runnerGroupExposed = defineRule({
  id: 'runner-group-exposed',
  meta: {
    title: 'Machines of your own serve a public repository',
    why: 'A pull request from a fork brings its own workflow, and may ask for any runner that the repository has. What runs on such a machine stays there: files, credentials, a way into the network.',
    attack:
      'An outsider gets a small correction merged, then sends a pull request whose workflow runs on the machine. It leaves a program behind that waits for the next job with secrets.',
    recommendation:
      'Take the runners away from the public repository, or use runners that serve a single job. Until then require approval for all external contributors.',
    limits:
      'Runners of the repository alone are seen, not those of groups of its organization or enterprise. Whether a machine is thrown away after a job is not known.',
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
        'Machines of your own serve this public repository ({{runners}}), and pull requests of whoever contributed once run without approval.',
      approved:
        'Machines of your own serve this public repository ({{runners}}): an approved pull request of a fork can run there.',
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
    data: { runners: listed(runners.map(({ name }) => `\`${name}\``)) },
    at: { setting: 'runners' },
    // A fork's own workflow asks for the machine: no file here has to.
    severity: unapproved ? 'HIGH' : 'MEDIUM',
    attributes: { runners: runners.slice(0, 100).map(({ name }) => name) },
  };
}
