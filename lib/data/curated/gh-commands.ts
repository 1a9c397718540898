export interface CommandNeeds {
  readonly writes?: readonly string[];
  readonly reads?: readonly string[];
}

const PULL = { writes: ['pull-requests'] };
const SEE_PULL = { reads: ['pull-requests'] };
const ISSUE = { writes: ['issues'] };
const SEE_ISSUE = { reads: ['issues'] };
const RUN = { writes: ['actions'] };
const SEE_RUN = { reads: ['actions'] };
const RELEASE = { writes: ['contents'] };
const NONE = {};

/** Scopes by command; `contents: read` is implied, and an unlisted command such as `gh api` may need anything. */
export const GH_COMMANDS: Readonly<Record<string, CommandNeeds>> = {
  'attestation verify': { reads: ['attestations'] },
  'auth status': NONE,
  'cache delete': RUN,
  'cache list': SEE_RUN,
  'issue close': ISSUE,
  'issue comment': ISSUE,
  'issue create': ISSUE,
  'issue edit': ISSUE,
  'issue list': SEE_ISSUE,
  'issue lock': ISSUE,
  'issue pin': ISSUE,
  'issue reopen': ISSUE,
  'issue unlock': ISSUE,
  'issue view': SEE_ISSUE,
  'label create': ISSUE,
  'label delete': ISSUE,
  'label edit': ISSUE,
  'label list': SEE_ISSUE,
  'pr checks': { reads: ['pull-requests', 'checks', 'statuses'] },
  'pr close': PULL,
  'pr comment': PULL,
  'pr create': PULL,
  'pr diff': SEE_PULL,
  'pr edit': { writes: ['pull-requests', 'issues'] },
  'pr list': SEE_PULL,
  'pr merge': { writes: ['contents', 'pull-requests'] },
  'pr ready': PULL,
  'pr reopen': PULL,
  'pr review': PULL,
  'pr view': { reads: ['pull-requests', 'issues', 'checks', 'statuses'] },
  'release create': RELEASE,
  'release delete': RELEASE,
  'release delete-asset': RELEASE,
  // Only users with write access can see a draft release.
  'release download': RELEASE,
  'release edit': RELEASE,
  'release list': NONE,
  'release upload': RELEASE,
  'release view': RELEASE,
  'repo view': NONE,
  'run cancel': RUN,
  'run delete': RUN,
  'run download': SEE_RUN,
  'run list': SEE_RUN,
  'run rerun': RUN,
  'run view': { reads: ['actions', 'checks'] },
  'run watch': { reads: ['actions', 'checks'] },
  'workflow disable': RUN,
  'workflow enable': RUN,
  'workflow list': SEE_RUN,
  'workflow run': RUN,
  'workflow view': SEE_RUN,
};
