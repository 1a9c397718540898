interface Permission {
  readonly id: string;
  readonly label: string;
  readonly writes: boolean;
  readonly purpose: string;
}

export const PERMISSIONS: readonly Permission[] = [
  { id: 'metadata', label: 'Metadata', writes: false, purpose: 'Lists the repositories.' },
  {
    id: 'contents',
    label: 'Contents',
    writes: true,
    purpose: 'Reads workflows and action definitions. A campaign commits fixes to a new branch.',
  },
  {
    id: 'workflows',
    label: 'Workflows',
    writes: true,
    purpose: 'A fix changes files in .github/workflows, which needs this permission too.',
  },
  {
    id: 'pull_requests',
    label: 'Pull requests',
    writes: true,
    purpose: 'A campaign opens pull requests, and follows how they end.',
  },
  { id: 'checks', label: 'Checks', writes: true, purpose: 'Shows on a pull request what it would add.' },
  { id: 'actions', label: 'Actions', writes: false, purpose: 'Reads environments and who must approve them.' },
  {
    id: 'administration',
    label: 'Administration',
    writes: false,
    purpose: 'Reads the default rights of workflow tokens, which actions are allowed, and branch protection.',
  },
  { id: 'repository_hooks', label: 'Webhooks', writes: false, purpose: 'Reads whether deliveries are encrypted.' },
  {
    id: 'members',
    label: 'Members of the organization',
    writes: false,
    purpose: 'Proves that the person who connects an organization administers it.',
  },
];
