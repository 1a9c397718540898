import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Calls back once when npm, which started this process, has ended. A killed npm sends no signal, and a shell between
 * the two can outlive it.
 */
export function onceNpmIsGone(callback: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const grandparent = parentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === null || exists(grandparent))) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}

function parentOfShell(pid: number): number | null {
  try {
    const line =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^\d+ \((.*)\) \S (\d+) [^]*$/, '$2 $1')
        : execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command = ''] = /^\s*(\d+) (.*?)\s*$/.exec(line) ?? [];
    return parent !== undefined && /^(?:.*\/)?(?:ba|da|z)?sh$/.test(command) ? Number(parent) : null;
  } catch {
    return null;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
