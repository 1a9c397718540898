import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, EXECUTED_DOWNLOAD, FOREIGN_CREDENTIAL, keysElsewhere, RELEASE_CREDENTIAL } from '../combo.ts';

export const fetchedScriptInRelease = defineCombo({
  id: 'fetched-script-in-release',
  title: 'Unverified download executed in a release job',
  severity: 'HIGH',
  slots: {
    script: { any: [EXECUTED_DOWNLOAD] },
    credential: RELEASE_CREDENTIAL,
    others: { optional: true, any: FOREIGN_CREDENTIAL.any },
    release: { any: [{ fact: 'publish-step' }] },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'credential', where: [{ strength: 'strong' }, { strength: 'signs', publishes: true }] },
      because:
        'The job’s names say that it deploys documentation only, or nothing in it is known to use the identity, except for a build cache or signatures of what another job releases.',
    },
    {
      lower: 1,
      unless: { slot: 'script', where: { vendors_keys: false } },
      because:
        'The job’s secrets and identity only open the service that the download comes from, as their names, its sign-in or the download say.',
    },
    {
      lower: 1,
      unless: { slot: 'script', where: { runner_operator: false } },
      because:
        'The vendor of the machine that runs the job, or of its system, serves the download over a secure connection.',
    },
    keysElsewhere('script'),
  ],
  stages: [
    {
      title: 'The remote file changes',
      description: 'Its owner, someone who took over the server or account, or a man in the middle replaces it.',
    },
    {
      slot: 'script',
      title: 'The job executes it',
      description: 'No checksum is compared before it runs.',
    },
    {
      title: 'The credential is stolen or the release is changed',
      description: 'The script can read the environment and change the files of the release.',
    },
  ],
  impact: 'A file outside the repository compromises the release.',
  breakChain: { text: 'Keep the script in the repository, or compare its digest before running it.', slot: 'script' },
  references: [
    'https://about.codecov.io/security-update/',
    'https://docs.github.com/actions/reference/security/secure-use',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://tools.acme.example/setup.sh | bash
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://cli-assets.heroku.com/install.sh | sh
                - uses: akhileshns/heroku-deploy@581dd286c962b6972d427fcf8980f60755c15520
                  with: { heroku_api_key: "\${{ secrets.HEROKU_API_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://cli-assets.heroku.com/install.sh | sh
                - uses: akhileshns/heroku-deploy@581dd286c962b6972d427fcf8980f60755c15520
                  with: { heroku_api_key: "\${{ secrets.HEROKU_API_KEY }}" }
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, id-token: write }
          jobs:
            upload:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sL https://aka.ms/InstallAzureCLIDeb | sudo bash
                - uses: azure/login@532459ea530d8321f2fb9bb10d1e0bcf23869a43
                  with: { client-id: "\${{ vars.CLIENT }}", tenant-id: "\${{ vars.TENANT }}" }
                - run: az webapp deploy --name site --src-path site.zip
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, id-token: write }
          jobs:
            upload:
              runs-on: [self-hosted, linux]
              steps:
                - run: curl -sL https://aka.ms/InstallAzureCLIDeb | sudo bash
                - uses: azure/login@532459ea530d8321f2fb9bb10d1e0bcf23869a43
                  with: { client-id: "\${{ vars.CLIENT }}", tenant-id: "\${{ vars.TENANT }}" }
                - run: az webapp deploy --name site --src-path site.zip
                - uses: aws-actions/configure-aws-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a
                  with: { role-to-assume: "\${{ vars.ROLE }}", aws-region: eu-west-1 }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sL https://aka.ms/InstallAzureCLIDeb | sudo bash
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            upload:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -s https://awscli.amazonaws.com/awscli-exe-linux-x86_64.zip -o aws.zip
                    sudo unzip -q aws.zip -d /usr/local/bin
                - run: aws s3 sync site s3://site
                  env: { AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}", KEY: "\${{ secrets.CDN_KEY }}" }
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
                - run: curl -s https://tools.acme.example/setup.sh | bash
                - uses: actions/attest@v4
                  with: { subject-path: dist/* }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write, attestations: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://tools.acme.example/setup.sh | bash
                - uses: actions/attest@v4
                  with: { subject-path: dist/* }
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: ./setup.sh
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            upload:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -s https://awscli.amazonaws.com/awscli-exe-linux-x86_64.zip -o aws.zip
                    sudo unzip -q aws.zip -d /usr/local/bin
                - run: aws s3 sync site s3://site
                  env: { AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, id-token: write }
          jobs:
            deploy:
              environment: production
              runs-on: ubuntu-latest
              steps:
                - run: kubectl replace -f https://raw.githubusercontent.com/acme-tools/operator/main/operator.yaml
                - run: kubectl apply -f deploy/
                  env: { KUBECONFIG_DATA: "\${{ secrets.KUBECONFIG_DATA }}" }
        `,
      },
    ],
  },
});
