/**
 * What an outsider's run gets: the base repository's token, secrets and default-branch scope, or, from a fork, a
 * read-only token and no secrets. As of November 2026:
 * https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
export type Reach = 'outsider-privileged' | 'outsider-unprivileged' | 'trusted';

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

export const BY_COLLABORATORS: ReadonlySet<string> = new Set(['gollum']);

export const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};
