import { expect, test } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { mayUseIdentity } from './identity-use.ts';

function used(permissions: string, ...steps: string[]): boolean {
  return usedIn('a', permissions, ...steps);
}

function usedIn(id: string, permissions: string, ...steps: string[]): boolean {
  const text = `on: push
jobs:
  ${id}:
    permissions: ${permissions}
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return mayUseIdentity(repository.workflows[0]?.jobs[0] as Job, repository);
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

test('a job called after tests uses the identity only if a step asks for it', () => {
  const inTests = (...steps: string[]): boolean => usedIn('integration-tests', GRANTED, ...steps);
  expect(inTests('run: make check')).toBe(false);
  expect(inTests('{ uses: google-github-actions/auth@v3, with: { workload_identity_provider: a } }')).toBe(true);
  expect(used(GRANTED, 'run: make check')).toBe(true);
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
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  expect(mayUseIdentity(repository.workflows[0]?.jobs[0] as Job, repository)).toBe(true);
});
