import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';

const WORKFLOW = `on: issue_comment
permissions: {}
jobs:
  reply:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.comment.body }}"
      - uses: acme/notify@main
`;
const CI = '.github/workflows/ci.yml';

async function scanJson(args: readonly string[]): Promise<{
  code: number | null;
  report: {
    version: string;
    ruleset: string;
    findings: Record<string, unknown>[];
    suppressed: Record<string, unknown>[];
    not_assessed: { rule_id: string; reason: string }[];
    diagnostics: Record<string, unknown>[];
    summary: Record<string, number>;
  };
}> {
  const { code, stdout, stderr } = await runCli(['scan', ...args, '--format', 'json']);
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) };
}

const byRule = (findings: readonly Record<string, unknown>[], id: string): Record<string, unknown>[] =>
  findings.filter((finding) => finding['rule_id'] === id);

it.each(['text', 'json', 'sarif', 'markdown', 'github'])('warns in %s of outdated data', async (format) => {
  const folder = temporaryFolder({ '.github/workflows/ci.yml': 'on: push\njobs: {}\n' });
  const scanIn = async (year: number): Promise<string> => {
    const SOURCE_DATE_EPOCH = String(Date.UTC(year, 10, 21) / 1_000);
    return (await runCli(['scan', folder, '--format', format], { env: { SOURCE_DATE_EPOCH } })).stdout;
  };
  expect(await scanIn(2026)).not.toMatch(/days\s+ago/);
  expect(await scanIn(2029)).toMatch(/days\s+ago/);
});

it('grades by the version of the server', async () => {
  const text = `on: pull_request_target
permissions: {}
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@v4
        with: { ref: "refs/pull/\${{ github.event.number }}/merge", persist-credentials: false }
      - run: npm ci && npm test
        env: { TOKEN: "\${{ secrets.TOKEN }}" }
`;
  const folder = temporaryFolder({ '.github/workflows/ci.yml': text });
  const severities = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await runCli(['scan', folder, '--format', 'json', ...args]);
    const { findings } = JSON.parse(stdout) as { findings: { rule_id: string; severity: string }[] };
    return findings.flatMap(({ rule_id, severity }) => (rule_id.startsWith('untrusted-checkout') ? [severity] : []));
  };
  expect(await severities()).not.toContain('HIGH');
  expect(await severities('--host-version', '3.19')).toContain('HIGH');
  expect(await runCli(['scan', folder, '--host-version', 'new'])).toMatchObject({ code: 2 });
});

