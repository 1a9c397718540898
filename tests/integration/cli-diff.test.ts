import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { type Clone, makeClone } from '../support/clone.ts';

const CI = '.github/workflows/ci.yml';
const OTHER = '.github/workflows/other.yml';
const INJECTION = '      - run: echo "${{ github.event.pull_request.title }}"\n';
const CLEAN = `on: pull_request
permissions: {}
jobs:
  build:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: make
`;
const OLD = CLEAN.replace('on: pull_request', 'on: pull_request_target') + INJECTION;
const PLACES = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

interface Told {
  readonly base: string;
  readonly findings: readonly { rule_id: string; severity: string; file: string; line: number }[];
  readonly suppressed: readonly unknown[];
  readonly diagnostics: readonly { file: string; message: string }[];
  readonly combos: readonly { id: string; severity: string; components: readonly { rule_id: string }[] }[];
}

async function diff({ folder }: Pick<Clone, 'folder'>, base: string, ...flags: readonly string[]) {
  const run = await runCli(['scan', folder, '--diff', base, '--format', 'json', ...flags], { env: PLACES });
  const told = run.stdout === '' ? undefined : (JSON.parse(run.stdout) as Told);
  return { ...run, told: told as Told, rules: (told?.findings ?? []).map(({ rule_id }) => rule_id) };
}

function branchOf(clone: Clone): Clone {
  clone.git('switch', '--quiet', '--create', 'work');
  return clone;
}

