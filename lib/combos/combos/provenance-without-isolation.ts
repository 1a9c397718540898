import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, EXECUTED_DOWNLOAD, LITTLE_IDENTITY, RELEASED } from '../combo.ts';

export const provenanceWithoutIsolation = defineCombo({
  id: 'provenance-without-isolation',
  title: 'Attestation is signed in the job that can be poisoned',
  severity: 'HIGH',
  slots: {
    signer: { any: [{ rule: 'build-isolation', atLeast: 'INFO', where: { message: 'signer' } }] },
    poison: {
      any: [
        { rule: 'cache-poisoning', atLeast: 'MEDIUM' },
        { rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } },
        EXECUTED_DOWNLOAD,
        { rule: 'adhoc-packages', atLeast: 'MEDIUM' },
      ],
    },
    identity: LITTLE_IDENTITY,
    release: RELEASED,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'poison', where: [{ mutability: 'branch' }, { message: 'filled' }, { severity: 'HIGH' }] },
      because: 'An input of the build has to be taken over first.',
    },
    {
      lower: 1,
      unless: { slot: 'release', where: { kind: ['package', 'image', 'release'] } },
      because: 'The job only signs: what is signed reaches users through another job.',
    },
  ],
  stages: [
    {
      slot: 'poison',
      title: 'A build step is poisoned',
      description: 'An action, a package, a script or a cache brings in malicious code.',
    },
    {
      slot: 'signer',
      title: 'The same job signs the result',
      description: 'Everything that runs in the job can reach the signing identity.',
    },
    {
      title: 'Consumers verify it successfully',
      description: 'The attestation names the right repository and workflow and does not reveal the tampering.',
    },
  ],
  impact: 'Verification gives false assurance: a tampered artifact carries valid provenance.',
  breakChain: { text: 'Sign in a job or reusable workflow that runs no build code.', slot: 'signer' },
  references: ['https://slsa.dev/spec/v1.2/build-requirements', 'https://tanstack.com/blog/incident-followup'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read, id-token: write, attestations: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@main
                - run: npm ci && npm run build
                - uses: actions/attest-build-provenance@v3
                  with: { subject-path: dist/* }
                - run: npm publish --provenance
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read, id-token: write, attestations: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@main
                - run: npm ci && npm run build
                - uses: actions/attest-build-provenance@v3
                  with: { subject-path: dist/* }
                - uses: actions/upload-artifact@v4
                  with: { name: dist, path: dist }
            release:
              needs: build
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                  with: { name: dist, path: dist }
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
        severity: 'MEDIUM',
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@main
                - run: npm ci && npm run build
                - uses: actions/upload-artifact@v4
                  with: { name: dist, path: dist }
            sign:
              needs: build
              permissions: { id-token: write, attestations: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v4
                  with: { name: dist, path: dist }
                - uses: actions/attest-build-provenance@v3
                  with: { subject-path: dist/* }
        `,
      },
    ],
  },
});
