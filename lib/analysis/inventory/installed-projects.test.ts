import { expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { isInstalledElsewhere } from './installed-projects.ts';

const LOCK = 'editor/package-lock.json';

function elsewhere(before: string, run: string, lockfiles = LOCK, rest = ''): boolean {
  const steps = [
    { uses: 'actions/setup-node@v6', with: { 'cache-dependency-path': lockfiles } },
    ...before.split(' ;; ').map((each) => {
      const [folder, script] = each.includes(': ') ? each.split(': ') : [undefined, each];
      return { ...(folder === undefined ? {} : { 'working-directory': folder }), run: script };
    }),
    { run },
  ];
  const text = `on: push\njobs:\n  a:\n    runs-on: x${rest}\n    steps: ${JSON.stringify(steps)}\n`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const last = repository.workflows[0]?.jobs[0]?.steps.at(-1) as Step;
  const command = commandsOf(last).findLast(({ program }) => program === 'npx');
  return command !== undefined && isInstalledElsewhere(command, last);
}

it.each([
  ['editor: npm ci', 'npx vsce publish'],
  ['./editor/: npm install', 'npx vsce publish'],
  ['cd editor && npm ci', 'npx vsce publish'],
  ['npm --prefix editor ci', 'npx vsce publish'],
  ['npm ci --prefix=editor', 'npx vsce publish'],
  ['yarn --cwd editor install', 'npx vsce publish'],
  ['pnpm -C editor i', 'npx vsce publish'],
  ['editor: yarn', 'npx vsce publish'],
  ['editor: npm ci', 'cd docs && npx vsce publish'],
  ['editor: npm ci', 'npx --prefix docs vsce publish'],
  ['editor: npm ci ;; python3 -c "print(1)" ;; editor: npm run build', 'npx vsce publish'],
  ['editor: npm ci', 'npx vsce publish && npm ci'],
])('%s, then %s', (before, run) => {
  expect(elsewhere(before, run)).toBe(true);
});

it('reads each lockfile that a setup step names', () => {
  const both = 'editor/yarn.lock\nweb/pnpm-lock.yaml';
  expect(elsewhere('editor: yarn ;; web: pnpm install', 'npx vsce', both)).toBe(true);
  expect(elsewhere('editor: yarn ;; web: pnpm install', 'cd web && npx vsce', both)).toBe(false);
});

it.each([
  ['npm ci', 'npx vsce publish'],
  ['editor: npm ci', 'cd editor && npx vsce publish'],
  ['editor: npm ci', 'cd editor/src && npx vsce publish'],
  ['editor: npm ci', 'npx --prefix editor vsce publish'],
  ['editor: npm ci', 'cd "$HERE" && npx vsce publish'],
  ['editor: npm ci ;; npm ci', 'npx vsce publish'],
  ['editor: npm ci', 'npm ci && npx vsce publish'],
  ['editor: npm ci ;; web: npm ci', 'npx vsce publish'],
  ['cd "$HERE" && npm ci', 'npx vsce publish'],
  ['editor: npm ci ;; npm install -g vsce', 'npx vsce publish'],
  ['editor: npm ci ;; editor: yarn global add vsce', 'npx vsce publish'],
  ['editor: npm ci ;; make setup', 'npx vsce publish'],
  ['editor: npm ci ;; ./setup.sh', 'npx vsce publish'],
  ['editor: npm ci ;; bash setup.sh', 'npx vsce publish'],
  ['editor: npm ci ;; $SETUP all', 'npx vsce publish'],
  ['editor: npm ci ;; . ./setup.sh', 'npx vsce publish'],
  ['editor: npm test', 'npx vsce publish'],
])('not known after %s, then %s', (before, run) => {
  expect(elsewhere(before, run)).toBe(false);
});

it.each([['package-lock.json'], ['**/package-lock.json'], ['editor/package.json'], ['${{ inputs.lock }}'], ['']])(
  'not known without a lockfile in the folder: %s',
  (lockfiles) => {
    expect(elsewhere('editor: npm ci', 'npx vsce publish', lockfiles)).toBe(false);
  },
);
