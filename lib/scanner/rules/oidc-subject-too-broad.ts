import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { placeOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'repository' | 'place';

const OF_REPOSITORY = new Set(['context', 'repo', 'repository', 'repository_id', 'job_workflow_ref', 'workflow_ref']);
const OF_PLACE = new Set(['context', 'environment', 'job_workflow_ref', 'ref', 'workflow_ref']);

const LOGIN = yaml`
  on: { push: { branches: [main] } }
  jobs:
    deploy:
      permissions: { id-token: write }
      runs-on: ubuntu-latest
      steps: [{ run: ./deploy.sh }]
`;

export const oidcSubjectTooBroad = defineRule({
  id: 'oidc-subject-too-broad',
  meta: {
    title: 'OIDC subject claim does not include ref or environment',
    why: 'A cloud provider uses the token’s subject claim to decide who may log in. If it does not include the ref or environment, the cloud cannot tell a job on any branch, or in a pull request, from the deployment.',
    attack:
      'Someone with write access pushes a branch with a workflow that requests a token, and logs in to the cloud as the deployment does.',
    recommendation:
      'Use GitHub’s default subject, or a template with `context`, `environment` or `job_workflow_ref`, and make the cloud’s trust policy match the whole subject.',
    limits:
      'The cloud’s trust policy is not known: it may check other claims as well. Policies stored as files in the repository are not read.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-2',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-build-l2'],
    needs: ['settings'],
    settings: ['repository', 'identitySubject'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/oidc',
      'https://docs.github.com/rest/actions/oidc',
    ],
    messages: {
      repository:
        'The OIDC subject claim of {{jobs}} consists of {{claims}}: other repositories can get the same subject.',
      place: 'The OIDC subject claim of {{jobs}} consists of {{claims}}: every branch gets the same subject.',
    },
  },
  examples: {
    bad: [
      {
        yaml: LOGIN,
        facts: knownSettings({ repository: SHARED, identitySubject: ['repo'] }),
        settings: ['place'],
      },
      {
        yaml: LOGIN,
        facts: knownSettings({ repository: SHARED, identitySubject: ['repository_owner'] }),
        settings: ['repository'],
      },
    ],
    good: [
      { yaml: LOGIN, facts: knownSettings({ repository: SHARED, identitySubject: null }) },
      { yaml: LOGIN, facts: knownSettings({ repository: SHARED, identitySubject: ['repo', 'context'] }) },
      { yaml: LOGIN, facts: knownSettings({ repository: SHARED, identitySubject: ['job_workflow_ref'] }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, identitySubject: ['repo'] }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const claims = known(facts, 'identitySubject');
  if (claims === undefined || claims === null || known(facts, 'repository')?.archived !== false) return;
  const ofAny = !claims.some((claim) => OF_REPOSITORY.has(claim));
  if (!ofAny && claims.some((claim) => OF_PLACE.has(claim))) return;
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs).filter((job) => credentialsOf(job).mintsOidc);
  if (jobs.length === 0) return;
  yield {
    message: ofAny ? 'repository' : 'place',
    data: { jobs: joinList(jobs.map(placeOf)), claims: joinList(claims.map((claim) => `\`${claim}\``)) || 'none' },
    at: { setting: 'identity subject' },
    attributes: { claims },
  };
}
