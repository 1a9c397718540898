export interface ReplaceableAction {
  /** `owner/repo` or `owner/repo/path`, lower case. */
  readonly action: string;
  /** Program or feature available on every hosted runner, as users would write it. */
  readonly by: string;
  /** `all`: a line or two replace the action; `most`: its most common use. */
  readonly extent: 'all' | 'most';
}

/** Third-party actions that built-in tools of hosted runners can replace. */
export const REPLACEABLE_ACTIONS = [
  { action: 'softprops/action-gh-release', by: 'gh release create', extent: 'most' },
  { action: 'ncipollo/release-action', by: 'gh release create', extent: 'most' },
  { action: 'svenstaro/upload-release-action', by: 'gh release upload', extent: 'all' },
  { action: 'shogo82148/actions-upload-release-asset', by: 'gh release upload', extent: 'all' },
  { action: 'alexellis/upload-assets', by: 'gh release upload', extent: 'all' },
  { action: 'marvinpinto/action-automatic-releases', by: 'gh release create', extent: 'most' },
  { action: 'robinraju/release-downloader', by: 'gh release download', extent: 'all' },
  { action: 'dsaltares/fetch-gh-release-asset', by: 'gh release download', extent: 'all' },
  { action: 'dev-drprasad/delete-tag-and-release', by: 'gh release delete', extent: 'all' },
  { action: 'peter-evans/create-or-update-comment', by: 'gh issue comment', extent: 'most' },
  { action: 'thollander/actions-comment-pull-request', by: 'gh pr comment', extent: 'most' },
  { action: 'mshick/add-pr-comment', by: 'gh pr comment', extent: 'most' },
  { action: 'peter-evans/close-issue', by: 'gh issue close', extent: 'all' },
  { action: 'peter-evans/create-issue-from-file', by: 'gh issue create', extent: 'all' },
  { action: 'peter-evans/enable-pull-request-automerge', by: 'gh pr merge --auto', extent: 'all' },
  { action: 'peter-evans/repository-dispatch', by: 'gh api repos/{owner}/{repo}/dispatches', extent: 'all' },
  { action: 'jasonetco/create-an-issue', by: 'gh issue create', extent: 'most' },
  { action: 'actions-ecosystem/action-add-labels', by: 'gh issue edit --add-label', extent: 'all' },
  { action: 'actions-ecosystem/action-remove-labels', by: 'gh issue edit --remove-label', extent: 'all' },
  { action: 'actions-ecosystem/action-create-comment', by: 'gh issue comment', extent: 'all' },
  { action: 'buildsville/add-remove-label', by: 'gh issue edit --add-label', extent: 'all' },
  { action: 'hmarr/auto-approve-action', by: 'gh pr review --approve', extent: 'all' },
  { action: 'juliangruber/approve-pull-request-action', by: 'gh pr review --approve', extent: 'all' },
  { action: 'juliangruber/merge-pull-request-action', by: 'gh pr merge', extent: 'all' },
  { action: 'repo-sync/pull-request', by: 'gh pr create', extent: 'all' },
  { action: 'benc-uk/workflow-dispatch', by: 'gh workflow run', extent: 'all' },
  { action: 'dawidd6/action-download-artifact', by: 'gh run download', extent: 'most' },
  { action: 'geekyeggo/delete-artifact', by: 'gh api --method DELETE', extent: 'most' },
  { action: 'octokit/request-action', by: 'gh api', extent: 'all' },
  { action: 'octokit/graphql-action', by: 'gh api graphql', extent: 'all' },
  { action: 'ad-m/github-push-action', by: 'git push', extent: 'all' },
  { action: 'stefanzweifel/git-auto-commit-action', by: 'git commit and git push', extent: 'most' },
  { action: 'endbug/add-and-commit', by: 'git commit and git push', extent: 'most' },
  { action: 'webfactory/ssh-agent', by: 'ssh-agent and ssh-add', extent: 'most' },
  { action: 'sergeysova/jq-action', by: 'jq', extent: 'all' },
  { action: 'dcarbone/install-jq-action', by: 'jq, which is installed', extent: 'all' },
  { action: 'montudor/action-zip', by: 'zip', extent: 'all' },
  { action: 'thedoctor0/zip-release', by: 'zip', extent: 'all' },
  { action: 'suisei-cn/actions-download-file', by: 'curl', extent: 'all' },
  { action: 'carlosperate/download-file-action', by: 'curl', extent: 'all' },
  { action: 'fjogeleit/http-request-action', by: 'curl', extent: 'all' },
  { action: 'joelwmale/webhook-action', by: 'curl', extent: 'all' },
  { action: 'jakejarvis/wait-action', by: 'sleep', extent: 'all' },
  { action: 'frabert/replace-string-action', by: 'sed, or ${name//a/b} of bash', extent: 'all' },
  { action: 'mad9000/actions-find-and-replace-string', by: 'sed, or ${name//a/b} of bash', extent: 'all' },
  { action: 'bhowell2/github-substring-action', by: '${name:0:8} of bash', extent: 'all' },
  { action: 'aszc/change-string-case-action', by: '${name,,} of bash', extent: 'all' },
  { action: 'styfle/cancel-workflow-action', by: 'concurrency with cancel-in-progress', extent: 'most' },
  { action: 'dtolnay/rust-toolchain', by: 'rustup, which is installed', extent: 'most' },
  { action: 'actions-rs/toolchain', by: 'rustup, which is installed', extent: 'most' },
] as const satisfies readonly ReplaceableAction[];
