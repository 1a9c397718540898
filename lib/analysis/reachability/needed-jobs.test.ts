import { describe, expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { requiredJobs } from './needed-jobs.ts';

function required(lines: readonly string[], event?: string): string[] {
  const text = `on: pull_request_target\njobs:\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const job = repository.workflows[0]?.jobs.at(-1) as Job;
  const scenarios = event === undefined ? undefined : [{ event }];
  return requiredJobs(job, scenarios)
    .map(({ id }) => id)
    .sort();
}

const chain = (gate: string, middle: string, last: string): string[] => [
  `gate: { runs-on: x, ${gate} }`,
  `middle: { needs: gate, runs-on: x, ${middle} }`,
  `last: { needs: middle, runs-on: x, ${last} }`,
];

const all = ['gate', 'middle'];

describe('the jobs that have run when a job starts', () => {
  it.each([
    ['', '', '', all],
    ['', '', 'if: success()', all],
    ['', '', "if: github.actor == 'a'", all],
    ['', '', 'if: "github.event.issue.title == \'always()\'"', all],
    ['', 'if: always()', '', all],
    ['', "if: '!cancelled()'", 'if: success()', all],
    ['', '', 'if: always()', []],
    ['', '', "if: '!cancelled()'", []],
    ['', '', 'if: failure()', []],
    ['', '', "if: success() || github.actor == 'a'", []],
    ['', '', "if: always() && github.actor == 'a'", []],
    ['', '', 'if: "${{ !success() }}"', []],
    ['', '', "if: ' ${{ false }} || always()'", []],
    ['', '', 'if: always() && success()', all],
    ['', '', "if: always() && needs.middle.result == 'success'", all],
    ['', '', "if: always() && NEEDS.Middle.Result == 'SUCCESS'", all],
    ['', 'if: always()', "if: always() && needs.middle.result == 'success'", ['middle']],
    ['', '', "if: always() && needs.middle.result != 'failure'", ['middle']],
    ['', '', "if: always() && needs.middle.result != 'skipped'", ['gate']],
    ['', '', "if: always() && (needs.middle.result == 'success' || needs.middle.result == 'skipped')", ['middle']],
    ['', '', "if: always() && (needs.middle.result == 'success' || github.actor == 'a')", []],
    ['', '', "if: always() && contains(needs.*.result, 'success')", []],
    ['', '', "if: '!failure() && !cancelled()'", all],
    ['if: vars.CHECK', '', "if: '!failure() && !cancelled()'", []],
    ['continue-on-error: true', '', '', ['middle']],
    ['', 'continue-on-error: true', '', ['gate']],
  ])('gate { %s }, middle { %s }, job { %s }: %j', (gate, middle, last, expected) => {
    expect(required(chain(gate, middle, last))).toEqual(expected);
  });

  it('include one that may be skipped only where it is not', () => {
    const jobs = (gate: string): string[] => chain(gate, '', "if: '!failure()'");
    expect(required(jobs("if: github.event_name == 'issues'"), 'issues')).toEqual(all);
    expect(required(jobs("if: github.event_name == 'issues'"), 'pull_request_target')).toEqual([]);
  });

  it('are found in jobs that need each other', () => {
    expect(required(['a: { needs: b, runs-on: x }', 'b: { needs: a, runs-on: x, if: always() }'])).toEqual([]);
  });
});
