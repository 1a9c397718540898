import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { scanRepository } from '../scan.ts';

const HEAD = '${{ github.event.pull_request.head.sha }}';

function personas(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const found: { default: string[]; pedantic: string[] } = { default: [], pedantic: [] };
  for (const { ruleId, severity, line, pedantic } of scanRepository(createRepository(inputs)).findings) {
    found[pedantic === true ? 'pedantic' : 'default'].push(`${line} ${severity} ${ruleId}`);
  }
  return found;
}

const PATH = '.github/workflows/ci.yml';

function job(steps: string, on = 'pull_request_target', permissions = '{ contents: write }'): string {
  return `name: CI\non: ${on}\npermissions: ${permissions}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    timeout-minutes: 5\n    steps:\n${steps}`;
}

it('an execution of untrusted code tells of its checkout and trigger, which are its steps', () => {
  const text = job(`      - uses: actions/checkout@v4.2.2\n        with: { ref: "${HEAD}" }\n      - run: make\n`);
  const found = personas({ [PATH]: text });
  expect(found['default']).toContain('11 HIGH untrusted-checkout-exec');
  expect(found['pedantic']).toEqual(
    expect.arrayContaining([
      '5 MEDIUM dangerous-triggers',
      '10 MEDIUM untrusted-checkout',
      '9 LOW unsafe-pr-checkout-opt-in',
    ]),
  );
  const { findings } = scanRepository(createRepository([{ path: PATH, text }]));
  const steps = findings.find(({ ruleId }) => ruleId === 'untrusted-checkout-exec')?.related ?? [];
  expect(steps.map(({ line }) => line)).toEqual([10, 2, 5, 9]);
});

it('a checkout that nothing executes speaks for itself, and so does a trigger with a fact that no other rule reports', () => {
  const checkout = `      - uses: actions/checkout@v6.0.3\n        with: { ref: "${HEAD}" }\n      - run: scan .\n`;
  expect(personas({ [PATH]: job(checkout) })['default']).toContain('10 MEDIUM untrusted-checkout');
  const agent = '      - uses: google-github-actions/run-gemini-cli@v0\n        with: { prompt: Hello }\n';
  const both = personas({ [PATH]: job(`${checkout}${agent}`) });
  expect([...(both['default'] ?? []), ...(both['pedantic'] ?? [])].join()).toContain('dangerous-triggers');
});

it('weaker findings in another job or file are not swallowed', () => {
  const executed = job(`      - uses: actions/checkout@v6.0.3\n        with: { ref: "${HEAD}" }\n      - run: make\n`);
  const only = job(`      - uses: actions/checkout@v6.0.3\n        with: { ref: "${HEAD}" }\n      - run: scan .\n`);
  const found = personas({ [PATH]: executed, '.github/workflows/other.yml': only });
  expect(found['default']?.filter((each) => each.endsWith(' untrusted-checkout'))).toEqual([
    '10 MEDIUM untrusted-checkout',
  ]);
  expect(found['pedantic']?.filter((each) => each.endsWith(' untrusted-checkout'))).toHaveLength(1);
});

it('opinions, majors of the host’s own actions and repetitions in a file are pedantic', () => {
  const called = job(
    '      - uses: actions/checkout@v7\n      - uses: acme/lint@v1\n      - run: echo ${{ inputs.a }}\n      - run: echo ${{ inputs.b }}\n',
    '{ workflow_call: { inputs: { a: { type: string }, b: { type: string } } } }',
  );
  const found = personas({ [PATH]: called });
  expect(found['default']).toContain('10 MEDIUM unpinned-uses');
  expect(found['pedantic']).toContain('9 LOW unpinned-uses');
  expect(found['default']?.filter((each) => each.endsWith('template-injection'))).toEqual([
    '11 INFO template-injection',
  ]);
  expect(found['pedantic']?.filter((each) => each.endsWith('template-injection'))).toEqual([
    '12 INFO template-injection',
  ]);
});

it('an input that a job inserts in several places is one finding with those places', () => {
  const run = (input: string): string => `      - run: echo \${{ ${input} }}\n`;
  const steps = [run('inputs.a'), run('github.event.inputs.a'), run('inputs.b'), run('inputs.a')].join('');
  const text = `${job(steps, '{ workflow_dispatch: { inputs: { a: { type: string }, b: { type: string } } } }')}  b:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
${run('inputs.a')}`;
  const { findings } = scanRepository(createRepository([{ path: PATH, text }]));
  const injections = findings.filter(({ ruleId }) => ruleId === 'template-injection');
  expect(injections.filter(({ pedantic }) => pedantic !== true).map((each) => each.line)).toEqual([9, 11, 17]);
  expect(injections.filter(({ pedantic }) => pedantic === true).map((each) => each.line)).toEqual([10, 12]);
  expect(injections.every(({ fix }) => fix !== undefined)).toBe(true);
  const again = injections[0]?.related?.filter(({ note }) => note === 'the same again') ?? [];
  expect(again.map(({ line }) => line)).toEqual([10, 12]);
});

it('a stored token with which a job publishes several packages is one finding', () => {
  const publish = (folder: string, token: string): string =>
    `      - run: cargo publish --manifest-path ${folder}/Cargo.toml\n        env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.${token} }}" }\n`;
  const text = job([publish('a', 'CRATES'), publish('b', 'CRATES'), publish('c', 'OTHER_CRATES')].join(''));
  const { findings } = scanRepository(createRepository([{ path: PATH, text }]));
  const tokens = findings.filter(({ ruleId }) => ruleId === 'use-trusted-publishing');
  expect(tokens.map(({ pedantic }) => pedantic === true)).toEqual([false, true, false]);
});

it('steps that aliases bring to several jobs are reported once, where they weigh most', () => {
  const text = `on: push
jobs:
  reads:
    permissions: { contents: read }
    runs-on: ubuntu-latest
    steps: &steps
      - uses: somebody/setup@main
      - uses: somebody/setup@main
  writes: { permissions: { contents: write }, runs-on: ubuntu-latest, steps: *steps }
  also: { permissions: { contents: write }, runs-on: ubuntu-latest, steps: *steps }
`;
  const found = personas({ [PATH]: text });
  const of = (kind: string): string[] | undefined => found[kind]?.filter((each) => each.endsWith(' unpinned-uses'));
  expect(of('default')).toEqual(['7 HIGH unpinned-uses', '8 HIGH unpinned-uses']);
  expect(of('pedantic')?.sort()).toEqual([
    '7 HIGH unpinned-uses',
    '7 MEDIUM unpinned-uses',
    '8 HIGH unpinned-uses',
    '8 MEDIUM unpinned-uses',
  ]);
});

it('a suppressed finding stands for no other', () => {
  const text = job(
    `      - uses: actions/checkout@v6.0.3\n        with: { ref: "${HEAD}" }\n      - run: make # chainbreak: ignore[untrusted-checkout-exec] fine\n`,
  );
  expect(personas({ [PATH]: text })['default']).toContain('10 MEDIUM untrusted-checkout');
});
