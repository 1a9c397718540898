export const SITE = {
  name: 'Chainbreak',
  description: 'Finds the attack paths in your GitHub Actions workflows and the changes that break them.',
} as const;
