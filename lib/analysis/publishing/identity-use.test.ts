import { expect, test } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type IdentityUse, identityAskers, identityUse } from './identity-use.ts';

function used(permissions: string, ...steps: string[]): boolean {
  return usedIn('a', permissions, ...steps);
}

function usedIn(id: string, permissions: string, ...steps: string[]): boolean {
  return useIn(id, permissions, ...steps) === 'opens';
}

function useIn(id: string, permissions: string, ...steps: string[]): IdentityUse {
  return useOfFirst(textOf(id, permissions, ...steps));
}

function textOf(id: string, permissions: string, ...steps: string[]): string {
  return `on: push
jobs:
  ${id}:
    permissions: ${permissions}
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;
}

function useOfFirst(text: string): IdentityUse {
  return identityUse(...firstOf(text));
}

function firstOf(text: string): [Job, Repository] {
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }], 'acme/app');
  return [repository.workflows[0]?.jobs[0] as Job, repository];
}

const KEY = '"${{ secrets.KEY }}"';
const GRANTED = '{ id-token: write }';
const APPLY = 'run: terraform apply -auto-approve';

test.each([
  [`{ uses: google-github-actions/auth@v3, with: { credentials_json: ${KEY} } }`],
  [`{ uses: azure/login@v2, with: { creds: ${KEY} } }`],
  [`{ uses: aws-actions/configure-aws-credentials@v5, with: { aws-access-key-id: a, aws-secret-access-key: ${KEY} } }`],
])('%s signs in with a key, so that nothing seems to trust the identity', (step) => {
  expect(used(GRANTED, step, APPLY)).toBe(false);
});

test.each([
  [`{ uses: google-github-actions/auth@v3, with: { workload_identity_provider: a, credentials_json: ${KEY} } }`],
  [`{ uses: azure/login@v2, with: { client-id: a, creds: ${KEY} } }`],
  ['{ uses: google-github-actions/auth@v3, with: { workload_identity_provider: a } }'],
])('%s may exchange the identity', (step) => {
  expect(used(GRANTED, step, APPLY)).toBe(true);
  expect(used('write-all', step, APPLY)).toBe(true);
});

test('a right among all others is no sign that something trusts the job', () => {
  expect(used('write-all', APPLY)).toBe(false);
  expect(used(GRANTED, APPLY)).toBe(true);
  expect(used('write-all', 'run: npm publish')).toBe(false);
  expect(used('write-all', 'run: npm publish --provenance')).toBe(true);
  expect(used(GRANTED, 'run: npm publish')).toBe(true);
});

const PAGES = '{ pages: write, id-token: write }';
const DEPLOY = '{ uses: actions/deploy-pages@v4 }';

test('a Pages site is all that an identity opens that only its deployment asks for', () => {
  expect(used(PAGES, 'run: make site', DEPLOY)).toBe(false);
  expect(usedIn('deploy', PAGES, 'run: make site')).toBe(false);
  expect(
    usedIn('deploy', PAGES, DEPLOY, '{ uses: aws-actions/configure-aws-credentials@v5, with: { role-to-assume: a } }'),
  ).toBe(true);
  expect(used(PAGES, DEPLOY, 'run: npm publish')).toBe(true);
  expect(used(PAGES, DEPLOY, APPLY)).toBe(true);
});

test.each([
  ['{ uses: peaceiris/actions-gh-pages@v4, with: { publish_dir: out } }'],
  ['{ uses: JamesIves/github-pages-deploy-action@v4, with: { folder: out } }'],
  ['run: mkdocs gh-deploy --force'],
  ['run: git -C site push --force origin HEAD:gh-pages'],
])('%s deploys a Pages site without an identity', (step) => {
  expect(usedIn('deploy', GRANTED, step)).toBe(false);
  expect(usedIn('deploy', GRANTED, step, 'run: npm publish')).toBe(true);
});

test('a push to another branch may deliver', () => {
  expect(usedIn('deploy', GRANTED, 'run: git push origin production')).toBe(true);
});

test('a job called after tests uses the identity only if a step asks for it', () => {
  const inTests = (...steps: string[]): boolean => usedIn('integration-tests', GRANTED, ...steps);
  expect(inTests('run: make check')).toBe(false);
  expect(inTests('{ uses: google-github-actions/auth@v3, with: { workload_identity_provider: a } }')).toBe(true);
  // A grant alone says nothing of what would trust it; a job that delivers, and has no other key, needs it.
  expect(used(GRANTED, 'run: make check')).toBe(false);
  expect(usedIn('deploy', GRANTED, 'run: make all')).toBe(true);
});

test('a comment asks for nothing', () => {
  expect(used(GRANTED, `run: |\n          # keeps attestations\n          make check`)).toBe(false);
});