describe('chainbreak scan --format json', () => {
  it('has every field of a finding, in snake case, and nothing else', async () => {
    const { report } = await scanJson([temporaryFolder({ [CI]: WORKFLOW })]);
    expect(byRule(report.findings, 'template-injection')).toEqual([
      {
        root: '.',
        rule_id: 'template-injection',
        severity: 'HIGH',
        confidence: 'high',
        category: 'CICD-SEC-4',
        title: 'Untrusted input is interpolated into a script',
        file: CI,
        line: 8,
        column: 20,
        end_line: 8,
        end_column: 52,
        description:
          'github.event.comment.body, which anyone can set through issue_comment, is inserted into a script.',
        recommendation: expect.any(String),
        snippet: '      - run: echo "${{ github.event.comment.body }}"',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        fixable: expect.any(Boolean),
      },
    ]);
    expect(Object.keys(report)).toEqual([
      'version',
      'ruleset',
      'findings',
      'suppressed',
      'not_assessed',
      'diagnostics',
      'summary',
    ]);
    expect(Object.keys(report.summary)).toEqual(['files', 'HIGH', 'MEDIUM', 'LOW', 'INFO', 'suppressed']);
  });

  it.each([
    ['a finding, a suppressed one and a broken file', []],
    ['a SLSA ruleset', ['--ruleset', 'slsa']],
  ])('validates against the published schema, for %s', async (_, flags) => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(
      JSON.parse(readFileSync('docs/scan-report.schema.json', 'utf8')),
    );
    const folder = temporaryFolder({
      [CI]: `${WORKFLOW}      - uses: acme/b@main # chainbreak: ignore[unpinned-uses] ours\n`,
      '.github/workflows/broken.yml': '[',
    });
    const { report } = await scanJson([folder, ...flags]);
    validate(report);
    expect(validate.errors).toBeNull();
    expect(validate({ ...report, findings: [{}] })).toBe(false);
  });

  it('gives each finding the folder of its repository, relative to the path given', async () => {
    const folder = temporaryFolder({
      [`one/${CI}`]: WORKFLOW,
      [`deep/two/${CI}`]: WORKFLOW,
      [`deep/two/x/${CI}`]: WORKFLOW,
    });
    const { report } = await scanJson([folder]);
    expect(byRule(report.findings, 'template-injection').map(({ root, file }) => [root, file])).toEqual([
      ['deep/two', CI],
      ['one', CI],
    ]);
  });

  it('scans a single file under its path in the repository', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW, '.github/workflows/other.yml': WORKFLOW });
    const { report } = await scanJson([join(folder, CI)]);
    expect(byRule(report.findings, 'template-injection').map(({ root, file }) => [root, file])).toEqual([['.', CI]]);
  });

  it('treats a file outside a repository as a workflow', async () => {
    const folder = temporaryFolder({ 'pasted.yml': WORKFLOW });
    const { report } = await scanJson([join(folder, 'pasted.yml')]);
    expect(byRule(report.findings, 'template-injection')).toHaveLength(1);
  });

  it('separates several paths', async () => {
    const first = temporaryFolder({ [CI]: WORKFLOW });
    const second = temporaryFolder({ [CI]: WORKFLOW });
    const { report } = await scanJson([first, second, first]);
    expect(
      byRule(report.findings, 'template-injection')

        .map(({ root }) => String(root))
        .sort(),
    ).toEqual([first, second].sort());
  });
});

describe('the account that owns the repository', () => {
  it.each([
    ['https://example.com/acme/web.git', 'LOW'],
    ['git@example.com:acme/web.git', 'LOW'],
    ['https://example.com/other/web', 'MEDIUM'],
  ])('is read from the remote %s, and lowers the severity of its own branches', async (url, severity) => {
    const folder = temporaryFolder({
      [CI]: WORKFLOW,
      '.git/config': `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`,
    });
    expect(
      byRule((await scanJson([folder])).report.findings, 'unpinned-uses').map((finding) => finding['severity']),
    ).toEqual([severity]);
  });
});

describe('the name of the repository', () => {
  const scanWith = async (...remotes: readonly (readonly [string, string])[]): Promise<number> => {
    const folder = temporaryFolder({
      [CI]: WORKFLOW.replace('    runs-on', "    if: github.repository == 'acme/web'\n    runs-on"),
      '.git/config': remotes.map(([remote, url]) => `[remote "${remote}"]\n\turl = ${url}\n`).join(''),
    });
    return byRule((await scanJson([folder])).report.findings, 'template-injection').length;
  };

  it('excludes outsiders in jobs restricted to another repository', async () => {
    expect(await scanWith(['origin', 'https://example.com/acme/web.git'])).toBe(1);
    expect(await scanWith(['origin', 'https://example.com/me/web.git'])).toBe(0);
  });

  it('is unknown with two remotes, since a clone may be a fork of either', async () => {
    const remotes = ['https://example.com/me/web', 'https://example.com/acme/web'] as const;
    expect(await scanWith(['origin', remotes[0]], ['upstream', remotes[1]])).toBe(1);
  });
});

describe('--min-severity', () => {
  it('hides lower findings from the report and the threshold', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW.replace('notify@main', 'notify@v1') });
    const all = await scanJson([folder, '--fail-on', 'info']);
    const high = await scanJson([folder, '--fail-on', 'info', '--min-severity', 'HIGH']);
    expect(high.report.findings.length).toBeLessThan(all.report.findings.length);
    expect(high.report.findings.map(({ severity }) => severity)).toEqual(['HIGH']);
    expect(high.report.summary['MEDIUM']).toBe(0);
  });
});

