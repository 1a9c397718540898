import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRepositories, readRepository } from '#lib/cli/files.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import { benchHardener } from './bench-hardener.ts';

const ROUNDS = 5;
const OWN = [process.execPath, 'dist/cli.mjs', 'scan', '--format', 'json', '--fail-on', 'never'];
const CORPUS = '../shared/corpus/unpack';
const CHANGED = 'one changed';

benchHardener();
if (process.argv[2] === 'hardener') process.exit(0);
const source = process.argv[2] ?? unpackCorpus();
if (source === undefined) {
  process.stdout.write('There is no corpus beside the checkout; give a folder of repositories.\n');
  process.exit(0);
}
const work = mkdtempSync(join(tmpdir(), 'chainbreak-bench-'));
process.env['CHAINBREAK_CACHE_DIR'] = join(work, 'cache');
const folder = join(work, 'repositories');
cpSync(source, folder, { recursive: true, dereference: true });

try {
  warmEngine();
  const zizmor = has('zizmor') && removeWhatZizmorRefuses();
  const files = workflowFiles();
  wholeProcess('the whole folder', [folder], repositoryFolders(), files, zizmor);
  const small = smallestWorkflow();
  wholeProcess('one small file', [small], [small], [small], zizmor);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function warmEngine(): void {
  const repositories = findRepositories(folder).map(readRepository);
  scanAll(repositories);
  for (const share of [0.25, 0.5, 1]) {
    const part = repositories.slice(0, Math.round(repositories.length * share));
    const files = part.reduce((sum, list) => sum + list.length, 0);
    const times = Array.from({ length: ROUNDS }, () => scanAll(part));
    const best = Math.min(...times);
    process.stdout.write(
      `engine, warm: ${String(files).padStart(5)} files in ${best.toFixed(0).padStart(5)} ms, ${Math.round((files * 1_000) / best)} files/s\n`,
    );
  }
}

function scanAll(repositories: readonly (readonly InputFile[])[]): number {
  const start = performance.now();
  for (const files of repositories) scanRepository(createRepository(files));
  return performance.now() - start;
}

interface Run {
  readonly seconds: number;
  readonly busy: number;
  readonly megabytes: number;
}

function wholeProcess(
  what: string,
  own: readonly string[],
  forZizmor: readonly string[],
  forActionlint: readonly string[],
  zizmor: boolean,
): void {
  const programs = new Map<string, readonly string[]>([
    ['chainbreak', [...OWN, '--no-cache', ...own]],
    ['with cache', [...OWN, ...own]],
    [CHANGED, [...OWN, ...own]],
  ]);
  if (zizmor) programs.set('zizmor', ['zizmor', '--offline', '--no-progress', '--format', 'json', ...forZizmor]);
  if (has('actionlint')) {
    programs.set('actionlint', ['actionlint', '-shellcheck=', '-pyflakes=', '-format', '{{json .}}', ...forActionlint]);
  }
  const runs = new Map<string, Run[]>([...programs.keys()].map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, command] of programs) {
      const [changed] = forActionlint;
      if (name === CHANGED && changed !== undefined) appendFileSync(changed, `# ${round}\n`);
      runs.get(name)?.push(measure(command));
    }
  }
  process.stdout.write(`\n${what}, whole process, median of ${ROUNDS}:\n`);
  const reference = median(runs.get('chainbreak') ?? []);
  for (const [name, list] of runs) {
    const { seconds, busy, megabytes } = median(list);
    process.stdout.write(
      `  ${name.padEnd(12)} ${seconds.toFixed(2).padStart(6)} s ${busy.toFixed(2).padStart(6)} s busy ${megabytes.toFixed(0).padStart(6)} MB   ${(seconds / reference.seconds).toFixed(2)} × chainbreak’s time\n`,
    );
  }
}

function measure([program = '', ...args]: readonly string[]): Run {
  const start = performance.now();
  const { stderr } = spawnSync('/usr/bin/env', ['time', '-f', 'peak=%M busy=%U+%S', program, ...args], {
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
  const seconds = (performance.now() - start) / 1_000;
  const [, kilobytes = '0', user = '0', system = '0'] = /peak=(\d+) busy=([\d.]+)\+([\d.]+)/.exec(stderr) ?? [];
  return { seconds, busy: Number(user) + Number(system), megabytes: Number(kilobytes) / 1_024 };
}

function median(runs: readonly Run[]): Run {
  const sorted = [...runs].sort((a, b) => a.seconds - b.seconds);
  return sorted[Math.floor(sorted.length / 2)] ?? { seconds: 0, busy: 0, megabytes: 0 };
}

function repositoryFolders(): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

function workflowFiles(): string[] {
  return repositoryFolders().flatMap((repository) => {
    const workflows = join(repository, '.github/workflows');
    if (!existsSync(workflows)) return [];
    return readdirSync(workflows)
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => join(workflows, name));
  });
}

function removeWhatZizmorRefuses(): boolean {
  for (let tries = 0; tries < 20; tries += 1) {
    const { stderr } = spawnSync('zizmor', ['--offline', '--no-progress', '--format', 'json', ...repositoryFolders()], {
      maxBuffer: 1 << 30,
      encoding: 'utf8',
    });
    const [, file] = /failed to load file:\/\/(\S+) as/.exec(stderr) ?? [];
    if (file === undefined) return true;
    process.stdout.write(`left out, zizmor refuses it: ${file.slice(folder.length + 1)}\n`);
    rmSync(file);
  }
  return false;
}

function smallestWorkflow(): string {
  const file = join(work, 'small/.github/workflows/ci.yml');
  cpSync('tests/fixtures/repositories/storefront', join(work, 'small'), { recursive: true });
  writeFileSync(file, 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n');
  return file;
}

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

function unpackCorpus(): string | undefined {
  if (!existsSync(CORPUS)) return undefined;
  return execFileSync(CORPUS, ['.corpus'], { encoding: 'utf8' }).trim();
}
