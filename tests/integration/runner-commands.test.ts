import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { HOSTILE_REPOSITORIES, HOSTILE_REPOSITORY } from '../support/hostile-repository.ts';
import { commandsIn } from '../support/runner.ts';

const PAYLOAD = /set-output name=verdict/;
const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const STOPS = /^::stop-commands::(?<token>\S+)\n(?<diff>[^]*)::\k<token>::\n$/;

async function outputOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr } = await runCli(args, { env });
  return `${stdout}\n${stderr}`;
}

describe('a repository that is scanned in a job of GitHub Actions', () => {
  it.each([
    'scan --format text',
    'scan --format text --verbose',
    'scan --format text --ruleset slsa-build-l3',
    'scan --format markdown',
    'scan --format markdown --ruleset slsa-build-l3',
    'scan --format json',
    'scan --format json --ruleset slsa-build-l3',
    'scan --format sarif',
    'scan --format sarif --ruleset slsa-build-l3',
    'paths --format text',
    'paths --format text --verbose',
    'paths --format json',
    'paths --format sarif',
    'fix --dry-run --unsafe --format json',
  ])('gives the runner no command through %s', async (command) => {
    const [name = '', ...flags] = command.split(' ');
    const output = await outputOf([name, temporaryFolder(HOSTILE_REPOSITORIES), ...flags]);
    expect(output).toMatch(PAYLOAD);
    expect(commandsIn(output, { anyName: true })).toEqual([]);
  });

  it('gives the runner no command through a chart of attack paths', async () => {
    const output = await outputOf(['paths', temporaryFolder(HOSTILE_REPOSITORIES), '--format', 'mermaid']);
    expect(output).toContain('set-output name');
    expect(output).not.toMatch(HIDDEN);
    expect(commandsIn(output, { anyName: true })).toEqual([]);
  });

  it.each(['all', 'slsa-build-l3'])(
    'gets annotations from --format github of ruleset %s for paths, findings and problems, and nothing else',
    async (ruleset) => {
      const flags = [temporaryFolder(HOSTILE_REPOSITORIES), '--ruleset', ruleset];
      const { stdout } = await runCli(['scan', ...flags, '--format', 'github']);
      const { findings, diagnostics } = JSON.parse((await runCli(['scan', ...flags, '--format', 'json'])).stdout);
      const commands = commandsIn(stdout, { anyName: true });
      const { combos } = JSON.parse((await runCli(['paths', flags[0] ?? '', '--format', 'json'])).stdout);
      expect(combos.length).toBeGreaterThan(0);
      expect(commands).toHaveLength(combos.length + findings.length + diagnostics.length);
      for (const { name, properties, data } of commands) {
        expect(['error', 'warning', 'notice']).toContain(name);
        expect(`${properties['file']}${properties['title']}${data}`).not.toContain('\n');
      }
    },
  );

  it.each([
    ['the name of a folder', ['scan', '\n::set-output name=verdict::clean']],
    ['several names', ['scan', '##[set-output name=verdict]clean', 'b\n::set-output name=verdict::clean']],
    ['an argument', ['explain', '\n ::set-output name=verdict::clean']],
    ['an option', ['scan', '--\n::set-output name=verdict::clean']],
    ['a command', ['\n::set-output name=verdict::clean']],
  ])('gives the runner no command through the error about %s', async (_, args) => {
    const output = await outputOf(args);
    expect(output).toMatch(PAYLOAD);
    expect(commandsIn(output, { anyName: true })).toEqual([]);
  });

  it('gives the runner no command through the name of the baseline', async () => {
    const folder = temporaryFolder(HOSTILE_REPOSITORIES);
    const file = join(folder, '\n::set-output name=verdict::clean.json');
    const output = await outputOf(['scan', folder, '--write-baseline', '--baseline', file]);
    expect(output).toMatch(PAYLOAD);
    expect(commandsIn(output, { anyName: true })).toEqual([]);
  });

  it('gives the runner no command through a baseline that is printed, which still knows every finding', async () => {
    const folder = temporaryFolder(HOSTILE_REPOSITORIES);
    const baseline = join(folder, 'baseline.json');
    await runCli(['scan', folder, '--write-baseline', '--baseline', baseline]);
    const text = readFileSync(baseline, 'utf8');
    expect(text).toMatch(PAYLOAD);
    expect(text).not.toMatch(HIDDEN);
    expect(commandsIn(text, { anyName: true })).toEqual([]);
    const { stdout } = await runCli(['scan', folder, '--baseline', baseline, '--format', 'json']);
    expect((JSON.parse(stdout) as { findings: unknown[] }).findings).toEqual([]);
  });

  it('gets the diff of fixes where commands are stopped, which ends with it', async () => {
    const folder = temporaryFolder(HOSTILE_REPOSITORIES);
    const run = () => outputOf(['fix', folder, '--dry-run'], { GITHUB_ACTIONS: 'true' });
    const outputs = [await run(), await run()];
    for (const output of outputs) {
      expect(output).toMatch(/^ +::set-output name=verdict::clean$/m);
      const [stop, after, ...others] = commandsIn(`${output}\n::warning::after`);
      expect([stop?.name, after?.data, others]).toEqual(['stop-commands', 'after', []]);
    }
    const [first, second] = outputs.map((output) => commandsIn(output)[0]?.data);
    expect(first).not.toBe(second);
  });
});