describe('a baseline', () => {
  it('hides known findings, also after lines moved, and shows new ones', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const baseline = join(folder, 'baseline.json');
    expect((await runCli(['scan', folder, '--write-baseline', '--baseline', baseline])).code).toBe(0);
    const same = await scanJson([folder, '--baseline', baseline]);
    expect([same.code, same.report.findings]).toEqual([0, []]);
    writeFileSync(join(folder, CI), `# moved\n\n${WORKFLOW}      - uses: acme/new@main\n`);
    const moved = await scanJson([folder, '--baseline', baseline, '--fail-on', 'medium']);
    expect(moved.code).toBe(1);
    expect(byRule(moved.report.findings, 'unpinned-uses').map(({ line }) => line)).toEqual([12]);
    expect(byRule(moved.report.findings, 'template-injection')).toEqual([]);
  });

  it('is not written through a symbolic link, and not read from a device', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW, 'victim/file': 'original' });
    const baseline = join(folder, 'baseline.json');
    symlinkSync(join(folder, 'victim/file'), baseline);
    symlinkSync(join(folder, 'victim'), join(folder, 'linked'));
    for (const file of [baseline, join(folder, 'linked/file')]) {
      const { code, stderr } = await runCli(['scan', folder, '--write-baseline', '--baseline', file]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('symbolic link')]);
    }
    expect(readFileSync(join(folder, 'victim/file'), 'utf8')).toBe('original');
    const { code, stderr } = await runCli(['scan', folder, '--baseline', '/dev/zero']);
    expect([code, stderr]).toEqual([2, 'chainbreak: "/dev/zero" is a device.\n']);
  });
});

describe('findings beyond the limits of a scan', () => {
  const many = `${WORKFLOW}${'      - uses: acme/notify@main\n'.repeat(300)}`;

  it.each(['text', 'json', 'sarif', 'markdown', 'github'])('are counted in %s', async (format) => {
    const { code, stdout } = await runCli(['scan', temporaryFolder({ [CI]: many }), '--format', format]);
    expect(stdout.replaceAll('\\', '')).toMatch(/101 more findings are not listed: unpinned-uses \(101\)/);
    if (format === 'text' || format === 'markdown' || format === 'github')
      expect(stdout).toContain('101 more not listed');
    expect(code).toBe(1);
  });

  it('stand in no baseline, so that a new one among them fails the run', async () => {
    const folder = temporaryFolder({ [CI]: many });
    const baseline = join(folder, 'baseline.json');
    await runCli(['scan', folder, '--write-baseline', '--baseline', baseline]);
    expect((await scanJson([folder, '--baseline', baseline, '--fail-on', 'medium'])).code).toBe(1);
    const ofHigh = ['--baseline', baseline, '--fail-on', 'medium', '--min-severity', 'high'];
    expect((await scanJson([folder, ...ofHigh])).code).toBe(0);
  });
});

