import type { BranchSettings, RepositorySettings } from '#lib/facts/settings.ts';
import { yaml } from '../engine/rule.ts';

/** Settings and files that examples of rules about settings begin with, and change in what matters. */

/** A public repository of an organization in which several people write. */
export const SHARED: RepositorySettings = {
  visibility: 'public',
  archived: false,
  ownedByOrganization: true,
  assignable: 8,
};

/** One person's own. */
export const OWN: RepositorySettings = { ...SHARED, ownedByOrganization: false, assignable: 1 };

/** A default branch that nothing binds. */
export const OPEN_BRANCH: BranchSettings = {
  name: 'main',
  pullRequest: false,
  approvals: 0,
  dismissesStaleApprovals: false,
  lastPushNeedsApproval: false,
  codeOwnersApprove: false,
  conversationsResolved: false,
  forcePushes: true,
  deletion: true,
  signatures: false,
  linearHistory: false,
  locked: false,
  mergeQueue: false,
  upToDate: false,
  checks: [],
  requiredWorkflows: false,
  idleRulesets: [],
};

/** One that everything binds. */
export const GUARDED_BRANCH: BranchSettings = {
  ...OPEN_BRANCH,
  pullRequest: true,
  approvals: 1,
  dismissesStaleApprovals: true,
  lastPushNeedsApproval: true,
  codeOwnersApprove: true,
  conversationsResolved: true,
  forcePushes: false,
  deletion: false,
  signatures: true,
  linearHistory: true,
  upToDate: true,
  checks: [{ name: 'build', bound: true }],
};

/** Builds and publishes nothing. */
export const BUILD = yaml`
  on: pull_request
  permissions: { contents: read }
  jobs:
    build:
      runs-on: ubuntu-latest
      steps: [{ run: make }]
`;

/** Publishes whatever reaches the default branch. */
export const PUBLISH = yaml`
  on: { push: { branches: [main] } }
  permissions: { contents: read }
  jobs:
    publish:
      runs-on: ubuntu-latest
      steps:
        - run: npm publish
          env: { NODE_AUTH_TOKEN: '\${{ secrets.NPM_TOKEN }}' }
`;

/** Publishes whatever is tagged. */
export const PUBLISH_TAGS = yaml`
  on: { push: { tags: ['v*'] } }
  permissions: { contents: read }
  jobs:
    publish:
      runs-on: ubuntu-latest
      steps:
        - run: npm publish
          env: { NODE_AUTH_TOKEN: '\${{ secrets.NPM_TOKEN }}' }
`;