describe('the diff of fixes', () => {
  it.each([{}, { GITHUB_ACTIONS: 'true' }])(
    'is a patch that git applies whatever files are called, with %j',
    async (env) => {
      const [example = ''] = Object.values(HOSTILE_REPOSITORY);
      const folder = temporaryFolder({
        ...HOSTILE_REPOSITORY,
        '.github/workflows/space "quotes" \\ .yml': example,
        '.github/workflows/tab\t2020-01-01 00:00.yml': example,
        '.github/workflows/ü.yml': example,
      });
      const { stdout } = await runCli(['fix', folder, '--dry-run', '--unsafe'], { env });
      execFileSync('git', ['init', '-q'], { cwd: folder });
      execFileSync('git', ['apply', '-'], { cwd: folder, input: stdout });
      const names = readdirSync(join(folder, '.github/workflows'));
      const patched = names.map((name) => readFileSync(join(folder, '.github/workflows', name), 'utf8'));
      execFileSync('git', ['apply', '--reverse', '-'], { cwd: folder, input: stdout });
      await runCli(['fix', folder, '--unsafe']);
      expect(names.map((name) => readFileSync(join(folder, '.github/workflows', name), 'utf8'))).toEqual(patched);
      expect(patched.filter((text) => text === example)).toEqual([]);
    },
  );

  it('is the diff alone outside GitHub Actions', async () => {
    const folder = temporaryFolder(HOSTILE_REPOSITORIES);
    const inside = await runCli(['fix', folder, '--dry-run'], { env: { GITHUB_ACTIONS: 'true' } });
    const outside = await runCli(['fix', folder, '--dry-run']);
    expect(STOPS.exec(inside.stdout)?.groups?.['diff']).toBe(outside.stdout);
  });
});

it('the text of rules holds no command', async () => {
  expect(commandsIn(await outputOf(['rules']), { anyName: true })).toEqual([]);
  for (const { id } of rules) expect(commandsIn(await outputOf(['explain', id]))).toEqual([]);
});

it('JSON stays the same value, and names files as they are called', async () => {
  const folder = temporaryFolder(HOSTILE_REPOSITORIES);
  const { stdout } = await runCli(['scan', folder, '--format', 'json']);
  const { findings } = JSON.parse(stdout) as { findings: { root: string; file: string | null }[] };
  const files = new Set(findings.flatMap(({ root, file }) => (file === null ? [] : [`${root}/${file}`])));
  expect(files.size).toBeGreaterThan(20);
  expect(Object.keys(HOSTILE_REPOSITORIES)).toEqual(expect.arrayContaining([...files]));
  expect(stdout).not.toMatch(HIDDEN);
});
