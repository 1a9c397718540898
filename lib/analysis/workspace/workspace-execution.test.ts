import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { executionsInside } from './workspace-execution.ts';

function executions(script: string): number {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${JSON.stringify(script)}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const step = workflows[0]?.jobs[0]?.steps[0];
  return step === undefined ? 0 : executionsInside(step, '', []).length;
}

it.each([
  ['ls | xargs bash', 1],
  ['ls | xargs bash | xargs sh', 2],
  ['xargs bash | ls', 0],
  ['ls | while read f; do bash "$f"; done', 1],
])('finds how often %j runs files of its folder', (script, count) => {
  expect(executions(script)).toBe(count);
});
