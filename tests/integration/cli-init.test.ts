import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const WORKFLOW = '.github/workflows/chainbreak.yml';
const CONFIG = '.github/chainbreak.yml';

describe('chainbreak init', () => {
  it('writes what is accepted, and nothing else', async () => {
    const folder = temporaryFolder({ 'README.md': '' });
    const { code, stdout } = await runCli(['init', folder], { stdin: 'y\nn\n' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Write \.github\/workflows\/chainbreak\.yml, .*\? \[Y\/n\] Wrote/);
    expect([existsSync(join(folder, WORKFLOW)), existsSync(join(folder, CONFIG))]).toEqual([true, false]);
  });

  it('writes files in which a scan finds no more than the wish for Dependabot, for the default branch', async () => {
    const folder = temporaryFolder({ '.git/refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/trunk\n' });
    expect((await runCli(['init', folder, '--yes'])).code).toBe(0);
    const workflow = readFileSync(join(folder, WORKFLOW), 'utf8');
    expect(workflow).toContain('branches: [trunk]');
    // The registry's "chainbreak" may be anyone's package.
    expect(workflow).not.toMatch(/npx|npm /);
    const { code, stdout } = await runCli(['scan', folder, '--format', 'json', '--pedantic']);
    const { findings, diagnostics } = JSON.parse(stdout) as Record<string, { rule_id: string }[]>;
    expect(diagnostics).toEqual([]);
    expect(findings?.map(({ rule_id }) => rule_id)).toEqual(['missing-dependency-updates']);
    expect(code).toBe(0);
  });

  it('overwrites nothing, follows no symbolic link and stops without an answer', async () => {
    const folder = temporaryFolder({ [WORKFLOW]: 'mine', 'target.yml': 'kept' });
    symlinkSync(join(folder, 'target.yml'), join(folder, CONFIG));
    expect((await runCli(['init', folder, '--yes'])).stdout).toContain(`${WORKFLOW} exists`);
    expect(readFileSync(join(folder, WORKFLOW), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'target.yml'), 'utf8')).toBe('kept');
    const empty = temporaryFolder({ 'README.md': '' });
    expect((await runCli(['init', empty])).code).toBe(2);
    expect(existsSync(join(empty, '.github'))).toBe(false);
  });
});
