import type { BranchSettings, RepositorySettings } from '#lib/facts/settings.ts';
import { yaml } from '../engine/rule.ts';

export const SHARED: RepositorySettings = {
  visibility: 'public',
  archived: false,
  ownedByOrganization: true,
  assignable: 8,
};

export const OWN: RepositorySettings = { ...SHARED, ownedByOrganization: false, assignable: 1 };

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

export const BUILD = yaml`
  on: pull_request
  permissions: { contents: read }
  jobs:
    build:
      runs-on: ubuntu-latest
      steps: [{ run: make }]
`;

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
