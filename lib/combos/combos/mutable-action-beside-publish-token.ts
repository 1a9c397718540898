import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, keysElsewhere, LITTLE_IDENTITY, RELEASED } from '../combo.ts';

export const mutableActionBesidePublishToken = defineCombo({
  id: 'mutable-action-beside-publish-token',
  title: 'Mutable third-party action next to a long-lived publishing credential',
  severity: 'HIGH',
  slots: {
    action: { any: [{ rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } }] },
    token: {
      any: [
        { fact: 'secret-use', where: { kind: 'publish-token' } },
        { rule: 'use-trusted-publishing', where: { for_tests: false } },
      ],
    },
    identity: LITTLE_IDENTITY,
    release: RELEASED,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { operator: false } },
      because: 'The actions belong to the clouds and registries themselves.',
    },
    {
      lower: 1,
      unless: { slot: 'action', where: { vendors_keys: false } },
      because:
        'The job’s secrets and identity only open the service of the action’s publisher, as their names and its sign-in say.',
    },
    {
      lower: 1,
      unless: { slot: 'token', where: [{ strength: 'strong' }, { severity: ['HIGH', 'MEDIUM', 'LOW', 'INFO'] }] },
      because: 'The job’s names say that the credential deploys documentation only.',
    },
    keysElsewhere('action'),
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
      slot: 'token',
      title: 'The credential is stolen',
      description: 'The code reads it from the environment or the runner’s memory.',
    },
    {
      title: 'The attacker publishes or deploys',
      description: 'The credential works from anywhere until it is revoked.',
    },
  ],
  impact: 'The attacker controls what is published or deployed until the credential is revoked.',
  breakChain: { text: 'Pin the action to a full commit SHA, or list it in the lockfile.', slot: 'action' },
  references: [
    'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
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
                - uses: actions/checkout@v7
                - uses: somebody/setup@v1
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
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
                - uses: docker/login-action@v4
                  with: { username: acme, password: "\${{ secrets.DOCKERHUB_TOKEN }}" }
                - run: docker push acme/app
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            deploy-docs:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - run: netlify deploy --prod --dir docs/build
                  env: { NETLIFY_AUTH_TOKEN: "\${{ secrets.NETLIFY_AUTH_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            docs:
              runs-on: ubuntu-latest
              steps:
                - uses: peaceiris/actions-gh-pages@v4
                  with: { personal_token: "\${{ secrets.PERSONAL_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            infrastructure:
              runs-on: ubuntu-latest
              steps:
                - uses: google-github-actions/auth@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { credentials_json: "\${{ secrets.DEPLOYER_KEY }}" }
                - uses: somebody/setup-terraform@v1
                - run: terraform apply -auto-approve
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: burnett01/rsync-deployments@0123456789abcdef0123456789abcdef01234567 # v9.0.0
                  with: { path: docs/_site/, remote_host: example.com, remote_key: "\${{ secrets.HOST_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: burnett01/rsync-deployments@0123456789abcdef0123456789abcdef01234567 # v9.0.0
                  with: { path: dist/, remote_host: example.com, remote_key: "\${{ secrets.HOST_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            build:
              runs-on: windows-latest
              steps:
                - uses: somebody/setup-compiler@v1
                - run: |
                    echo "\${{ secrets.WINDOWS_CODESIGN_CERT }}" | base64 --decode > cert.pfx
                    signtool sign /f cert.pfx app.exe
                - uses: actions/upload-artifact@v7
                  with: { name: app, path: app.exe }
            release:
              needs: build
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v8
                - run: gh release create "$GITHUB_REF_NAME" app/app.exe
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            image:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { registry: example.com, username: bot, password: "\${{ secrets.GCP_SA_KEY }}" }
                - uses: docker/build-push-action@0123456789abcdef0123456789abcdef01234567 # v6.0.0
                  with: { push: true, tags: "example.com/app:1" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            worker:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: cloudflare/wrangler-action@v3
                  with: { command: deploy, apiToken: "\${{ secrets.WORKER_CLOUDFLARE_API_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: hostingco/publish@v3
                  env: { HOSTINGCO_DEPLOY_TOKEN: "\${{ secrets.HOSTINGCO_DEPLOY_TOKEN }}" }
                - run: docker login hub.hostingco.example -u acme -p "\${{ secrets.HOSTINGCO_PUBLISH_TOKEN }}"
                - run: docker push hub.hostingco.example/acme/site
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            site:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: hostingco/publish@v3
                  env: { HOSTINGCO_DEPLOY_TOKEN: "\${{ secrets.HOSTINGCO_DEPLOY_TOKEN }}" }
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.HOSTINGCO_PUBLISH_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            crates:
              runs-on: ubuntu-latest
              steps:
                - uses: MarcoIeni/release-plz-action@v0.5
                  env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.CARGO_REGISTRY_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: { contents: read }
          env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.CARGO_REGISTRY_TOKEN }}" }
          jobs:
            order:
              runs-on: ubuntu-latest
              steps: [{ uses: acme/setup-rust@stable }, { run: cargo metadata }]
            publish:
              needs: order
              runs-on: ubuntu-latest
              steps: [{ run: cargo publish }]
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: acme-tools/setup-poetry@v2
                - run: make dist
                - uses: pypa/gh-action-pypi-publish@dc37677b2e1c63e2034f94d8a5b11f265b73ba33
                  with: { password: "\${{ secrets.PYPI_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { username: acme, password: "\${{ secrets.HUB_KEY }}" }
                - uses: somebody/setup-compiler@v1
                - run: goreleaser release --clean --split
            publish:
              needs: build
              runs-on: ubuntu-latest
              steps:
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { username: acme, password: "\${{ secrets.HUB_KEY }}" }
                - run: docker push acme/app
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: windows-latest
              steps:
                - uses: somebody/setup-compiler@v1
                - uses: azure/artifact-signing-action@0123456789abcdef0123456789abcdef01234567 # v0.5.0
                  with:
                    azure-tenant-id: \${{ secrets.AZURE_TENANT_ID }}
                    azure-client-id: \${{ secrets.AZURE_CLIENT_ID }}
                    azure-client-secret: \${{ secrets.AZURE_CLIENT_SECRET }}
                    trusted-signing-account-name: \${{ secrets.AZURE_SIGNING_ACCOUNT }}
                - run: gh release create "$GITHUB_REF_NAME" app.exe
                  shell: bash
                  env: { GH_TOKEN: "\${{ github.token }}" }
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
                - uses: somebody/setup@v1
                - run: echo "//npm.acme.example/:_authToken=$TOKEN" > ~/.npmrc && npm ci
                  env: { TOKEN: "\${{ secrets.ACME_NPM_TOKEN }}" }
                - run: npm publish
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
                - uses: somebody/setup@v1
                - run: echo "//npm.acme.example/:_authToken=$TOKEN" > ~/.npmrc && npm ci
                  env: { TOKEN: "\${{ secrets.ACME_NPM_TOKEN }}" }
                - run: npm publish
                - run: rm -f ~/.npmrc
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
                - uses: somebody/setup@v1
                - run: echo "//npm.acme.example/:_authToken=$TOKEN" > ~/.npmrc && npm ci
                  env: { TOKEN: "\${{ secrets.ACME_NPM_TOKEN }}" }
                - run: rm -f ~/.npmrc
                - run: npm config set token "$TOKEN" && npm publish
                  env: { TOKEN: "\${{ secrets.ACME_NPM_TOKEN }}" }
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
                - uses: somebody/setup@v1
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_READ_WRITE_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            canary:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/publish-snapshot.yml@main
              secrets: { registryToken: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/node.yml@main
              secrets: { npmToken: "\${{ secrets.UPLOAD_AUTH }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            image:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/docker-publish.yaml@main
              secrets: { password: "\${{ secrets.DOCKERHUB_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/sign.yml@main
              secrets: { certificate: "\${{ secrets.WINDOWS_CODESIGN_CERT }}" }
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
                - uses: actions/checkout@v7
                - uses: somebody/setup@0123456789abcdef0123456789abcdef01234567 # v1.0.0
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            test:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/node.yml@main
              secrets: { npmToken: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/node.yml@main
              secrets: { npmToken: "\${{ secrets.NPM_READ_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/node.yml@main
              secrets: { url: "\${{ secrets.SLACK_WEBHOOK_URL }}", user: "\${{ secrets.DOCKER_USERNAME }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/node.yml@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v1.0.0
              secrets: { npmToken: "\${{ secrets.NPM_TOKEN }}" }
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
                - uses: somebody/setup@v1
                - run: echo "//npm.acme.example/:_authToken=$TOKEN" > ~/.npmrc && npm ci
                  env: { TOKEN: "\${{ secrets.ACME_NPM_TOKEN }}" }
                - run: rm -f ~/.npmrc
                - run: npm publish
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
                - uses: somebody/setup@v1
                - uses: docker/build-push-action@0123456789abcdef0123456789abcdef01234567 # v6.0.0
                  with: { push: true, secrets: "npm=\${{ secrets.NPM_READ_TOKEN }}" }
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
                - uses: somebody/setup@v1
                - run: npm ci
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_PACKAGES_READ_TOKEN }}" }
                - run: npm publish
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@v1
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read, packages: write }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - run: npm ci
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.PAID_NPM_TOKEN }}" }
                - run: docker push ghcr.io/acme/app
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: goreleaser/goreleaser-action@v6
                  with: { distribution: goreleaser-pro, args: release --clean }
                  env:
                    GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
                    GORELEASER_KEY: \${{ secrets.GORELEASER_KEY }}
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: azure/login@0123456789abcdef0123456789abcdef01234567 # v2.3.0
                  with: { creds: "\${{ secrets.AZURE_KEY }}" }
                - uses: somebody/setup@v1
                - run: az storage account list
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            build:
              permissions: { contents: read }
              runs-on: windows-latest
              steps:
                - uses: somebody/setup-compiler@v1
                - run: signtool sign /f "$CERT" app.exe
                  env: { CERT: "\${{ secrets.WINDOWS_CODESIGN_CERT }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            check:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { registry: example.com, username: bot, password: "\${{ secrets.GCP_SA_KEY }}" }
                - run: docker pull example.com/base:1 && make check
            publish:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { username: bot, password: "\${{ secrets.HUB_KEY }}" }
                - run: docker push acme/app
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            build:
              runs-on: windows-latest
              steps:
                - uses: somebody/setup-compiler@v1
                - run: |
                    $cert = New-SelfSignedCertificate -Type CodeSigningCert -Subject CN=App
                    Export-PfxCertificate -Cert $cert -FilePath app.pfx -Password $env:CERT_PASSWORD
                  env: { CERT_PASSWORD: "\${{ secrets.WINDOWS_CERT_PASSWORD }}" }
                - uses: actions/upload-artifact@v7
                  with: { name: app, path: app.exe }
            release:
              needs: build
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v8
                - run: gh release create "$GITHUB_REF_NAME" app/app.exe
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: { contents: read }
          env: { SITE_KEY: "\${{ secrets.SITE_KEY }}" }
          jobs:
            order:
              runs-on: ubuntu-latest
              steps: [{ uses: acme/setup-rust@stable }, { run: cargo metadata }]
            publish:
              needs: order
              runs-on: ubuntu-latest
              steps:
                - run: cargo publish
                  env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.CARGO_REGISTRY_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: acme-tools/setup-poetry@v2
                - run: make dist
                - uses: pypa/gh-action-pypi-publish@dc37677b2e1c63e2034f94d8a5b11f265b73ba33
                  with: { password: "\${{ secrets.TEST_PYPI_TOKEN }}", repository-url: https://test.pypi.org/legacy/ }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: windows-latest
              steps:
                - uses: somebody/setup-compiler@v1
                - uses: azure/artifact-signing-action@0123456789abcdef0123456789abcdef01234567 # v0.5.0
                  with:
                    trusted-signing-account-name: \${{ secrets.AZURE_SIGNING_ACCOUNT }}
                    certificate-profile-name: \${{ secrets.AZURE_SIGNING_PROFILE }}
                - run: gh release create "$GITHUB_REF_NAME" app.exe
                  shell: bash
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { contents: read }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/collect
                    with: { packages: changed }
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
          '.github/workflows/docs.yml': yaml`
            on: push
            permissions: { contents: read }
            jobs:
              docs:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/collect
                    with: { packages: all }
                    env: { KEY: "\${{ secrets.DOCS_KEY }}" }
          `,
          '.github/actions/collect/action.yml': yaml`
            name: Collect
            description: Lists packages
            inputs: { packages: { required: true, description: Which } }
            runs:
              using: composite
              steps:
                - uses: somebody/list@main
                  if: inputs.packages == 'all'
          `,
        },
      },
    ],
  },
});
