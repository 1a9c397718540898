import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createRepository } from '#lib/workflow/repository.ts';
import { refusesForks } from './fork-refusals.ts';

const HEAD = { HEAD_REPO: '${{ github.event.pull_request.head.repo.full_name }}' };
const FORK = { FORK: '${{ github.event.pull_request.head.repo.fork }}' };
const AUTHOR = {
  OWNER: '${{ github.event.pull_request.head.repo.owner.login }}',
  FROM: '${{ github.event.pull_request.user.login }}',
};
const LOCAL = { uses: './.github/actions/check', with: { head: HEAD.HEAD_REPO } };
const LAST = { run: 'make' };
const LOOKUP = 'owner=$(gh pr view "$N" --json headRepositoryOwner --jq .headRepositoryOwner.login)\n';

interface Rest {
  readonly event?: string;
  readonly last?: object;
  readonly action?: object;
}

function refuses(
  checks: readonly object[],
  { event = 'pull_request_target', last = LAST, action }: Rest = {},
): boolean {
  const jobs = { a: { 'runs-on': 'ubuntu-latest', steps: [...checks, last] } };
  const files = [{ path: '.github/workflows/a.yml', text: stringify({ on: event, jobs }) }];
  if (action !== undefined) {
    const inputs = { head: { description: 'the head', required: true } };
    const runs = { using: 'composite', steps: [{ shell: 'bash', ...action }] };
    const text = stringify({ name: 'check', description: 'Checks', inputs, runs });
    files.push({ path: '.github/actions/check/action.yml', text });
  }
  const repository = createRepository(files);
  const step = repository.workflows[0]?.jobs[0]?.steps.at(-1);
  return step !== undefined && refusesForks(step, event, repository);
}

const shell = (run: string, env: object = HEAD): object => ({ env, run });
const program = (script: string, rest: object = {}): object => ({
  uses: 'actions/github-script@v8',
  ...rest,
  with: { script },
});

