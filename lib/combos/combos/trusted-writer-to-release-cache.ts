import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, EXECUTED_DOWNLOAD } from '../combo.ts';

/** MEDIUM because no incident is known, and someone has to take over the dependency and find the cache unsaved. */
export const trustedWriterToReleaseCache = defineCombo({
  id: 'trusted-writer-to-release-cache',
  title: 'Mutable dependency of an ordinary CI job poisons the release cache',
  severity: 'MEDIUM',
  slots: {
    dependency: {
      any: [
        { rule: 'unpinned-uses', where: { owner_trust: 'third-party' } },
        { rule: 'known-vulnerable-actions', atLeast: 'HIGH' },
        { rule: 'compromised-action-ref' },
        EXECUTED_DOWNLOAD,
      ],
    },
    saved: { any: [{ fact: 'cache-save', where: { trusted: true } }] },
    cache: { any: [{ rule: 'cache-poisoning' }] },
    restored: { any: [{ fact: 'cache-restore' }] },
    release: { any: [{ fact: 'publish-step', where: { kind: ['package', 'release', 'image'] } }] },
  },
  join: { from: ['dependency', 'saved'], by: 'cache' },
  stages: [
    {
      title: 'A dependency of ordinary CI is hijacked',
      description: 'Its publisher, or someone who took over the account, moves the tag or branch.',
    },
    {
      slot: 'dependency',
      title: 'An ordinary job runs it',
      description: 'The job runs on a push or a schedule, so it can write the branch’s caches.',
    },
    {
      title: 'It writes the shared cache',
      description: 'It stores its files under a key that the release restores.',
    },
    {
      slot: 'cache',
      title: 'The release restores them',
      description: 'The code runs in the release although everything in that job is pinned.',
    },
  ],
  impact: 'A job that no one considers part of the release compromises it.',
  breakChain: {
    text: 'Do not restore caches in jobs that publish, or use a key that no other job writes.',
    slot: 'cache',
  },
  references: [
    'https://adnanthekhan.com/2024/05/06/the-monsters-in-your-build-cache-github-actions-cache-poisoning/',
    'https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#restrictions-for-accessing-a-cache',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: push
            permissions: { contents: write }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: "npm-\${{ hashFiles('package-lock.json') }}" }
                  - uses: somebody/setup@main
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: "npm-\${{ github.sha }}", restore-keys: npm- }
                  - run: npm publish
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: push
            permissions: { contents: write }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: "npm-\${{ hashFiles('package-lock.json') }}" }
                  - uses: somebody/setup@main
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: push
            permissions: { contents: write }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: "npm-\${{ hashFiles('package-lock.json') }}" }
                  - uses: somebody/setup@main
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: "release-\${{ github.sha }}" }
                  - run: npm publish
          `,
        },
      },
    ],
  },
});
