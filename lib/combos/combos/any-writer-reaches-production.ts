import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

const PUBLISH = yaml`
  on: { push: { tags: ['v*'] } }
  permissions: { contents: read }
  jobs:
    publish:
      runs-on: ubuntu-latest
      steps:
        - uses: actions/checkout@v7
        - run: npm publish
          env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
`;

export const anyWriterReachesProduction = defineCombo({
  id: 'any-writer-reaches-production',
  title: 'One write token reaches all production secrets',
  severity: 'HIGH',
  slots: {
    secrets: { any: [{ rule: 'secrets-outside-env', where: { message: 'publishing' } }] },
    gate: {
      any: [
        { rule: 'environment-unprotected', atLeast: 'MEDIUM' },
        { rule: 'review-not-required', atLeast: 'MEDIUM' },
        { rule: 'branch-history-mutable', atLeast: 'MEDIUM' },
      ],
    },
  },
  join: { same: 'repository' },
  stages: [
    {
      title: 'A contributor’s token is stolen',
      description: 'A malicious package, a phishing page or a leak exposes it; it can push to any branch.',
    },
    {
      slot: 'gate',
      title: 'No second person has to agree',
      description: 'No required review, environment or branch rule stands between a push and a run.',
    },
    {
      slot: 'secrets',
      title: 'A new workflow reads every secret',
      description: 'Repository secrets are available to workflows on every branch.',
    },
  ],
  impact: 'One stolen account exposes every publishing secret of the repository.',
  breakChain: {
    text: 'Keep publishing secrets in an environment that allows only selected branches and requires a reviewer.',
    slot: 'secrets',
  },
  references: ['https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/'],
  since: '0.1.0',
  examples: {
    bad: [{ yaml: PUBLISH, findings: [{ ruleId: 'review-not-required', message: 'publishes', severity: 'MEDIUM' }] }],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              environment: release
              steps:
                - uses: actions/checkout@v7
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
        findings: [{ ruleId: 'review-not-required', message: 'publishes', severity: 'MEDIUM' }],
      },
      { yaml: PUBLISH },
    ],
  },
});
