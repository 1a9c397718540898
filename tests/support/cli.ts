import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from '#lib/cli/program.ts';
import { version } from '../../package.json';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly peakMemoryBytes: number;
}

/** Fixed date, since messages about old data depend on it. */
const CLOCK = { SOURCE_DATE_EPOCH: String(Date.parse('2026-11-21') / 1_000) };

/** Results of earlier scans would hide what a test is about, and stay in the home folder. */
function cacheOf(env: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return { CHAINBREAK_NO_CACHE: env?.['CHAINBREAK_CACHE_DIR'] === undefined ? '1' : '' };
}

const MAX_CPU_SECONDS = 20;
const TIMEOUT_MS = 120_000;

/** On Linux, `maxRSS` starts with the memory of the process that forked this one, and the high-water mark does not. */
const REPORT_USAGE = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  function memory() {
    try {
      return /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
    } catch {
      return process.resourceUsage().maxRSS;
    }
  }
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('\\nusage=' + memory() + ',' + (userCPUTime + systemCPUTime));
  });
`)}`;

export async function runCli(
  args: readonly string[],
  {
    env = {},
    stdin = '',
    isTTY = false,
  }: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string; readonly isTTY?: boolean } = {},
): Promise<Omit<CliRun, 'peakMemoryBytes'>> {
  const [stdout, stderr] = [collector(), collector()];
  const input = Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY });
  const terminal = { stdin: input, stdout: stdout.stream, stderr: stderr.stream, color: false, version };
  const code = await run(args, terminal, { NODE_ENV: 'test', ...CLOCK, ...env });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  return { stream: { write, isTTY: false } as NodeJS.WriteStream, text: () => written };
}

export function spawnCli(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): CliRun {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', REPORT_USAGE, join(process.cwd(), 'dist/cli.mjs'), ...args],
    {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      maxBuffer: 1 << 28,
      ...options,
      // Test runners may force colours in child processes.
      env: { ...process.env, ...CLOCK, FORCE_COLOR: '', NO_COLOR: '', ...cacheOf(options.env), ...options.env },
    },
  );
  const [, kilobytes = '0', microseconds = '0'] = /usage=(\d+),(\d+)/.exec(stderr) ?? [];
  if (Number(microseconds) > MAX_CPU_SECONDS * 1e6) throw new Error(`It took ${microseconds} µs of a processor.`);
  return {
    code: status,
    stdout,
    stderr: stderr.replace(/\nusage=[\d,]+/, ''),
    peakMemoryBytes: Number(kilobytes) * 1024,
  };
}

export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Omit<CliRun, 'peakMemoryBytes'>> {
  return new Promise((resolve) => {
    const options = {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      env: { NODE_ENV: 'test', PATH: process.env['PATH'], ...CLOCK, ...cacheOf(env), ...env },
    } as const;
    const child = execFile(process.execPath, ['dist/cli.mjs', ...args], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

export function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

export function makeTemporaryFolder(): [folder: string, remove: () => void] {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-'));
  return [folder, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })];
}
