import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { refuseLinks, replaceFile } from './replace-file.ts';

function folders(): { readonly repository: string; readonly victim: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'chainbreak-replace-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [repository, victim] = [join(base, 'repository'), join(base, 'victim')];
  mkdirSync(join(repository, '.github'), { recursive: true });
  mkdirSync(victim);
  writeFileSync(join(victim, 'file'), 'original');
  return { repository, victim };
}

describe('a file that is replaced', () => {
  it('is new, or keeps its mode', () => {
    const { repository } = folders();
    const file = join(repository, 'a.json');
    replaceFile(file, 'one');
    chmodSync(file, 0o664);
    replaceFile(file, 'two', 'one');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o664]);
    expect(readdirSync(repository)).toEqual(['.github', 'a.json']);
  });

  it('is left as it is when it holds something else than expected', () => {
    const { repository } = folders();
    const file = join(repository, 'a.json');
    writeFileSync(file, 'three');
    expect(() => replaceFile(file, 'two', 'one')).toThrow('has changed in the meantime');
    expect(readFileSync(file, 'utf8')).toBe('three');
    expect(readdirSync(repository)).toEqual(['.github', 'a.json']);
  });

  it('is never a symbolic link, wherever it lies', () => {
    const { repository, victim } = folders();
    for (const folder of [repository, victim]) {
      const link = join(folder, 'baseline.json');
      symlinkSync(join(victim, 'file'), link);
      expect(() => replaceFile(link, 'pwned')).toThrow(/symbolic link/);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
    }
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('original');
  });

  it('is never below a linked folder of a repository, nor one that leads back', () => {
    const { repository, victim } = folders();
    symlinkSync(victim, join(repository, 'linked'));
    for (const path of [`${repository}/linked/file`, `${repository}/linked/new`, `${repository}/a/../linked/file`]) {
      expect(() => replaceFile(path, 'pwned')).toThrow(/through the symbolic link/);
    }
    expect(readdirSync(victim)).toEqual(['file']);
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('original');
  });

  it('is the one that its path names, also after a link and two dots', () => {
    const { repository, victim } = folders();
    mkdirSync(join(victim, 'inner'));
    symlinkSync(join(victim, 'inner'), join(repository, 'linked'));
    replaceFile(`${repository}/linked/../file`, 'new');
    expect(readFileSync(join(repository, 'file'), 'utf8')).toBe('new');
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('original');
  });

  it('may lie below a link of the user, above all repositories', () => {
    const { repository, victim } = folders();
    const link = join(victim, 'code');
    symlinkSync(repository, link);
    replaceFile(join(link, 'a.json'), 'one');
    expect(readFileSync(join(repository, 'a.json'), 'utf8')).toBe('one');
  });

  it('is no folder, and nothing is left behind where writing fails', () => {
    const { repository } = folders();
    expect(() => replaceFile(join(repository, '.github'), 'x')).toThrow(/not a regular file/);
    expect(() => replaceFile(join(repository, 'missing/a.json'), 'x')).toThrow(/could not be written \(ENOENT\)/);
    expect(readdirSync(repository)).toEqual(['.github']);
  });
});

it('links below the working folder count as those of a repository', () => {
  const { victim } = folders();
  symlinkSync(tmpdir(), join(victim, 'linked'));
  expect(() => refuseLinks(join(victim, 'linked/file'))).not.toThrow();
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(victim);
  onTestFinished(() => cwd.mockRestore());
  expect(() => refuseLinks('linked/file')).toThrow(/symbolic link/);
});
