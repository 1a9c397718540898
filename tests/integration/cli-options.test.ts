import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const WORKFLOW = `on: pull_request_target
permissions: {}
jobs:
  reply:
    runs-on: ubuntu-24.04
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
      - uses: acme/notify@main
        with:
          token: \${{ secrets.BOT_TOKEN }}
`;

interface Json {
  readonly findings: readonly { rule_id: string; severity: string; confidence: string; file: string; line: number }[];
}

async function json(...args: readonly string[]): Promise<Json> {
  const { stdout, stderr } = await runCli(['scan', ...args, '--format', 'json', '--fail-on', 'never']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Json;
}

const rulesIn = ({ findings }: Json): string[] => [...new Set(findings.map(({ rule_id }) => rule_id))].sort();

describe('--format concise', () => {
  it('is a line for each attack path, finding and problem, and one for the sum', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW, '.github/workflows/broken.yml': '[' });
    const lines = (await runCli(['scan', folder, '--format', 'concise'])).stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\.github\/workflows\/ci\.yml:\d+:\d+: CRITICAL event-text-to-shell-with-credentials /);
    expect(lines).toContainEqual(
      expect.stringMatching(/^\.github\/workflows\/ci\.yml:7:20: HIGH template-injection .* \[fix\]$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\.github\/workflows\/broken\.yml:1:\d+: error /));
    expect(lines.at(-1)).toMatch(/^\d+ high, .* in 2 files/);
  });

  it('spells out what a name of a file hides', async () => {
    const folder = temporaryFolder({ '.github/workflows/a\n::error::b.yml': WORKFLOW });
    const { stdout } = await runCli(['scan', folder, '--format', 'concise']);
    expect(stdout).not.toMatch(/^::/m);
    expect(stdout).toContain('a<U+000A>::error::b.yml:7:20');
  });
});

describe('scan -', () => {
  it('scans a workflow on standard input, under the path given', async () => {
    const args = ['scan', '-', '--format', 'concise'];
    const { code, stdout } = await runCli(args, { stdin: WORKFLOW });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\.github\/workflows\/stdin\.yml:7:20: HIGH template-injection /m);
    const action = 'name: A\nruns:\n  using: composite\n  steps: [{ run: "echo ${{ inputs.x }}", shell: bash }]\n';
    const named = await runCli([...args, '--stdin-filename', './tools/action.yml'], { stdin: action });
    expect(named.stdout).toMatch(/^tools\/action\.yml:4:/m);
  });

  it('fails for input that is no workflow', async () => {
    expect((await runCli(['scan', '-'], { stdin: '[' })).code).toBe(3);
    expect((await runCli(['scan', '-'], { stdin: 'a\u0000b' })).code).toBe(3);
  });
});

describe('--select and --ignore', () => {
  it('run the rules named, or all others', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    expect(rulesIn(await json(folder, '--select', 'unpinned-uses,template-injection'))).toEqual([
      'template-injection',
      'unpinned-uses',
    ]);
    const all = rulesIn(await json(folder));
    const others = rulesIn(await json(folder, '--ignore', 'unpinned-uses', '--ignore', 'missing-timeout'));
    expect(others).toEqual(all.filter((id) => id !== 'unpinned-uses' && id !== 'missing-timeout'));
    expect(rulesIn(await json(folder, '--select', 'unpinned-uses', '--ignore', 'unpinned-uses'))).toEqual([]);
  });

  it('leave no attack path that needs another rule, and say that it was not searched for', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { code, stdout } = await runCli(['scan', folder, '--select', 'missing-timeout']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No attack paths found: \d+ of \d+ kinds were checked in full$/m);
    expect((await runCli(['scan', folder, '--ignore', 'unpinned-uses'])).stdout).toContain(
      'Untrusted text is inserted',
    );
  });

  it('refuse a rule that does not exist, and name the nearest', async () => {
    const { code, stderr } = await runCli(['scan', '--select', 'template-injektion']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "template-injection"?')]);
  });

  it('limit what fix changes', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    expect((await runCli(['fix', folder, '--dry-run', '--ignore', 'template-injection'])).stdout).toBe('');
    expect((await runCli(['fix', folder, '--dry-run', '--select', 'template-injection'])).stdout).toContain('+');
  });
});

it('--min-confidence hides less certain findings, also from --fail-on', async () => {
  const folder = temporaryFolder({ [CI]: WORKFLOW.replace('${{ github.event.pull_request.title }}', '${{ env.X }}') });
  const all = (await json(folder)).findings.map(({ confidence }) => confidence);
  expect(new Set(all).size).toBeGreaterThan(1);
  const certain = (await json(folder, '--min-confidence', 'HIGH')).findings.map(({ confidence }) => confidence);
  expect(certain).toEqual(all.filter((confidence) => confidence === 'high'));
  expect((await runCli(['scan', folder, '--min-confidence', 'certain'])).code).toBe(2);
});

describe('--output', () => {
  it('writes the report to a file and keeps the exit code', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const file = join(folder, 'report.txt');
    const { code, stdout } = await runCli(['scan', folder, '-o', file, '--color', 'always']);
    expect([code, stdout]).toEqual([1, '']);
    expect(readFileSync(file, 'utf8')).toMatch(/^ +critical +high/);
    const chart = join(folder, 'paths.mmd');
    await runCli(['paths', folder, '--format', 'mermaid', '--output', chart]);
    expect(readFileSync(chart, 'utf8')).toMatch(/^flowchart LR\n/);
  });

  it('is not written through a symbolic link of the repository', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW, 'target.txt': 'kept' });
    symlinkSync(join(folder, 'target.txt'), join(folder, 'report.txt'));
    expect((await runCli(['scan', folder, '-o', join(folder, 'report.txt')])).code).toBe(2);
    expect(readFileSync(join(folder, 'target.txt'), 'utf8')).toBe('kept');
  });
});

it('--strict exits with 3 if a file cannot be read in full, and with 1 if there is something to fail for', async () => {
  const broken = { '.github/workflows/broken.yml': 'on: push\njobs: [' };
  const quiet =
    'name: Q\non: push\npermissions: {}\njobs:\n  a:\n    name: A\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps: [{ run: make }]\n';
  const codes = async (files: Record<string, string>): Promise<(number | null)[]> => {
    const folder = temporaryFolder(files);
    return [(await runCli(['scan', folder])).code, (await runCli(['scan', folder, '--strict'])).code];
  };
  expect(await codes({ [CI]: quiet, ...broken })).toEqual([0, 3]);
  expect(await codes({ [CI]: quiet })).toEqual([0, 0]);
  expect(await codes({ [CI]: WORKFLOW, ...broken })).toEqual([1, 1]);
});

it('--color always colours without a terminal, and never does not', async () => {
  const folder = temporaryFolder({ [CI]: WORKFLOW });
  expect((await runCli(['scan', folder, '--color', 'always'])).stdout).toContain('\u001B[');
  expect((await runCli(['scan', folder, '--color', 'never'])).stdout).not.toContain('\u001B[');
  expect((await runCli(['--color', 'sometimes', 'scan', folder])).code).toBe(2);
});

it('an error begins with the name of the program and names the help of the command', async () => {
  const { stderr } = await runCli(['scan', '--nope']);
  expect(stderr).toMatch(/^chainbreak: unknown option '--nope'/);
  expect(stderr).toContain('Run "chainbreak scan --help" for usage.');
});
