import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './cli.ts';

export type Changes = Readonly<Record<string, string | null>>;

export interface Clone {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (changes: Changes) => void;
  readonly commit: (changes: Changes) => string;
}

export function makeClone(files: Readonly<Record<string, string>>): Clone {
  const folder = temporaryFolder({ '.keep': '' });
  const git: Clone['git'] = (...args) => {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', ['-C', folder, ...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const write: Clone['write'] = (changes) => {
    for (const [path, text] of Object.entries(changes)) {
      const file = join(folder, path);
      if (text === null) rmSync(file);
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    }
  };
  const commit: Clone['commit'] = (changes) => {
    write(changes);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'A change');
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch', 'main');
  commit(files);
  return { folder, git, write, commit };
}
