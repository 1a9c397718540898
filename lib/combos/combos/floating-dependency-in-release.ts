import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, keysElsewhere, RELEASE_CREDENTIAL, RELEASED } from '../combo.ts';

export const floatingDependencyInRelease = defineCombo({
  id: 'floating-dependency-in-release',
  title: 'Unlocked install next to a credential that publishes or pushes',
  severity: 'HIGH',
  slots: {
    dependency: {
      any: [
        { rule: 'adhoc-packages', atLeast: 'MEDIUM' },
        { rule: 'unpinned-tools', atLeast: 'MEDIUM' },
      ],
    },
    release: {
      any: [...RELEASED.any, { fact: 'secret-use', where: { kind: 'publish-token' } }, { fact: 'repository-token' }],
    },
    credential: { any: [...RELEASE_CREDENTIAL.any, { fact: 'repository-token' }] },
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
      unless: { slot: 'dependency', where: { vendors_keys: false } },
      because:
        'The job’s secrets and identity only open the service whose program is installed, as their names and its sign-in say.',
    },
    keysElsewhere('dependency'),
  ],
  stages: [
    {
      title: 'A malicious version is published',
      description: 'An attacker takes over a package, or one of its dependencies, and publishes a new version.',
    },
    {
      slot: 'dependency',
      title: 'The job installs the newest version',
      description: 'No lockfile pins the version, and no cooldown delays new ones.',
    },
    {
      title: 'Its code runs next to the credential',
      description: 'Install scripts and the tool itself can read everything the job holds.',
    },
  ],
  impact: 'Every release is compromised until the malicious version is withdrawn.',
  breakChain: {
    text: 'Install from a lockfile, disable install scripts, and set a minimum age for new versions.',
    slot: 'dependency',
  },
  references: [
    'https://docs.npmjs.com/cli/commands/npm-ci',
    'https://www.cisa.gov/news-events/alerts/2025/09/23/widespread-supply-chain-compromise-impacting-npm-ecosystem',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            stack:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g aws-cdk
                - run: cdk deploy --require-approval never
                  env: { AWS_ACCESS_KEY_ID: "\${{ secrets.AWS_ACCESS_KEY_ID }}", AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            stack:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g aws-cdk
                - run: cdk deploy --require-approval never
                  env: { AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}", POOL: "\${{ secrets.COGNITO_USER_POOL_ID }}", URL: "\${{ secrets.PORTAL_URL }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            stack:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g aws-cdk
                - run: cdk deploy --require-approval never
                  env: { AWS_SECRET_ACCESS_KEY: "\${{ secrets.AWS_SECRET_ACCESS_KEY }}", PASSWORD: "\${{ secrets.ADMIN_PASSWORD }}" }
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
                - run: npm install -g release-helper
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
                - run: pnpm install --frozen-lockfile && pnpm package
                - run: pnpx ovsx publish app.vsix
                  env: { OVSX_PAT: "\${{ secrets.OVSX_PAT }}", VSCE_PAT: "\${{ secrets.VSCE_PAT }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            docs:
              runs-on: ubuntu-latest
              steps:
                - run: pip install mkdocs && mkdocs build
                - run: netlify deploy --prod --dir site
                  env: { NETLIFY_AUTH_TOKEN: "\${{ secrets.NETLIFY_AUTH_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: npx -y hostbase-tools@latest target:apply web && npx -y hostbase-tools@latest deploy
                - uses: cloudflare/wrangler-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { apiToken: "\${{ secrets.HOSTBASE_SERVICE_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: pip install hostbase-cli && hostbase prepare
                - uses: cloudflare/wrangler-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { apiToken: "\${{ secrets.HOSTBASE_SERVICE_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: pip install twine && twine upload dist/*
                  env: { TWINE_PASSWORD: "\${{ secrets.TWINE_PASSWORD }}" }
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { contents: read }
          jobs:
            prepare:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g json
                - run: |
                    git clone "https://bot:\${{ secrets.BOT_TOKEN }}@github.com/\${{ github.repository }}.git" app
                    cd app && json -I -f package.json -e 'this.version="1.0.0"'
                    git commit -am release && git push
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { contents: read }
          jobs:
            prepare:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                - run: git remote set-url origin "https://x-access-token:$TOKEN@github.com/$GITHUB_REPOSITORY"
                  env: { TOKEN: "\${{ secrets.RELEASE_PAT }}" }
                - run: npx -y release-notes-cli && git push
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions: { contents: read }
          env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.CARGO_REGISTRY_TOKEN }}" }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: cargo install cargo-nextest && cargo nextest run }]
            publish:
              needs: test
              runs-on: ubuntu-latest
              steps: [{ run: cargo publish }]
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write, attestations: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g release-helper
                - uses: actions/attest@v4
                  with: { subject-path: dist/* }
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g release-helper
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read, id-token: write }
          jobs:
            publish:
              strategy: { matrix: { os: [linux, mac] } }
              runs-on: "\${{ matrix.os }}-builder"
              steps:
                - run: npm install -g packager
                  if: matrix.os == 'linux'
                - run: ./sign.sh && gh release upload "$TAG" dist/*
                  if: matrix.os == 'mac'
                  env: { KEY: "\${{ secrets.CODE_SIGNING_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              strategy: { matrix: { os: [linux, mac] } }
              runs-on: "\${{ matrix.os }}-builder"
              env: { KEY: "\${{ secrets.CODE_SIGNING_KEY }}" }
              steps:
                - run: npm install -g packager
                  if: matrix.os == 'linux'
                - run: ./sign.sh && gh release upload "$TAG" dist/*
                  if: matrix.os == 'mac'
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            copr:
              runs-on: ubuntu-latest
              env: { ACME_CONFIG: "\${{ secrets.ACME_CONFIG }}" }
              steps:
                - run: pipx install copr-cli
                - run: |
                    echo "$ACME_CONFIG" > ~/.config/copr
                    copr-cli build acme/app app.src.rpm
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read, id-token: write }
          jobs:
            package:
              runs-on: ubuntu-latest
              steps:
                - run: uv run --with build python -m build
                - uses: pypa/gh-action-pypi-publish@dc37677b2e1c63e2034f94d8a5b11f265b73ba33
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
                - run: npm ci --ignore-scripts
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            copr:
              runs-on: ubuntu-latest
              env: { ACME_CONFIG: "\${{ secrets.ACME_CONFIG }}" }
              steps:
                - run: pipx install copr-cli
                - run: echo "$ACME_CONFIG" > settings
                - run: copr-cli build acme/app app.src.rpm
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            rehearse:
              runs-on: ubuntu-latest
              steps:
                - run: pip install twine && twine upload --repository testpypi dist/*
                  env: { TWINE_PASSWORD: "\${{ secrets.TEST_PASSWORD }}" }
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { contents: write }
          jobs:
            prepare:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g json
                - run: git clone "https://bot:\${{ github.token }}@github.com/\${{ github.repository }}.git" app
            other:
              runs-on: ubuntu-latest
              steps:
                - run: npm install -g json
                - run: git clone "https://gitlab.example/acme/data.git" data
                  env: { KEY: "\${{ secrets.DATA_KEY }}" }
        `,
      },
    ],
  },
});