test.each([
  [`{ run: make all, env: { HOST_KEY: ${KEY} } }`, false],
  ['{ run: make all, env: { HOOK: "${{ secrets.SLACK_WEBHOOK }}" } }', true],
  ['{ run: make all, env: { ROLE: "${{ secrets.DEPLOY_ROLE_ARN }}" } }', true],
])('a job that delivers with another key has no use for the identity: %s', (step, expected) => {
  expect(usedIn('deploy', GRANTED, step)).toBe(expected);
});

test.each([
  ['{ run: ./sign-in --jwt }', true],
  [`{ id: jwt, uses: "docker://acme/jwt:1", env: { PRIVATE_KEY: ${KEY} } }`, false],
  ['{ run: "curl -H \\"Authorization: ${{ steps.jwt.outputs.jwt }}\\" https://api.acme.example" }', false],
  [`{ run: ./sign-in --jwt --audience a, env: { PRIVATE_KEY: ${KEY} } }`, true],
])('%s asks for an identity: %s', (step, expected) => {
  expect(used(GRANTED, step)).toBe(expected);
});

function jobWithCallee(callee: string): IdentityUse {
  const text = `on: push
jobs:
  call:
    permissions: { id-token: write }
    uses: ${callee}
`;
  const inner = (step: string): string =>
    `on: workflow_call\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: ${step} }] } }\n`;
  const repository = createRepository([
    { path: '.github/workflows/a.yml', text },
    { path: '.github/workflows/asks.yml', text: inner('npm publish') },
    { path: '.github/workflows/signs.yml', text: inner('cosign sign image') },
    { path: '.github/workflows/checks.yml', text: inner('make check') },
  ]);
  return identityUse(repository.workflows[0]?.jobs[0] as Job, repository);
}

test.each([
  ['./.github/workflows/asks.yml', 'opens'],
  ['./.github/workflows/signs.yml', 'signs'],
  ['./.github/workflows/checks.yml', 'none'],
  ['acme/shared/.github/workflows/release.yml@v1', 'opens'],
  ['acme/shared/.github/workflows/provenance.yml@v1', 'signs'],
  ['acme/shared/.github/workflows/lint.yml@v1', 'none'],
] as const)('a called workflow uses the identity if its steps or its name say so: %s', (callee, expected) => {
  expect(jobWithCallee(callee)).toBe(expected);
});

test.each([
  ['', true],
  ['environment: pypi, ', false],
])('another job asks for all of its workflow, unless its environment (%s) sets it apart', (environment, expected) => {
  const text = `on: push
jobs:
  build: { permissions: { id-token: write }, runs-on: ubuntu-latest, steps: [{ run: make all }] }
  publish:
    { ${environment}permissions: { id-token: write }, runs-on: ubuntu-latest, steps: [{ uses: pypa/gh-action-pypi-publish@v1 }] }
`;
  expect(useOfFirst(text) === 'opens').toBe(expected);
});

test('a job called after tests shares the identity of the job that publishes in its workflow', () => {
  const text = `on: push
permissions: { id-token: write }
jobs:
  test:
    runs-on: ubuntu-latest
    steps: [{ run: make check }]
  publish:
    runs-on: ubuntu-latest
    steps: [{ uses: pypa/gh-action-pypi-publish@release/v1 }]
`;
  expect(useOfFirst(text) === 'opens').toBe(true);
});

