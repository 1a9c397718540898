import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const untrustedRunToReleaseCache = defineCombo({
  id: 'untrusted-run-to-release-cache',
  title: 'Outsider’s run poisons the cache that a release restores',
  severity: 'CRITICAL',
  slots: {
    code: {
      any: [
        { rule: 'untrusted-checkout', where: { executes: 'true', guard: ['absent', 'opted-out'], message: 'open' } },
        { rule: 'template-injection', atLeast: 'HIGH', where: { source: 'event' } },
        { rule: 'reusable-workflow-taint', atLeast: 'HIGH' },
        { rule: 'ai-prompt-injection', atLeast: 'HIGH', where: { outsider: true } },
        { rule: 'github-env', atLeast: 'HIGH' },
        { rule: 'cache-write-untrusted', where: { message: 'code' } },
      ],
    },
    cache: { any: [{ rule: 'cache-poisoning' }] },
    release: { any: [{ fact: 'publish-step', where: { kind: ['package', 'release', 'image', 'deploy'] } }] },
    credential: {
      optional: true,
      any: [{ fact: 'secret-use' }, { fact: 'id-token-write' }, { fact: 'token-write', where: { strength: 'strong' } }],
    },
  },
  join: { from: ['code'], by: 'repository' },
  modifiers: [
    {
      lower: 2,
      when: 'caches-read-only',
      unless: { slot: 'code', where: { message: 'code', started: 'alone' } },
      because:
        'Since June 2026 runs triggered by outsiders can only read caches on github.com; Enterprise Server may still allow writes. Other runs are started by someone with write access.',
    },
    {
      lower: 2,
      unless: { slot: 'code', where: [{ severity: 'HIGH' }, { message: 'open' }, { started: 'alone' }] },
      because: 'Someone with write access starts each run that executes the code.',
    },
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can trigger such a run.',
    },
  ],
  stages: [
    {
      slot: 'code',
      title: 'An outsider gets code to run',
      description: 'A run on the default branch executes their code or text; it needs no secrets.',
    },
    {
      title: 'The cache is filled or replaced',
      description:
        'The run stores files under a key that a release will request; one call to the runner’s own API is enough.',
    },
    {
      slot: 'cache',
      title: 'The release restores it',
      description: 'Later runs on the branch extract the poisoned files.',
    },
    {
      title: 'The package is published',
      description: 'The code runs next to the publishing credential and becomes part of the package.',
    },
  ],
  impact: 'Malicious packages are published under the project’s name, with a signature and provenance that verify.',
  breakChain: { text: 'Do not restore caches in jobs that publish.', slot: 'cache' },
  references: [
    'https://adnanthekhan.com/2024/05/06/the-monsters-in-your-build-cache-github-actions-cache-poisoning/',
    'https://tanstack.com/blog/incident-followup',
    'https://blog.pypi.org/posts/2024-12-11-ultralytics-attack-analysis/',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        severity: 'MEDIUM',
        yaml: {
          '.github/workflows/size.yml': yaml`
            on: pull_request_target
            permissions: { contents: read }
            jobs:
              size:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.2.2
                    with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                  - run: npm ci
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: npm }
                  - run: npm publish
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/bench.yml': yaml`
            on: { schedule: [{ cron: '0 4 * * *' }] }
            permissions: { contents: read }
            jobs:
              bench:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: |
                      gh pr checkout "$(gh pr list --label bench --json number --jq '.[0].number')"
                      npm ci
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: npm }
                  - run: npm publish
          `,
        },
      },
      {
        severity: 'MEDIUM',
        yaml: {
          '.github/workflows/bench.yml': yaml`
            on: workflow_dispatch
            permissions: { contents: read }
            jobs:
              bench:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: |
                      gh pr checkout "$(gh pr list --label bench --json number --jq '.[0].number')"
                      npm ci
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: npm }
                  - run: npm publish
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/size.yml': yaml`
            on: pull_request_target
            permissions: { contents: read }
            jobs:
              size:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4.2.2
                    with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                  - run: npm ci
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: npm publish
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/size.yml': yaml`
            on: pull_request
            permissions: { contents: read }
            jobs:
              size:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: npm ci
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/cache@v4
                    with: { path: ~/.npm, key: npm }
                  - run: npm publish
          `,
        },
      },
    ],
  },
});