describe('--format sarif', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(readFileSync('tests/fixtures/sarif-2.1.0.schema.json', 'utf8')),
  );

  async function sarif(folder: string) {
    return JSON.parse((await runCli(['scan', folder, '--format', 'sarif'])).stdout) as {
      runs: {
        tool: { driver: { rules: { id: string; properties: Record<string, string> }[] } };
        results: Record<string, unknown>[];
        invocations: { toolExecutionNotifications: { message: { text: string } }[] }[];
      }[];
    };
  }

  it('validates against the standard’s schema, with fingerprints, severities and suppressions', async () => {
    const log = await sarif(
      temporaryFolder({
        [CI]: `${WORKFLOW}      - uses: acme/b@main # chainbreak: ignore[unpinned-uses] ours\n`,
        '.github/workflows/broken.yml': '[',
      }),
    );
    validate(log);
    expect(validate.errors).toBeNull();
    const [run] = log.runs;
    const injection = run?.results.find(({ ruleId }) => ruleId === 'template-injection');
    expect(injection).toMatchObject({
      level: 'error',
      partialFingerprints: { 'chainbreak/v1': expect.stringMatching(/^[0-9a-f]{64}$/) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: CI },
            region: { startLine: 8, startColumn: 20, endLine: 8, endColumn: 52 },
          },
        },
      ],
    });
    expect(run?.tool.driver.rules.every(({ properties }) => Number(properties['security-severity']) > 0)).toBe(true);
    expect(run?.results.filter((result) => 'suppressions' in result)).toMatchObject([
      { ruleId: 'unpinned-uses', suppressions: [{ kind: 'inSource', justification: 'ours' }] },
    ]);
    expect(JSON.stringify(run?.invocations)).toContain('broken.yml');
  });

  it('links rules to their pages, and has the attack paths with their code flow', async () => {
    const open = WORKFLOW.replace('permissions: {}', 'permissions: { contents: write }');
    const [run] = (await sarif(temporaryFolder({ [CI]: open }))).runs;
    expect(run?.tool.driver).toMatchObject({ informationUri: expect.stringMatching(/^https:/) });
    for (const rule of run?.tool.driver.rules ?? []) {
      expect(rule).toMatchObject({ helpUri: expect.stringMatching(new RegExp(`^https:.*/${rule.id}$`)) });
    }
    const [path] = run?.results ?? [];
    expect(path).toMatchObject({ ruleId: 'event-text-to-shell-with-credentials', level: 'error' });
    expect(path?.['codeFlows']).toHaveLength(1);
  });

  it('has fixes that give the text that fix writes', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const [run] = (await sarif(folder)).runs;
    interface Replacement {
      deletedRegion: { charOffset: number; charLength: number };
      insertedContent: { text: string };
    }
    const [fix] = (run?.results.find(({ ruleId }) => ruleId === 'template-injection')?.['fixes'] ?? []) as {
      artifactChanges: { artifactLocation: { uri: string }; replacements: Replacement[] }[];
    }[];
    const [change] = fix?.artifactChanges ?? [];
    expect(change?.artifactLocation.uri).toBe(CI);
    const fixed = [...(change?.replacements ?? [])]
      .sort((a, b) => b.deletedRegion.charOffset - a.deletedRegion.charOffset)
      .reduce((text, { deletedRegion: { charOffset, charLength }, insertedContent }) => {
        return text.slice(0, charOffset) + insertedContent.text + text.slice(charOffset + charLength);
      }, WORKFLOW);
    await runCli(['fix', folder, '--select', 'template-injection']);
    expect(fixed).not.toBe(WORKFLOW);
    expect(readFileSync(join(folder, CI), 'utf8')).toBe(fixed);
  });

  it('keeps the 5,000 most serious results and counts the rest', async () => {
    const steps = '      - uses: acme/tool@v1\n'.repeat(190);
    const file = `on: push\npermissions: write-all\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n${steps}`;
    const files = Array.from({ length: 30 }, (_, index) => [`.github/workflows/${index}.yml`, file]);
    const folder = temporaryFolder({
      ...(Object.fromEntries(files) as Record<string, string>),
      '.github/workflows/worst.yml': `${file}      - uses: acme/worst@main\n`,
    });
    const [run] = (await sarif(folder)).runs;
    expect(run?.results).toHaveLength(5_000);
    expect(run?.results.filter(({ level }) => level === 'error')).toMatchObject([{ ruleId: 'unpinned-uses' }]);
    expect(run?.invocations[0]?.toolExecutionNotifications.at(-1)?.message.text).toMatch(
      /^\d+ less severe results were left out/,
    );
  });
});

describe('--format text', () => {
  it('shows the place, why it matters, the attack and the fix', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { stdout } = await runCli(['scan', folder, '--min-severity', 'high'], { env: { FORCE_COLOR: '' } });
    expect(stdout.slice(stdout.indexOf(' HIGH '), stdout.indexOf('   = why'))).toMatchInlineSnapshot(`
      " HIGH  template-injection  Untrusted input is interpolated into a script
          ╭─ .github/workflows/ci.yml:8:20 HIGH [fix]
        1 │ on: issue_comment
          │     ------------- outsiders start the run with this
          ┆
        8 │       - run: echo "\${{ github.event.comment.body }}"
          │                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          │ github.event.comment.body, which anyone can set through issue_comment, is inserted into a
          ╰ script.
      "
    `);
    expect(stdout).toMatch(/= why .*\n[^]*= attack .*\n[^]*= fix /);
  });
});