describe('chainbreak scan --diff', () => {
  it('reports what the branch adds and nothing that was there', async () => {
    const clone = branchOf(makeClone({ [CI]: OLD }));
    expect(await diff(clone, 'main')).toMatchObject({ code: 0, told: { findings: [], combos: [] } });
    clone.commit({ [OTHER]: OLD.replace('build:', 'second:') });
    const { code, told, rules } = await diff(clone, 'main');
    expect(code).toBe(1);
    expect(rules).toContain('template-injection');
    expect(new Set(told.findings.map(({ file }) => file))).toEqual(new Set([OTHER]));
    expect(told.base).toBe(clone.git('rev-parse', 'main'));
  });

  it('compares with the files in the folder, or with a commit', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    clone.commit({ 'README.md': 'text' });
    clone.write({ [CI]: OLD });
    expect((await diff(clone, 'main')).rules).toContain('template-injection');
    expect((await diff(clone, 'main...work')).told.findings).toEqual([]);
    expect((await diff(clone, 'main...')).told.findings).toEqual([]);
    clone.git('commit', '--quiet', '--all', '--message', 'More');
    expect((await diff(clone, 'main...work')).rules).toContain('template-injection');
    expect((await diff(clone, 'main...work~1')).rules).toEqual([]);
  });

  it('compares with the commit both share, not with what happened to the base since', async () => {
    const clone = makeClone({ [CI]: OLD });
    const shared = clone.git('rev-parse', 'HEAD');
    branchOf(clone).commit({ 'README.md': 'text' });
    clone.git('switch', '--quiet', 'main');
    clone.commit({ [CI]: CLEAN });
    clone.git('switch', '--quiet', 'work');
    expect(await diff(clone, 'main')).toMatchObject({ code: 0, told: { base: shared, findings: [] } });
  });

  it('knows a finding again in a moved file and beside moved lines', async () => {
    const clone = branchOf(makeClone({ [CI]: OLD }));
    clone.commit({ [CI]: null, [OTHER]: `# moved\n${OLD.replace('make', 'make all')}` });
    expect((await diff(clone, 'main')).told.findings).toEqual([]);
  });

  it('counts a finding that becomes more severe as added', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN + INJECTION }));
    const severityAt = async (base: string) =>
      (await diff(clone, base)).told.findings.filter(({ rule_id }) => rule_id === 'template-injection');
    clone.commit({ 'README.md': 'text' });
    expect(await severityAt('main')).toEqual([]);
    clone.commit({ [CI]: OLD });
    expect(await severityAt('main')).toEqual([expect.objectContaining({ severity: 'HIGH' })]);
  });

  it('ends with 1 at --fail-on, 0 below it, and hides what --min-severity hides', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    clone.commit({ [CI]: CLEAN.replace('    timeout-minutes: 5\n', '') });
    const { told } = await diff(clone, 'main', '--pedantic');
    const [only, ...others] = told.findings;
    expect(others).toEqual([]);
    const severity = only?.severity.toLowerCase() ?? '';
    expect((await diff(clone, 'main', '--pedantic', '--fail-on', severity)).code).toBe(1);
    expect((await diff(clone, 'main', '--pedantic', '--fail-on', 'high')).code).toBe(0);
    expect((await diff(clone, 'main', '--pedantic', '--fail-on', severity, '--min-severity', 'high')).code).toBe(0);
    expect((await diff(clone, 'main', '--pedantic', '--fail-on', 'never')).code).toBe(0);
  });

  it('tells every format of an attack path that old and new findings form together', async () => {
    const privileged = OLD.replace('permissions: {}', 'permissions: { contents: write }');
    const clone = branchOf(makeClone({ [CI]: privileged.replace(INJECTION, '') }));
    clone.commit({ [CI]: privileged });
    const { told, code } = await diff(clone, 'main', '--fail-on', 'critical');
    expect(told.combos.length).toBeGreaterThan(0);
    expect(code).toBe(told.combos.some(({ severity }) => severity === 'CRITICAL') ? 1 : 0);
    const { id } = told.combos[0] ?? { id: 'none' };
    for (const format of ['sarif', 'markdown', 'github']) {
      const { stdout } = await runCli(['scan', clone.folder, '--diff', 'main', '--format', format], { env: PLACES });
      expect([format, stdout]).toEqual([format, expect.stringContaining(id)]);
    }
    const { stdout } = await runCli(['scan', clone.folder, '--diff', 'main'], { env: PLACES });
    expect(stdout).toContain('Attack paths');
    expect(stdout).toMatch(/1 high.* added in 1 file; \d+ already at [0-9a-f]{12}/);
  });

  it('gives SARIF results of paths the rules that describe them', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    clone.commit({ [CI]: OLD.replace('permissions: {}', 'permissions: { contents: write }') });
    const args = ['scan', clone.folder, '--diff', 'main', '--format', 'sarif'];
    const { stdout } = await runCli(args, { env: PLACES });
    const [{ tool, results }] = JSON.parse(stdout).runs;
    const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { ruleId, ruleIndex } of results) expect(ids[ruleIndex]).toBe(ruleId);
  });

  it('believes comments and configuration of each side, and none of them when told so', async () => {
    const silent = (text: string) =>
      text.replace(INJECTION, `      # chainbreak: ignore[template-injection] fine\n${INJECTION}`);
    const clone = branchOf(makeClone({ [CI]: silent(OLD) }));
    clone.commit({ [OTHER]: silent(OLD) });
    expect((await diff(clone, 'main')).rules).not.toContain('template-injection');
    expect((await diff(clone, 'main')).told.suppressed).toHaveLength(1);
    const strict = await diff(clone, 'main', '--no-suppressions');
    expect(strict.told.findings.filter(({ rule_id }) => rule_id === 'template-injection')).toEqual([
      expect.objectContaining({ file: OTHER }),
    ]);
    clone.commit({ [CI]: OLD });
    expect((await diff(clone, 'main')).rules).toContain('template-injection');
  });

  it('says which files of a commit it did not read, once', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    symlinkSync('ci.yml', join(clone.folder, OTHER));
    clone.commit({ '.github/workflows/large.yml': `# ${'x'.repeat(1024 * 1024)}` });
    const { told } = await diff(clone, 'main...work');
    expect(told.diagnostics.map(({ file, message }) => [file, message])).toEqual([
      ['.github/workflows/large.yml', expect.stringContaining('the limit is')],
      [OTHER, 'Symbolic links are not followed.'],
    ]);
    expect((await diff(clone, 'work...work')).told.diagnostics).toEqual([]);
  });

  it('reports the same of a commit as of the folder', async () => {
    const files = {
      [CI]: OLD,
      '.github/actions/tool/action.yml': 'name: tool\nruns: { using: composite, steps: [{ run: ls, shell: bash }] }\n',
      '.github/dependabot.yml': 'version: 2\nupdates: []\n',
      'näme/action.yml': 'name: other\nruns: { using: node12, main: index.js }\n',
      'node_modules/a/action.yml': 'name: skipped\nruns: { using: node12, main: index.js }\n',
    };
    const clone = branchOf(makeClone({ 'README.md': 'text' }));
    clone.commit(files);
    const [folder, commit] = [await diff(clone, 'main'), await diff(clone, 'main...work')];
    expect(folder.told.findings.map(({ file }) => file)).toContain('näme/action.yml');
    expect(commit.told).toEqual(folder.told);
  });
});

