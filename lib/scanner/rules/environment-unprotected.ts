import { heldBy } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { placeOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { EnvironmentSettings } from '#lib/facts/settings.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { SHARED } from '../testing/settings-examples.ts';

type Message = 'open' | 'missing' | 'self-review';

const MAX_FINDINGS = 50;

const OPEN: EnvironmentSettings = {
  name: 'production',
  reviewers: 0,
  selfReview: true,
  adminsBypass: true,
  branches: 'all',
};
const REVIEWED: EnvironmentSettings = { ...OPEN, reviewers: 1, selfReview: false, branches: 'protected' };

const DEPLOY = yaml`
  on: push
  permissions: { contents: read }
  jobs:
    deploy:
      runs-on: ubuntu-latest
      environment: production
      steps:
        - run: ./deploy.sh
          env: { DEPLOY_KEY: '\${{ secrets.DEPLOY_KEY }}' }
`;

export const environmentUnprotected = defineRule({
  id: 'environment-unprotected',
  meta: {
    title: 'Environment exposes its secrets to any branch',
    why: 'The secrets of an environment, and the cloud roles that trust it, are available to every job that names it. Without required reviewers and without branch restrictions, a job on any branch qualifies.',
    attack:
      'An attacker with write access pushes a branch whose workflow names the environment, and reads its secrets without a pull request or an approval.',
    recommendation:
      'Restrict the environment to protected branches or to release tags, and add required reviewers who cannot approve their own deployments.',
    limits:
      'Environment names computed by an expression are not resolved, and the patterns of selected branches are not checked. Whether a secret belongs to the environment or to the repository is unknown. Some plans offer no protection for private repositories.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'environments'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/workflows-and-actions/deployment-environments',
      'https://docs.github.com/actions/how-tos/deploy/configure-and-manage-deployments/manage-environments',
    ],
    messages: {
      open: 'The environment {{name}} has no reviewers and admits every branch; {{job}} uses it with {{held}}.',
      missing: 'The environment {{name}} of {{job}} does not exist: the first run creates it without any protection.',
      'self-review': 'Whoever starts a deployment to {{name}} can approve it themselves.',
    },
  },
  examples: {
    bad: [
      { yaml: DEPLOY, facts: knownSettings({ repository: SHARED, environments: [OPEN] }), settings: ['open'] },
      { yaml: DEPLOY, facts: knownSettings({ repository: SHARED, environments: [] }), settings: ['missing'] },
      {
        yaml: DEPLOY,
        facts: knownSettings({ repository: SHARED, environments: [{ ...REVIEWED, selfReview: true }] }),
        settings: ['self-review'],
      },
    ],
    good: [
      { yaml: DEPLOY, facts: knownSettings({ repository: SHARED, environments: [REVIEWED] }) },
      {
        yaml: DEPLOY,
        facts: knownSettings({ repository: SHARED, environments: [{ ...OPEN, branches: 'selected' }] }),
      },
      {
        yaml: DEPLOY,
        facts: knownSettings({ repository: SHARED, environments: [{ ...REVIEWED, name: 'Production' }] }),
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            preview: { runs-on: ubuntu-latest, environment: preview, steps: [{ run: make preview }] }
        `,
        facts: knownSettings({ repository: SHARED, environments: [{ ...OPEN, name: 'preview' }] }),
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            deploy:
              runs-on: ubuntu-latest
              environment: \${{ github.ref_name }}
              steps: [{ run: npm publish }]
        `,
        facts: knownSettings({ repository: SHARED, environments: [] }),
      },
      { yaml: DEPLOY, facts: knownSettings({ repository: { ...SHARED, archived: true }, environments: [OPEN] }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const environments = known(facts, 'environments');
  if (environments === undefined || known(facts, 'repository')?.archived !== false) return;
  const byName = new Map(environments.map((environment) => [environment.name.toLowerCase(), environment]));
  for (const [key, { name, jobs }] of [...namedEnvironments(repository)].slice(0, MAX_FINDINGS)) {
    const environment = byName.get(key);
    const [job] = jobs;
    if (job === undefined || (environment !== undefined && isGuarded(environment))) continue;
    const message = environment === undefined ? 'missing' : environment.reviewers > 0 ? 'self-review' : 'open';
    yield {
      message,
      data: { name, job: joinList(jobs.map(placeOf)), held: heldBy(job) },
      at: { setting: `environment ${key}` },
      severity: message === 'open' ? 'MEDIUM' : 'LOW',
      attributes: { environment: name, jobs: jobs.slice(0, 100).map(placeOf) },
    };
  }
}

function isGuarded({ reviewers, selfReview, branches }: EnvironmentSettings): boolean {
  return reviewers > 0 ? !selfReview : branches !== 'all';
}

function namedEnvironments(repository: Repository): Map<string, { readonly name: string; readonly jobs: Job[] }> {
  const found = new Map<string, { readonly name: string; readonly jobs: Job[] }>();
  for (const job of repository.workflows.flatMap(({ jobs }) => jobs)) {
    const name = job.environment?.name?.value.trim() ?? '';
    if (name === '' || name.includes('${{') || !matters(job)) continue;
    const entry = found.get(name.toLowerCase()) ?? { name, jobs: [] };
    entry.jobs.push(job);
    found.set(name.toLowerCase(), entry);
  }
  return found;
}

function matters(job: Job): boolean {
  const { secrets, mintsOidc } = credentialsOf(job);
  return secrets.length > 0 || mintsOidc || job.steps.some((step) => publishesIn(step).length > 0);
}
