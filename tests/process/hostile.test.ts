import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnCli, temporaryFolder } from '../support/cli.ts';
import { commandsIn } from '../support/runner.ts';

const PATH = '.github/workflows/a.yml';
const MEGABYTE = 1024 * 1024;

function job(steps: string): string {
  return `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
}

function aliasBomb(): string {
  let text = 'on: push\na0: &a0 [x, x, x, x, x, x, x, x, x]\n';
  for (let level = 1; level < 12; level += 1) {
    text += `a${level}: &a${level} [${Array(9)
      .fill(`*a${level - 1}`)
      .join(', ')}]\n`;
  }
  return `${text}jobs: { a: { runs-on: x, steps: *a11 } }\n`;
}

function aliasesOfLongText(): string {
  const all = Array(6_000).fill('*x').join(', ');
  return `env: { X: &x "${'y'.repeat(49_000)}" }\n${job(`    - run: echo "\${{ github.event.head_commit.message }}"\n    - uses: a/b@v1\n      with: { x: [${all}] }\n`)}`;
}

function times(count: number, each: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => each(index)).join('');
}

function archivesAndUploads(): string {
  const packs = times(250, (step) => `    - run: |\n${times(20, (n) => `        tar -cf a${step}_${n}.x b\n`)}`);
  const paths = times(25, (n) => `          p${n}\n`);
  const uploads = `    - uses: actions/upload-artifact@v4\n      with:\n        path: |\n${paths}`.repeat(250);
  return job('    - uses: actions/checkout@v5\n'.repeat(250) + packs + uploads);
}

function longPipeline(): string {
  const script = `        X=$(echo "$S" | jq -r .private_key)\n        ${Array(12_000).fill('echo "$X"').join(' | ')}\n`;
  return job(`    - run: |\n${script}      env:\n        S: \${{ secrets.KEY }}\n`);
}

const HOSTILE: Readonly<Record<string, { readonly content: () => string | Uint8Array; readonly says: RegExp }>> = {
  'aliases that expand without end': { content: aliasBomb, says: /expands to more than/ },
  'ten megabytes': { content: () => `on: push\nx: "${'y'.repeat(10_000_000)}"\n`, says: /the limit is 1048576/ },
  'flow sequences nested 10,000 deep': { content: () => `on: ${'['.repeat(10_000)}\n`, says: /nests deeper/ },
  'block sequences nested 10,000 deep': { content: () => `on:\n${'- '.repeat(10_000)}x\n`, says: /nests deeper/ },
  'mappings nested 10,000 deep': { content: () => `x: ${'{a: '.repeat(10_000)}\n`, says: /nests deeper/ },
  'an expression nested 10,000 deep': {
    content: () => job(`    - run: "\${{ ${'('.repeat(9_000)}1${')'.repeat(9_000)} }}"\n`),
    says: /expression depth/,
  },
  'NUL characters': { content: () => 'on: push\njobs:\0 x\n', says: /NUL/ },
  'bytes that are no UTF-8': { content: () => Uint8Array.from([0x6f, 0x6e, 0x3a, 0xff, 0xfe]), says: /UTF-8/ },
  '100,000 jobs': {
    content: () => `on: push\njobs:\n${Array.from({ length: 100_000 }, (_, index) => ` j${index}: {}\n`).join('')}`,
    says: /bytes; the limit is/,
  },
  '5,000 jobs': {
    content: () => `on: push\njobs:\n${Array.from({ length: 5_000 }, (_, index) => ` j${index}: {}\n`).join('')}`,
    says: /More than 1000 jobs/,
  },
  '5,000 shared variables': {
    content: () =>
      `env:\n${Array.from({ length: 5_000 }, (_, index) => ` V${index}: x\n`).join('')}${job('    - run: x\n')}`,
    says: /More than 1000 shared variables/,
  },
  '10,000 steps': { content: () => job('    - run: x\n'.repeat(10_000)), says: /More than 2000 steps/ },
  '8,000 expressions in a line': {
    content: () => job(`    - run: "${'${{a}}'.repeat(8_000)}"\n`),
    says: /Too many expressions/,
  },
  '50,000 lines of expressions': {
    content: () => job(`    - run: |\n${'        ${{ env.A }}\n'.repeat(30_000)}`),
    says: /Too many expressions/,
  },
  'variables that refer to each other': {
    content: () =>
      `env:\n  A: "${'${{ env.A }}${{ env.B }}'.repeat(400)}"\n  B: "${'${{ env.A }}'.repeat(400)}"\n${job('    - run: echo ${{ env.A }}\n'.repeat(500)).replace('push', 'issues')}`,
    says: /env/,
  },
  'a script that nests without end': {
    content: () => job(`    - run: |\n${`        ${'$('.repeat(15_000)}\n`.repeat(10)}`),
    says: /at most 200000 are read as shell/,
  },
  'tokens without end': { content: () => `on: push\nx: ${'"a" '.repeat(200_000)}\n`, says: /YAML tokens/ },
  'a line of 60,000 characters in a script': {
    content: () => job(`    - run: echo "\${{ github.event.head_commit.message }}${'x'.repeat(60_000)}"\n`),
    says: /A line has 600\d\d characters; at most 50000 are read/,
  },
  'an image of 40,000 characters': {
    content: () => `on: push\njobs:\n  a:\n    runs-on: x\n    container: "${'a'.repeat(40_000)}"\n    steps: []\n`,
    says: /"container" has 40000 characters; at most 5000 are read/,
  },
  'half a megabyte of tabs': { content: () => '\t'.repeat(500_000), says: /must be a mapping/ },
};

function definitionSurvives(says: RegExp): boolean {
  return /expressions|expression depth|env|shell|characters; at most/.test(says.source);
}

describe('a hostile file ends in a diagnostic, in bounded time and memory', () => {
  it.each(Object.entries(HOSTILE))('%s', (_, { content, says }) => {
    const folder = temporaryFolder({ [PATH]: content() });
    const { code, stdout, peakMemoryBytes } = spawnCli(['scan', folder, '--format', 'json']);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string; file: string }[] };
    expect(diagnostics.map(({ message }) => message).join('\n')).toMatch(says);
    expect(diagnostics[0]?.file).toBe(PATH);
    expect(code).toBe(definitionSurvives(says) ? 0 : 3);
    expect(peakMemoryBytes).toBeLessThan(200 * MEGABYTE);
  });

  it.each([
    ['checkouts, archives and uploads that could all belong together', archivesAndUploads],
    ['a secret in 12,000 commands of one pipeline', longPipeline],
  ])('%s are scanned completely', (_, content) => {
    const folder = temporaryFolder({ [PATH]: content() });
    expect(spawnCli(['scan', folder, '--fail-on', 'never']).code).toBe(0);
  });

  it.each([
    ...Object.entries(HOSTILE)
      .filter(([, { says }]) => definitionSurvives(says))
      .map(([name, { content }]) => [name, content] as const),
    ['aliases of a long text', aliasesOfLongText] as const,
    ['1,000 places to fix', () => job('    - run: echo "${{ github.event.issue.title }}"\n'.repeat(1_000))] as const,
  ])('also when it is fixed: %s', (_, content) => {
    const folder = temporaryFolder({ [PATH]: content() });
    const { code, stderr, peakMemoryBytes } = spawnCli(['fix', folder, '--dry-run', '--unsafe']);
    expect(stderr).not.toMatch(/RangeError|internal|Invalid/i);
    expect([0, 1]).toContain(code);
    expect(peakMemoryBytes).toBeLessThan(300 * MEGABYTE);
  });

  it('a symbolic link is reported and not followed', () => {
    const folder = temporaryFolder({ '.github/workflows/real.yml': job('    - run: x\n'), 'secret.yml': 'on: push' });
    symlinkSync(join(folder, 'secret.yml'), join(folder, PATH));
    const { diagnostics } = JSON.parse(spawnCli(['scan', folder, '--format', 'json']).stdout) as {
      diagnostics: unknown[];
    };
    expect(diagnostics).toEqual([expect.objectContaining({ file: PATH, message: 'Symbolic links are not followed.' })]);
  });

  it('the other files of the repository are still scanned', () => {
    const folder = temporaryFolder({
      [PATH]: aliasBomb(),
      '.github/workflows/b.yml': job('    - uses: acme/tool@main\n'),
    });
    const { findings } = JSON.parse(spawnCli(['scan', folder, '--format', 'json']).stdout) as {
      findings: { rule_id: string }[];
    };
    expect(findings.map(({ rule_id }) => rule_id)).toContain('unpinned-uses');
  });

  it('escape sequences and hidden characters never reach the terminal', () => {
    const folder = temporaryFolder({
      [PATH]: job(
        '    - uses: "acme/\\u001b[31mtool\\u202e@main"\n    - run: "\u202Eecho ${{ github.event.head_commit.message }}"\n',
      ),
    });
    const { stdout } = spawnCli(['scan', folder]);
    expect(stdout).toContain('<U+202E>');
    expect(stdout).toContain('<U+001B>');
    expect(stdout).not.toMatch(/[\u001B\u202E]/);
  });

  it('a diff in colours gives a runner no command but the two that enclose it', () => {
    const folder = temporaryFolder({
      [PATH]: job(
        '    - run: |\n        echo "${{ github.event.head_commit.message }}"\n        ::set-output name=a::b\n',
      ),
    });
    const env = { GITHUB_ACTIONS: 'true', FORCE_COLOR: '1' };
    const { stdout } = spawnCli(['fix', folder, '--dry-run'], { env });
    expect(stdout).toContain('\u001B[32m+');
    const commands = commandsIn(`${stdout}::warning::after`, { anyName: true });
    expect(commands.map(({ name }) => name)).toEqual(['stop-commands', 'warning']);
  });
});
