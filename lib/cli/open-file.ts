import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function newPrivateReport(): string {
  return join(mkdtempSync(join(tmpdir(), 'chainbreak-')), 'paths.html');
}

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };

export async function openFile(file: string, { BROWSER }: NodeJS.ProcessEnv, platform: string): Promise<boolean> {
  const program = BROWSER === undefined || BROWSER === '' ? (OPENERS[platform] ?? 'xdg-open') : BROWSER;
  return new Promise((resolve) => {
    const child = spawn(program, [file], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