function grantedToWorkflow(name: string, ...steps: string[]): boolean {
  const text = `on: push
permissions: { id-token: write, contents: read }
jobs:
  ${name}:
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;
  return useOfFirst(text) === 'opens';
}

test.each([
  ['build', 'run: python tools/ci.py build', false],
  ['build', 'run: ./ci.sh --oidc', true],
  ['build', 'run: npm publish', true],
  ['deploy', 'run: make all', true],
  ['nightly', 'run: ./ci.sh', true],
  ['production', 'run: ./ci.sh', true],
  ['benchmark', 'run: make bench', false],
  ['redeployable', 'run: make all', false],
])('a workflow’s grant to its only job %s with %s counts: %s', (name, step, expected) => {
  expect(grantedToWorkflow(name, step)).toBe(expected);
});

const PUSH = 'uses: docker/build-push-action@v6, with: { push: true';

test.each([
  [`{ ${PUSH} } }`, true],
  [`{ ${PUSH}, provenance: true } }`, true],
])('without another key, an image may be pushed with the identity: %s', (push, expected) => {
  expect(used(GRANTED, push)).toBe(expected);
});

test.each([
  [`{ ${PUSH} } }`, 'run: make', false],
  [`{ ${PUSH}, provenance: false } }`, 'run: make', false],
  [`{ ${PUSH}, provenance: true } }`, 'run: make', false],
  [`{ ${PUSH}, attests: "type=provenance" } }`, 'run: make', false],
  [`{ ${PUSH} } }`, '{ uses: acme/image@v1, with: { provenance: false } }', false],
  [`{ ${PUSH} } }`, '{ uses: acme/image@v1, with: { provenance: true } }', false],
  [`{ ${PUSH} } }`, 'run: cosign sign image', false],
  [`{ ${PUSH} } }`, '{ uses: acme/sync@v1, with: { aws-role: docs } }', true],
])('a registry that takes a stored password asks for no identity: %s, %s', (push, step, expected) => {
  const login = `{ uses: docker/login-action@v3, with: { username: a, password: ${KEY} } }`;
  expect(used(GRANTED, login, push, step)).toBe(expected);
});

test.each([
  ['{ run: twine upload dist/*, env: { TWINE_PASSWORD: "${{ secrets.PYPI }}" } }', false],
  ['run: twine upload dist/*', true],
  ['{ run: npm publish, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}" } }', false],
  ['{ run: pnpm -r publish --provenance=false, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}" } }', false],
  ['{ run: npx semantic-release, env: { NPM_TOKEN: "${{ secrets.NPM }}" } }', false],
  ['{ run: npm publish --provenance, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}" } }', false],
  ['{ run: npm publish, env: { NODE_AUTH_TOKEN: "${{ secrets.NPM }}", NPM_CONFIG_PROVENANCE: true } }', false],
  ['{ run: npx semantic-release, env: { GH_TOKEN: "${{ secrets.BOT }}", NPM_CONFIG_PROVENANCE: true } }', true],
  ['{ run: npm publish --provenance, env: { NODE_AUTH_TOKEN: "${{ secrets.PUBLISH }}" } }', false],
  ['{ run: yarn npm publish --provenance, env: { YARN_NPM_AUTH_TOKEN: "${{ secrets.PUBLISH }}" } }', false],
  [
    '{ run: npm publish --provenance, env: { "npm_config_//registry.npmjs.org/:_authToken": "${{ secrets.A }}" } }',
    false,
  ],
  ['{ uses: js-devtools/npm-publish@v3, with: { token: "${{ secrets.PUBLISH }}", provenance: true } }', false],
  ['{ uses: js-devtools/npm-publish@v4, with: { provenance: true } }', true],
  ['{ run: npm publish --provenance, env: { TOKEN: "${{ secrets.BOT }}" } }', true],
  [
    '{ uses: changesets/action@v1, with: { publish: pnpm release }, env: { GITHUB_TOKEN: "${{ secrets.BOT }}", NPM_CONFIG_PROVENANCE: true } }',
    true,
  ],
  [
    '{ uses: changesets/action@v1, with: { publish: pnpm release }, env: { NPM_TOKEN: "${{ secrets.A }}", NPM_CONFIG_PROVENANCE: true } }',
    false,
  ],
  ['{ run: npm publish, env: { NODE_AUTH_TOKEN: "${{ github.token }}" } }', true],
  ['{ run: npx semantic-release, env: { GH_TOKEN: "${{ secrets.BOT }}" } }', true],
  ['{ uses: cycjimmy/semantic-release-action@v6, env: { GITHUB_TOKEN: "${{ secrets.BOT }}" } }', true],
  ['{ run: npm publish && ./announce, env: { HOOK: "${{ secrets.SLACK_WEBHOOK }}" } }', true],
  ['{ run: npm publish, env: { TOKEN: "${{ secrets.PUBLISH }}" } }', false],
  ['{ run: npx semantic-release, env: { GH_TOKEN: "${{ secrets.BOT }}", TOKEN: "${{ secrets.PUBLISH }}" } }', false],
  ['{ run: npx semantic-release, env: { GH_TOKEN: "${{ secrets.BOT }}", NPM_TOKEN: "${{ secrets.BOT }}" } }', false],
  ['{ run: npm ci && npm publish, env: { HOOK: a } }', true],
  ['{ uses: pypa/gh-action-pypi-publish@release/v1, with: { password: "${{ secrets.PYPI }}" } }', true],
])('a password that a registry’s program is given leaves no use for the identity: %s', (step, expected) => {
  expect(used(GRANTED, step)).toBe(expected);
});

test.each([
  ['NODE_AUTH_TOKEN: "${{ secrets.PUBLISH }}"', '--provenance', false],
  ['NODE_AUTH_TOKEN: "${{ secrets.PUBLISH }}"', '', false],
  ['NODE_AUTH_TOKEN: "${{ secrets.GITHUB_TOKEN }}"', '--provenance', true],
  ['BOT: "${{ secrets.BOT }}"', '--provenance', true],
])('so does one that the whole job is given: %s, npm publish %s', (variable, options, expected) => {
  expect(used(`${GRANTED}\n    env: { ${variable} }`, `run: npm publish ${options}`)).toBe(expected);
});

test.each([
  ['run: twine upload -u robot -p "$TOKEN" dist/*', ['azure']],
  ['run: twine upload --password="$TOKEN" dist/*', ['azure']],
  ['{ run: twine upload dist/*, env: { TWINE_PASSWORD: "${{ steps.login.outputs.token }}" } }', ['azure']],
  ['run: twine upload dist/*', ['', 'azure']],
  ['run: mkdir -p dist && twine upload dist/*', ['', 'azure']],
])('twine asks for no identity beside a password: %s', (step, expected) => {
  const [job, repository] = firstOf(textOf('a', GRANTED, '{ uses: azure/login@v2, with: { client-id: a } }', step));
  expect([...identityAskers(job, repository)].sort()).toEqual(expected);
});

const ROLE = 'aws-actions/configure-aws-credentials@v5, with: { role-to-assume: ';
const CACHED = 'uses: docker/build-push-action@v6, with: { push: true, tags: acme/app, cache-to: "type=s3,bucket=a" }';

test.each([
  ['build', [`{ name: Credentials for sccache, uses: ${ROLE}"arn:aws:iam::402918374650:role/ci" } }`]],
  ['build', [`{ uses: ${ROLE}"\${{ secrets.ROLE_OF_BUILDX_CACHE }}" } }`, `{ ${CACHED} }`]],
  ['release', [`{ uses: ${ROLE}"arn:aws:iam::402918374650:role/docker-cache" } }`, `{ ${CACHED} }`]],
  ['build', [`{ uses: ${ROLE}a } }`, 'run: echo "SCCACHE_BUCKET=a" >> "$GITHUB_ENV"', 'run: cargo build']],
  ['build', [`{ uses: ${ROLE}a } }`, 'run: bazel build --remote_cache=https://a.s3.amazonaws.com //...']],
  ['build', ['{ uses: google-github-actions/auth@v3, with: { service_account: bazel-cache@a.iam } }', 'run: make']],
  ['build', [`{ uses: ${ROLE}ci-logs-upload } }`, 'run: aws s3 cp out "s3://acme-test-logs-bucket"']],
  ['build', [`{ uses: ${ROLE}a } }`, `{ ${CACHED} }`, 'run: aws sts get-caller-identity']],
] as const)('a job called %s that signs in for a build cache loses no more than that: %s', (id, steps) => {
  expect(usedIn(id, GRANTED, ...steps)).toBe(false);
});

test.each([
  ['build', [`{ name: Credentials for sccache, uses: ${ROLE}a } }`, 'run: aws s3 cp app s3://acme-downloads']],
  ['build', [`{ name: Credentials for sccache, uses: ${ROLE}a } }`, APPLY]],
  ['build', [`{ name: Credentials for sccache, uses: ${ROLE}a } }`, '{ uses: aws-actions/amazon-ecr-login@v2 }']],
  ['build', [`{ uses: ${ROLE}a } }`, 'run: docker push 1.dkr.ecr.eu-west-1.amazonaws.com/a', `{ ${CACHED} }`]],
  ['build', [`{ name: Clear the cache of the site, uses: ${ROLE}a } }`]],
  ['release', [`{ uses: ${ROLE}a } }`, `{ ${CACHED} }`]],
  ['build', [`{ uses: ${ROLE}sccache } }`, 'run: npm publish --provenance']],
] as const)('a job called %s that also delivers loses more than a build cache: %s', (id, steps) => {
  expect(usedIn(id, GRANTED, ...steps)).toBe(true);
});

test('a build cache trusts the workflow of a job that delivers', () => {
  const text = `on: push