describe('a script that refuses forks', () => {
  it.each([
    ['a comparison', shell('if [ "$HEAD_REPO" != "$GITHUB_REPOSITORY" ]; then\n  echo no\n  exit 1\nfi')],
    ['a comparison by bash', shell('if [[ "$HEAD_REPO" != "acme/app" ]]\nthen\n  exit 1\nfi')],
    ['one of several tests', shell('if [[ "$BASE" != main || \\\n  "$HEAD_REPO" != "$REPO" ]]; then exit 1; fi')],
    ['a test that must hold', shell('[ "$HEAD_REPO" = "$GITHUB_REPOSITORY" ] || exit 1')],
    ['a test that must hold, in a group', shell('[[ "$HEAD_REPO" == "$REPO" ]] || { echo "no"; exit 1; }')],
    ['a test that must not hold', shell('test "$HEAD_REPO" != "$GITHUB_REPOSITORY" && exit 1')],
    ['the other branch of a test', shell('if [ "$HEAD_REPO" = "$REPO" ]; then\n  echo ok\nelse\n  exit 1\nfi')],
    [
      'a comparison after another test',
      shell('if [ -n "$X" ]; then\n  echo x\nfi\nif [ "$HEAD_REPO" != "$REPO" ]; then exit 1; fi'),
    ],
    ['a flag', shell('if [ "$FORK" = "true" ]; then exit 1; fi', FORK)],
    ['a flag that must be false', shell('[ "$FORK" = false ] || exit 1', FORK)],
    ['an answer of the API', shell(`${LOOKUP}if [ "$owner" != "$OWNER" ]; then exit 1; fi`, {})],
    [
      'an answer inside the test',
      shell('if [ "$(gh pr view 1 --json isCrossRepository --jq .isCrossRepository)" = "true" ]; then exit 1; fi', {}),
    ],
    ['a program', program("if (pr.head.repo.full_name !== 'acme/app') {\n  core.setFailed('no');\n}")],
    ['a program that throws', program("if (pr.head.repo.fork) throw new Error('no')")],
    [
      'a program with a variable',
      program("const from = pr.head?.repo?.full_name;\nif (from && from !== repo) { core.setFailed('no'); }"),
    ],
  ])('is recognized by %s', (_, check) => {
    expect(refuses([check])).toBe(true);
  });

  it.each([
    ['a comparison that only prints', shell('if [ "$HEAD_REPO" != "$REPO" ]; then echo "a fork"; fi')],
    ['a failure in a comment', shell('if [ "$HEAD_REPO" != "$REPO" ]; then # exit 1\n  echo no\nfi')],
    ['a failure in a comment of a program', program("if (pr.head.repo.fork) { // throw new Error('no')\n}")],
    ['a comparison that ends well', shell('if [ "$HEAD_REPO" != "$REPO" ]; then exit 0; fi')],
    ['a failure for the repository’s own', shell('if [ "$HEAD_REPO" = "$REPO" ]; then exit 1; fi')],
    ['a failure for some forks', shell('if [[ "$N" -gt 9 && "$HEAD_REPO" != "$REPO" ]]; then exit 1; fi')],
    ['a test with an alternative', shell('[[ "$HEAD_REPO" == "$REPO" || -n "$LABEL" ]] || exit 1')],
    ['another failure', shell('echo "$HEAD_REPO"\nif [ -z "$TOKEN" ]; then exit 1; fi')],
    ['the failure of another branch', shell('if [ "$HEAD_REPO" != "$REPO" ]; then\n  echo no\nelse\n  exit 1\nfi')],
    ['a comparison of branches', shell('[ "$REF" = main ] || exit 1', { REF: '${{ github.head_ref }}' })],
    ['a failure that is tolerated', { 'continue-on-error': true, ...shell('[ "$HEAD_REPO" = "$REPO" ] || exit 1') }],
    ['a step that may be skipped', { if: "github.actor != 'x'", ...shell('[ "$HEAD_REPO" = "$REPO" ] || exit 1') }],
    ['a program that fails for its own', program("if (!pr.head.repo.fork) core.setFailed('no');")],
    [
      'a failure for some forks, inside',
      shell('if [ "$HEAD_REPO" != "$REPO" ]; then\n  if [ -z "$L" ]; then exit 1; fi\nfi'),
    ],
    [
      'a failure for some runs, outside',
      shell('if [ -n "$STRICT" ]; then\n  if [ "$HEAD_REPO" != "$REPO" ]; then exit 1; fi\nfi'),
    ],
    ['a failure that is caught', program("try {\n  if (pr.head.repo.fork) throw new Error('no');\n} catch {}")],
    ['a program that fails for some forks', program("if (pr.head.repo.fork && n > 9) core.setFailed('no');")],
    ['a test for nothing', shell('if [ "$HEAD_REPO" != "" ]; then exit 1; fi')],
    ['a comparison with the author', shell('if [ "$OWNER" != "$FROM" ]; then exit 1; fi', AUTHOR)],
    ['a comparison with whoever starts the run', shell('[ "$HEAD_REPO" = "$GITHUB_ACTOR/app" ] || exit 1')],
    ['a comparison of two heads', program("if (pr.head.repo.id !== run.head_repository.id) core.setFailed('no');")],
    ['a comparison of names', program("if (pr.head.repo.name !== context.repo.repo) core.setFailed('no');")],
    ['a variable with the name', program("const from = pr.head.repo.name;\nif (from !== 'app') core.setFailed('no');")],
    ['a program’s comment', program("// if (pr.head.repo.fork) throw new Error('no');\ncore.info('ok');")],
    ['a failure in a comment', shell('if [ "$HEAD_REPO" != "$REPO" ]; then\n  echo no\n  # exit 1\nfi')],
    ['a program that only returns', program('if (pr.head.repo.fork) { return; }')],
  ])('is not %s', (_, check) => {
    expect(refuses([check])).toBe(false);
  });

  it.each([
    ["steps.c.outputs.skip != 'true'", true],
    ["steps.c.outputs.skip == 'false'", true],
    ["steps.c.outputs.skip == 'true'", false],
    ["steps.c.outputs.other != 'true'", false],
    ["steps.d.outputs.skip != 'true'", false],
  ])('counts with its outputs if %s', (condition, expected) => {
    const script =
      "if (pr.head.repo.fork) {\n  core.setOutput('skip', 'true');\n  return;\n}\ncore.setOutput('skip', 'false');";
    const last = { if: condition, run: 'make' };
    expect(refuses([program(script, { id: 'c' })], { last })).toBe(expected);
    expect(refuses([program(script.replace("'true'", 'isDraft'), { id: 'c' })], { last })).toBe(false);
    const run = 'if [ "$HEAD_REPO" != "$REPO" ]; then\n  echo "skip=true" >> "$GITHUB_OUTPUT"\n  exit 0\nfi';
    expect(refuses([{ id: 'c', env: HEAD, run }], { last })).toBe(expected);
  });

  it('counts in local actions, also for their inputs', () => {
    const run = 'if [ "$HEAD_REPO" != "$GITHUB_REPOSITORY" ]; then exit 1; fi';
    expect(refuses([LOCAL], { action: { env: HEAD, run } })).toBe(true);
    expect(refuses([LOCAL], { action: { env: { HEAD_REPO: '${{ inputs.head }}' }, run } })).toBe(true);
    expect(refuses([LOCAL], { action: { env: { HEAD_REPO: '${{ inputs.other }}' }, run } })).toBe(false);
    expect(refuses([{ ...LOCAL, if: 'inputs.check' }], { action: { env: HEAD, run } })).toBe(false);
  });

  it('counts for the author’s events, not for those of others, nor after a failure', () => {
    const check = shell('[ "$HEAD_REPO" = "$REPO" ] || exit 1', {
      HEAD_REPO: '${{ github.event.workflow_run.head_repository.full_name }}',
    });
    expect(refuses([check], { event: 'workflow_run' })).toBe(true);
    expect(refuses([check], { event: 'issue_comment' })).toBe(false);
    expect(refuses([check], { event: 'workflow_run', last: { if: 'always()', run: 'make' } })).toBe(false);
  });

  it('counts in jobs that are needed, and in workflows that they call', () => {
    const check = { 'runs-on': 'ubuntu-latest', steps: [shell('[ "$HEAD_REPO" = "$REPO" ] || exit 1')] };
    const build = (rest: object): object => ({ 'runs-on': 'ubuntu-latest', ...rest, steps: [LAST] });
    const of = (jobs: object, called = ''): boolean => {
      const on = 'pull_request_target';
      const repository = createRepository([
        { path: '.github/workflows/a.yml', text: stringify({ on, jobs }) },
        { path: '.github/workflows/check.yml', text: called },
      ]);
      const job = repository.workflows[0]?.jobs[0];
      return job !== undefined && refusesForks(job, on, repository);
    };
    expect(of({ build: build({ needs: 'check' }), check })).toBe(true);
    expect(of({ build: build({}), check })).toBe(false);
    expect(of({ build: build({ needs: 'check', if: 'always()' }), check })).toBe(false);
    const between = (rest: object): object => build({ needs: 'check', ...rest });
    expect(of({ build: build({ needs: 'between' }), between: between({}), check })).toBe(true);
    expect(of({ build: build({ needs: 'between' }), between: between({ if: 'always()' }), check })).toBe(true);
    const after = (name: string): object => build({ needs: name, if: `always() && needs.${name}.result == 'success'` });
    expect(of({ build: after('between'), between: between({}), check })).toBe(true);
    expect(of({ build: after('between'), between: between({ if: 'always()' }), check })).toBe(false);
    expect(of({ build: build({ needs: 'check', if: "needs.check.result != 'skipped' && !cancelled()" }), check })).toBe(
      false,
    );
    expect(of({ build: build({ needs: 'check' }), check: { ...check, 'continue-on-error': true } })).toBe(false);
    const call = { uses: './.github/workflows/check.yml' };
    const called = stringify({ on: 'workflow_call', jobs: { check } });
    expect(of({ build: build({ needs: 'call' }), call }, called)).toBe(true);
    const skipped = stringify({ on: 'workflow_call', jobs: { check: { ...check, if: 'inputs.check' } } });
    expect(of({ build: build({ needs: 'call' }), call }, skipped)).toBe(false);
  });
});
