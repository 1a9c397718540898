import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { runCli } from '../support/cli.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';

const GENERATED = new Set(['rules.md', 'paths.md']);
const PAGES = [
  'README.md',
  '.github/CONTRIBUTING.md',
  'editors/vscode/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') && !GENERATED.has(name) ? [`docs/${name}`] : [])),
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly excuse: string | undefined;
}

function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(page, 'utf8').split('\n');
  let start: number | undefined;
  for (const [index, line] of lines.entries()) {
    if (!/^ *```/.test(line)) continue;
    if (start === undefined) {
      start = index;
      continue;
    }
    const first = lines[start] ?? '';
    const indent = first.indexOf('```');
    const above = lines.slice(0, start).findLast((each) => each.trim() !== '') ?? '';
    blocks.push({
      page,
      line: start + 1,
      language: first.trim().slice(3),
      text: lines
        .slice(start + 1, index)
        .map((each) => each.slice(indent))
        .join('\n'),
      excuse: /^ *<!-- not run: (.{5,}) -->$/.exec(above)?.[1],
    });
    start = undefined;
  }
  return blocks;
}

const blocks = PAGES.flatMap(blocksOf);
const named = (language: string): (readonly [string, Block])[] =>
  blocks
    .filter((block) => block.language === language && block.excuse === undefined)
    .map((block) => [`${block.page}:${block.line}`, block] as const);

const SAFE = `name: Build
on: push
permissions: {}
jobs:
  build:
    name: Build
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
`;
const UNSAFE = `${SAFE.replace('on: push', 'on: issue_comment')}      - run: echo "\${{ github.event.comment.body }}"\n`;

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const checkout = process.cwd();
let home: string;
let original: string;
let host: CodeHostForTests;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'chainbreak-docs-'));
  original = join(home, 'original');
  makeOriginal(original);
  host = await startCodeHost();
});
afterAll(async () => {
  process.chdir(checkout);
  rmSync(home, { recursive: true, force: true });
  await host.stop();
});

function makeOriginal(folder: string): void {
  write(folder, '.github/workflows/ci.yml', `${SAFE}      - run: make\n`);
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  };
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  write(folder, '.github/workflows/new.yml', UNSAFE);
  git('add', '.');
  git('commit', '-qm', 'two');
  git('branch', 'topic');
}

function clone(path: string): string {
  const folder = join(home, path);
  rmSync(folder, { recursive: true, force: true });
  cpSync(original, folder, { recursive: true });
  return folder;
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const PROGRAM = /(?:(?:npx|node) (?:\S*\/)?)?chainbreak(?:\.mjs)?$|node dist\/cli\.mjs$/;

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#\s.*$/, '').trim();
}

interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

function commandIn(line: string): Command | undefined {
  const text = withoutComment(line).replace(/^source <\((.*)\)$/, '$1');
  const [, assignments = '', program = '', rest = ''] =
    /^((?:[A-Z_]+=\S+ )*)((?:npx |node )?\S+)(?: (.*))?$/.exec(text) ?? [];
  if (!PROGRAM.test(program)) return undefined;
  const [, words = ''] = /^([^<>|]*)/.exec(rest) ?? [];
  const env = Object.fromEntries(
    assignments
      .trim()
      .split(' ')
      .map((each) => each.split('=') as [string, string]),
  );
  return {
    args: words
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) =>
        word
          .replace(/^"(.*)"$/, '$1')
          .replace(/^~/, home)
          .replace('$BASE', 'main')
          .replace('$RUNNER_TEMP', home),
      ),
    env: assignments === '' ? {} : env,
    stdin: / < /.test(text) ? UNSAFE : '',
  };
}

const PATH = process.env['PATH'] ?? '';

async function succeeds({ args, env, stdin }: Command): Promise<void> {
  const online = { SCM_API_URL: host.apiUrl, PACKAGE_LOOKUP: 'off', GITHUB_TOKEN: host.publicToken };
  const { code, stderr } = await runCli(args, {
    stdin,
    env: { PATH, ...env, ...(args.includes('--online') ? online : {}) },
  });
  expect([0, 1], `chainbreak ${args.join(' ')}: ${stderr}`).toContain(code);
}

const OTHER = [
  /^(?:cd|install -m \d+) \S/,
  /^npm (?:ci|pack|start|test|prune --omit=dev|install --global \.\/chainbreak-[\d.]+\.tgz)(?:$| )/,
  /^HOST=0\.0\.0\.0 PORT=3000 node lib\/http\/serve\.mjs/,
];

function isKnown(line: string): boolean {
  const text = withoutComment(line);
  return text.split(' && ').every((part) => {
    const [, script] = /^npm run ([\w:-]+)/.exec(part) ?? [];
    if (script !== undefined) return script in scripts;
    return part === '' || OTHER.some((pattern) => pattern.test(part));
  });
}

describe('blocks of code in the documentation', () => {
  it('are of a language that is checked, or say why they are not run', () => {
    // Text is what the program prints; `npm run docs:check` compares it.
    const checked = new Set(['sh', 'yaml', 'json', 'toml', 'text']);
    const others = blocks.filter(({ language, excuse }) => !checked.has(language) && excuse === undefined);
    expect(others.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(40);
    expect(blocks.filter(({ excuse }) => excuse === undefined).length).toBeGreaterThan(30);
  });

  it.each(named('sh'))('%s runs', async (_, { text }) => {
    for (const name of ['my-repository', 'your-repository', 'code/my-repository']) clone(name);
    process.chdir(join(home, 'my-repository'));
    try {
      for (const line of text.replace(/\\\n\s*/g, '').split('\n')) {
        const command = commandIn(line);
        if (command === undefined) expect(isKnown(line), line).toBe(true);
        else await succeeds(command);
      }
    } finally {
      process.chdir(checkout);
    }
  });

  it.each(named('json'))('%s is JSON', (_, { text }) => {
    expect(typeof JSON.parse(text)).toBe('object');
  });

  it.each(named('toml'))('%s is TOML', (_, { text }) => {
    expect(Object.keys(parseToml(text))).not.toEqual([]);
  });

  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync('docs/chainbreak.schema.json', 'utf8')) as object,
  );

  it.each(named('yaml'))('%s is what it says, without a HIGH finding, and its commands run', async (_, { text }) => {
    const value = parseYaml(text) as Record<string, unknown> | unknown[];
    const folder = clone('my-repository');
    rmSync(join(folder, '.github/workflows/new.yml'));
    const isList = Array.isArray(value);
    if (isList) {
      const steps = text.replace(/^/gm, '      ');
      write(folder, '.github/workflows/ci.yml', `${SAFE}${steps}\n`);
    } else if ('jobs' in value) write(folder, '.github/workflows/ci.yml', text);
    else if ('ignore' in value || 'uses' in value || 'severities' in value) {
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
      write(folder, '.github/chainbreak.yml', text);
    }
    const { stdout } = await runCli(['scan', folder, '--format', 'json']);
    const report = JSON.parse(stdout) as {
      findings: { severity: string; rule_id: string }[];
      diagnostics: { severity: string; message: string }[];
    };
    expect(report.findings.filter(({ severity }) => severity === 'HIGH')).toEqual([]);
    expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);

    clone('my-repository');
    write(home, 'baseline.json', '{"version":1,"findings":[]}');
    process.chdir(folder);
    try {
      for (const line of text.split('\n')) {
        const command = commandIn(line.replace(/^\s*(?:- )*(?:(?:run|entry): )?/, ''));
        if (command !== undefined) await succeeds(command);
      }
    } finally {
      process.chdir(checkout);
    }
  });
});
