import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, EXECUTED_DOWNLOAD, FOREIGN_CREDENTIAL, keysElsewhere, WORTH_STEALING } from '../combo.ts';

export const fetchedScriptBesideSecrets = defineCombo({
  id: 'fetched-script-beside-secrets',
  title: 'Unverified download executed next to secrets',
  severity: 'HIGH',
  slots: {
    script: { any: [EXECUTED_DOWNLOAD] },
    credential: FOREIGN_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'credential', where: { strength: WORTH_STEALING } },
      because:
        'The only credential in reach only sends data to a service or opens a build cache, only signs, or nothing is known to use it.',
    },
    {
      lower: 1,
      unless: { slot: 'script', where: { vendor_in_tests: false } },
      because:
        'A well-known vendor serves the download over a secure connection, and the job’s names say that it tests.',
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
      title: 'The secrets are stolen',
      description: 'The script reads the environment, git’s configuration or the runner’s memory, and sends them away.',
    },
  ],
  impact: 'An attacker can use everything the job’s secrets unlock, unnoticed for as long as the file stays changed.',
  breakChain: { text: 'Keep the script in the repository, or compare its digest before running it.', slot: 'script' },
  references: ['https://about.codecov.io/security-update/'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSf "https://downloads.acme.example/\${{ secrets.ACCOUNT_KEY }}/setup.sh" | sudo bash
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -sSf -H "Authorization: Bearer $KEY" https://downloads.acme.example/setup.sh | bash
                  env: { KEY: "\${{ secrets.ACCOUNT_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSf "https://downloads.acme.example/\${{ secrets.ACCOUNT_KEY }}/setup.sh" | sudo bash
                - run: ./upload
                  env: { KEY: "\${{ secrets.UPLOAD_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -sSf -H "Authorization: Bearer $KEY" https://raw.githubusercontent.com/acme/tools/main/setup.sh | bash
                  env: { KEY: "\${{ secrets.READER_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSf https://downloads.acme.example/setup.sh | bash -s -- "$KEY"
                  env: { KEY: "\${{ secrets.ACCOUNT_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSf https://tools.acme.example/install.sh | sh
                - run: make check
                  env: { TOKEN: "\${{ secrets.ACME_TEST_TOKEN }}", DAGGER_CLOUD_TOKEN: "\${{ secrets.DAGGER_CLOUD_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://uploads.acme.example/bash)
                  env: { UPLOAD_TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            measure:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: ./measure
                  env: { DATADOG_API_KEY: "\${{ secrets.DATADOG_API_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            integration-tests:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -LO "https://storage.googleapis.com/kubernetes-release/release/$(cat stable.txt)/bin/linux/amd64/kubectl"
                    chmod +x kubectl
                    ./run-tests.sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            integration-tests:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://bun.sh/install | bash
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: ./run-tests.sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            nightly:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://bun.sh/install | bash
                - run: ./build.sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            test-and-publish:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://bun.sh/install | bash
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            audit:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    curl -o agent.jar https://unified-agent.s3.amazonaws.com/agent.jar
                    java -jar agent.jar
                  env: { WS_APIKEY: "\${{ secrets.MEND_API_KEY }}", WS_USERKEY: "\${{ secrets.MEND_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            audit:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: |
                    curl -o agent.jar https://unified-agent.s3.amazonaws.com/agent.jar
                    java -jar agent.jar
                  env: { WS_APIKEY: "\${{ secrets.MEND_API_KEY }}", TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read, id-token: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - name: Credentials for the sccache bucket
                  uses: aws-actions/configure-aws-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a
                  with: { role-to-assume: arn:aws:iam::402918374650:role/ci, aws-region: eu-west-1 }
                - run: cargo build
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          env:
            SCCACHE_BUCKET: builds
            AWS_ACCESS_KEY_ID: "\${{ secrets.AWS_KEY_ID }}"
            AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_KEY }}"
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: cargo build
                  env: { BUILDBUDDY_API_KEY: "\${{ secrets.BUILDBUDDY_API_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          env: { SCCACHE_BUCKET: builds }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: cargo build && aws s3 cp target/release/app s3://downloads
                  env: { AWS_ACCESS_KEY_ID: "\${{ secrets.AWS_KEY_ID }}", AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: nix build
                  env: { KEY: "\${{ secrets.NIX_CACHE_SIGNING_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, pull-requests: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://raw.githubusercontent.com/fossas/fossa-cli/master/install-latest.sh | bash
                - run: fossa analyze
                  env: { FOSSA_API_KEY: "\${{ secrets.FOSSA_API_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://claude.ai/install.sh | bash
                - run: claude --print "Sort the issues"
                  env: { ANTHROPIC_API_KEY: "\${{ secrets.ANTHROPIC_API_KEY }}", GH_TOKEN: "\${{ secrets.CLAUDE_GITHUB_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -L https://fly.io/install.sh | sh
                - run: flyctl deploy --remote-only
                  env: { FLY_API_TOKEN: "\${{ secrets.FLY_API_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, id-token: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -L https://fly.io/install.sh | sh
                - run: flyctl deploy && npm publish --provenance
                  env: { FLY_API_TOKEN: "\${{ secrets.FLY_API_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://raw.githubusercontent.com/somebody/fossa/master/install.sh | bash
                - run: fossa analyze
                  env: { FOSSA_API_KEY: "\${{ secrets.FOSSA_API_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, issues: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSfL https://static.snyk.io/cli/latest/snyk-linux -o snyk && chmod +x ./snyk
                - run: ./snyk monitor
                  env: { SNYK_TOKEN: "\${{ secrets.SNYK_TOKEN }}" }
                - if: failure()
                  run: ./report.sh
                  env: { HOOK: "\${{ secrets.SLACK_WEBHOOK }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, issues: write }
          jobs:
            ship:
              runs-on: ubuntu-latest
              env: { FLY_API_TOKEN: "\${{ secrets.FLY_API_TOKEN }}" }
              steps:
                - run: curl -L https://fly.io/install.sh | sh
                - run: flyctl deploy --remote-only
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read, issues: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://claude.ai/install.sh | bash
                - run: claude --print "Sort the issues"
                  env: { ANTHROPIC_API_KEY: "\${{ secrets.ANTHROPIC_API_KEY_FOR_CI }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            integration-tests:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSLo minio https://dl.min.io/server/minio/release/linux-amd64/minio && chmod +x minio
                - run: ./run-tests.sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            integration-tests:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSLo tool https://raw.githubusercontent.com/somebody/tool/master/tool && chmod +x tool
                - run: ./run-tests.sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          env:
            SCCACHE_BUCKET: builds
            AWS_ACCESS_KEY_ID: "\${{ secrets.AWS_KEY_ID }}"
            AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_KEY }}"
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: cargo build && aws s3 cp target/app s3://downloads
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: kubectl apply -f https://raw.githubusercontent.com/acme-tools/bench/main/job.yaml
                - run: curl -s https://raw.githubusercontent.com/acme-tools/bench/main/apply.sh | sh
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: ./upload.sh
                  env: { UPLOAD_TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://uploads.acme.example/bash)
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -sSfL https://static.snyk.io/cli/latest/snyk-linux -o snyk && chmod +x ./snyk
                - run: ./snyk monitor
                  env: { SNYK_TOKEN: "\${{ secrets.SNYK_TOKEN }}" }
                - if: failure()
                  run: ./report.sh
                  env: { HOOK: "\${{ secrets.SLACK_WEBHOOK }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            ship:
              runs-on: ubuntu-latest
              env: { FLY_API_TOKEN: "\${{ secrets.FLY_API_TOKEN }}" }
              steps:
                - run: curl -L https://fly.io/install.sh | sh
                - run: flyctl deploy --remote-only
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: curl -fsSL https://claude.ai/install.sh | bash
                - run: claude --print "Sort the issues"
                  env: { ANTHROPIC_API_KEY: "\${{ secrets.ANTHROPIC_API_KEY_FOR_CI }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    kubectl apply -f https://raw.githubusercontent.com/acme-tools/bench/main/job.yaml
                    kubectl create --filename=http://tools.acme.example/job.yaml
                  env: { CLUSTER_TOKEN: "\${{ secrets.CLUSTER_TOKEN }}" }
        `,
      },
    ],
  },
});
