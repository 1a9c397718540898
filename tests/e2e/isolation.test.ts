import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, sharedStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await sharedStack();
  await stack.forgetVisitors();
}, 180_000);
afterAll(() => stack?.stop());

it('answers other requests while a large workflow is hardened', async () => {
  const steps = Array.from({ length: 2_000 }, () => '      - run: echo "${{ github.event.pull_request.title }}"\n');
  const text = `on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join('')}`;
  let ended = false;
  const hardened = fetch(`${stack.web.url}/api/public/harden`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: text, categories: ['CICD-SEC-4'] }),
  }).finally(() => (ended = true));
  for (let answered = 0; answered < 10; answered += 1) {
    expect((await fetch(`${stack.web.url}/api/health`)).status).toBe(200);
  }
  expect(ended).toBe(false);
  expect([200, 504]).toContain((await hardened).status);
  expect(stack.web.output()).not.toContain('without threads');
});
