/**
 * Which events an outsider can cause, and with which privileges. As of November 2026:
 * https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
export type Reach =
  /** Caused by an outsider; the run has the base repository's token, secrets and default-branch scope. */
  | 'outsider-privileged'
  /** Caused by an outsider from a fork; the run has a read-only token and no secrets. */
  | 'outsider-unprivileged'
  | 'trusted';

const PRIVILEGED: ReadonlySet<string> = new Set([
  'pull_request_target',
  'workflow_run',
  'issue_comment',
  'issues',
  'discussion',
  'discussion_comment',
  'fork',
  'watch',
  'gollum',
]);

const UNPRIVILEGED: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

export const OUTSIDER_EVENTS: readonly string[] = [...PRIVILEGED, ...UNPRIVILEGED];

export function reachOf(event: string): Reach {
  if (PRIVILEGED.has(event)) return 'outsider-privileged';
  return UNPRIVILEGED.has(event) ? 'outsider-unprivileged' : 'trusted';
}

export const PULL_REQUEST_EVENTS: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
]);

/** Events of outsiders whose runs are on the default branch, with no code or branch name of a pull request. */
export const ON_DEFAULT_BRANCH: ReadonlySet<string> = new Set([
  'workflow_run',
  'issue_comment',
  'issues',
  'discussion',
  'discussion_comment',
  'fork',
  'watch',
  'gollum',
]);

/** Default activity types, where they are not all types. */
export const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};