permissions: { id-token: write }
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { uses: ${ROLE}sccache } }
  other:
    runs-on: ubuntu-latest
    steps:
      - { uses: ${ROLE}deploy } }
      - run: aws s3 sync dist s3://site
`;
  const among = (path: string): boolean | undefined => {
    const repository = createRepository([{ path: '.github/workflows/a.yml', text: path }]);
    const [job] = repository.workflows[0]?.jobs ?? [];
    return job && identityUse(job, repository) === 'opens';
  };
  expect(among(text)).toBe(true);
  expect(
    among(
      text.replace(
        '    runs-on: ubuntu-latest\n    steps:\n      - { uses: aws-actions/configure-aws-credentials@v5, with: { role-to-assume: deploy',
        '    environment: site\n$&',
      ),
    ),
  ).toBe(false);
});

test.each([
  ['run: vsce publish -p "${{ secrets.VSCE_PAT }}"', 'none'],
  ['run: npx ovsx publish -p "${{ secrets.OVSX_PAT }}"', 'none'],
  ['{ run: cargo publish, env: { CARGO_REGISTRY_TOKEN: "${{ secrets.CRATES }}" } }', 'none'],
  ['{ run: helm push app.tgz oci://example.com/charts, env: { HELM_KEY: "${{ secrets.HELM_KEY }}" } }', 'none'],
  ['{ run: ./gradlew publish, env: { SONATYPE_PASSWORD: "${{ secrets.SONATYPE }}" } }', 'none'],
  ['run: cargo publish', 'opens'],
  ['{ uses: rust-lang/crates-io-auth-action@v1 }', 'opens'],
  ['{ uses: NuGet/login@v1, with: { user: acme } }', 'opens'],
  ['{ uses: rubygems/configure-rubygems-credentials@v1 }', 'opens'],
  ['{ uses: rubygems/release-gem@v1 }', 'opens'],
  ['run: dart pub publish --force', 'opens'],
  ['run: npx jsr publish', 'opens'],
] as const)('%s: a registry that accepts no identity is no use of one: %s', (step, expected) => {
  expect(useIn('a', GRANTED, step)).toBe(expected);
});

const RELEASES = '{ uses: softprops/action-gh-release@v2, with: { files: dist/app.zip } }';

test.each([
  [['{ uses: actions/attest@v4, with: { subject-path: dist/* } }'], 'signs'],
  [['{ uses: actions/attest-build-provenance@v3 }', RELEASES], 'signs'],
  [['{ uses: sigstore/cosign-installer@v4 }', RELEASES], 'signs'],
  [['run: cosign sign-blob --yes --bundle app.sigstore app'], 'signs'],
  [['run: gh attestation verify app'], 'signs'],
  [['{ uses: goreleaser/goreleaser-action@v6, with: { args: release } }'], 'none'],
  [['{ uses: sigstore/cosign-installer@v4 }', '{ uses: goreleaser/goreleaser-action@v6 }'], 'signs'],
  [['{ uses: actions/attest@v4 }', 'run: npm publish'], 'opens'],
  [['{ uses: actions/attest@v4 }', '{ uses: aws-actions/configure-aws-credentials@v5 }'], 'opens'],
  [['run: cosign sign --key hashivault://a image'], 'opens'],
  [['{ uses: python-semantic-release/python-semantic-release@v9 }'], 'none'],
] as const)('what only signs opens nothing: %s', (steps, expected) => {
  expect(useIn('release', GRANTED, ...steps)).toBe(expected);
  expect(useIn('release', '{ id-token: write, contents: write, attestations: write }', ...steps)).toBe(expected);
});

test.each([
  ['{ packages: write, id-token: write }', 'oci://ghcr.io/acme/charts', 'none'],
  ['{ packages: read, id-token: write }', 'oci://ghcr.io/acme/charts', 'opens'],
  ['{ packages: write, id-token: write }', 'oci://example.com/charts', 'opens'],
] as const)('with %s, pushing to %s needs the identity: %s', (permissions, registry, expected) => {
  expect(useIn('a', permissions, `run: helm push app.tgz ${registry}`)).toBe(expected);
});

test.each([
  ['build', ['run: make', '{ uses: actions/upload-artifact@v7 }'], 'none'],
  ['deploy', ['run: make', '{ uses: actions/upload-artifact@v7 }'], 'opens'],
  ['build', ['run: make'], 'opens'],
] as const)(
  'a job %s of a file named after a release may deliver, unless it passes on its result: %s',
  (id, steps, use) => {
    const text = `on: workflow_call
