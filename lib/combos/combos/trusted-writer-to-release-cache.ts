import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

/**
 * No incident is known, and the dependency must be compromised first: HIGH only where an untrusted branch is
 * executed.
 */
export const trustedWriterToReleaseCache = defineCombo({
  id: 'trusted-writer-to-release-cache',
  title: 'Mutable dependency of ordinary CI poisons the release cache',
  severity: 'HIGH',
  slots: {
    dependency: {
      any: [
        { rule: 'unpinned-uses', where: { owner_trust: 'third-party' } },
        { rule: 'known-vulnerable-actions', atLeast: 'HIGH' },
        { rule: 'compromised-action-ref' },
        { rule: 'unverified-script-exec', atLeast: 'MEDIUM' },
      ],
    },
    saved: { any: [{ fact: 'cache-save', where: { trusted: true } }] },
    cache: { any: [{ rule: 'cache-poisoning' }] },
    restored: { any: [{ fact: 'cache-restore' }] },
    release: { any: [{ fact: 'publish-step', where: { kind: ['package', 'release', 'image'] } }] },
  },
  join: { from: ['dependency', 'saved'], by: 'cache' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'dependency', where: [{ mutability: 'branch' }, { malware: true }] },
      because: 'The dependency is used by a tag: its publisher has to be taken over first.',
    },
  ],
  stages: [
    {
      title: 'A dependency of ordinary CI is hijacked',
      description: 'Its publisher moves the tag or the branch, or somebody who took over the account does.',
    },
    {
      slot: 'dependency',
      title: 'An ordinary job runs it',
      description: 'The job runs on a push or a schedule, so it may write the branch’s caches.',
    },
    {
      title: 'It writes the shared cache',
      description: 'The files that it stores are those that the release asks for.',
    },
    {
      slot: 'cache',
      title: 'The release restores them',
      description: 'The code runs in the release although everything in that job is pinned.',
    },
  ],
  impact: 'The release is compromised through a job that nobody counts as part of it.',
  breakChain: {
    text: 'Restore no cache in jobs that publish, or give them a key that nothing else writes.',
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
