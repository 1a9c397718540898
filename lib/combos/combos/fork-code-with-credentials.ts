import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, MISSING_PROGRAM, WEAK_CREDENTIAL } from '../combo.ts';

const ANSWER = yaml`
  on: issue_comment
  jobs:
    answer:
      runs-on: ubuntu-latest
      steps:
        - uses: actions/checkout@v7
        - run: gh pr checkout \${{ github.event.issue.number }} && make
`;

export const forkCodeWithCredentials = defineCombo({
  id: 'fork-code-with-credentials',
  title: 'Pull-request code runs next to your credentials',
  severity: 'CRITICAL',
  slots: {
    trigger: { any: [{ fact: 'outsider-trigger' }] },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }, { rule: 'unsafe-pr-checkout-opt-in' }] },
    checkout: {
      any: [
        {
          rule: 'untrusted-checkout',
          where: { executes: ['true', 'likely', 'image', 'absent'], guard: ['absent', 'opted-out'], holds: true },
        },
      ],
    },
    execution: { optional: true, any: [{ rule: 'untrusted-checkout-exec' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'checkout', where: { executes: 'true' } },
      because: 'It is likely but not certain that a later step runs a file of the checkout.',
    },
    {
      lower: 1,
      unless: { slot: 'checkout', where: { executes: ['true', 'likely', 'absent'] } },
      because: 'The code only runs in an image build, which gets none of the job’s credentials.',
    },
    MISSING_PROGRAM,
    {
      lower: 1,
      unless: { slot: 'checkout', where: { confidence: ['high', 'medium'] } },
      because: 'It is likely but not certain that the ref names a pull request’s code.',
    },
    {
      lower: 2,
      unless: { slot: 'checkout', where: { message: 'open' } },
      because: 'As far as the file shows, someone approves the run first.',
    },
    {
      lower: 2,
      unless: { slot: 'checkout', where: { execution_approved: false } },
      because: 'As far as the file shows, someone approves the steps first that run the code.',
    },
    ...WEAK_CREDENTIAL,
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider opens a pull request',
      description:
        'Anyone with a GitHub account can trigger the event, and the run has the base repository’s privileges.',
    },
    {
      slot: 'checkout',
      title: 'The job checks out their code',
      description: 'The pull request’s head replaces the workspace.',
    },
    {
      slot: 'execution',
      title: 'A build step executes it',
      description: 'An install script, a build file, a test or an action of the fork runs in the job.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description:
        'The code reads the token or secret from the environment, git’s configuration or the runner’s memory.',
    },
  ],
  impact: 'Anyone with a GitHub account can take over the repository, its releases and everything its secrets unlock.',
  breakChain: {
    text: 'Build and test fork code under `pull_request`, and keep it out of every job that holds a credential.',
    slot: 'checkout',
  },
  references: [
    'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    'https://unit42.paloaltonetworks.com/github-actions-supply-chain-attack/',
    'https://www.stepsecurity.io/blog/hackerbot-claw-github-actions-exploitation',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: pull_request_target
          permissions: { pull-requests: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: pnpm lint --fix
        `,
      },
      {
        severity: 'HIGH',
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - { id: find, uses: acme/find@v1 }
                - uses: actions/checkout@v7
                  with: { ref: "\${{ steps.find.outputs.head_sha }}" }
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: gh pr checkout \${{ github.event.issue.number }} && make
                - run: gh release upload nightly out/*
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        severity: 'HIGH',
        yaml: yaml`
          on: issue_comment
          jobs:
            answer:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: gh pr checkout \${{ github.event.issue.number }} && make
                - run: gh pr comment \${{ github.event.issue.number }} --body done
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/answer.yml': ANSWER,
          '.github/workflows/format.yml': yaml`
            on: push
            jobs:
              format:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: make format && git commit -am format && git push
          `,
        },
      },
      {
        severity: 'HIGH',
        yaml: {
          '.github/workflows/answer.yml': ANSWER,
          '.github/workflows/format.yml': yaml`
            on: push
            jobs:
              format:
                permissions: { contents: write }
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: make format && git commit -am format && git push
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: docker/login-action@v4
                  with: { registry: quay.io, username: acme, password: "\${{ secrets.QUAY_PASSWORD }}" }
                - uses: docker/build-push-action@v6
                  with: { context: ., push: true, tags: quay.io/acme/app-ci }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: docker/login-action@v4
                  with: { registry: quay.io, username: acme, password: "\${{ secrets.QUAY_PASSWORD }}" }
                - uses: docker/build-push-action@v6
                  with: { context: ., secrets: "key=\${{ secrets.KEY }}", push: true, tags: quay.io/acme/app-ci }
        `,
        severity: 'HIGH',
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          env: { RPC_URL: "\${{ secrets.RPC_URL }}" }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: docker buildx build --build-arg MODE=\${{ matrix.mode }} -t acme/app .
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          env: { RPC_URL: "\${{ secrets.RPC_URL }}" }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: docker buildx build --build-arg RPC_URL -t acme/app .
        `,
        severity: 'HIGH',
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, synchronize, labeled] } }
          permissions: { contents: write }
          jobs:
            analyze:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - if: contains(github.event.pull_request.labels.*.name, 'ready to test')
                  run: ./gradlew build
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, synchronize, labeled] } }
          permissions: { contents: write }
          jobs:
            analyze:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - if: contains(github.event.pull_request.labels.*.name, 'ready to test')
                  run: ./gradlew build
                - run: make lint
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", persist-credentials: false }
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
        `,
      },
    ],
  },
});
