import type { Job } from '#lib/workflow/model/model.ts';

/** Advice only, since an edit cannot know what the privileged workflow needs. */
export function splitAdvice(job: Job): string {
  const { workflow, permissions = workflow.permissions, environment } = job;
  const name = /^[\w .()/-]{1,60}$/.test(workflow.name?.value ?? '') ? (workflow.name?.value ?? '') : 'Pull request';
  const scopes =
    permissions?.scopes.filter(({ level }) => level === 'write').map(({ scope }) => `${scope}: write`) ?? [];
  const rights =
    scopes.length === 0 ? 'the permissions that its steps need' : `\`${['actions: read', ...scopes].join('`, `')}\``;
  const gate = environment === undefined ? '' : ' and the environment';
  return [
    'Split it into two workflows.',
    `First, change this one: use \`on: pull_request\` instead of \`pull_request_target\`, set \`permissions: { contents: read }\` at the top, check out without \`ref\` and without secrets, and end with \`actions/upload-artifact\` for the results (including the pull request number if the second workflow needs it).`,
    `Second, add a new one: \`on: { workflow_run: { workflows: ['${name}'], types: [completed] } }\`, with a job that has \`if: github.event.workflow_run.conclusion == 'success'\`, ${rights}, and the secrets${gate} of the job ${job.id}.`,
    'It downloads the results with `actions/download-artifact`, `run-id: ${{ github.event.workflow_run.id }}` and `github-token: ${{ github.token }}` into `${{ runner.temp }}/results`, checks out nothing from the pull request, and treats what it reads as data: no script, no `$GITHUB_ENV`, and the number only if it consists of digits.',
  ].join(' ');
}
