import { secretInWord, secretsFlowingIn, secretVariables } from '#lib/analysis/dataflow/secret-use.ts';
import { isForTests } from '#lib/analysis/privileges/secret-names.ts';
import {
  leadsElsewhere,
  PACKAGE_REGISTRIES,
  type PackageRegistry,
} from '#lib/analysis/publishing/package-registries.ts';
import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { actionOf, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, jobOf, type Step, stepsOf, type Text } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { type Confidence, defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { CRATES_IO_AUTH, factsWith } from '../remedies/inserted-actions.ts';
import { withoutToken } from '../remedies/trusted-publishing/trusted-publishing.ts';
import { mentionsSecrets } from '../shared/when.ts';

const DRY_RUN = /--dry-run|--dry\b|--help/;

const ACTIONS: Readonly<Record<string, { registry: string; token: string; url: string }>> = {
  'pypa/gh-action-pypi-publish': { registry: 'PyPI', token: 'password', url: 'repository-url' },
  'js-devtools/npm-publish': { registry: 'npm', token: 'token', url: 'registry' },
};

const PUBLIC_URL = /^https:\/\/(?:upload|test)\.pypi\.org\/|^https:\/\/registry\.npmjs\.org/;

type Message = 'token';

export const useTrustedPublishing = defineRule({
  id: 'use-trusted-publishing',
  meta: {
    title: 'Package is published with a long-lived token',
    why: 'A stored registry token works from anywhere, for months, for anyone who has it. With trusted publishing the registry verifies the workflow’s identity and issues a token that is valid for minutes, so there is nothing to steal.',
    attack:
      'A compromised dependency of the release job steals the token and publishes a malicious version from elsewhere. The npm worms of 2025 spread through tokens found in CI pipelines.',
    recommendation:
      'Register this workflow as trusted publisher at the registry first; then give the job `id-token: write`, remove the token from the step and delete it at the registry.',
    limits:
      'Only PyPI, npm, crates.io, RubyGems.org and NuGet.org are checked. A token that a script reads from an environment variable with an unknown name is not detected. Publishing to TestPyPI is always LOW: nobody is meant to install from it.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.pypi.org/trusted-publishers/',
      'https://docs.npmjs.com/trusted-publishers',
      'https://repos.openssf.org/trusted-publishers-for-all-package-repositories',
    ],
    messages: {
      token: 'This publishes to {{registry}} with the stored token {{secret}}; trusted publishing needs no token.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            rehearsal:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/setup-poetry@v2
                # expect: token LOW
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with: { password: "\${{ secrets.REHEARSAL }}", repository-url: "https://test.pypi.org/legacy/" }
                # expect: token LOW
                - run: twine upload -r testpypi dist/*
                  env: { TWINE_PASSWORD: "\${{ secrets.REHEARSAL }}" }
                # expect: token LOW
                - run: twine upload dist/*
                  env:
                    TWINE_REPOSITORY_URL: https://test.pypi.org/legacy/
                    TWINE_PASSWORD: \${{ secrets.REHEARSAL }}
                # expect: token MEDIUM
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with: { password: "\${{ secrets.REHEARSAL }}" }
                # expect: token MEDIUM
                - run: twine upload dist/testpypi-app.whl
                  env: { TWINE_PASSWORD: "\${{ secrets.REHEARSAL }}" }
                # expect: token MEDIUM
                - run: twine upload dist/*
                  env: { TWINE_PASSWORD: "\${{ secrets.REHEARSAL }}", DOCS_URL: "https://test.pypi.org/project/app/" }
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                # expect: token
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    password: \${{ secrets.PYPI_TOKEN }}
                - run: |
                    npm ci
                    # expect: token
                    npm publish --access public
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
                # expect: token
                - run: cargo publish --token \${{ secrets.CRATES }}
                # expect: token
                - run: twine upload dist/*
                  env:
                    TWINE_PASSWORD: \${{ secrets.PYPI }}
                # expect: token
                - run: python3.12 -m twine upload --skip-existing dist/*
                  env:
                    TWINE_PASSWORD: \${{ secrets.PYPI }}
                # expect: token
                - run: pipx run twine==6.1.0 upload dist/*
                  env:
                    TWINE_PASSWORD: \${{ secrets.PYPI }}
                - run: yarn release
                  env:
                    # expect: token
                    NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                contents: read
              steps:
                # expect: token
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    user: __token__
                    password: \${{ secrets.PYPI_TOKEN }}
            test:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
              steps:
                - name: To the test index
                  # expect: token
                  uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    repository-url: https://test.pypi.org/legacy/
                    password: \${{ secrets.TEST_PYPI_TOKEN }}
        `,
        fixed: yaml`
          on: { release: { types: [published] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
                contents: read
              steps:
                # expect: token
                - uses: pypa/gh-action-pypi-publish@release/v1
            test:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
              steps:
                - name: To the test index
                  # expect: token
                  uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    repository-url: https://test.pypi.org/legacy/
        `,
      },
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          permissions:
            contents: read
          jobs:
            release:
              runs-on: ubuntu-latest
              environment: npm
              steps:
                - uses: actions/setup-node@v5
                  with: { node-version: 24, registry-url: "https://registry.npmjs.org" }
                - run: npm ci
                - name: Publish
                  # expect: token
                  run: npm publish --access public
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
            next:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps:
                - uses: actions/setup-node@v5
                  with: { node-version: 22, registry-url: "https://registry.npmjs.org" }
                - run: npm install --global npm@11
                # expect: token
                - run: npm publish --tag next
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
                    TAG: next
        `,
        fixed: yaml`
          on: { release: { types: [published] } }
          permissions:
            contents: read
          jobs:
            release:
              permissions:
                contents: read
                id-token: write
              runs-on: ubuntu-latest
              environment: npm
              steps:
                - uses: actions/setup-node@v5
                  with: { node-version: 24, registry-url: "https://registry.npmjs.org" }
                - run: npm ci
                - name: Publish
                  # expect: token
                  run: npm publish --access public
            next:
              runs-on: ubuntu-latest
              permissions: { contents: read, id-token: write }
              steps:
                - uses: actions/setup-node@v5
                  with: { node-version: 22, registry-url: "https://registry.npmjs.org" }
                - run: npm install --global npm@11
                # expect: token
                - run: npm publish --tag next
                  env:
                    TAG: next
        `,
      },
      {
        facts: factsWith([CRATES_IO_AUTH]),
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            crate:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5

                - name: Publish
                  if: github.repository == 'acme/app'
                  # expect: token
                  run: cargo publish
                  env:
                    CARGO_REGISTRY_TOKEN: \${{ secrets.CRATES }}
            argument:
              runs-on: ubuntu-latest
              permissions:
                contents: read
              steps:
                - id: auth
                  run: ./prove
                # expect: token
                - run: cargo publish --token \${{ secrets.CRATES }}
        `,
        fixed: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            crate:
              permissions:
                contents: read
                id-token: write
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5

                - name: Get a token of crates.io
                  uses: rust-lang/crates-io-auth-action@1111111111111111111111111111111111111111 # v1.99.0
                  id: auth
                  if: github.repository == 'acme/app'

                - name: Publish
                  if: github.repository == 'acme/app'
                  # expect: token
                  run: cargo publish
                  env:
                    CARGO_REGISTRY_TOKEN: \${{ steps.auth.outputs.token }}
            argument:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
                contents: read
              steps:
                - id: auth
                  run: ./prove
                - uses: rust-lang/crates-io-auth-action@1111111111111111111111111111111111111111 # v1.99.0
                  id: crates-io
                # expect: token
                - run: cargo publish --token \${{ steps.crates-io.outputs.token }}
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { release: { types: [published] } }
          jobs:
            release:
              runs-on: ubuntu-latest
              permissions:
                id-token: write
              steps:
                - uses: pypa/gh-action-pypi-publish@release/v1
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    repository-url: https://pypi.acme.dev/simple
                    password: \${{ secrets.INTERNAL }}
                - uses: rust-lang/crates-io-auth-action@v1
                  id: auth
                - run: cargo publish
                  env:
                    CARGO_REGISTRY_TOKEN: \${{ steps.auth.outputs.token }}
                - run: npm publish
                - run: npm ci
                  env:
                    NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
                - run: npm publish --dry-run && npm publish --registry https://npm.acme.dev
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
            packages:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/setup-node@v5
                  with:
                    registry-url: https://npm.pkg.github.com
                - run: npm publish
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.PACKAGES_TOKEN }}
        `,
      },
    ],
  },
  when: mentionsSecrets,
  check: { workflow: check, action: check },
});

function* check(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  for (const step of stepsOf(definition)) {
    for (const { registry, forTests, secret, span, confidence = 'high' } of publishings(step)) {
      yield {
        message: 'token',
        data: { registry: forTests ? `Test${registry}` : registry, secret },
        at: step,
        span,
        once: `${jobOf(step)?.id ?? ''} ${registry} ${secret}`,
        confidence,
        severity: !forTests && isExposed(step, registry, context.repository) ? 'MEDIUM' : 'LOW',
        ...withoutToken(step, registry, context),
        attributes: { kind: 'publish-token', registry, for_tests: forTests || isForTests(secret) },
      };
    }
  }
}

interface Publishing {
  readonly registry: string;
  readonly forTests: boolean;
  readonly secret: string;
  readonly span: Span;
  readonly confidence?: Confidence;
}

const TEST_INDEX = /test\.?pypi(?:\.org\/|\s|$)/i;

const CHOOSES_INDEX = /_(?:REPO|REPOSITORY(?:_URL)?|(?:INDEX|PUBLISH)_URL)$/i;

function namesTestIndex({ env }: Step): boolean {
  return env?.entries.some(({ name, value }) => CHOOSES_INDEX.test(name) && TEST_INDEX.test(value.value)) === true;
}

const PUBLISHES = /publish|upload|push|release/;

function* publishings(step: Step): Generator<Publishing> {
  const action = ACTIONS[actionOf(step)?.slug ?? ''];
  if (action !== undefined) {
    const url = inputOf(step, action.url)?.value ?? '';
    const [secret] = secretsOf(inputOf(step, action.token));
    if (secret === undefined || (url !== '' && !PUBLIC_URL.test(url)) || isTrue(inputOf(step, 'dry-run'))) return;
    yield { registry: action.registry, forTests: TEST_INDEX.test(url), secret, span: step.uses?.span ?? step.span };
    return;
  }
  const script = step.run ?? inputOf(step, 'publish');
  if (script === undefined || !PUBLISHES.test(script.value)) return;
  const variables = secretVariables(step);
  let known = false;
  for (const command of commandsOf(step)) {
    const line = `${command.program} ${command.args.map(({ value }) => value).join(' ')}`;
    if (!PUBLISHES.test(line)) continue;
    for (const registry of PACKAGE_REGISTRIES) {
      if (!registry.command.test(line)) continue;
      known = true;
      if (registry.elsewhere.test(line) || DRY_RUN.test(line)) continue;
      const secret = tokenOf(command, registry, variables);
      if (secret !== undefined && !leadsElsewhere(step, registry)) {
        const forTests = registry.name === 'PyPI' && (TEST_INDEX.test(line) || namesTestIndex(step));
        yield { registry: registry.name, forTests, secret, span: command.span };
      }
    }
  }
  if (!known && /publish|release/.test(script.value) && !DRY_RUN.test(script.value)) yield* givenTo(step);
}

function* givenTo(step: Step): Generator<Publishing> {
  for (const { name, value, span } of step.env?.entries ?? []) {
    const registry = PACKAGE_REGISTRIES.find(({ variables }) => variables.test(name));
    const [secret] = secretsOf(value);
    if (registry === undefined || secret === undefined || leadsElsewhere(step, registry)) continue;
    const forTests = registry.name === 'PyPI' && namesTestIndex(step);
    yield { registry: registry.name, forTests, secret, span, confidence: 'medium' };
    return;
  }
}

function secretsOf(text: Text | undefined): string[] {
  return text === undefined ? [] : secretsFlowingIn(text);
}

function tokenOf(
  { args }: ShellCommand,
  registry: PackageRegistry,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  for (const word of args) {
    const secret = secretInWord(word, variables);
    if (secret !== undefined) return secret;
  }
  for (const [name, secret] of variables) if (registry.variables.test(name)) return secret;
  return undefined;
}

function isExposed(step: Step, registry: string, repository: Repository): boolean {
  if (registry !== 'npm' && registry !== 'PyPI') return false;
  const job: Job | undefined = jobOf(step);
  if (job === undefined) return false;
  if (outsiderEvents(job, repository).some(({ reach }) => reach === 'outsider-privileged')) return true;
  return job.steps.some((other) => {
    const action = actionOf(other);
    return action !== undefined && !/^(?:actions|github|pypa)\//.test(action.slug) && !isFullSha(action.ref);
  });
}