permissions: { id-token: write }
jobs:
  ${id}:
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;
    const repository = createRepository([{ path: '.github/workflows/release-app.yml', text }]);
    expect(identityUse(repository.workflows[0]?.jobs[0] as Job, repository)).toBe(use);
  },
);

test.each([
  ['environment: release, ', true],
  ['environment: other, ', false],
  ['environment: "${{ inputs.target }}", ', false],
  ['', false],
])('a job (%s) shares what an environment sets apart if it runs in the same one', (environment, expected) => {
  const text = `on: push
permissions: { id-token: write }
jobs:
  notes: { ${environment}runs-on: ubuntu-latest, steps: [{ run: make notes }] }
  pypi: { environment: release, runs-on: ubuntu-latest, steps: [{ uses: pypa/gh-action-pypi-publish@v1 }] }
`;
  expect(useOfFirst(text) === 'opens').toBe(expected);
});

test.each([
  ['', true],
  ['environment: npm, ', false],
])('a called workflow (%s) asks in the name of the one that calls it', (environment, expected) => {
  const files = [
    `on: push
permissions: { id-token: write }
jobs:
  version: { runs-on: ubuntu-latest, steps: [{ run: make version }] }
  publish: { uses: ./.github/workflows/b.yml }
`,
    `on: workflow_call
jobs:
  npm: { ${environment}runs-on: ubuntu-latest, steps: [{ run: npm publish }] }
`,
  ];
  const repository = createRepository(
    files.map((text, index) => ({ path: `.github/workflows/${'ab'[index]}.yml`, text })),
  );
  const [first] = repository.workflowAt('.github/workflows/a.yml')?.jobs ?? [];
  expect(first && identityUse(first, repository) === 'opens').toBe(expected);
});

