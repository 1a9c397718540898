import { expect, test } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { usesGitHubPackages } from './github-packages.ts';

const TOKEN = '"${{ secrets.GITHUB_TOKEN }}"';

function uses(workflow: string, action?: string, partial = false): boolean {
  const files = [
    { path: '.github/workflows/a.yml', text: `on: push\npermissions: { packages: write }\njobs:\n  a: ${workflow}\n` },
    {
      path: '.github/actions/own/action.yml',
      text: `name: a\ndescription: b\nruns: { using: composite, steps: [${action ?? ''}] }\n`,
    },
  ];
  return usesGitHubPackages(createRepository(files, 'acme/app', { partial }));
}

const job = (step: string): string => `{ runs-on: ubuntu-latest, steps: [${step}] }`;

test.each([
  ['{ run: docker push ghcr.io/acme/app }'],
  ['{ run: npm publish --registry=https://npm.pkg.github.com }'],
  [`{ run: mvn deploy, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ run: ./gradlew publish, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ run: make image, env: { TOKEN: "\${{ github.token }}" } }`],
  [`{ run: make release, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ uses: docker/login-action@v4, with: { registry: "\${{ vars.HOST }}", password: ${TOKEN} } }`],
  [`{ uses: ./.github/actions/own, with: { token: ${TOKEN} } }`],
])('a repository with %s may publish to GitHub Packages', (step) => {
  expect(uses(job(step))).toBe(true);
  expect(uses(job('{ run: make }'), step.replace(/^\{/, '{ shell: bash,'))).toBe(true);
});

test.each([
  ['{ run: make test }'],
  ['{ run: docker push registry.example.com/app }'],
  ['{ uses: docker/login-action@v4, with: { username: a, password: "${{ secrets.DOCKER_PASSWORD }}" } }'],
  [`{ run: git push origin main, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ run: ./release-notes.sh, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ uses: goreleaser/goreleaser-action@v6, with: { args: release }, env: { GITHUB_TOKEN: ${TOKEN} } }`],
  [`{ uses: acme/comment@v1, with: { token: ${TOKEN} } }`],
])('nothing in a repository with %s alone publishes there', (step) => {
  expect(uses(job(step))).toBe(false);
  expect(uses(job(step), undefined, true)).toBe(true);
});

test.each([
  ['acme/shared/.github/workflows/image.yml@v1', '', true],
  ['./.github/workflows/b.yml', '', false],
  ['./.github/workflows/b.yml', `, secrets: { token: ${TOKEN} }`, true],
  ['./.github/workflows/b.yml', `, with: { token: "\${{ github.token }}" }`, true],
])('a called workflow %s (%s) may publish with the token: %s', (callee, given, expected) => {
  expect(uses(`{ uses: ${callee}${given} }`)).toBe(expected);
});

test('a comment names no registry', () => {
  expect(uses(`${job('{ run: make }')}\n  # pushes to ghcr.io`)).toBe(false);
});
