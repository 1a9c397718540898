import { expect, test } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { registryPasswords } from './registry-logins.ts';

const ACTION = `inputs: { key: {}, user: {} }
runs:
  using: composite
  steps:
    - uses: docker/login-action@v3
      with: { registry: example.com, username: "\${{ inputs.user }}", password: "\${{ inputs.key }}" }
`;

function passwords(step: string): string[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;
  const repository = createRepository([
    { path: '.github/workflows/a.yml', text },
    { path: '.github/actions/login/action.yml', text: ACTION },
  ]);
  return [...registryPasswords(repository.workflows[0]?.jobs[0] as Job, repository)];
}

const KEY = '"${{ secrets.QUAY_BOT }}"';

test.each([
  [`{ uses: docker/login-action@v3, with: { username: "\${{ secrets.NAME }}", password: ${KEY} } }`],
  [`{ uses: azure/docker-login@v2, with: { password: ${KEY} } }`],
  [`{ uses: redhat-actions/podman-login@v1, with: { password: ${KEY} } }`],
  [`{ uses: ./.github/actions/login, with: { user: "\${{ secrets.NAME }}", key: ${KEY} } }`],
  ['run: echo "${{ secrets.QUAY_BOT }}" | docker login -u "${{ secrets.QUAY_USER }}" --password-stdin'],
  [`{ run: 'echo "$P" | podman login --password-stdin quay.io', env: { P: ${KEY} } }`],
  ['run: helm registry login example.com -p "${{ secrets.QUAY_BOT }}"'],
])('%s logs in to a registry', (step) => {
  expect(passwords(step)).toEqual(['quay_bot']);
});

test.each([
  ['{ uses: docker/login-action@v3, with: { password: "${{ secrets.GITHUB_TOKEN }}" } }'],
  ['{ uses: docker/login-action@v3, with: { password: "${{ steps.a.outputs.token }}" } }'],
  [`{ uses: acme/login@v1, with: { password: ${KEY} } }`],
  [`{ run: 'az login -p "$P"', env: { P: ${KEY} } }`],
  [`{ run: 'echo docker login', env: { P: ${KEY} } }`],
])('%s does not log in to a registry with a stored password', (step) => {
  expect(passwords(step)).toEqual([]);
});
