import type { Job } from '#lib/workflow/model/model.ts';

/**
 * How the work of a job on `pull_request_target` is done by two workflows, of which the one with the pull request's code
 * has no rights: written for this job, and not as an edit, because what the second half needs is known to people only.
 */
export function splitAdvice(job: Job): string {
  const { workflow, permissions = workflow.permissions, environment } = job;
  const name = /^[\w .()/-]{1,60}$/.test(workflow.name?.value ?? '') ? (workflow.name?.value ?? '') : 'Pull request';
  const scopes =
    permissions?.scopes.filter(({ level }) => level === 'write').map(({ scope }) => `${scope}: write`) ?? [];
  const rights =
    scopes.length === 0 ? 'the rights that its steps need' : `\`${['actions: read', ...scopes].join('`, `')}\``;
  const gate = environment === undefined ? '' : ' and the environment';
  return [
    'Split it in two workflows.',
    `First, this one: \`on: pull_request\` in place of \`pull_request_target\`, \`permissions: { contents: read }\` at the top, the checkout without \`ref\` and without secrets, and at the end \`actions/upload-artifact\` of the results (the number of the pull request too, when the rest needs it).`,
    `Second, a new one: \`on: { workflow_run: { workflows: ['${name}'], types: [completed] } }\`, with a job that has \`if: github.event.workflow_run.conclusion == 'success'\`, ${rights}, and the secrets${gate} of the job ${job.id}.`,
    'It fetches the results with `actions/download-artifact`, `run-id: ${{ github.event.workflow_run.id }}` and `github-token: ${{ github.token }}` into `${{ runner.temp }}/results`, checks nothing of the pull request out, and takes what it reads for text: no script, no `$GITHUB_ENV`, and the number only when it is digits.',
  ].join(' ');
}