describe('the clone of a stranger', () => {
  const names = ['--output=leak', '-h', 'nowhere', 'HEAD:README.md', ':/A', 'main..work', 'a...b...c', 'a b', ''];

  it.each(names)('a base named %j is refused', async (name) => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    const run = await runCli(['scan', clone.folder, `--diff=${name}`], { env: PLACES });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no commit') });
    expect(existsSync(join(clone.folder, 'leak'))).toBe(false);
  });

  it('runs nothing that its configuration, attributes, hooks or folder name', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    clone.commit({ [CI]: OLD, '.gitattributes': '* diff=evil filter=evil\n' });
    const proof = join(temporaryFolder({ '.keep': '' }), 'ran');
    const program = join(clone.folder, 'git');
    writeFileSync(program, `#!/bin/sh\necho ran >> ${proof}\n`);
    chmodSync(program, 0o755);
    mkdirSync(join(clone.folder, '.git/hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-auto-gc']) {
      symlinkSync(program, join(clone.folder, '.git/hooks', hook));
    }
    const settings = {
      'core.fsmonitor': program,
      'core.sshCommand': program,
      'core.pager': program,
      'core.editor': program,
      'core.askPass': program,
      'core.gitProxy': program,
      'core.alternateRefsCommand': program,
      'core.hooksPath': clone.folder,
      'pager.cat-file': 'true',
      'diff.external': program,
      'diff.evil.command': program,
      'diff.evil.textconv': program,
      'filter.evil.smudge': program,
      'filter.evil.process': program,
      'credential.helper': `!${program}`,
      'gpg.program': program,
      'log.showSignature': 'true',
      'alias.cat-file': `!${program}`,
      'alias.rev-parse': `!${program}`,
      'protocol.ext.allow': 'always',
      'remote.origin.url': `ext::${program}`,
      'remote.origin.promisor': 'true',
      'remote.origin.uploadpack': program,
      'extensions.partialClone': 'origin',
      'core.repositoryFormatVersion': '1',
    };
    const lost = clone.git('rev-parse', `HEAD:${CI}`);
    for (const [name, value] of Object.entries(settings)) clone.git('config', name, value);
    rmSync(join(clone.folder, '.git/objects', lost.slice(0, 2), lost.slice(2)));
    const env = { ...PLACES, PATH: `.:${PLACES.PATH}` };
    const before = process.cwd();
    process.chdir(clone.folder);
    try {
      const run = await runCli(['scan', '.', '--diff', 'main...work', '--format', 'json'], { env });
      expect(existsSync(proof)).toBe(false);
      expect(JSON.parse(run.stdout).diagnostics).toEqual([
        expect.objectContaining({ file: CI, message: 'The file is not in this clone.' }),
      ]);
      expect(run.code).toBe(3);
    } finally {
      process.chdir(before);
    }
  });
});

describe('what --diff cannot compare', () => {
  it('is a folder without a clone, a file, or several repositories', async () => {
    const clone = makeClone({ [CI]: CLEAN });
    const folder = temporaryFolder({ [CI]: CLEAN });
    const several = temporaryFolder({ [`a/${CI}`]: CLEAN, [`b/${CI}`]: CLEAN });
    for (const path of [folder, join(clone.folder, CI), several]) {
      const run = await runCli(['scan', path, '--diff', 'main'], { env: PLACES });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--diff') });
    }
  });

  it('is a shallow clone without the commit that both share', async () => {
    const clone = branchOf(makeClone({ [CI]: CLEAN }));
    clone.commit({ [CI]: OLD });
    const shallow = { folder: join(temporaryFolder({ '.keep': '' }), 'shallow') };
    clone.git('clone', '--quiet', '--depth', '1', '--no-single-branch', `file://${clone.folder}`, shallow.folder);
    const run = await diff(shallow, 'origin/main');
    expect(run).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('fetch-depth: 0') });
  });

  it('is a baseline', async () => {
    const clone = makeClone({ [CI]: CLEAN });
    for (const flags of [['--baseline', 'x.json'], ['--write-baseline']]) {
      expect((await diff(clone, 'main', ...flags)).code).toBe(2);
    }
  });

  it('is a machine without git', async () => {
    const clone = makeClone({ [CI]: CLEAN });
    const run = await runCli(['scan', clone.folder, '--diff', 'main'], { env: { PATH: '/nowhere' } });
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('needs the program git') });
  });
});
