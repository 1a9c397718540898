export const PULL_REQUEST_RESOLVERS: ReadonlySet<string> = new Set([
  '8bitjonny/gh-get-current-pr',
  'alessbell/pull-request-comment-branch',
  'eficode/resolve-pr-refs',
  'gotson/pull-request-comment-branch',
  'juliangruber/find-pull-request-action',
  'octokit/pull-request-comment-branch',
  'potiuk/get-workflow-origin',
  'xt0rted/pull-request-comment-branch',
]);

/**
 * Actions for commands in comments that check the rights of the comment's author. What `refs` matches names the head of
 * the pull request.
 */
export const COMMAND_ACTIONS: Readonly<Record<string, { readonly refs: RegExp }>> = {
  'github/branch-deploy': { refs: /^(?:ref|sha)$/ },
  'github/command': { refs: /^(?!)/ },
};
