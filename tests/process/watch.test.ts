import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { spawnCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const SAFE =
  'name: Q\non: pull_request\npermissions: {}\njobs:\n  a:\n    name: A\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps: [{ run: make }]\n';
const UNSAFE = SAFE.replace('on: pull_request', 'on: issue_comment').replace(
  '{ run: make }',
  '{ run: \'echo "${{ github.event.comment.body }}"\' }',
);

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Watch {
  next(): Promise<string>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

function watch(...args: string[]): Watch {
  const env = { NODE_ENV: 'test', PATH: process.env['PATH'], CHAINBREAK_NO_CACHE: '1' } as const;
  const child = spawn(process.execPath, ['dist/cli.mjs', 'scan', '--watch', '--format', 'concise', ...args], { env });
  running.push(child);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let text = '';
  let wake = (): void => {};
  const WAITING = 'Waiting for changes. Press Ctrl+C to end.\n';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      text += data.toString();
      wake();
    });
  }
  return {
    async next() {
      for (;;) {
        const at = text.indexOf(WAITING);
        if (at >= 0) {
          const report = text.slice(0, at);
          text = text.slice(at + WAITING.length);
          return report;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe('chainbreak scan --watch', () => {
  it('scans again after changes, new folders and removals, and ends with 0 when interrupted', async () => {
    const folder = temporaryFolder({ [CI]: SAFE, 'src/a.js': '' });
    const watched = watch(folder);
    expect(await watched.next()).not.toContain('template-injection');
    write(folder, CI, UNSAFE);
    expect(await watched.next()).toContain('template-injection');
    write(folder, 'src/a.js', 'x');
    write(folder, CI, SAFE);
    expect(await watched.next()).not.toContain('template-injection');
    mkdirSync(join(folder, 'tools/say'), { recursive: true });
    expect(await watched.next()).not.toContain('tools/say');
    write(folder, 'tools/say/action.yml', 'name: [');
    expect(await watched.next()).toContain('tools/say/action.yml');
    rmSync(join(folder, 'tools/say/action.yml'));
    expect(await watched.next()).not.toContain('tools/say');
    expect(await watched.end('SIGINT')).toBe(0);
  });

  it('goes on when there is nothing to scan for a while', async () => {
    const folder = temporaryFolder({ [CI]: SAFE });
    const watched = watch(join(folder, CI));
    await watched.next();
    rmSync(join(folder, CI));
    expect(await watched.next()).toContain('chainbreak: No such file or folder');
    write(folder, CI, UNSAFE);
    expect(await watched.next()).toContain('template-injection');
    expect(await watched.end('SIGTERM')).toBe(0);
  });

  it('refuses what it cannot watch, and options that write files', () => {
    expect(spawnCli(['scan', '--watch', 'acme/shop'])).toMatchObject({
      code: 2,
      stderr: 'chainbreak: --watch needs local paths; "acme/shop" is not one.\n',
    });
    expect(spawnCli(['scan', '--watch', '--output', 'x.txt']).code).toBe(2);
    expect(spawnCli(['scan', '--watch', '--write-baseline']).code).toBe(2);
  });
});
