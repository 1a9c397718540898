import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const RULES = ['dangerous-triggers', 'template-injection', 'unpinned-uses', 'excessive-permissions'];
const WORKFLOW = `on: pull_request_target
jobs:
  a:
    runs-on: ubuntu-24.04
    steps:
      # chainbreak: ignore[template-injection] fine
      - run: echo "\${{ github.event.pull_request.title }}"
        env: { TOKEN: "\${{ secrets.TOKEN }}" }
      - uses: acme/tool@main # zizmor: ignore[unpinned-uses]
`;
const CONFIG = `ignore:
${RULES.map((rule) => `  - { rule: ${rule}, reason: nothing to see }\n`).join('')}uses:
  deny: [acme/*]
`;
const HOSTILE = { [CI]: WORKFLOW, '.github/chainbreak.yml': CONFIG };

async function scan(...flags: readonly string[]) {
  const { code, stdout } = await runCli(['scan', temporaryFolder(HOSTILE), '--format', 'json', '--pedantic', ...flags]);
  const { findings, suppressed, summary } = JSON.parse(stdout) as {
    findings: { rule_id: string; fingerprint: string }[];
    suppressed: { finding: { fingerprint: string } }[];
    summary: { suppressed: number };
  };
  const rules = new Set(findings.map(({ rule_id }) => rule_id));
  const all = [...findings, ...suppressed.map(({ finding }) => finding)].map(({ fingerprint }) => fingerprint).sort();
  return { code, rules, all, suppressed: summary.suppressed };
}

describe('a repository that suppresses its own findings', () => {
  it('is believed by default', async () => {
    const { code, rules, suppressed } = await scan('--fail-on', 'critical');
    expect([code, suppressed]).toEqual([0, expect.any(Number)]);
    expect(suppressed).toBeGreaterThan(3);
    for (const rule of RULES) expect(rules).not.toContain(rule);
    expect(rules).toContain('forbidden-uses');
  });

  it('is believed in nothing with --no-suppressions, while its list of actions still counts', async () => {
    const [trusting, strict] = [await scan(), await scan('--no-suppressions', '--fail-on', 'critical')];
    expect([strict.code, strict.suppressed]).toEqual([1, 0]);
    for (const rule of [...RULES, 'forbidden-uses']) expect(strict.rules).toContain(rule);
    expect(strict.all).toEqual(trusting.all);
  });

  it('has no configuration with --config none, while its comments still count', async () => {
    const { rules, suppressed } = await scan('--config', 'none');
    expect(suppressed).toBe(2);
    for (const rule of ['dangerous-triggers', 'excessive-permissions']) expect(rules).toContain(rule);
    for (const rule of ['template-injection', 'unpinned-uses', 'forbidden-uses']) expect(rules).not.toContain(rule);
  });

  it('hides no attack path from scan and paths with --no-suppressions', async () => {
    const folder = temporaryFolder(HOSTILE);
    for (const command of ['scan', 'paths']) {
      expect((await runCli([command, folder, '--fail-on', 'critical'])).code).toBe(0);
      for (const flags of [['--no-suppressions'], ['--ruleset', 'owasp', '--no-suppressions']]) {
        if (command === 'paths' && flags.length > 1) continue;
        const { code, stdout } = await runCli([command, folder, '--fail-on', 'critical', ...flags]);
        expect([code, stdout]).toEqual([1, expect.stringContaining('CRITICAL')]);
      }
    }
  });

  it('keeps nothing from fix with --no-suppressions', async () => {
    const folder = temporaryFolder(HOSTILE);
    await runCli(['fix', folder]);
    expect(readFileSync(join(folder, CI), 'utf8')).toContain('run: echo "${{ github.event.pull_request.title }}"');
    await runCli(['fix', folder, '--config', 'none', '--categories', 'CICD-SEC-4']);
    expect(readFileSync(join(folder, CI), 'utf8')).toContain('run: echo "${{ github.event.pull_request.title }}"');
    await runCli(['fix', folder, '--no-suppressions']);
    expect(readFileSync(join(folder, CI), 'utf8')).toContain('run: echo "${PULL_REQUEST_TITLE}"');
  });

  it('cannot say what --config means', async () => {
    const { code, stderr } = await runCli(['scan', '.', '--config', '.github/other.yml']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are none')]);
  });
});

it.each(['scan', 'paths', 'fix'])('completion offers both options for %s', async (command) => {
  const { stdout } = await runCli(['completion', 'bash']);
  const script = `${stdout}\nCOMP_WORDS=(chainbreak ${command} --config '')\nCOMP_CWORD=3\n_chainbreak\necho "\${COMPREPLY[@]}"\nCOMP_WORDS=(chainbreak ${command} --)\nCOMP_CWORD=2\n_chainbreak\necho "\${COMPREPLY[@]}"\n`;
  const [value, options] = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n');
  expect(value).toBe('none');
  expect(options?.split(' ')).toEqual(expect.arrayContaining(['--no-suppressions', '--config']));
});
