import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { personalTokensIn } from './personal-tokens.ts';

function handed(step: string, above = ''): string[] {
  const text = `on: push\n${above}jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;
  const [found] = createRepository([{ path: '.github/workflows/a.yml', text }]).workflows[0]?.jobs[0]?.steps ?? [];
  if (found === undefined) throw new Error('no step');
  return personalTokensIn(found);
}

const secret = (name: string): string => `"\${{ secrets.${name} }}"`;

it.each([
  ['github_token', 'DEPLOY'],
  ['github-token', 'CI'],
  ['gh_token', 'X'],
  ['repo-token', 'LABELER'],
  ['token', 'RELEASE_TOKEN'],
  ['token', 'MY_TOKEN'],
  ['personal_access_token', 'X_PAT'],
  ['anything', 'BOT_PAT'],
  ['password', 'RELEASE_BOT_TOKEN'],
  ['key', 'ORG_ACCESS_TOKEN'],
  ['private-key', 'CI_APP_KEY'],
  ['private_key', 'RELEASER_APP_PRIVATE_KEY'],
])('the input %s with the secret %s holds a token of the code host', (input, name) => {
  expect(handed(`{ uses: acme/x@v1, with: { ${input}: ${secret(name)} } }`)).toEqual([name.toLowerCase()]);
});

it.each([
  ['token', 'GITHUB_TOKEN'],
  ['token', 'CODECOV_TOKEN'],
  ['token', 'NPM_TOKEN'],
  ['token', 'ACME_TOKEN'],
  ['token', 'SONAR_TOKEN'],
  ['token', 'GH_TOKEN_READONLY'],
  ['token', 'DOCKERHUB_ACCESS_TOKEN'],
  ['webhook', 'SLACK_WEBHOOK'],
  ['password', 'REGISTRY_PASSWORD'],
  ['api-key', 'VENDOR_KEY'],
  ['private-key', 'SSH_PRIVATE_KEY'],
])('the input %s with the secret %s holds none', (input, name) => {
  expect(handed(`{ uses: acme/x@v1, with: { ${input}: ${secret(name)} } }`)).toEqual([]);
});

it('an alternative to the job’s own token counts, and so does a variable of the job or workflow', () => {
  expect(handed('{ uses: acme/x@v1, with: { token: "${{ secrets.BOT || secrets.GITHUB_TOKEN }}" } }')).toEqual(['bot']);
  expect(handed(`{ uses: acme/x@v1, env: { GITHUB_TOKEN: ${secret('BOT')} } }`)).toEqual(['bot']);
  expect(handed('uses: acme/x@v1', `env: { GH_TOKEN: ${secret('BOT')} }\n`)).toEqual(['bot']);
  expect(handed(`{ run: make, env: { GITHUB_TOKEN: ${secret('BOT')} } }`)).toEqual([]);
});
