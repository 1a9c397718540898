import { describe, expect, it } from 'vitest';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { approvalBefore } from './approvals.ts';
import { outsiderEvents } from './outsider-reach.ts';

function approval(on: string, ...lines: readonly string[]): string | undefined {
  const text = [`on: ${on}`, 'jobs:', ...lines.map((line) => `  ${line}`)].join('\n');
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const job = repository.workflows[0]?.jobs.at(-1) as Job;
  const [event] = outsiderEvents(job, repository);
  return event === undefined ? 'unreachable' : approvalBefore(job, event, repository);
}

const job = (name: string, ...more: readonly string[]): string[] => [
  `${name}:`,
  '  runs-on: ubuntu-latest',
  ...more.map((line) => `  ${line}`),
];

describe('the approval before a job', () => {
  it.each([
    ['{ pull_request_target: { types: [labeled] } }', "if: github.event.label.name == 'ok'", 'label'],
    ['{ pull_request_target: { types: [labeled, synchronize] } }', "if: github.event.label.name == 'ok'", 'label'],
    [
      '{ pull_request_target: { types: [labeled, synchronize] } }',
      "if: contains(github.event.pull_request.labels.*.name, 'ok')",
      'standing-label',
    ],
    [
      '{ pull_request_target: { types: [labeled, synchronize] } }',
      "if: github.event.action == 'synchronize' || github.event.label.name == 'ok'",
      undefined,
    ],
    ['pull_request_target', 'environment: review', 'environment'],
    ['pull_request_target', 'steps: [{ run: make }]', undefined],
    ['pull_request_target', 'if: github.event.pull_request.head.repo.fork == false', 'unreachable'],
  ])('for %s with %s is %s', (on, line, expected) => {
    expect(approval(on, ...job('a', line))).toBe(expected);
  });

  it('includes the label required by a failing step of a needed job', () => {
    const gate = [
      "steps: [{ if: \"contains(github.event.pull_request.labels.*.name, 'ok') == false\", run: 'echo no; exit 1' }]",
    ];
    expect(approval('pull_request_target', ...job('gate', ...gate), ...job('a', 'needs: gate'))).toBe('standing-label');
  });

  it.each([
    ['acme/gates/.github/workflows/check-run.yml@v1', 'elsewhere'],
    ['acme/gates/.github/workflows/verify-pr-author.yml@main', 'elsewhere'],
    ['acme/ci/.github/workflows/check-format.yml@v1', undefined],
    ['acme/ci/.github/workflows/build.yml@v1', undefined],
  ])('after a call of %s is %s', (called, expected) => {
    const gate = ['gate:', `  uses: ${called}`];
    expect(approval('pull_request_target', ...gate, ...job('a', 'needs: gate'))).toBe(expected);
  });

  it.each([
    ['', 'environment'],
    ["if: '!failure() && !cancelled()'", 'environment'],
    ["if: always() && needs.review.result == 'success'", 'environment'],
    ['if: always()', undefined],
    ["if: '!cancelled()'", undefined],
    ["if: success() || github.event_name == 'pull_request_target'", undefined],
    ["if: always() && needs.review.result != 'skipped'", undefined],
  ])('after a job with an environment, { %s }, is %s', (condition, expected) => {
    const review = job('review', 'environment: review');
    expect(approval('pull_request_target', ...review, ...job('a', 'needs: review', condition))).toBe(expected);
  });

  const lookup = (rest: string): string =>
    `{ id: check, ${rest}run: 'gh api repos/a/b/collaborators/$ACTOR/permission --jq .permission | grep -q admin' }`;

  it.each([
    [lookup(''), '', '', 'permission'],
    [lookup("if: github.event_name == 'pull_request_target', "), '', '', 'permission'],
    [lookup("if: github.event_name == 'issue_comment', "), '', '', undefined],
    [lookup("if: github.event.action == 'labeled', "), '', '', undefined],
    [lookup(''), 'if: always()', '', undefined],
    [lookup(''), "if: always() && needs.gate.outputs.ok == 'true'", '', 'permission'],
    [lookup('continue-on-error: true, '), '', '', undefined],
    [lookup('continue-on-error: true, '), "if: needs.gate.outputs.ok == 'true'", '', 'permission'],
    ['{ run: make }', '', lookup(''), 'permission'],
  ])('a lookup in %j before { %s } after %j is %s', (gate, condition, own, expected) => {
    const lines = job('gate', `steps: [${gate}]`, 'outputs: { ok: "${{ steps.check.outputs.ok }}" }');
    const last = job('a', 'needs: gate', condition, `steps: [${own === '' ? '' : `${own}, `}{ run: make }]`);
    expect(approval('pull_request_target', ...lines, ...last)).toBe(expected);
  });

  it.each([
    ['', 'permission'],
    ['if: always(), ', undefined],
    ["if: '!cancelled()', ", undefined],
    ["if: always() && steps.check.outcome == 'success', ", 'permission'],
  ])('a lookup in a step before { %s } is %s', (condition, expected) => {
    const steps = `steps: [${lookup('')}, { ${condition}run: make }]`;
    const text = ['on: pull_request_target', 'jobs:', ...job('a', steps).map((line) => `  ${line}`)].join('\n');
    const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
    const step = repository.workflows[0]?.jobs[0]?.steps[1] as Step;
    const [event] = outsiderEvents(step, repository);
    expect(event && approvalBefore(step, event, repository)).toBe(expected);
  });

  it('does not exist if a step fails for everyone but members', () => {
    const refuse = `{ if: "github.event.comment.author_association != 'MEMBER'", run: exit 1 }`;
    expect(approval('issue_comment', ...job('gate', `steps: [${refuse}]`), ...job('a', 'needs: gate'))).toBe(
      'unreachable',
    );
    const tolerant = `{ if: "github.event.comment.author_association != 'MEMBER'", run: exit 1, continue-on-error: true }`;
    expect(
      approval('issue_comment', ...job('gate', `steps: [${tolerant}]`), ...job('a', 'needs: gate')),
    ).toBeUndefined();
  });
});
