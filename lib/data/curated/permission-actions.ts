/**
 * When an action fails for people without rights (always, only with or except with a value of an input, with any value of
 * an input, or never), the input with the levels that suffice (everyone may read a public repository), and what its outputs
 * hold for people without rights in a public repository; empty if that is not known.
 */
export interface PermissionAction {
  readonly fails:
    | 'always'
    | 'never'
    | { readonly input: string; readonly only: string }
    | { readonly input: string; readonly except: string }
    | { readonly input: string };
  readonly level?: string;
  readonly refused: Readonly<Record<string, readonly string[]>>;
}

const NO = ['false'];
const LEVELS = ['read'];

export const PERMISSION_ACTIONS: Readonly<Record<string, PermissionAction>> = {
  'actions-cool/check-user-permission': {
    fails: { input: 'error-if-missing', only: 'true' },
    level: 'require',
    refused: { 'require-result': NO, 'check-result': [], result: NO, 'user-permission': LEVELS },
  },
  'github/branch-deploy': { fails: 'never', level: 'permissions', refused: { continue: [''] } },
  'github/command': { fails: 'never', level: 'permissions', refused: { continue: [''] } },
  'im-open/is-actor-authorized': { fails: 'always', refused: {} },
  'joshjohanning/approveops': {
    fails: { input: 'fail-if-approval-not-found', except: 'false' },
    refused: { approved: NO },
  },
  'jupyterlab/maintainer-tools/.github/actions/update-snapshots-checkout': { fails: 'always', refused: {} },
  'lannonbr/repo-permission-check-action': { fails: 'always', level: 'permission', refused: {} },
  'morfien101/actions-authorized-user': {
    fails: 'never',
    refused: { authorized: NO, team_member: NO, whitelisted: NO },
  },
  'prince-chrismc/check-actor-permissions-action': {
    fails: 'always',
    level: 'permission',
    refused: { permitted: NO },
  },
  'rancher/gh-issue-mgr/get-user-teams-membership': { fails: 'never', refused: { isteammember: NO, teams: [] } },
  'scherermichael-oss/action-has-permission': {
    fails: 'never',
    level: 'required-permission',
    refused: { 'has-permission': [''] },
  },
  'skjnldsv/check-actor-permission': {
    fails: { input: 'require' },
    level: 'require',
    refused: { result: NO, 'user-permission': LEVELS },
  },
  'sushichop/action-repository-permission': {
    fails: { input: 'relax', except: 'true' },
    level: 'required-permission',
    refused: { permitted: NO, 'actual-permission': LEVELS },
  },
  'the-actions-org/check-team-membership': { fails: 'always', refused: {} },
  'themoddinginquisition/actions-team-membership': {
    fails: { input: 'exit', except: 'false' },
    refused: { permitted: NO, teams: [] },
  },
  'tspascoal/get-user-teams-membership': { fails: 'never', refused: { isteammember: NO, teams: [] } },
  'xt0rted/slash-command-action': { fails: 'always', level: 'permission-level', refused: {} },
};
