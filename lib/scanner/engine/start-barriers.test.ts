import { expect, it } from 'vitest';
import { type Facts, knownSettings, NO_FACTS } from '#lib/facts/facts.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import type { Finding } from './finding.ts';
import type { ScanOptions } from './scan.ts';
import { HARMFUL_WITHOUT_RUN } from './start-barriers.ts';

const PATH = '.github/workflows/pr.yml';
const INJECTED = 'steps: [{ run: "echo ${{ github.event.issue.title }}" }]';

function findings(text: string, options: ScanOptions = {}): readonly Finding[] {
  return scanRepository(createRepository([{ path: PATH, text }]), options).findings;
}

function severities(ruleId: string, text: string, options: ScanOptions = {}): string[] {
  return findings(text, options).flatMap((each) =>
    each.ruleId === ruleId && each.pedantic !== true ? [`${each.job} ${each.severity}`] : [],
  );
}

function issueJob(runsOn: string, rest = INJECTED): string {
  return `on: issues\npermissions: write-all\njobs:\n  a:\n    runs-on: ${runsOn}\n    ${rest}\n`;
}

it.each([
  ['a current image', issueJob('ubuntu-latest'), 'HIGH'],
  ['a removed image', issueJob('ubuntu-20.04'), 'MEDIUM'],
  ['a removed image with another label', issueJob('[ubuntu-20.04, own]'), 'HIGH'],
  [
    'a release refused at set-up',
    issueJob('ubuntu-latest', INJECTED.replace(']', ', { uses: actions/cache@v2 }]')),
    'MEDIUM',
  ],
  [
    'a release that only a comment calls refused',
    issueJob(
      'ubuntu-latest',
      `steps:\n      - ${INJECTED.slice(8, -1)}\n      - uses: actions/cache@${'1'.repeat(40)} # v2`,
    ),
    'HIGH',
  ],
  [
    'a rejected file',
    `${issueJob('ubuntu-latest')}  b: { runs-on: ubuntu-latest, if: secrets.A, steps: [{ run: make }] }\n`,
    'MEDIUM',
  ],
])('a HIGH finding in a job with %s', (_, text, severity) => {
  expect(severities('template-injection', text)).toEqual([`a ${severity}`]);
});

it.each([
  ['a current image', 'ubuntu-latest', '', 'MEDIUM'],
  ['a removed image', 'ubuntu-20.04', '', 'MEDIUM'],
  ['a rejected file', 'ubuntu-latest', 'env: { A: "${{ env.B }}" }, ', 'LOW'],
])('a MEDIUM finding in a job with %s', (_, runsOn, env, severity) => {
  const steps = 'steps: [{ uses: actions/checkout@v4 }, { run: npm ci }]';
  const text = `on: push\npermissions: write-all\njobs:\n  a: { runs-on: ${runsOn}, ${env}${steps} }\n`;
  expect(severities('artipacked', text)).toEqual([`a ${severity}`]);
});

const NEVER = "github.event_name == 'pull_request_target'";

it.each([
  ['an event that the workflow has', 'pull_request_target', NEVER, '', 'MEDIUM'],
  ['an event that the workflow lacks', 'workflow_dispatch', NEVER, '', 'INFO'],
  ['one of two events', 'workflow_dispatch', `${NEVER} || github.event_name == 'workflow_dispatch'`, '', 'MEDIUM'],
  ['what a caller’s event may be', 'workflow_call', NEVER, '', 'MEDIUM'],
  ['a step’s event that the workflow lacks', 'workflow_dispatch', 'github.actor', `if: ${NEVER}, `, 'INFO'],
  ['a step’s event that the workflow has', 'pull_request_target', 'github.actor', `if: ${NEVER}, `, 'MEDIUM'],
])('a MEDIUM finding behind %s', (_, event, condition, ofStep, severity) => {
  const steps = `[{ ${ofStep}uses: actions/checkout@v4 }, { run: npm ci }]`;
  const text = `on: ${event}\npermissions: write-all\njobs:\n  a:\n    runs-on: ubuntu-latest\n    if: ${condition}\n    steps: ${steps}\n`;
  expect(severities('artipacked', text)).toEqual([`a ${severity}`]);
});

