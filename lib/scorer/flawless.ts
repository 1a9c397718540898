import type { CollectedFacts } from './facts.ts';

const COMMIT = 'a'.repeat(40);

export const FLAWLESS: CollectedFacts = {
  asOf: '2026-01-15T00:00:00Z',
  action: { owner: 'actions', name: 'greet', path: '', commit: COMMIT, repositoryId: 1, ownerId: 2 },
  tree: {
    value: {
      paths: ['LICENSE', 'README.md', 'SECURITY.md', 'action.yml'],
      files: new Map([
        [
          'action.yml',
          'name: Greet\ndescription: Greets\nruns:\n  using: composite\n  steps:\n    - run: echo hello\n      shell: bash\n',
        ],
      ]),
      omitted: new Set(),
    },
  },
  refs: {
    value: {
      tags: [
        { name: 'v1', commit: COMMIT },
        { name: 'v1.0.0', commit: COMMIT },
      ],
      branches: [{ name: 'main', commit: COMMIT }],
    },
  },
  publisherCi: { value: { critical: 0, high: 0 } },
  rebuild: { value: 'same' },
  repository: { value: { archived: false, stars: 500 } },
  owner: { value: { createdAt: '2019-01-01T00:00:00Z' } },
  commits: {
    value: {
      latestAt: '2026-01-10T00:00:00Z',
      authors: [
        { key: 'ana', bot: false },
        { key: 'ben', bot: false },
      ],
      complete: true,
    },
  },
  community: { value: { license: 'MIT', securityPolicy: true } },
  usage: { value: { users: 40 } },
  observations: {
    value: [
      {
        ref: 'refs/tags/v1.0.0',
        commit: COMMIT,
        firstSeen: '2025-06-01T00:00:00Z',
        lastSeen: '2026-01-15T00:00:00Z',
      },
    ],
  },
  identities: { value: [{ owner: 'actions', name: 'greet', repositoryId: 1, ownerId: 2, at: '2025-06-01T00:00:00Z' }] },
  reachability: { value: 'branch' },
  releases: { value: [{ tag: 'v1.0.0', immutable: true, draft: false, publishedAt: '2025-06-01T00:00:00Z' }] },
  signature: { value: { verified: true } },
  advisories: { value: [] },
  dependencies: { value: [] },
};
