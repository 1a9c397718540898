import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { personalTokensIn, tokensInReach } from './personal-tokens.ts';

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
  ['github_token', 'ACME_TOKEN'],
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

const MINT = '{ id: app, uses: actions/create-github-app-token@v2, with: { app-id: 1, private-key: x } }';
const KEEP = (token: string, more = ''): string =>
  `{ uses: actions/checkout@v7, with: { token: "\${{ ${token} }}"${more} } }`;
const KEY = (more = ''): string => `{ uses: actions/checkout@v7, with: { ssh-key: ${secret('DEPLOY_KEY')}${more} } }`;
const MOVED = '{ uses: acme/x@v1 }';

it.each([
  [
    'handed over',
    [MINT, '{ uses: acme/x@v1, with: { token: "${{ steps.app.outputs.token }}" } }'],
    { ofApps: ['steps.app.outputs.token'] },
  ],
  [
    'in a variable',
    [MINT.replace('app,', 'a-b,'), '{ uses: acme/x@v1, env: { GH_TOKEN: "${{ steps.A-B.outputs.token }}" } }'],
    { ofApps: ['steps.a-b.outputs.token'] },
  ],
  [
    'of another action',
    ['{ id: app, uses: tibdex/github-app-token@v2 }', KEEP('steps.app.outputs.token'), MOVED],
    { ofApps: ['steps.app.outputs.token'] },
  ],
  [
    'for contents',
    [MINT.replace('key: x', 'key: x, permission-contents: write'), KEEP('steps.app.outputs.token'), MOVED],
    { ofApps: ['steps.app.outputs.token'] },
  ],
  [
    'for issues',
    [MINT.replace('key: x', 'key: x, permission-issues: write'), KEEP('steps.app.outputs.token'), MOVED],
    undefined,
  ],
  [
    'for reading',
    [MINT.replace('key: x', 'key: x, permission-contents: read'), KEEP('steps.app.outputs.token'), MOVED],
    undefined,
  ],
  [
    'of an app, after a step at a tag',
    [MINT, KEEP('steps.app.outputs.token'), MOVED, '{ uses: acme/x@main }'],
    { ofApps: ['steps.app.outputs.token'] },
  ],
  [
    'of an app, read by another branch before',
    [MINT, KEEP('steps.app.outputs.token'), '{ uses: acme/x@dev }', MOVED],
    undefined,
  ],
  ['stored, read at a tag before', [KEEP('secrets.BOT_PAT'), MOVED, '{ uses: acme/x@main }'], undefined],
  ['not a token', [MINT, '{ uses: acme/x@v1, with: { token: "${{ steps.app.outputs.app-slug }}" } }'], undefined],
  [
    'of another step',
    ['{ id: app, uses: acme/login@v1 }', '{ uses: acme/x@v1, with: { token: "${{ steps.app.outputs.token }}" } }'],
    undefined,
  ],
  ['stored, left on disk', [KEEP('secrets.BOT_PAT'), MOVED], { stored: ['bot_pat'] }],
  ['stored, not left on disk', [KEEP('secrets.BOT_PAT', ', persist-credentials: false'), MOVED], undefined],
  ['of the job', [KEEP('secrets.GITHUB_TOKEN'), MOVED], undefined],
  ['stored, read by another action before', [KEEP('secrets.BOT_PAT'), MOVED, MOVED], undefined],
  ['in the key of a checkout', [KEY(), MOVED], { stored: ['deploy_key'] }],
  ['in the key of a checkout of another repository', [KEY(', repository: acme/private'), MOVED], undefined],
  ['in the key of a checkout, not left on disk', [KEY(', persist-credentials: false'), MOVED], undefined],
  ['stored, checked out later', [MOVED, KEEP('secrets.BOT_PAT'), '{ run: make }'], undefined],
])('the last step may take the token %s', (_, steps, expected) => {
  expect(reachOfLast(steps)).toEqual({ stored: [], ofApps: [], ...expected });
});

it.each([
  ['a remote', 'git remote set-url origin https://x:${{ secrets.BOT }}@github.com/${{ github.repository }}', ['bot']],
  ['a remote, from a variable', 'git remote add up "https://x:$BOT@github.com/$GITHUB_REPOSITORY.git"', ['bot']],
  ['a clone', 'git -C .. clone "https://x:${BOT}@github.com/${GITHUB_REPOSITORY}" app', ['bot']],
  ['the settings', 'git config --global url."https://x:$BOT@github.com/".insteadOf https://github.com/', ['bot']],
  ['the address of a push', 'git push "https://x:$BOT@github.com/$GITHUB_REPOSITORY.git" main', []],
  ['a remote, as the token of the job', 'git remote set-url origin https://x:$OWN@github.com/$GITHUB_REPOSITORY', []],
  ['the settings of another host', 'git config url."https://x:$BOT@git.acme.dev/".insteadOf https://git.acme.dev/', []],
  ['a clone from another host', 'git clone "https://x:$BOT@hub.acme.dev/$GITHUB_REPOSITORY"', []],
  ['a file', 'echo "https://x:$BOT@github.com/" > notes', []],
])('the last step may take what a script left in %s', (_, run, stored) => {
  const env = `{ BOT: ${secret('BOT')}, OWN: ${secret('GITHUB_TOKEN')} }`;
  expect(reachOfLast([`{ run: ${JSON.stringify(run)}, env: ${env} }`, MOVED])).toEqual({ stored, ofApps: [] });
});

function reachOfLast(steps: readonly string[]): ReturnType<typeof tokensInReach> {
  const text = `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${steps.map((step) => `      - ${step}\n`).join('')}`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const last = repository.workflows[0]?.jobs[0]?.steps.at(-1);
  if (last === undefined) throw new Error('no step');
  return tokensInReach(last, repository);
}
