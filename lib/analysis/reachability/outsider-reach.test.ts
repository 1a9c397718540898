import { describe, expect, it } from 'vitest';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { holds, type Scenario } from './conditions.ts';
import { neededJobs } from './needed-jobs.ts';
import { mayRun, outsiderEvents, privilegedOutsiderEvents } from './outsider-reach.ts';
import { looksUpPermission } from './permission-lookups.ts';

function repositoryOf(files: Readonly<Record<string, string>>): Repository {
  return createRepository(Object.entries(files).map(([name, text]) => ({ path: `.github/workflows/${name}`, text })));
}

function jobIn(repository: Repository, file: string, id: string): Job {
  const job = repository.workflowAt(`.github/workflows/${file}`)?.jobs.find((candidate) => candidate.id === id);
  if (job === undefined) throw new Error(`no job ${id} in ${file}`);
  return job;
}

function outcome(condition: string, event: string, action?: string): 'never' | 'always' | 'maybe' {
  const repository = repositoryOf({ 'w.yml': `on: ${event}\njobs:\n  a:\n    if: ${JSON.stringify(condition)}\n` });
  const scenario: Scenario = action === undefined ? { event } : { event, action };
  const result = holds(jobIn(repository, 'w.yml', 'a').condition, scenario);
  return result === undefined ? 'maybe' : result ? 'always' : 'never';
}

describe('a step behind a variable', () => {
  const reached = (condition: string, before = 'make'): boolean => {
    const text = [
      'on: [pull_request, workflow_dispatch]',
      "env: { ASKED: \"${{ github.event_name == 'workflow_dispatch' && inputs.ssh }}\", OFF: 'no' }",
      'jobs:',
      '  a:',
      '    runs-on: ubuntu-latest',
      "    env: { OFF: 'yes' }",
      '    steps:',
      `      - run: ${JSON.stringify(before)}`,
      `      - { if: ${JSON.stringify(condition)}, run: make }`,
    ].join('\n');
    const step = jobIn(repositoryOf({ 'w.yml': text }), 'w.yml', 'a').steps[1] as Step;
    return mayRun(step, { event: 'pull_request' });
  };

  it.each([
    ["env.ASKED == 'true'", false],
    ["env.ASKED != 'true'", true],
    ["env.OFF == 'yes'", true],
    ["env.OFF == 'no'", false],
    ["env.OTHER == 'yes'", true],
  ])('%s runs for a pull request: %s', (condition, expected) => {
    expect(reached(condition)).toBe(expected);
  });

  it('may run if a script sets the variable', () => {
    expect(reached("env.ASKED == 'true'", 'echo "ASKED=true" >> "$GITHUB_ENV"')).toBe(true);
  });
});

describe('a step behind the outcome of another', () => {
  const MEMBER = 'contains(fromJSON(\'["OWNER", "MEMBER"]\'), github.event.comment.author_association)';

  it.each([
    [`!${MEMBER}`, "steps.check.outcome == 'skipped'", false],
    [`!${MEMBER}`, "steps.CHECK.conclusion == 'skipped'", false],
    [`!${MEMBER}`, "steps.check.outcome != 'success'", true],
    [`!${MEMBER}`, "always() && steps.check.outcome == 'skipped'", true],
    [MEMBER, "steps.check.outcome == 'skipped'", true],
    [MEMBER, "steps.check.outcome == 'success'", false],
    [MEMBER, "always() && steps.check.conclusion == 'success'", false],
    [MEMBER, "steps.check.outputs.may == 'true'", false],
    [MEMBER, "steps.check.outputs.may != 'true'", true],
    [MEMBER, "steps.other.outputs.may == 'true'", true],
    ['inputs.check', "steps.check.outcome == 'skipped'", true],
    ['inputs.check', "steps.check.outputs.may == 'true'", true],
    ['always()', "steps.check.outputs.may == 'true'", true],
  ])('%s, %s: %s', (first, condition, expected) => {
    const steps = [
      { id: 'check', if: first, run: 'make' },
      { if: condition, run: 'make' },
    ];
    const text = `on: issue_comment\njobs: { a: { runs-on: x, steps: ${JSON.stringify(steps)} } }`;
    const step = jobIn(repositoryOf({ 'w.yml': text }), 'w.yml', 'a').steps[1] as Step;
    expect(mayRun(step, { event: 'issue_comment' })).toBe(expected);
  });

  it('says nothing about a step that comes later', () => {
    const steps = [
      { if: "steps.check.outcome == 'success'", run: 'make' },
      { id: 'check', if: MEMBER, run: 'make' },
    ];
    const text = `on: issue_comment\njobs: { a: { runs-on: x, steps: ${JSON.stringify(steps)} } }`;
    const step = jobIn(repositoryOf({ 'w.yml': text }), 'w.yml', 'a').steps[0] as Step;
    expect(mayRun(step, { event: 'issue_comment' })).toBe(true);
  });
});

