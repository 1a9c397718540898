import { known, knownSettings } from '#lib/facts/facts.ts';
import { innermostSteps } from '#lib/workflow/model/action-uses.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'alerts';

const SCANNERS =
  /^(?:actions\/dependency-review-action|anchore\/scan-action|aquasecurity\/trivy-action|google\/osv-scanner-action|snyk\/actions|renovatebot\/github-action)$/;
const COMMANDS = /^(?:osv-scanner|trivy|grype|snyk|pip-audit|cargo-audit|govulncheck)$/;

export const securityScanningDisabled = defineRule({
  id: 'security-scanning-disabled',
  meta: {
    title: 'Dependency vulnerability alerts are disabled',
    why: 'Most known vulnerabilities of a project are in its dependencies. Alerts report them as they become public; without alerts, a build keeps a known vulnerability for months.',
    attack:
      'The attacker exploits a published vulnerability in a dependency, for which an update has long been available.',
    recommendation: 'Enable Dependabot alerts in the repository’s security settings.',
    limits:
      'Code scanning is not checked, and open alerts are not counted. A scanner that runs outside of workflows is not detected.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-10',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'vulnerabilityAlerts'],
    since: '0.1.0',
    references: ['https://docs.github.com/code-security/dependabot/dependabot-alerts/about-dependabot-alerts'],
    messages: { alerts: 'Vulnerability alerts are disabled, and no workflow scans dependencies.' },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, vulnerabilityAlerts: false }), settings: ['alerts'] },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, vulnerabilityAlerts: true }) },
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: read }
          jobs:
            review: { runs-on: ubuntu-latest, steps: [{ uses: actions/dependency-review-action@v4 }] }
        `,
        facts: knownSettings({ repository: SHARED, vulnerabilityAlerts: false }),
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            audit: { runs-on: ubuntu-latest, steps: [{ run: osv-scanner scan . }] }
        `,
        facts: knownSettings({ repository: SHARED, vulnerabilityAlerts: false }),
      },
      {
        yaml: {
          '.github/workflows/audit.yml': yaml`
            on: push
            permissions: { contents: read }
            jobs: { audit: { runs-on: ubuntu-latest, steps: [{ uses: ./.github/actions/audit }] } }
          `,
          '.github/actions/audit/action.yml': yaml`
            name: Audit
            description: Looks for known vulnerabilities
            runs: { using: composite, steps: [{ run: osv-scanner scan ., shell: bash }] }
          `,
        },
        facts: knownSettings({ repository: SHARED, vulnerabilityAlerts: false }),
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: { ...SHARED, archived: true }, vulnerabilityAlerts: false }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  if (known(facts, 'vulnerabilityAlerts') !== false || known(facts, 'repository')?.archived !== false) return;
  const scans = repository.workflows
    .flatMap((workflow) => innermostSteps(stepsOf(workflow), repository))
    .some(
      (step) =>
        (step.uses?.reference?.kind === 'repository' && SCANNERS.test(step.uses.reference.slug)) ||
        commandsOf(step).some(({ program }) => program !== undefined && COMMANDS.test(program)),
    );
  if (!scans) yield { message: 'alerts', at: { setting: 'vulnerability_alerts' } };
}