describe('--format github', () => {
  it('is one escaped workflow command per finding', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const { stdout } = await runCli(['scan', folder, '--format', 'github', '--min-severity', 'high']);
    const line = stdout.split('\n').find((text) => text.includes('template-injection'));
    expect(line).toMatch(
      /^::error file=\.github\/workflows\/ci\.yml,line=8,endLine=8,col=20,endColumn=52,title=template-injection%3A Untrusted input is interpolated into a script::github\.event\.comment\.body, /,
    );
  });
});

describe('--format markdown', () => {
  it('shows repository text without markup', async () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW.replace('acme/notify@main', '"acme/<img src=x>@main"') });
    const { stdout } = await runCli(['scan', folder, '--format', 'markdown']);
    expect(stdout).toContain('# Chainbreak');
    expect(stdout).not.toContain('<img');
    expect(stdout).toContain('&lt;img');
  });
});

describe('other commands', () => {
  it('rules lists the catalog as a table and as JSON', async () => {
    expect((await runCli(['rules'])).stdout).toMatch(/HIGH +template-injection +Untrusted input/);
    const entries = JSON.parse((await runCli(['rules', '--format', 'json'])).stdout) as Record<string, unknown>[];
    expect(entries.map(({ id }) => id)).toContain('unpinned-uses');
  });

  it('explain shows why, an example without test markers, and how to suppress', async () => {
    const { stdout } = await runCli(['explain', 'template-injection']);
    expect(stdout).toMatch(/Why it matters[^]*How it is exploited[^]*How to fix it[^]*Flagged[^]*Limitations/);
    expect(stdout).not.toContain('# expect');
  });

  it('explain wraps prose, marks the flagged lines and shows the fix as a diff', async () => {
    const { stdout } = await runCli(['explain', 'excessive-permissions']);
    const prose = stdout.slice(0, stdout.indexOf('\nReferences'));
    expect(Math.max(...prose.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(stdout).toMatch(/\nFlagged\n {4}name: CI\n {4}on: push\n {2}> jobs:\n/);
    expect(stdout).toMatch(/\nFixed\n[^]*\n {2}\+ permissions:\n {2}\+ {3}contents: read\n/);
    expect(stdout).toMatch(/\nAttack paths it is part of\n {2}[a-z-]+ {2}/);
  });

  it.each(['bash', 'zsh', 'fish'])('completion prints a script for %s with commands and rules', async (shell) => {
    const { stdout, code } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('template-injection');
    expect(stdout).toContain('scan');
  });

  it('help teaches with examples and exit codes', async () => {
    const { stdout } = await runCli(['--help']);
    expect(stdout).toContain('chainbreak scan --write-baseline');
    expect(stdout).toContain('Exit codes');
  });
});

it('scan leaves out what --pedantic shows, says how much, and shows all for a level of SLSA', async () => {
  const folder = temporaryFolder({
    '.github/workflows/ci.yml':
      'on: push\npermissions: { contents: read }\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v7\n      - run: make\n',
  });
  const rulesOf = async (...flags: readonly string[]): Promise<string[]> => {
    const { stdout } = await runCli(['scan', folder, '--fail-on', 'never', '--format', 'json', ...flags]);
    return (JSON.parse(stdout) as { findings: { rule_id: string }[] }).findings.map(({ rule_id }) => rule_id);
  };
  const [regular, pedantic] = [await rulesOf(), await rulesOf('--pedantic')];
  expect(regular).not.toContain('anonymous-definition');
  expect(pedantic).toEqual(
    expect.arrayContaining([...regular, 'anonymous-definition', 'missing-timeout', 'unpinned-uses']),
  );
  const { stdout } = await runCli(['scan', folder, '--fail-on', 'never']);
  expect(stdout).toContain(`${pedantic.length - regular.length} more with --pedantic`);
  const ofLevel = ['--ruleset', 'slsa-build-l3'];
  expect(await rulesOf(...ofLevel)).toEqual(await rulesOf(...ofLevel, '--pedantic'));
});
