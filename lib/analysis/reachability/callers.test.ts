import { expect, it } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { gitUse } from '../privileges/git-use.ts';
import { oidcRight } from '../privileges/oidc.ts';
import { writeSigns } from '../privileges/write-signs.ts';
import { approvalBefore } from './approvals.ts';
import { directTriggers } from './callers.ts';
import { outsiderEvents, workflowOutsiderEvents } from './outsider-reach.ts';

const LEVELS = 10;
const WIDTH = 12;

function calling(first: string): Repository {
  const files = Array.from({ length: LEVELS * WIDTH }, (_, index) => {
    const level = Math.floor(index / WIDTH);
    const calls = Array.from({ length: level + 1 < LEVELS ? WIDTH : 0 }, (_, next) => {
      return `  call${next}:\n    uses: ./.github/workflows/${level + 1}-${next}.yml\n`;
    });
    const leaf = '  leaf:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    const text = `${level === 0 ? first : 'on: workflow_call\n'}jobs:\n${calls.join('')}${leaf}`;
    return { path: `.github/workflows/${level}-${index % WIDTH}.yml`, text };
  });
  return createRepository(files);
}

function leafOf(repository: Repository): Job {
  const job = repository.workflowAt(`.github/workflows/${LEVELS - 1}-0.yml`)?.jobs.at(-1);
  if (job === undefined) throw new Error('no such workflow');
  return job;
}

it('visits each calling workflow once to find OIDC permissions', () => {
  const open = calling('on: push\n');
  expect(oidcRight(leafOf(open), open)).toBeUndefined();
  const granting = calling('on: push\npermissions: { id-token: write }\n');
  expect(oidcRight(leafOf(granting), granting)?.from).toBe('caller');
});

it('takes the OIDC permission of the nearest caller whose token is inherited, the first of several', () => {
  const call = (to: string): string => `{ uses: ./.github/workflows/${to}.yml }`;
  const granting = (to: string): string => `{ permissions: { id-token: write }, uses: ./.github/workflows/${to}.yml }`;
  const repository = createRepository(
    Object.entries({
      far: `on: push\njobs: { a: ${granting('farther')} }\n`,
      farther: `on: workflow_call\njobs: { a: ${call('farthest')} }\n`,
      farthest: `on: workflow_call\njobs: { a: ${call('leaf')} }\n`,
      denying: `on: workflow_call\njobs: { a: { permissions: {}, uses: ./.github/workflows/leaf.yml } }\n`,
      first: `on: push\njobs: { a: ${granting('denying')}, b: ${granting('near')} }\n`,
      near: `on: workflow_call\njobs: { a: ${call('leaf')} }\n`,
      second: `on: push\njobs: { a: ${granting('near')} }\n`,
      leaf: 'on: workflow_call\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: make }] } }\n',
    }).map(([name, text]) => ({ path: `.github/workflows/${name}.yml`, text })),
  );
  const jobsOf = (name: string): readonly Job[] => repository.workflowAt(`.github/workflows/${name}.yml`)?.jobs ?? [];
  const [leaf] = jobsOf('leaf');
  expect(leaf && oidcRight(leaf, repository)?.permissions).toBe(jobsOf('first')[1]?.permissions);
});

it.each([
  ['on: pull_request_target\n', undefined],
  ['on: { pull_request_target: { types: [labeled] } }\n', 'label'],
])('visits each calling workflow once to find an approval: %s', (first, approval) => {
  const repository = calling(first);
  const leaf = leafOf(repository);
  const [event] = outsiderEvents(leaf, repository);
  if (event === undefined) throw new Error('nobody gets there');
  expect(approvalBefore(leaf, event, repository)).toBe(approval);
});

it('passes an event on through ten calls, the longest chain that runs', () => {
  const files = Array.from({ length: 15 }, (_, index) => ({
    path: `.github/workflows/${index + 10}.yml`,
    text: `on: ${index === 0 ? 'issues' : 'workflow_call'}\njobs: { next: { uses: ./.github/workflows/${index + 11}.yml } }\n`,
  }));
  const repository = createRepository(files);
  const reached = repository.workflows.filter((workflow) => workflowOutsiderEvents(workflow, repository).length > 0);
  expect(reached.map(({ source }) => source.path)).toEqual(files.slice(0, 11).map(({ path }) => path));
});

it('takes at most fifty triggers of each event from callers', () => {
  const callers = Array.from({ length: 70 }, (_, index) => ({
    path: `.github/workflows/${index + 10}.yml`,
    text: `on: ${index === 69 ? 'issues' : 'pull_request_target'}\njobs: { call: { uses: ./.github/workflows/hub.yml } }\n`,
  }));
  const hub = 'on: { workflow_call: , pull_request_target: }\njobs: { a: { runs-on: x, steps: [{ run: make }] } }\n';
  const repository = createRepository([...callers, { path: '.github/workflows/hub.yml', text: hub }]);
  const workflow = repository.workflowAt('.github/workflows/hub.yml');
  if (workflow === undefined) throw new Error('no such workflow');
  const events = workflowOutsiderEvents(workflow, repository).map(({ event }) => event);
  expect(events.filter((event) => event === 'pull_request_target')).toHaveLength(1 + 50);
  expect(events.filter((event) => event === 'issues')).toHaveLength(1);
  const direct = directTriggers(workflow, repository).map(({ event }) => event);
  expect(direct.filter((event) => event === 'pull_request_target')).toHaveLength(50);
  expect(direct.filter((event) => event === 'issues')).toHaveLength(1);
});

it('visits an action once, however many actions use it', () => {
  const files = Array.from({ length: LEVELS }, (_, level) => {
    const inner =
      level + 1 < LEVELS
        ? `    - uses: ./actions/${level + 1}\n`.repeat(WIDTH)
        : '    - run: git push\n      shell: bash\n';
    return { path: `actions/${level}/action.yml`, text: `runs:\n  using: composite\n  steps:\n${inner}` };
  });
  const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ./actions/0\n';
  const repository = createRepository([...files, { path: '.github/workflows/a.yml', text }]);
  const job = repository.workflows[0]?.jobs[0];
  const [step] = job?.steps ?? [];
  if (job === undefined || step === undefined) throw new Error('no step');
  expect(gitUse(step, repository)).toBe('uses');
  expect([...writeSigns(job, repository).scopes]).toEqual(['contents']);
});
