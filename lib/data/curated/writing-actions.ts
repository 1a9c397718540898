/** Actions that fail unless their token may write; `stored` if they push with the credential that the checkout stored. */
export const WRITING_ACTIONS: Readonly<Record<string, { readonly scopes: readonly string[]; readonly stored?: true }>> =
  {
    'actions/create-release': { scopes: ['contents'] },
    'ad-m/github-push-action': { scopes: ['contents'] },
    'endbug/add-and-commit': { scopes: ['contents'], stored: true },
    'jamesives/github-pages-deploy-action': { scopes: ['contents'] },
    'ncipollo/release-action': { scopes: ['contents'] },
    'peaceiris/actions-gh-pages': { scopes: ['contents'] },
    'peter-evans/create-pull-request': { scopes: ['contents', 'pull-requests'] },
    'softprops/action-gh-release': { scopes: ['contents'] },
    'stefanzweifel/git-auto-commit-action': { scopes: ['contents'], stored: true },
    'svenstaro/upload-release-action': { scopes: ['contents'] },
  };
