/**
 * Which events someone without write access can cause, and what the run may then do. As the platform works in
 * November 2026: https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
export type Reach =
  /** An outsider causes it and the run has the base repository's token, secrets and default-branch scope. */
  | 'outsider-privileged'
  /** An outsider causes it from a fork; the run has a read-only token and no secrets. */
  | 'outsider-unprivileged'
  /** Only people with write access, or the platform, cause it. */
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

/** Every event that an outsider can cause. */
export const OUTSIDER_EVENTS: readonly string[] = [...PRIVILEGED, ...UNPRIVILEGED];

export function reachOf(event: string): Reach {
  if (PRIVILEGED.has(event)) return 'outsider-privileged';
  return UNPRIVILEGED.has(event) ? 'outsider-unprivileged' : 'trusted';
}

/** Events whose payload has a pull request. An issue comment's payload only links to it. */
export const PULL_REQUEST_EVENTS: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
]);

/** Activity types when a trigger lists none, where that is not "all of them". */
export const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};
