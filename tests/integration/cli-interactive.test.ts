import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const step = (name: string): string => `      - run: echo "\${{ github.event.comment.${name} }}"\n`;
const workflow = (...steps: string[]): string =>
  `name: Reply\non: issue_comment\npermissions: {}\njobs:\n  reply:\n    name: Reply\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n${steps.join('')}`;
const A = '.github/workflows/a.yml';
const B = '.github/workflows/b.yml';

function sample(): { folder: string; read: (path: string) => string } {
  const folder = temporaryFolder({ [A]: workflow(step('body'), step('user.login')), [B]: workflow(step('body')) });
  return { folder, read: (path) => readFileSync(join(folder, path), 'utf8') };
}

const asks = (text: string): number => text.split('Apply this fix [y,n,a,q,?]? ').length - 1;

describe('chainbreak fix --interactive', () => {
  it('shows each fix with its rule and place, applies the accepted ones and leaves the others alone', async () => {
    const { folder, read } = sample();
    const { stdout, stderr } = await runCli(['fix', folder, '--interactive'], { stdin: 'n\nYes\n', isTTY: true });
    expect(asks(stdout)).toBe(2);
    expect(stdout).toContain('a.yml:10 template-injection: ');
    expect(stdout).toContain('+          COMMENT_BODY: ${{ github.event.comment.body }}');
    expect(read(A)).toBe(workflow(step('body'), step('user.login')));
    expect(read(B)).toContain('echo "${COMMENT_BODY}"');
    expect(stderr).toContain('1 file: fixed 1 finding. Remaining: 1 high.');
  });

  it('writes the same as without questions once all are accepted, by one answer or by each', async () => {
    const plain = sample();
    await runCli(['fix', plain.folder]);
    for (const stdin of ['a\n', 'y\ny\ny\n', 'y\na\n']) {
      const { folder, read } = sample();
      const { stderr } = await runCli(['fix', folder, '-i'], { stdin, isTTY: true });
      expect([read(A), read(B)]).toEqual([plain.read(A), plain.read(B)]);
      expect(stderr).toMatch(/^2 files: fixed \d findings?\./);
    }
  });

  it('ends at q and at the end of the input, and keeps what was accepted', async () => {
    for (const stdin of ['y\nq\n', 'y\n']) {
      const { folder, read } = sample();
      const { stdout } = await runCli(['fix', folder, '-i'], { stdin, isTTY: true });
      expect(asks(stdout)).toBe(2);
      expect(read(A)).toContain('COMMENT_BODY');
      expect(read(B)).toBe(workflow(step('body')));
    }
  });

  it('explains the answers and asks again for any other', async () => {
    const { folder, read } = sample();
    const { stdout } = await runCli(['fix', folder, '-i'], { stdin: '?\nmaybe\nq\n', isTTY: true });
    expect(asks(stdout)).toBe(3);
    expect(stdout.match(/^q {2}apply nothing more$/gm)).toHaveLength(2);
    expect(read(A)).toBe(workflow(step('body'), step('user.login')));
  });

  it('needs a terminal, and is neither a dry run nor JSON', async () => {
    const { folder, read } = sample();
    const piped = await runCli(['fix', folder, '--interactive'], { stdin: 'a\n' });
    expect([piped.code, piped.stderr]).toEqual([2, 'chainbreak: --interactive needs a terminal as standard input.\n']);
    for (const other of [['--dry-run'], ['--format', 'json']]) {
      expect((await runCli(['fix', folder, '-i', ...other], { stdin: 'a\n', isTTY: true })).code).toBe(2);
    }
    expect(read(A)).toBe(workflow(step('body'), step('user.login')));
  });
});
