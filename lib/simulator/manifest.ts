/** What the app asks of those who install it. */
export const APP_PERMISSIONS = {
  actions: 'read',
  administration: 'read',
  checks: 'write',
  contents: 'write',
  members: 'read',
  metadata: 'read',
  pull_requests: 'write',
  repository_hooks: 'read',
  workflows: 'write',
} as const;

/** What it is told of, beside its own installations. */
export const APP_EVENTS = ['push', 'pull_request', 'repository', 'installation_target', 'check_suite', 'check_run'];