test.each([
  ["github.repository == 'acme/app'", 'opens'],
  ["github.repository == 'acme/parent' && github.ref_name == 'main'", 'none'],
])('a step that signs in if %s: %s', (condition, expected) => {
  const step = `{ if: "${condition}", uses: azure/login@v2, with: { client-id: a, tenant-id: b, subscription-id: c } }`;
  expect(useIn('build', GRANTED, step, 'run: make')).toBe(expected);
});

const SIGN_IN = 'uses: aws-actions/configure-aws-credentials@v5, with: { aws-region: eu-west-1, role-to-assume: ';

test.each([
  ['arn:aws:iam::123456789012:role/deploy'],
  ['"arn:aws:iam::111122223333:role/deploy-${{ matrix.stage }}"'],
  ['arn:aws-us-gov:iam::000000000000:role/deploy'],
  ['arn:aws:iam::YOUR_ACCOUNT_ID:role/deploy'],
  ['"arn:aws:iam::<account-id>:role/deploy"'],
  ['"${{ env.EXAMPLE }}"'],
])('an account of documentation trusts no one: %s', (role) => {
  const env = '{ run: ./plan, env: { A: b } }';
  const text = textOf('deploy', GRANTED, `{ ${SIGN_IN}${role} } }`, env, APPLY);
  expect(useOfFirst(`env: { EXAMPLE: "arn:aws:iam::123456789012:role/env" }\n${text}`)).toBe('none');
});

