import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { insertKeys, mayInsert } from '#lib/workflow/edits/keys.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Report } from '../engine/rule.ts';

/** Actions that log in to a cloud through OIDC; an environment changes the subject claim. */
const CLOUD_LOGIN: ReadonlySet<string> = new Set([
  'aws-actions/configure-aws-credentials',
  'azure/login',
  'google-github-actions/auth',
  'hashicorp/vault-action',
  'jfrog/setup-jfrog-cli',
  'pulumi/auth-actions',
]);

/** All jobs at once, since the once-per-file finding would move to the next one. */
export function nameEnvironment(jobs: readonly Job[]): Pick<Report, 'fix' | 'advice'> {
  const [first] = jobs;
  if (first === undefined) return {};
  const refusal = jobs.map(whyNot).find((why) => why !== undefined);
  const names = [...new Set(jobs.map(environmentOf))];
  const setUp = `Create the environment${names.length > 1 ? 's' : ''} ${names.map((name) => `\`${name}\``).join(' and ')} in the repository’s settings, with required reviewers and the branches or tags that may use ${names.length > 1 ? 'them' : 'it'}. The job’s secrets can then be moved there. `;
  if (refusal !== undefined) {
    return { advice: `${setUp}Then write \`environment: ${environmentOf(first)}\` in the job ${first.id}. ${refusal}` };
  }
  const edits = jobs.flatMap((job) => editFor(job) ?? []);
  if (edits.length < jobs.length) {
    return { advice: `${setUp}Then write \`environment: ${environmentOf(first)}\` in the job ${first.id}.` };
  }
  return {
    fix: {
      safety: 'review',
      edits,
      note: `${setUp}Until then, a run creates the environment without protection; once reviewers are set up, each run waits for one.`,
    },
  };
}

function whyNot({ workflow, steps, permissions }: Job): string | undefined {
  if (workflow.triggers.some(({ event }) => /^pull_request(?:_target)?$/.test(event))) {
    return 'Pull requests start this workflow too and would wait for a reviewer: publish from a separate workflow.';
  }
  if (workflow.triggers.some(({ event }) => event === 'schedule')) {
    return 'A schedule starts this workflow too, and each of its runs would wait for a reviewer: restrict the environment only by branch, or publish from another workflow.';
  }
  const login = steps.find((step) => CLOUD_LOGIN.has(actionOf(step)?.slug ?? ''));
  if (login !== undefined) {
    return `The environment becomes part of the OIDC subject that \`${login.uses?.text.value ?? ''}\` presents: update the cloud’s trust policy first.`;
  }
  const granted = (permissions ?? workflow.permissions)?.scopes.some(({ scope }) => scope === 'id-token') === true;
  const scripted = steps.some(({ run }) =>
    /ACTIONS_ID_TOKEN_REQUEST|sts assume-role|getIDToken/.test(run?.value ?? ''),
  );
  return granted && scripted
    ? 'The environment becomes part of the OIDC subject that the job requests in a script.'
    : undefined;
}

function environmentOf({ steps }: Job): string {
  if (steps.some((step) => actionOf(step)?.slug === 'actions/deploy-pages')) return 'github-pages';
  const kinds = new Set(steps.flatMap(publishesIn).map(({ kind }) => kind));
  return kinds.has('deploy') && !kinds.has('package') && !kinds.has('release') ? 'production' : 'release';
}

function editFor(job: Job): TextEdit | undefined {
  const { workflow, mapping } = job;
  if (job.environment !== undefined || !mayInsert(workflow)) return undefined;
  return insertKeys(mapping, { environment: environmentOf(job) }, { after: 'runs-on' });
}
