import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { runsHere } from './outsider-reach.ts';

function mayRunOn(on: string, condition: string): boolean {
  const text = `on: ${on}\njobs:\n  a:\n    runs-on: x\n    steps: [{ if: ${JSON.stringify(condition)}, run: make }]\n`;
  const repository = createRepository([{ path: '.github/workflows/w.yml', text }]);
  const step = repository.workflows[0]?.jobs[0]?.steps[0];
  return step !== undefined && runsHere(step, repository);
}

it.each([
  ['{ push: { branches: [main] } }', "github.ref == 'refs/heads/dev'", false],
  ['{ push: { branches: [main] } }', "github.ref == 'refs/heads/Main'", true],
  ['{ push: { branches: [main] } }', "github.ref_name == 'dev'", false],
  ['{ push: { branches: [main] } }', "endsWith(github.ref, '/dev')", false],
  ['{ push: { branches: [main] } }', 'contains(fromJSON(\'["refs/heads/dev"]\'), github.ref)', false],
  ['{ push: { branches: [main] } }', "github.ref_type == 'tag'", false],
  ['{ push: { branches: [main] } }', "startsWith(github.ref, 'refs/tags/')", false],
  ['{ push: { branches: [main] } }', "github.event.ref == 'refs/heads/dev'", false],
  ['{ push: { branches: [main], tags: [v*] } }', "startsWith(github.ref, 'refs/tags/v')", true],
  ['{ push: { branches: [main], tags: [v*] } }', "startsWith(github.ref, 'refs/tags/x')", false],
  ['{ push: { tags: [v*] } }', "github.ref == 'refs/heads/main'", false],
  ['{ push: { branches: ["release/**"] } }', "github.ref == 'refs/heads/main'", false],
  ['{ push: { branches: ["release/**"] } }', "github.ref == 'refs/heads/release/1'", true],
  ['{ push: { branches: ["*-next"] } }', "github.ref_name == 'main'", false],
  ['{ push: { branches: ["mai?n"] } }', "github.ref == 'refs/heads/man'", true],
  ['{ push: { branches: ["[md]a*"] } }', "github.ref == 'refs/heads/main'", true],
  ['{ push: { branches: ["**", "!main"] } }', "github.ref == 'refs/heads/dev'", true],
  ['{ push: { branches-ignore: [main] } }', "github.ref == 'refs/heads/dev'", true],
  ['{ push: { branches-ignore: [main] } }', "github.ref == 'refs/tags/v1'", false],
  ['{ push: { paths: [src/**] } }', "github.ref == 'refs/heads/dev'", true],
  ['{ push: { branches: [main] }, workflow_dispatch: }', "github.ref == 'refs/heads/dev'", true],
  ['{ push: { branches: [main] }, workflow_call: }', "github.ref == 'refs/heads/dev'", true],
  ['{ pull_request: { branches: [dev] } }', "github.base_ref == 'main'", false],
  ['{ pull_request: { branches: [dev] } }', "github.event.pull_request.base.ref == 'dev'", true],
  ['{ pull_request: { branches: [main] } }', "github.ref == 'refs/heads/main'", false],
  ['{ pull_request_target: { branches: [main] } }', "github.ref == 'refs/heads/main'", true],
  ['{ pull_request_target: { branches: [main] } }', "github.ref == 'refs/heads/dev'", false],
  ['{ pull_request: { branches: [dev] } }', "github.head_ref == 'main'", true],
  ['[pull_request]', "github.ref_type == 'tag'", false],
  ['[push]', "github.event_name == 'release'", false],
  ['[push, release]', "github.event_name == 'release'", true],
  ['{ release: { types: [published] } }', "github.event.action == 'created'", false],
  ['{ release: { types: [published] } }', "startsWith(github.ref, 'refs/tags/')", true],
])('on %s, a step that asks for %s may run: %s', (on, condition, expected) => {
  expect(mayRunOn(on, condition)).toBe(expected);
});

it('leaves open what more patterns than it reads admit', () => {
  const many = Array.from({ length: 21 }, (_, index) => `b${index}`).join(', ');
  expect(mayRunOn(`{ push: { branches: [${many}] } }`, "github.ref == 'refs/heads/main'")).toBe(true);
  expect(mayRunOn(`{ push: { branches: [${'b'.repeat(201)}] } }`, "github.ref == 'refs/heads/main'")).toBe(true);
});