test.each([
  ['arn:aws:iam::402918374650:role/deploy'],
  ['arn:aws:iam::123456789013:role/deploy'],
  ['"arn:aws:iam::${{ vars.ACCOUNT_ID }}:role/deploy"'],
  ['"${{ vars.ROLE }}"'],
  ['"${{ env.ROLE }}"'],
  ['"${{ env.MISSING }}"'],
  ['"${{ vars.ROLE || \'arn:aws:iam::123456789012:role/deploy\' }}"'],
])('an account that may exist trusts the job: %s', (role) => {
  const text = textOf('deploy', GRANTED, `{ ${SIGN_IN}${role} } }`, APPLY);
  expect(useOfFirst(`env: { ROLE: "\${{ vars.ROLE }}" }\n${text}`)).toBe('opens');
});

test.each([
  ['google-github-actions/auth@v3', 'workload_identity_provider', 'projects/123456789/locations/global/a', 'none'],
  ['google-github-actions/auth@v3', 'workload_identity_provider', 'projects/498107263551/locations/global/a', 'opens'],
  ['azure/login@v2', 'client-id', '00000000-0000-0000-0000-000000000000', 'none'],
  ['azure/login@v2', 'client-id', '7d0d9ffe-53c1-4a44-bb3d-0a6d1a2e5c11', 'opens'],
])('so do those of other clouds: %s with %s %s', (action, input, value, expected) => {
  expect(useIn('deploy', GRANTED, `{ uses: ${action}, with: { ${input}: "${value}" } }`, APPLY)).toBe(expected);
});

function withRolesOfScript(...accounts: string[]): string {
  const writes = accounts.map(
    (account) => `          echo "role=arn:aws:iam::${account}:role/a" >> "$GITHUB_OUTPUT"\n`,
  );
  return `on: push
jobs:
  deploy:
    needs: setup
    permissions: ${GRANTED}
    runs-on: ubuntu-latest
    steps:
      - { ${SIGN_IN}"\${{ needs.setup.outputs.role }}" } }
      - ${APPLY}
  setup:
    runs-on: ubuntu-latest
    outputs: { role: "\${{ steps.choose.outputs.role }}" }
    steps:
      - id: choose
        run: |
${writes.join('')}`;
}

test('all roles that a script chooses from have to be examples', () => {
  expect(useOfFirst(withRolesOfScript('123456789012', '111122223333'))).toBe('none');
  expect(useOfFirst(withRolesOfScript('123456789012', '402918374650'))).toBe('opens');
  expect(useOfFirst(`${withRolesOfScript('123456789012')}          ./choose >> "$GITHUB_OUTPUT"\n`)).toBe('opens');
  expect(useOfFirst(withRolesOfScript())).toBe('opens');
});
