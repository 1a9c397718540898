import { listed } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { placeOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'repository' | 'place';

/** Claims that tell one repository from another. */
const OF_REPOSITORY = new Set(['context', 'repo', 'repository', 'repository_id', 'job_workflow_ref', 'workflow_ref']);
/** Claims that tell a branch, tag, environment or workflow from another. */
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
    title: 'Subject of identity tokens leaves out where a job runs',
    why: 'A cloud decides by the subject of the token whom it lets in. Without the branch or environment in it, a job of any branch, or of a pull request, is the same to the cloud as the deployment.',
    attack:
      'Somebody with write access pushes a branch with a workflow that asks for a token, and logs into the cloud as the deployment does.',
    recommendation:
      'Use the code host’s own subject, or a template with `context`, `environment` or `job_workflow_ref`, and let the cloud compare the whole of it.',
    limits:
      'What the cloud demands beside the subject is not known: it may check other claims. Policies kept as files in the repository are not read.',
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
        'Identity tokens of {{jobs}} have the claims {{claims}} for a subject: other repositories get the same one.',
      place: 'Identity tokens of {{jobs}} have the claims {{claims}} for a subject: every branch gets the same one.',
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
    data: { jobs: listed(jobs.map(placeOf)), claims: listed(claims.map((claim) => `\`${claim}\``)) || 'none' },
    at: { setting: 'identity subject' },
    attributes: { claims },
  };
}