describe('conditions in an outsider’s run', () => {
  it.each([
    ['pull_request', 'github.event.pull_request.head.repo.full_name == github.repository', 'never'],
    ['pull_request', '${{ github.event.pull_request.head.repo.full_name == github.repository }}', 'never'],
    ['pull_request_target', 'github.repository == github.event.pull_request.head.repo.full_name', 'never'],
    ['pull_request_target', 'github.event.pull_request.head.repo.full_name != github.repository', 'always'],
    ['pull_request', "github.event.pull_request.head.repo.full_name == 'acme/app'", 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.owner.login == github.repository_owner', 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.id == github.event.pull_request.base.repo.id', 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.id == github.repository_id', 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.id == 1234', 'never'],
    ['pull_request', "startsWith(github.event.pull_request.head.label, 'acme:')", 'never'],
    [
      'pull_request',
      'contains(fromJSON(\'["acme/app", "acme/fork"]\'), github.event.pull_request.head.repo.full_name)',
      'never',
    ],
    ['pull_request', 'github.event.pull_request.head.repo.name == github.event.repository.name', 'maybe'],
    ['issue_comment', 'github.event.pull_request.head.repo.full_name == github.repository', 'never'],
    ['issue_comment', 'github.event.pull_request.head.repo.full_name != github.repository', 'always'],
    [
      'pull_request',
      "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository",
      'never',
    ],
    [
      'pull_request_target',
      "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository",
      'always',
    ],
    ['pull_request', '!github.event.pull_request.head.repo.fork', 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.fork == false', 'never'],
    ['pull_request', 'github.event.pull_request.head.repo.fork != true', 'never'],
    ['pull_request_target', 'github.event.pull_request.head.repo.fork', 'always'],
    ['issue_comment', '!github.event.pull_request.head.repo.fork', 'always'],
    ['workflow_run', '!github.event.workflow_run.head_repository.fork', 'never'],
    ['pull_request', "github.event.pull_request.head.repo.fork == 'false'", 'never'],
    ['pull_request', 'github.event.repository.fork == false', 'maybe'],
    ['issue_comment', 'github.event.repository.private', 'never'],
    ['issue_comment', 'github.event.repository.private == true', 'never'],
    ['issue_comment', '${{ github.event.repository.private != false }}', 'never'],
    ['issue_comment', "github.event.repository.visibility == 'private'", 'never'],
    ['issue_comment', "github.event.repository.visibility != 'public'", 'never'],
    ['issues', 'contains(fromJSON(\'["private", "internal"]\'), github.event.repository.visibility)', 'never'],
    ['pull_request_target', 'github.event.pull_request.base.repo.private', 'never'],
    ['workflow_run', 'github.event.workflow_run.repository.private', 'never'],
    [
      'issue_comment',
      'github.event.repository.private || contains(fromJSON(\'["OWNER", "MEMBER"]\'), github.event.comment.author_association)',
      'never',
    ],
    ['issue_comment', "github.event.repository.private || github.event.issue.author_association == 'OWNER'", 'maybe'],
    ['issue_comment', '!github.event.repository.private', 'always'],
    ['issue_comment', 'github.event.repository.private == false', 'always'],
    ['issue_comment', "github.event.repository.visibility == 'public'", 'always'],
    ['issues', 'github.event.changes.new_repository.private', 'maybe'],
    ['pull_request_target', 'github.event.pull_request.head.repo.private', 'maybe'],
    ['pull_request', "github.repository == 'acme/app'", 'maybe'],
    ['pull_request', "github.repository_owner == 'acme'", 'maybe'],
    ['issue_comment', "github.event.comment.author_association == 'MEMBER'", 'never'],
    [
      'issue_comment',
      "github.event.comment.author_association == 'member' || github.event.comment.author_association == 'OWNER'",
      'never',
    ],
    [
      'issue_comment',
      'contains(fromJSON(\'["OWNER","MEMBER","COLLABORATOR"]\'), github.event.comment.author_association)',
      'never',
    ],
    ['issue_comment', "contains('OWNER MEMBER COLLABORATOR', github.event.comment.author_association)", 'never'],
    ['issue_comment', "contains('OWNER,MEMBER,CONTRIBUTOR', github.event.comment.author_association)", 'maybe'],
    [
      'issue_comment',
      'contains(fromJSON(\'["OWNER","CONTRIBUTOR"]\'), github.event.comment.author_association)',
      'maybe',
    ],
    ['issue_comment', "github.event.comment.author_association != 'NONE'", 'maybe'],
    ['issue_comment', "github.event.comment.author_association == 'CONTRIBUTOR'", 'maybe'],
    ['issue_comment', "github.event.comment.author_association != 'MEMBER'", 'always'],
    [
      'pull_request_target',
      'contains(fromJSON(\'["MEMBER"]\'), github.event.pull_request.author_association)',
      'never',
    ],
    ['issues', 'contains(fromJSON(\'["MEMBER"]\'), github.event.issue.author_association)', 'never'],
    ['issue_comment', "github.event.issue.author_association == 'MEMBER'", 'maybe'],
    ['issue_comment', "github.event.issue.user.login == 'dependabot[bot]'", 'maybe'],
    ['pull_request_review', "github.event.pull_request.user.login == 'dependabot[bot]'", 'maybe'],
    ['pull_request_review', "github.event.review.author_association == 'MEMBER'", 'never'],
    ['pull_request_target', "github.event.comment.author_association != 'NONE'", 'always'],
    ['pull_request_target', "contains('OWNER,MEMBER', github.event.comment.author_association)", 'always'],
    ['pull_request_target', 'contains(fromJSON(\'["OWNER"]\'), github.event.comment.author_association)', 'never'],
    ['pull_request_target', "github.event.pull_request.user.login == 'dependabot[bot]'", 'never'],
    ['pull_request_target', 'github.event.pull_request.user.id == 49699333', 'never'],
    [
      'pull_request_target',
      'contains(fromJSON(\'["dependabot[bot]"]\'), github.event.pull_request.user.login)',
      'never',
    ],
    ['pull_request_target', "github.actor == 'dependabot[bot]'", 'maybe'],
    ['pull_request_target', "github.actor_id == '49699333'", 'maybe'],
    ['pull_request_target', "github.triggering_actor == 'renovate[bot]'", 'maybe'],
    ['pull_request_target', "github.event.sender.login == 'acme-bot'", 'maybe'],
    ['pull_request_target', 'contains(fromJSON(\'["alice", "dependabot[bot]"]\'), github.actor)', 'maybe'],
    ['pull_request_target', "github.actor == 'alice' || github.actor == 'bob'", 'never'],
    ['pull_request_target', 'contains(fromJSON(\'["alice", "carol"]\'), github.actor)', 'never'],
    ['issue_comment', 'github.actor == github.repository_owner', 'never'],
    ['issue_comment', 'github.event.comment.user.login == github.repository_owner', 'never'],
    ['issue_comment', 'github.event.comment.user.login == github.event.issue.user.login', 'maybe'],
    ['issue_comment', "github.event.comment.user.login != 'acme-bot'", 'always'],
    ['issue_comment', "'alice' == github.event.comment.user.login", 'never'],
    [
      'pull_request_target',
      "github.actor == 'dependabot[bot]' && github.event.pull_request.head.repo.full_name == github.repository",
      'never',
    ],
    ['pull_request_target', 'github.event.pull_request.merged', 'never'],
    ['pull_request_target', 'github.event.pull_request.merged == true', 'never'],
    ['pull_request_target', 'github.event.pull_request.merged_at != null', 'never'],
    ['pull_request_target', '!github.event.pull_request.merged', 'always'],
    ['pull_request', "github.event_name == 'push'", 'never'],
    ['pull_request', "github.event_name == 'push' || github.event_name == 'pull_request'", 'always'],
    ['pull_request', "startsWith(github.event_name, 'pull_request')", 'always'],
    ['pull_request', 'contains(fromJSON(\'["push", "schedule"]\'), github.event_name)', 'never'],
    ['pull_request', "contains('push pull_request_target', github.event_name)", 'always'],
    ['pull_request', "github['event_name'] == 'push'", 'never'],
    ['pull_request', 'github.event.schedule', 'never'],
    ['issues', 'github.event.issue.pull_request', 'never'],
    ['issue_comment', 'github.event.issue.pull_request', 'maybe'],
    ['workflow_run', "github.event.workflow_run.event == 'push'", 'never'],
    [
      'workflow_run',
      "github.event.workflow_run.event == 'push' || github.event.workflow_run.event == 'schedule'",
      'never',
    ],
    ['workflow_run', "github.event.workflow_run.event == 'pull_request'", 'maybe'],
    ['workflow_run', "github.event.workflow_run.event == 'pull_request_review'", 'maybe'],
    ['workflow_run', "github.event.workflow_run.event != 'pull_request'", 'maybe'],
    ['workflow_run', "github.event.workflow_run.head_branch == 'main'", 'maybe'],
    ['workflow_run', "github.event.workflow_run.conclusion == 'success'", 'maybe'],
    ['workflow_run', 'github.event.workflow_run.head_repository.full_name == github.repository', 'never'],
    [
      'workflow_run',
      'github.event.workflow_run.head_repository.full_name == github.event.workflow_run.repository.full_name',
      'never',
    ],
    ['workflow_run', "github.event.workflow_run.actor.login == 'alice'", 'never'],
    ['pull_request', "startsWith(github.ref, 'refs/tags/')", 'never'],
    ['issue_comment', "github.ref == 'refs/tags/v1'", 'never'],
    ['issue_comment', "contains(github.ref, 'refs/tags/')", 'maybe'],
    ['pull_request', "contains(github.ref, 'refs/tags/')", 'never'],
    ['pull_request', "github.ref_type == 'tag'", 'never'],
    ['pull_request', "github.ref == 'refs/heads/main'", 'never'],
    ['pull_request', "github.ref_name == 'main'", 'never'],
    ['pull_request', "github.ref != 'refs/heads/main'", 'always'],
    ['pull_request_target', "github.ref == 'refs/heads/main'", 'maybe'],
    ['pull_request', "github.base_ref == 'main'", 'maybe'],
    ['pull_request', "github.head_ref == 'release'", 'maybe'],
    ['issue_comment', "github.head_ref == 'release'", 'never'],
    ['pull_request_target', "contains(github.event.pull_request.labels.*.name, 'safe')", 'maybe'],
    ['issue_comment', "startsWith(github.event.comment.body, '/deploy')", 'maybe'],
    ['pull_request', 'always()', 'always'],
    ['pull_request', '!cancelled()', 'maybe'],
    ['pull_request', 'false', 'never'],
    ['pull_request', "fromJSON('false')", 'never'],
    ['pull_request', "always() && github.event_name == 'push'", 'never'],
    ['pull_request', "inputs.x && github.event_name == 'push'", 'never'],
    ['pull_request', "inputs.x || github.event_name == 'pull_request'", 'always'],
    ['pull_request', "(github.event_name == 'pull_request' && 'a' || 'b') == 'a'", 'always'],
    ['pull_request', "${{ github.event_name }} == 'push'", 'maybe'],
  ] as const)('%s: %s is %s', (event, condition, expected) => {
    expect(outcome(condition, event)).toBe(expected);
  });

  it('distinguishes the activity types of an event', () => {
    const condition = "github.event.action == 'labeled'";
    expect(outcome(condition, 'pull_request_target', 'labeled')).toBe('always');
    expect(outcome(condition, 'pull_request_target', 'opened')).toBe('never');
    expect(outcome(condition, 'pull_request_target')).toBe('maybe');
  });
});

function eventsOf(files: Readonly<Record<string, string>>, file: string, id: string): string[] {
  const repository = repositoryOf(files);
  return outsiderEvents(jobIn(repository, file, id), repository).map(({ event }) => event);
}

const chain = (gate: string, condition: string): Record<string, string> => ({
  'w.yml': `
on: [pull_request_target, push]
jobs:
  gate:
    if: ${gate}
    runs-on: ubuntu-latest
    steps: [{ run: "true" }]
  middle:
    needs: gate
    runs-on: ubuntu-latest
    steps: [{ run: "true" }]
  last:
    needs: [gate, middle]
    ${condition}
    runs-on: ubuntu-latest
    steps: [{ run: "true" }]
`,
});

const caller = (event: string, condition: string): string =>
  `on: ${event}\njobs:\n  call:\n    ${condition}\n    uses: ./.github/workflows/called.yml\n`;

const callsOf = (target: string): string =>
  Array.from({ length: 40 }, (_, index) => `  j${index}: { uses: ./.github/workflows/${target} }\n`).join('');

const build = (on: string): string => `name: Build\non: ${on}\njobs:\n  a: { runs-on: x }\n`;

describe('events by which an outsider reaches a job', () => {
  it.each([
    ["github.event_name == 'push'", '', []],
    ["github.event_name == 'push'", 'if: success()', []],
    ["github.event_name == 'push'", "if: inputs.x == 'y'", []],
    ["github.event_name == 'push'", 'if: always()', ['pull_request_target']],
    ["github.event_name == 'push'", 'if: "!cancelled()"', ['pull_request_target']],
    ["github.event_name == 'push'", "if: always() && needs.gate.result == 'success'", []],
    ["github.event_name == 'push'", "if: always() && needs.middle.result == 'success'", []],
    ["github.event_name == 'push'", "if: always() && needs.gate.result != 'failure'", ['pull_request_target']],
    ["github.event_name == 'push'", "if: always() && needs.gate.outputs.ok == 'true'", []],
    ["github.event_name == 'pull_request_target'", '', ['pull_request_target']],
  ])('gate %s, job %s: %j', (gate, condition, expected) => {
    expect(eventsOf(chain(gate, condition), 'w.yml', 'last')).toEqual(expected);
  });

  it.each([
    ['', []],
    ["if: always() && needs.gate.result == 'success'", []],
    ["if: '!failure()'", []],
    ["if: always() && needs.gate.result != 'skipped'", ['pull_request_target']],
    ["if: failure() && needs.gate.result == 'failure'", ['pull_request_target']],
    ["if: always() && needs.gate.outputs.refused == 'true'", ['pull_request_target']],
    ["if: success() || github.event_name == 'pull_request_target'", ['pull_request_target']],
  ])('after a job that fails for outsiders, { %s }: %j', (condition, expected) => {
    const gate = `{ if: "github.event_name == 'pull_request_target'", run: exit 1 }`;
    const jobs = `  gate: { runs-on: x, steps: [${gate}] }\n  a:\n    needs: gate\n    ${condition}\n    runs-on: x\n`;
    expect(eventsOf({ 'w.yml': `on: [pull_request_target, push]\njobs:\n${jobs}` }, 'w.yml', 'a')).toEqual(expected);
  });

  it.each([
    ['make; exit 1', []],
    ['for i in 1 2; do make && exit 0; done; exit 1', ['pull_request_target']],
    ['if make; then exit; fi; exit 1', ['pull_request_target']],
    ['make; code=$?; if [ $code -ne 7 ]; then exit "$code"; fi; exit 1', ['pull_request_target']],
    ['if make; then exit 2; fi; exit 1', []],
  ])('after a job that ends with %s: %j', (script, expected) => {
    const jobs = `  first: { runs-on: x, steps: [{ run: '${script}' }] }\n  a: { needs: first, runs-on: x }\n`;
    expect(eventsOf({ 'w.yml': `on: pull_request_target\njobs:\n${jobs}` }, 'w.yml', 'a')).toEqual(expected);
  });

  it('terminates for jobs that need each other', () => {
    const files = {
      'w.yml': 'on: pull_request\njobs:\n  a: { needs: b, runs-on: x }\n  b: { needs: [a, b], runs-on: x }\n',
    };
    expect(eventsOf(files, 'w.yml', 'a')).toEqual(['pull_request']);
    const repository = repositoryOf(files);
    expect(neededJobs(jobIn(repository, 'w.yml', 'a')).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  const called = 'on: { workflow_call: {} }\njobs:\n  run: { runs-on: x, steps: [{ run: "true" }] }\n';

  it('reaches a called workflow through its callers’ events and conditions', () => {
    const files = {
      'called.yml': called,
      'a.yml': caller('pull_request_target', ''),
      'b.yml': caller('issue_comment', "if: github.event.comment.author_association == 'OWNER'"),
      'c.yml': caller('push', ''),
    };
    expect(eventsOf(files, 'called.yml', 'run')).toEqual(['pull_request_target']);
  });

  it('follows nested calls, and terminates for workflows that call each other', () => {
    const middle = 'on: workflow_call\njobs:\n  call: { uses: ./.github/workflows/called.yml }\n';
    const files = {
      'called.yml': `${called}  back: { uses: ./.github/workflows/middle.yml }\n`,
      'middle.yml': middle,
      'top.yml': 'on: issues\njobs:\n  call: { uses: ./.github/workflows/middle.yml }\n',
    };
    expect(eventsOf(files, 'called.yml', 'run')).toEqual(['issues']);
  });

  it('takes time proportional to the calls, not to their combinations', () => {
    const files: Record<string, string> = { 'w0.yml': `on: issues\njobs:\n${callsOf('w1.yml')}` };
    for (let level = 1; level < 10; level += 1) {
      files[`w${level}.yml`] = `on: workflow_call\njobs:\n${callsOf(`w${level + 1}.yml`)}`;
    }
    files['w10.yml'] = called;
    expect(eventsOf(files, 'w10.yml', 'run')).toEqual(['issues']);
  });

  it('counts a workflow_run only if an outsider can start a workflow that it follows', () => {
    const follower = 'on: { workflow_run: { workflows: [Build] } }\njobs:\n  a: { runs-on: x }\n';
    expect(eventsOf({ 'f.yml': follower, 'b.yml': build('push') }, 'f.yml', 'a')).toEqual([]);
    expect(eventsOf({ 'f.yml': follower, 'b.yml': build('pull_request') }, 'f.yml', 'a')).toEqual(['workflow_run']);
    expect(eventsOf({ 'f.yml': follower }, 'f.yml', 'a')).toEqual(['workflow_run']);
  });

  it('keeps an event if one of its activity types passes', () => {
    const on = 'on: { pull_request_target: { types: [labeled, opened] } }';
    const job = (action: string): Record<string, string> => ({
      'w.yml': `${on}\njobs:\n  a: { runs-on: x, if: "github.event.action == '${action}'" }\n`,
    });
    expect(eventsOf(job('opened'), 'w.yml', 'a')).toEqual(['pull_request_target']);
    expect(eventsOf(job('closed'), 'w.yml', 'a')).toEqual([]);
  });

  it('considers a step’s own condition, and privileges', () => {
    const repository = repositoryOf({
      'w.yml': `
on: [pull_request, pull_request_target]
jobs:
  a:
    runs-on: x
    steps:
      - run: "true"
      - run: "true"
        if: github.event_name == 'pull_request'
      - run: "true"
        if: github.event.pull_request.head.repo.full_name == github.repository
`,
    });
    const { steps } = jobIn(repository, 'w.yml', 'a');
    const events = steps.map((step) => outsiderEvents(step, repository).map(({ event }) => event));
    expect(events).toEqual([['pull_request', 'pull_request_target'], ['pull_request'], []]);
    expect(privilegedOutsiderEvents(steps[0] as Step, repository).map(({ event }) => event)).toEqual([
      'pull_request_target',
    ]);
  });
});

const workflow = (before: string, gate = '{ run: "true" }'): Repository =>
  repositoryOf({
    'w.yml': `
on: issue_comment
jobs:
  gate:
    runs-on: ubuntu-latest
    steps: [${gate}]
  a:
    needs: gate
    runs-on: ubuntu-latest
    steps:
      - ${before}
      - run: make deploy
`,
  });

describe('outsiders’ reach in a workflow that the code host refuses', () => {
  const reached = (jobs: string): number => {
    const text = `on: pull_request\njobs:\n${jobs}  a:\n    runs-on: self-hosted\n    steps: [{ run: make }]\n`;
    const repository = repositoryOf({ 'w.yml': text });
    return outsiderEvents(jobIn(repository, 'w.yml', 'a'), repository).length;
  };

  it.each(['  if: false\n', '  name: Tests\n', '  steps: [{ run: make }]\n'])('is empty because of %j', (jobs) => {
    expect(reached(jobs)).toBe(0);
  });

  it('reaches outsiders if all jobs are mappings, or have no value yet', () => {
    expect(reached('')).toBe(1);
    expect(reached('  b: { runs-on: ubuntu-latest, steps: [{ run: make }] }\n')).toBe(1);
    expect(reached('  b:\n')).toBe(1);
  });
});

describe('jobs restricted to another repository', () => {
  const text = `on: issues
jobs:
  gated: { if: "github.repository == 'Acme/App' && github.event_name == 'issues'" }
  owned: { if: "github.repository_owner != 'acme'" }
  after: { needs: gated }
  free: { if: "github.actor != 'bot'" }
`;
  const reached = (name?: string): string[] => {
    const repository = createRepository([{ path: '.github/workflows/w.yml', text }], name);
    const [workflow] = repository.workflows;
    return (workflow?.jobs ?? []).filter((job) => outsiderEvents(job, repository).length > 0).map(({ id }) => id);
  };

  it('are unreachable if the repository’s name is known, and reachable otherwise', () => {
    expect(reached('acme/app')).toEqual(['gated', 'after', 'free']);
    expect(reached('me/app')).toEqual(['owned', 'free']);
    expect(reached('me')).toEqual(['gated', 'owned', 'after', 'free']);
    expect(reached()).toEqual(['gated', 'owned', 'after', 'free']);
  });
});

describe('looksUpPermission', () => {
  it.each([
    ['{ run: "gh api repos/a/b/collaborators/$ACTOR/permission --jq .permission" }', true],
    ['{ run: "curl https://api.github.com/orgs/acme/memberships/$ACTOR" }', true],
    ['{ shell: pwsh, run: "Invoke-RestMethod https://api.github.com/repos/a/b/collaborators/$env:ACTOR" }', true],
    ['{ uses: the-actions-org/check-team-membership@v2 }', true],
    ['{ uses: actions-cool/check-user-permission@v2 }', false],
    [
      '{ uses: actions/github-script@v8, with: { script: "await github.rest.repos.getCollaboratorPermissionLevel({})" } }',
      true,
    ],
    ['{ uses: actions/github-script@v8, with: { script: "github.rest.orgs.checkMembershipForUser({})" } }', true],
    [
      '{ uses: actions/github-script@v8, with: { script: "if (context.payload.comment.author_association !== \'OWNER\') return" } }',
      true,
    ],
    ['{ uses: octokit/request-action@v2, with: { route: "GET /repos/a/b/collaborators/{username}" } }', true],
    ['{ uses: actions/github-script@v8, with: { script: "github.rest.issues.createComment({})" } }', false],
    ['{ uses: actions/github-script@v8, with: { script: "run() // see getCollaboratorPermissionLevel" } }', false],
    ["{ shell: pwsh, run: 'make # as /repos/a/b/collaborators/x says' }", false],
    ['{ run: "echo collaborators" }', false],
    ['{ run: \'gh api orgs/acme/members --paginate | jq -e --arg A "$ACTOR" ".[] | select(.login == \\$A)"\' }', true],
    ['{ run: \'gh api repos/a/b/collaborators --jq .[].login | grep -qx "$GITHUB_ACTOR"\' }', true],
    ["{ run: 'gh api orgs/acme/members --jq .[].login > members.txt' }", false],
    ["{ run: 'gh api orgs/acme/members | jq length' }", false],
    ['{ run: \'cat members | grep -qx "$GITHUB_ACTOR"\' }', false],
  ])('%s: %s', (step, expected) => {
    const before = workflow(step);
    expect(looksUpPermission(jobIn(before, 'w.yml', 'a').steps[1] as Step, before)).toBe(expected);
    const needed = workflow('{ run: "true" }', step);
    expect(looksUpPermission(jobIn(needed, 'w.yml', 'a').steps[1] as Step, needed)).toBe(expected);
  });

  it('ignores a lookup after the step', () => {
    const repository = workflow('{ run: "gh api repos/a/b/collaborators/x/permission" }');
    expect(looksUpPermission(jobIn(repository, 'w.yml', 'a').steps[0] as Step, repository)).toBe(false);
  });
});

describe('a command that an action sends on', () => {
  const reached = (
    inputs: string,
    options: { readonly job?: string; readonly before?: string; readonly on?: string } = {},
  ): boolean => {
    const { job = '', before = 'run: make', on = '{ repository_dispatch: { types: [format-command] } }' } = options;
    const repository = repositoryOf({
      'commands.yml': `on: issue_comment\njobs:\n  send:\n    ${job}\n    runs-on: ubuntu-latest\n    steps:\n      - ${before}\n      - { uses: peter-evans/slash-command-dispatch@v5, with: { ${inputs} } }\n`,
      'format.yml': `on: ${on}\njobs:\n  a: { runs-on: ubuntu-latest, steps: [{ run: make }] }\n`,
    });
    return privilegedOutsiderEvents(jobIn(repository, 'format.yml', 'a'), repository).length > 0;
  };

  it.each([
    ['commands: format, permission: none'],
    ['commands: "test, format", permission: read'],
    ['commands: "test\\nformat", permission: none, repository: "${{ github.repository }}"'],
    ['commands: format, permission: none, dispatch-type: repository'],
    ['commands: fmt, permission: none, event-type-suffix: "", issue-type: pull-request', 'repository_dispatch'],
  ])('of anybody starts the workflow of that name: %s', (inputs, on?: string) => {
    expect(reached(inputs, on === undefined ? {} : { on })).toBe(true);
  });

  it.each([
    ['commands: format'],
    ['commands: format, permission: write'],
    ['commands: test, permission: none'],
    ['commands: format, permission: none, event-type-suffix: -do'],
    ['commands: format, permission: none, repository: acme/other'],
    ['commands: format, permission: none, dispatch-type: workflow'],
    ['commands: "${{ vars.COMMANDS }}", permission: none'],
  ])('does not if only writers may send it, or it has another name: %s', (inputs) => {
    expect(reached(inputs)).toBe(false);
  });

  it.each([
    [{ job: "if: github.event.comment.author_association == 'MEMBER'" }],
    [{ before: 'run: gh api "orgs/acme/members/$ACTOR"' }],
    [{ before: 'uses: actions-cool/check-user-permission@v2' }],
    [{ before: 'uses: tspascoal/get-user-teams-membership@v3' }],
    [
      {
        before:
          '{ uses: actions/github-script@v8, with: { script: "github.rest.repos.getCollaboratorPermissionLevel()" } }',
      },
    ],
    [{ job: "if: github.event_name != 'issue_comment'" }],
  ])('does not if the job may ask who wrote it: %o', (options) => {
    expect(reached('commands: format, permission: none', options)).toBe(false);
  });
});
