/** Permissions that the app requests; `docs/deploy.md` says what each is for. */
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

export const APP_EVENTS = ['push', 'pull_request', 'repository', 'installation_target', 'check_suite', 'check_run'];