it.each([
  ['an event that the workflow lacks', 'workflow_dispatch', NEVER, 'INFO', 'no event of the workflow meets'],
  ['an event that the workflow has', 'pull_request_target', NEVER, 'LOW', undefined],
  ['an event that an input decides', 'workflow_dispatch', `inputs.all && ${NEVER} || inputs.all`, 'LOW', undefined],
])('a LOW finding behind %s', (_, event, condition, severity, because) => {
  const text = `on: ${event}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    if: ${condition}\n    steps: [{ uses: actions/checkout@v3 }]\n`;
  const found = findings(text).filter(({ ruleId }) => ruleId === 'deprecated-runtime');
  expect(found.map((each) => each.severity)).toEqual([severity]);
  const [note] = (found[0]?.related ?? []).flatMap((each) => (/cannot start/.test(each.note) ? [each.note] : []));
  expect(note?.includes(because ?? '')).toBe(because === undefined ? undefined : true);
  expect(note ?? '').not.toContain('the finding is');
});

it('keeps the severity of what a skipped step only shows', () => {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    if: ${NEVER}\n    steps: [{ uses: actions/checkout@v5 }]\n`;
  const found = findings(text).filter(({ ruleId }) =>
    ['constant-condition', 'missing-dependency-updates'].includes(ruleId),
  );
  expect(found.map(({ severity }) => severity)).toEqual(['LOW', 'LOW']);
});

it('says why the finding is lower, and what will raise it again', () => {
  const finding = findings(issueJob('ubuntu-20.04')).find(({ ruleId }) => ruleId === 'template-injection');
  expect(finding?.related?.find(({ line }) => line === 5)).toMatchObject({
    file: PATH,
    note: 'the job cannot start until this changes, and the finding is HIGH then: GitHub removed ubuntu-20.04 on 2025-04-15',
  });
});

it('believes in own runners that the settings show', () => {
  const withRunner = (label: string): Facts =>
    knownSettings({ runners: [{ name: 'one', labels: ['self-hosted', label] }] });
  const text = issueJob('ubuntu-20.04');
  expect(severities('template-injection', text, { facts: withRunner('Ubuntu-20.04') })).toEqual(['a HIGH']);
  expect(severities('template-injection', text, { facts: withRunner('ubuntu-22.04') })).toEqual(['a MEDIUM']);
});

it('leaves a severity that the configuration sets', () => {
  const files = [
    { path: PATH, text: issueJob('ubuntu-20.04') },
    { path: '.github/chainbreak.yml', text: 'severities: [{ rule: template-injection, severity: high }]\n' },
  ];
  const found = scanRepository(createRepository(files)).findings.filter(
    ({ ruleId }) => ruleId === 'template-injection',
  );
  expect(found.map(({ severity }) => severity)).toEqual(['HIGH']);
});

it('does not lower what is public or has happened', () => {
  const text = (runsOn: string): string =>
    `on: push\njobs:\n  a:\n    runs-on: ${runsOn}\n    container: { image: acme/a, credentials: { username: bot, password: tr0ub4dor-and-3 } }\n    steps: [{ run: make }]\n`;
  expect(severities('hardcoded-container-credentials', text('ubuntu-20.04'))).toEqual(['a HIGH']);
  expect(severities('hardcoded-container-credentials', text('ubuntu-latest'))).toEqual(['a HIGH']);
  const ids = new Set(rules.map(({ id }) => id));
  expect([...HARMFUL_WITHOUT_RUN].filter((id) => !ids.has(id))).toEqual([]);
});

it('a lowered finding does not stand for a HIGH one that repeats it', () => {
  const step = 'steps: [{ uses: nobody/lint@v1 }]';
  const facts = rules.find(({ id }) => id === 'repo-jacking')?.examples.bad[0]?.facts ?? NO_FACTS;
  const text = `on: push\njobs:\n  a: { runs-on: ubuntu-20.04, ${step} }\n  b: { runs-on: ubuntu-latest, ${step} }\n`;
  expect(severities('repo-jacking', text, { facts })).toEqual(['b HIGH']);
});
