import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, RELEASED } from '../combo.ts';

/** Covers third-party actions only: GitHub and the repository's own account could change the run anyway. */
export const mutableActionBesideOidc = defineCombo({
  id: 'mutable-action-beside-oidc',
  title: 'Mutable action can request the job’s OIDC token',
  severity: 'HIGH',
  slots: {
    action: { any: [{ rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } }] },
    weight: {
      optional: true,
      any: [...RELEASED.any, { rule: 'unpinned-uses', atLeast: 'HIGH', where: { owner_trust: 'third-party' } }],
    },
    identity: { any: [{ fact: 'id-token-write' }, { rule: 'id-token-broad-scope' }] },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { operator: false } },
      because: 'The actions belong to the cloud or registry that accepts the token.',
    },
    {
      lower: 1,
      unless: { slot: 'identity', where: { strength: 'strong' } },
      because:
        'Nothing in the job is known to use the token, except for signatures, a build cache or an action’s own service; or the job deploys documentation or a Pages site only.',
    },
    {
      lower: 1,
      unless: { slot: 'weight', where: {} },
      because: 'The files do not show that the token is used to publish or deploy, and the action is used by tag.',
    },
  ],
  stages: [
    {
      title: 'The action’s tag is moved',
      description: 'Its publisher moves it, or someone who took over the publisher’s account.',
    },
    {
      slot: 'action',
      title: 'The new code runs in the job',
      description: 'The next run fetches it, although nothing in this repository has changed.',
    },
    {
      slot: 'identity',
      title: 'It requests an OIDC token',
      description: 'Every step of the job can do so; no secret has to be stolen.',
    },
    {
      title: 'A cloud or registry accepts it',
      description: 'The role or trusted publisher that trusts this workflow lets the attacker deploy or publish.',
    },
  ],
  impact: 'An attacker deploys or publishes as this workflow without stealing a secret.',
  breakChain: {
    text: 'Pin the action to a full commit SHA, and publish from a job that holds nothing else.',
    slot: 'action',
  },
  references: [
    'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    'https://docs.github.com/actions/concepts/security/openid-connect',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            publish:
              permissions: { contents: read, pages: write, id-token: write }
              runs-on: ubuntu-latest
              environment: github-pages
              steps:
                - uses: somebody/setup@v1
                - uses: actions/upload-pages-artifact@0123456789abcdef0123456789abcdef01234567 # v4.0.0
                  with: { path: out }
                - uses: actions/deploy-pages@0123456789abcdef0123456789abcdef01234567 # v4.0.0
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            deploy:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: aws-actions/configure-aws-credentials@0123456789abcdef0123456789abcdef01234567 # v5.0.0
                  with: { role-to-assume: "arn:aws:iam::402918374650:role/deploy", aws-region: eu-west-1 }
                - run: aws s3 sync site s3://site
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            publish:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: pypa/gh-action-pypi-publish@release/v1
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            site:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - run: netlify deploy --prod
                  env: { NETLIFY_AUTH_TOKEN: "\${{ secrets.NETLIFY_AUTH_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            docs:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: aws-actions/configure-aws-credentials@0123456789abcdef0123456789abcdef01234567 # v5.0.0
                  with: { role-to-assume: "arn:aws:iam::402918374650:role/docs", aws-region: eu-west-1 }
                - run: aws s3 sync build/html s3://docs
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            site:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: google-github-actions/auth@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { workload_identity_provider: projects/1/locations/global/workloadIdentityPools/p/providers/g }
                - run: netlify deploy --prod
                  env: { NETLIFY_AUTH_TOKEN: "\${{ secrets.NETLIFY_AUTH_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: write-all
          jobs:
            infrastructure:
              runs-on: ubuntu-latest
              steps:
                - uses: google-github-actions/auth@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { credentials_json: "\${{ secrets.DEPLOYER_KEY }}" }
                - uses: somebody/setup-terraform@v1
                - run: terraform apply -auto-approve
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: write-all
          jobs:
            infrastructure:
              runs-on: ubuntu-latest
              steps:
                - uses: google-github-actions/auth@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { workload_identity_provider: projects/1/locations/global/workloadIdentityPools/p/providers/g }
                - uses: somebody/setup-terraform@v1
                - run: terraform apply -auto-approve
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { id-token: write, contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@latest
                - run: python tools/ci.py build
        `,
        severity: 'MEDIUM',
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            deploy:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@1234567890abcdef1234567890abcdef12345678 # v1.2.3
                - uses: aws-actions/configure-aws-credentials@0123456789abcdef0123456789abcdef01234567 # v5.0.0
                  with: { role-to-assume: "arn:aws:iam::402918374650:role/deploy", aws-region: eu-west-1 }
                - run: aws s3 sync site s3://site
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            deploy:
              permissions: { id-token: write, contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: aws-actions/configure-aws-credentials@0123456789abcdef0123456789abcdef01234567 # v5.0.0
                  with: { role-to-assume: "arn:aws:iam::402918374650:role/deploy", aws-region: eu-west-1 }
        `,
      },
    ],
  },
});
