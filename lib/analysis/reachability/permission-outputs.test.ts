import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { looksUpPermission } from './permission-lookups.ts';

const COOL = '{ id: may, uses: actions-cool/check-user-permission@v2, with: { require: write } }';
const TEAM = '{ id: may, uses: tspascoal/get-user-teams-membership@v4, with: { team: core } }';

function decides(text: string): boolean | undefined {
  const repository = createRepository([{ path: '.github/workflows/w.yml', text: `on: issue_comment\n${text}` }]);
  const step = repository.workflows[0]?.jobs.at(-1)?.steps.at(-1);
  return step && looksUpPermission(step, repository);
}

const job = (steps: readonly string[]): string => `jobs: { a: { runs-on: x, steps: [${steps.join(', ')}] } }`;

describe('an action that asks for rights', () => {
  it.each([
    [
      'fails by itself',
      '{ uses: prince-chrismc/check-actor-permissions-action@v4, with: { permission: write } }',
      true,
    ],
    [
      'lets readers pass',
      '{ uses: prince-chrismc/check-actor-permissions-action@v4, with: { permission: read } }',
      false,
    ],
    [
      'may fail without effect',
      '{ uses: prince-chrismc/check-actor-permissions-action@v4, with: { permission: write }, continue-on-error: true }',
      false,
    ],
    ['never fails', COOL, false],
    ['is told to fail', COOL.replace('write', "write, error-if-missing: 'true'"), true],
    ['is told to fail for nobody', COOL.replace('write', "read, error-if-missing: 'true'"), false],
    ['fails with a level', '{ uses: skjnldsv/check-actor-permission@v3, with: { require: admin } }', true],
    ['fails only with a level', '{ uses: skjnldsv/check-actor-permission@v3 }', false],
    ['fails', '{ uses: sushichop/action-repository-permission@v2, with: { required-permission: write } }', true],
    [
      'fails below its repository',
      '{ uses: jupyterlab/maintainer-tools/.github/actions/update-snapshots-checkout@v1 }',
      true,
    ],
    ['stands beside it', '{ uses: jupyterlab/maintainer-tools/.github/actions/update-snapshots@v1 }', false],
    ['is relaxed', '{ uses: sushichop/action-repository-permission@v2, with: { relax: true } }', false],
    ['is a command for writers', '{ uses: xt0rted/slash-command-action@v2, with: { command: test } }', true],
    [
      'is a command for everyone',
      '{ uses: xt0rted/slash-command-action@v2, with: { command: test, permission-level: none } }',
      false,
    ],
    ['only looks for a word', '{ uses: khan/pull-request-comment-trigger@v1, with: { trigger: /test } }', false],
    [
      'answers',
      '{ uses: octokit/request-action@v2, with: { route: "GET /repos/a/b/collaborators/c/permission" } }',
      false,
    ],
  ])('%s: %s', (_, step, expected) => {
    expect(decides(job([step, '{ run: make }']))).toBe(expected);
  });
});

describe('what an action says about rights', () => {
  it.each([
    ["steps.may.outputs.require-result == 'true'", true],
    ["github.actor != 'x' && steps.MAY.outputs['require-result'] == 'true'", true],
    ['contains(fromJSON(\'["admin", "write"]\'), steps.may.outputs.user-permission)', true],
    ["steps.may.outputs.user-permission == 'read'", false],
    ["steps.may.outputs.user-permission != 'none'", false],
    ['steps.may.outputs.require-result', false],
    ["steps.may.outputs.require-result != ''", false],
    ["steps.may.outputs.triggered == 'true'", false],
    ["steps.other.outputs.require-result == 'true'", false],
    ['always()', false],
  ])('decides by a condition of the step: %s: %s', (condition, expected) => {
    expect(decides(job([COOL, `{ if: ${JSON.stringify(condition)}, run: make }`]))).toBe(expected);
  });

  it.each([
    ['{ if: "steps.may.outputs.isTeamMember != \'true\'", run: exit 1 }', true],
    ["{ if: \"steps.may.outputs.isTeamMember == 'false'\", run: 'gh run cancel $GITHUB_RUN_ID' }", true],
    ["{ if: '!steps.may.outputs.isTeamMember', run: exit 1 }", false],
    ['{ if: "steps.may.outputs.isTeamMember != \'true\'", run: exit 1, continue-on-error: true }', false],
    ['{ if: "steps.may.outputs.isTeamMember == \'true\'", run: echo welcome }', false],
    ['{ run: \'test "${{ steps.may.outputs.isTeamMember }}" = true\' }', true],
    ["{ run: 'test \"$MEMBER\" = true', env: { MEMBER: '${{ steps.may.outputs.isTeamMember }}' } }", true],
    ["{ run: 'echo \"member: $MEMBER\"', env: { MEMBER: '${{ steps.may.outputs.isTeamMember }}' } }", false],
    ['{ run: \'echo "${{ steps.may.outputs.isTeamMember }}"\' }', false],
    ['{ run: \'echo "go=${{ steps.may.outputs.isTeamMember }}" >> $GITHUB_OUTPUT\' }', true],
    [
      "{ uses: actions/github-script@v8, with: { script: \"if ('${{ steps.may.outputs.teams }}' === '') throw 1\" } }",
      true,
    ],
    ["{ uses: a/comment@v1, with: { body: '${{ steps.may.outputs.teams }}' } }", false],
    ["{ uses: a/refuse@v1, with: { member: '${{ steps.may.outputs.isTeamMember }}' } }", true],
  ])('decides by a step before: %s: %s', (between, expected) => {
    expect(decides(job([TEAM, between, '{ run: make }']))).toBe(expected);
  });

  it('says nothing without an id', () => {
    const nameless = TEAM.replace('id: may, ', '');
    const refuse = '{ if: "steps.may.outputs.isTeamMember == \'false\'", run: exit 1 }';
    expect(decides(job([nameless, refuse, '{ run: make }']))).toBe(false);
  });

  it.each([
    ['${{ steps.may.outputs.require-result }}', "needs.check.outputs.ok == 'true'", true],
    ['${{ steps.may.outputs.require-result }}', 'needs.check.outputs.ok', false],
    ["${{ steps.may.outputs.require-result == 'true' }}", "needs.check.outputs.ok == 'true'", true],
    ['${{ steps.may.outputs.require-result }}', "env.OK == 'true'", true],
    ['${{ steps.may.outputs.require-result }}', 'success()', false],
    ['${{ steps.other.outputs.ok }}', "needs.check.outputs.ok == 'true'", false],
  ])('decides in the jobs that need it: %s, %s: %s', (output, condition, expected) => {
    const check = `{ runs-on: x, outputs: { ok: "${output}" }, steps: [${COOL}] }`;
    const env = "{ OK: '${{ needs.check.outputs.ok }}' }";
    const rest = `{ runs-on: x, needs: check, env: ${env}, steps: [{ if: "${condition}", run: make }] }`;
    expect(decides(`jobs: { check: ${check}, rest: ${rest} }`)).toBe(expected);
    const gated = `{ runs-on: x, needs: check, if: "${condition}", steps: [{ run: make }] }`;
    const last = '{ runs-on: x, needs: gated, steps: [{ run: make }] }';
    if (!condition.startsWith('env')) {
      expect(decides(`jobs: { check: ${check}, gated: ${gated} }`)).toBe(expected);
      expect(decides(`jobs: { check: ${check}, gated: ${gated}, last: ${last} }`)).toBe(expected);
    }
  });
});
