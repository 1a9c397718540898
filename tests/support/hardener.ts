import type { Page } from 'playwright-core';
import type { Stack } from './stack.ts';

export const WORKFLOW = `on: pull_request_target
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: octo/greet@v1
      - uses: octo/nowhere@v1
      - run: make one
      - run: make two
      - run: make three
      - run: make four
      - run: make five
      - run: make six
      - run: make seven
      - run: make eight
      - run: make nine
      - run: echo "\${{ github.event.pull_request.title }}"
`;

const commits = new WeakMap<object, Promise<string>>();

export function addGreeter({ host }: Stack): Promise<string> {
  const commit = commits.get(host) ?? addAction(host);
  commits.set(host, commit);
  return commit;
}

async function addAction(host: Stack['host']): Promise<string> {
  const repository = await host.addRepository({ fullName: 'octo/greet', files: { 'action.yml': 'name: Greet\n' } });
  const { after } = await host.push('octo/greet', { files: { 'action.yml': 'name: Greet\n# 1\n' } });
  for (const name of ['v1', 'v1.2.3']) await host.world.tag(repository, name, after);
  return after;
}

export const field = (page: Page) => page.getByLabel('Workflow file');
export const press = (page: Page) => page.getByRole('button', { name: 'Harden', exact: true }).click();
export const result = (page: Page) => page.getByRole('heading', { name: 'Result' });

export async function openOptions(page: Page): Promise<void> {
  await page.getByText('Options: file name, and which fixes').click();
}

export async function harden(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await press(page);
}
