import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startCli, temporaryFolder } from '../support/cli.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { startImageRegistry } from '../support/image-registry.ts';
import { type PackageRegistryForTests, startPackageRegistry } from '../support/package-registry.ts';

const UNSAFE = `on: issue_comment
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-24.04
    steps:
      - run: echo "\${{ github.event.comment.body }}"
`;

interface Report {
  readonly findings: readonly { readonly rule_id: string; readonly file: string | null }[];
  readonly not_assessed: readonly { readonly rule_id: string; readonly reason: string }[];
}

function cli(args: readonly string[], environment: Readonly<Record<string, string>>): ReturnType<typeof runCli> {
  return runCli(args, { env: { PATH: process.env['PATH'] ?? '', CHAINBREAK_NO_CACHE: '1', ...environment } });
}

let host: CodeHostForTests;
let env: Record<string, string>;

beforeAll(async () => {
  host = await startCodeHost();
  env = { SCM_API_URL: host.apiUrl, GITHUB_TOKEN: host.publicToken };
  await host.addRepository({
    fullName: 'octo/greeter',
    files: {
      '.github/workflows/greet.yml': UNSAFE,
      '.github/workflows/large.yml': `# ${'x'.repeat(600_000)}`,
      '.github/actions/greet/action.yml':
        "name: Greet\ndescription: Greets\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: echo '${{ github.event.comment.body }}'\n",
    },
  });
  await host.addRepository({ fullName: 'octo/plain', files: { 'README.md': '# Plain' } });
});
afterAll(() => host.stop());

describe('scan --online', () => {
  const PIN = 'f'.repeat(40);
  const jsonOf = async (args: readonly string[], run = cli): Promise<{ report: Report }> => {
    const { stdout } = await run(['scan', ...args, '--format', 'json', '--fail-on', 'never'], env);
    return { report: JSON.parse(stdout) as Report };
  };
  interface Report {
    readonly findings: readonly { rule_id: string; severity: string; description: string }[];
    readonly not_assessed: readonly { rule_id: string; reason: string }[];
    readonly diagnostics: readonly { message: string }[];
  }

  it('assesses the used actions, and lists those without data', async () => {
    const uses = ['tools/deploy@v1', `tools/deploy@${PIN}`, 'tools/elsewhere@v1'].map(
      (name) => `      - uses: ${name}\n`,
    );
    const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n${uses.join('')}`;
    await host.addRepository({ fullName: 'octo/user', files: { '.github/workflows/ci.yml': text } });
    const tools = await host.addRepository({ fullName: 'tools/deploy', files: { 'action.yml': 'name: x\n' } });
    const { after } = await host.push('tools/deploy', { branch: 'v1', files: { 'action.yml': 'name: y\n' } });
    await host.world.tag(tools, 'v1', after);
    const { report } = await jsonOf(['octo/user', '--online']);
    expect(report.findings.filter(({ rule_id }) => rule_id === 'ref-confusion')).toMatchObject([{ severity: 'LOW' }]);
    expect(report.not_assessed).toContainEqual({ rule_id: 'repo-jacking', reason: 'unsupported_host' });
    expect(report.diagnostics).toMatchObject([{ message: expect.stringContaining('tools/elsewhere') as string }]);
    const offline = await jsonOf(['octo/user']);
    expect(offline.report.not_assessed).toContainEqual({ rule_id: 'ref-confusion', reason: 'offline' });
  });

  it('reports a release tag that moved since an earlier scan', async () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: tools/release@v1.0.0\n';
    await host.addRepository({ fullName: 'octo/observer', files: { '.github/workflows/ci.yml': text } });
    const tool = await host.addRepository({ fullName: 'tools/release', files: { 'action.yml': 'name: x\n' } });
    const { after: first } = await host.push('tools/release', { files: { 'action.yml': 'name: y\n' } });
    const { after: second } = await host.push('tools/release', { files: { 'action.yml': 'name: z\n' } });
    await host.world.tag(tool, 'v1.0.0', first);
    const folder = mkdtempSync(join(tmpdir(), 'chainbreak-observed-'));
    const args = ['octo/observer', '--online', '--observed', join(folder, 'tags.json')];
    const drifted = async () =>
      (await jsonOf(args, startCli)).report.findings.filter(({ rule_id }) => rule_id === 'tag-drift-observed');
    expect(await drifted()).toEqual([]);
    await host.world.tag(tool, 'v1.0.0', second);
    expect(await drifted()).toMatchObject([
      { severity: 'HIGH', description: expect.stringContaining(first.slice(0, 12)) as string },
    ]);
    const [victim, link] = [join(folder, 'victim.json'), join(folder, 'link.json')];
    writeFileSync(victim, '{"version":1,"tags":{}}');
    symlinkSync(victim, link);
    const linked = await cli(['scan', 'octo/observer', '--online', '--observed', link], env);
    expect(linked).toMatchObject({ code: 2, stderr: expect.stringContaining('symbolic link') as string });
    expect(readFileSync(victim, 'utf8')).toBe('{"version":1,"tags":{}}');
    rmSync(folder, { recursive: true });
  });

  it('scores the used actions, and lists those beyond its limit', async () => {
    const ci = (...names: readonly string[]) =>
      `on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n${names.map((name) => `      - uses: ${name}@v1\n`).join('')}`;
    const risky =
      'name: x\ndescription: x\ninputs: { a: { description: a } }\nruns:\n  using: composite\n  steps:\n' +
      '    - uses: other/thing@main\n    - shell: bash\n      run: |\n        echo "${{ inputs.a }}"\n' +
      '        echo "${{ github.event.issue.title }}"\n        curl -s https://example.com/i.sh | bash\n';
    const sound = 'name: x\ndescription: x\nruns:\n  using: composite\n  steps:\n    - run: date\n      shell: bash\n';
    const many = Array.from({ length: 16 }, (_, index) => `scored/n${index}`);
    await host.addRepositories([
      { fullName: 'scored/risky', files: { 'action.yml': risky }, settings: { rulesets: [], securityPolicy: false } },
      { fullName: 'scored/sound', files: { 'action.yml': sound }, settings: { rulesets: [] } },
      ...many.map((fullName) => ({ fullName, files: { 'action.yml': sound } })),
      { fullName: 'octo/scored', files: { '.github/workflows/ci.yml': ci('scored/risky', 'scored/sound') } },
      { fullName: 'octo/many', files: { '.github/workflows/ci.yml': ci(...many) } },
    ]);
    const { report } = await jsonOf(['octo/scored', '--online']);
    const low = (all: Report['findings']) => all.filter(({ rule_id }) => rule_id === 'low-score-action');
    expect(low(report.findings)).toMatchObject([{ description: expect.stringContaining('scored/risky') as string }]);
    expect(report.not_assessed.map(({ rule_id }) => rule_id)).not.toContain('low-score-action');

    await host.log();
    const { report: partly } = await jsonOf(['octo/many', '--online']);
    const trees = (await host.log()).filter(({ path }) => path.includes('/git/trees/'));
    expect(trees).toHaveLength(15);
    expect(low(partly.findings)).toEqual([]);
    expect(partly.not_assessed).toContainEqual({ rule_id: 'low-score-action', reason: 'rate_limited' });
    expect(partly.diagnostics.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Not all actions used were scored \(rate_limited\): scored\/n\d+\.$/),
    );

    await host.fault({ match: 'GET /repos/scored/sound/*', times: 40, effect: { kind: 'status', status: 502 } });
    await host.fault({ match: 'GET /repos/scored/risky/*', times: 40, effect: { kind: 'status', status: 502 } });
    const { report: failed } = await jsonOf(['octo/scored', '--online']);
    host.clearFaults();
    expect(failed.not_assessed).toContainEqual({ rule_id: 'low-score-action', reason: 'offline' });
  });

  it('requires a token, and --observed requires --online', async () => {
    const anonymous = { ...env, GITHUB_TOKEN: '' };
    expect(await cli(['scan', '.github', '--online'], anonymous)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GITHUB_TOKEN') as string,
    });
    expect((await cli(['scan', '.github', '--observed', 'x.json'], env)).code).toBe(2);
  });
});

describe('scan --online and packages', () => {
  const RULE = 'published-version-missing-provenance';
  const RELEASE = `on: { release: { types: [published] } }
permissions: {}
jobs:
  release:
    runs-on: ubuntu-24.04
    steps:
      - run: npm publish
      - run: npm publish --workspaces
      - uses: pypa/gh-action-pypi-publish@v1.13.0
`;
  const PUBLISHED = {
    '.github/workflows/release.yml': RELEASE,
    'package.json': '{"name":"@acme/tool","workspaces":["packages/*"]}',
    'packages/core/package.json': '{"name":"@acme/core"}',
    'packages/secret/package.json': '{"name":"@acme/secret","private":true}',
    'node_modules/other/package.json': '{"name":"other"}',
    'pyproject.toml': '[project]\nname = "acme-tool"\n',
  };
  const cloneOf = (owner: string) => ({
    ...PUBLISHED,
    '.git/config': `[remote "origin"]\n\turl = https://github.com/${owner}/tool.git\n`,
  });
  const source = 'git+https://github.com/acme/tool.git';
  let registry: PackageRegistryForTests;

  beforeAll(async () => {
    registry = await startPackageRegistry();
  });
  afterAll(() => registry.stop());

  interface Told {
    readonly findings: readonly (readonly [string, number | null, string])[];
    readonly reasons: readonly string[];
    readonly diagnostics: readonly string[];
  }
  const scan = async (args: readonly string[], more: Record<string, string> = {}): Promise<Told> => {
    const all = { ...env, PACKAGE_REGISTRY_ORIGIN: registry.origin, ...more };
    const { stdout, stderr } = await cli(['scan', ...args, '--format', 'json', '--fail-on', 'never'], all);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as {
      findings: { rule_id: string; line: number | null; confidence: string; description: string }[];
      not_assessed: { rule_id: string; reason: string }[];
      diagnostics: { message: string }[];
    };
    return {
      findings: report.findings
        .filter(({ rule_id }) => rule_id === RULE)
        .map(({ description, line, confidence }) => [description, line, confidence] as const),
      reasons: report.not_assessed.flatMap(({ rule_id, reason }) => (rule_id === RULE ? [reason] : [])),
      diagnostics: report.diagnostics.map(({ message }) => message).filter((message) => /provenance/.test(message)),
    };
  };

  it('reports missing provenance at npm and PyPI, at the publishing steps', async () => {
    registry.npm('@acme/tool', { version: '2.0.0', source });
    registry.npm('@acme/core', { provenance: true, source });
    registry.pypi('acme-tool', [{ filename: 'acme_tool-3.1.tar.gz' }], { source: 'https://github.com/acme/tool' });
    registry.take();
    expect(await scan([temporaryFolder(cloneOf('acme')), '--online'])).toEqual({
      findings: [
        ['@acme/tool 2.0.0 has no provenance on npm.', 7, 'high'],
        ['acme-tool 3.1 has no provenance on PyPI.', 9, 'high'],
      ],
      reasons: [],
      diagnostics: [],
    });
    const asked = registry.take().map(({ path }) => path);
    expect(asked.sort()).toEqual([
      '/pypi.org/pypi/acme-tool/3.1/json',
      '/pypi.org/simple/acme-tool/',
      '/registry.npmjs.org/@acme%2fcore/latest',
      '/registry.npmjs.org/@acme%2ftool/latest',
    ]);
  });

  it('keeps its findings if another package is unknown, and says which and why', async () => {
    registry.npm('@acme/tool', { version: '2.0.0', source });
    registry.answer('acme%2fcore', (response) => response.writeHead(500).end());
    const { findings, reasons, diagnostics } = await scan([temporaryFolder(cloneOf('acme')), '--online']);
    registry.clear();
    expect(findings).toHaveLength(2);
    expect(reasons).toEqual(['offline']);
    expect(diagnostics).toEqual([expect.stringMatching(/\(offline\): npm @acme\/core\.$/)]);
  });

  it('ignores packages that the registries attribute to another repository', async () => {
    registry.npm('@acme/tool', { source });
    expect((await scan([temporaryFolder(cloneOf('somebody')), '--online'])).findings).toEqual([]);
  });

  it('sends no request if lookups are off', async () => {
    const folder = temporaryFolder(cloneOf('acme'));
    registry.take();
    expect((await scan([folder])).reasons).toEqual(['offline']);
    expect((await scan([folder, '--online'], { PACKAGE_LOOKUP: 'off' })).reasons).toEqual(['offline']);
    await scan([folder, '--online', '--ruleset', 'slsa-source-l1']);
    await cli(['paths', folder, '--online'], { ...env, PACKAGE_REGISTRY_ORIGIN: registry.origin });
    expect(registry.take()).toEqual([]);
  });

  it('knows no names in a remote repository, whose other files are not read, and says so', async () => {
    await host.addRepository({ fullName: 'octo/publisher', files: PUBLISHED });
    await host.addRepository({ fullName: 'octo/quiet', files: { '.github/workflows/greet.yml': UNSAFE } });
    registry.take();
    const { findings, reasons, diagnostics } = await scan(['octo/publisher', '--online']);
    expect([findings, reasons]).toEqual([[], ['offline']]);
    expect(diagnostics).toEqual([expect.stringContaining('what .github/workflows/release.yml publishes')]);
    expect((await scan(['octo/quiet', '--online'])).reasons).toEqual([]);
    expect(registry.take()).toEqual([]);
  });

  it('reads no manifest outside the repository', async () => {
    const outside = temporaryFolder({ 'package.json': '{"name":"outside"}' });
    const folder = temporaryFolder({
      '.github/workflows/a.yml': RELEASE.replace('npm publish\n', 'cd link && npm publish\n').replace(
        'npm publish --workspaces',
        `npm publish ${outside}`,
      ),
    });
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'package.json'), join(folder, 'package.json'));
    registry.take();
    expect((await scan([folder, '--online'])).reasons).toEqual(['offline']);
    expect(registry.take()).toEqual([]);
  });
});

describe('fix --online', () => {
  const text = `on: push
jobs:
  test:
    runs-on: ubuntu-24.04
    container: node:22
    steps:
      - run: docker run --rm ghcr.io/octo/lint:1
      - uses: docker://registry.example.com/octo/lint:1
`;

  it('pins images with --unsafe only, if IMAGE_LOOKUP allows it, and requests nothing else', async () => {
    const registry = await startImageRegistry();
    try {
      const [node, lint] = ['registry-1.docker.io/library/node:22', 'ghcr.io/octo/lint:1'].map((image) =>
        registry.push(image),
      );
      const folder = temporaryFolder({ 'ci.yml': text });
      const file = join(folder, 'ci.yml');
      const all = { ...env, IMAGE_REGISTRY_ORIGIN: registry.origin };
      const fix = ['fix', file, '--online', '--fail-on', 'never'];
      await cli([...fix, '--dry-run'], all);
      await cli([...fix, '--unsafe', '--dry-run', '--categories', 'CICD-SEC-5'], all);
      await cli([...fix, '--unsafe', '--dry-run'], { ...all, IMAGE_LOOKUP: 'off' });
      expect(registry.take()).toEqual([]);
      const { stderr } = await cli([...fix, '--unsafe', '--categories', 'CICD-SEC-3'], all);
      expect(readFileSync(file, 'utf8'), stderr).toBe(
        text.replace('node:22', `node:22@${node}`).replace('ghcr.io/octo/lint:1', `ghcr.io/octo/lint:1@${lint}`),
      );
      expect(
        registry
          .take()
          .map(({ method, path }) => `${method} ${path.split('?')[0]}`)
          .sort(),
      ).toEqual([
        'GET /auth.docker.io/token',
        'GET /ghcr.io/token',
        'HEAD /ghcr.io/v2/octo/lint/manifests/1',
        'HEAD /registry-1.docker.io/v2/library/node/manifests/22',
      ]);
    } finally {
      await registry.stop();
    }
  });

  it('refuses a registry URL that is neither local nor https', async () => {
    const folder = temporaryFolder({ 'ci.yml': text });
    const wrong = { ...env, IMAGE_REGISTRY_ORIGIN: 'http://registry.example.com' };
    const { code, stderr } = await cli(['fix', folder, '--online', '--unsafe'], wrong);
    expect([code, stderr]).toEqual([2, expect.stringContaining('IMAGE_REGISTRY_ORIGIN must be an https:')]);
  });
});

describe('scan owner/name', () => {
  it('equals the scan of a clone in two requests, plus two for settings, and runs nothing', async () => {
    await host.log();
    const { code, stdout, stderr } = await cli(['scan', 'octo/greeter', '--format', 'json'], env);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as {
      findings: { rule_id: string; root: string; file: string }[];
      diagnostics: unknown[];
    };
    const injections = report.findings.filter(({ rule_id }) => rule_id === 'template-injection');
    expect(injections.map(({ root, file }) => [root, file])).toEqual([
      ['.', '.github/actions/greet/action.yml'],
      ['.', '.github/workflows/greet.yml'],
    ]);
    expect(report.diagnostics).toMatchObject([
      { file: '.github/workflows/large.yml', message: expect.stringContaining('not analysed') as string },
    ]);
    expect(code).toBe(1);
    expect((await host.log()).map(({ path, operation }) => operation ?? path)).toEqual([
      'RepositoryFiles',
      'MoreFiles',
      'RepositorySettings',
      '/api/v3/repos/octo/greeter/environments',
    ]);
  });

  it('reads every setting with an administrator’s token, and reports what others cannot see', async () => {
    const owner = host.world.addAccount({ login: 'olga', type: 'User' });
    const octo = host.world.account('octo');
    if (octo === undefined) throw new Error('There is no octo.');
    host.world.addMember(octo, owner, 'admin');
    await host.addRepository({
      fullName: 'octo/open',
      files: { '.github/workflows/ci.yml': UNSAFE },
      workflowSettings: { defaultPermissions: 'write', canApprovePullRequests: false },
    });
    const scanAs = async (token: string): Promise<Report> => {
      const { stdout } = await cli(['scan', 'octo/open', '--format', 'json'], { ...env, GITHUB_TOKEN: token });
      return JSON.parse(stdout) as Report;
    };
    const rule_id = 'default-workflow-token-write';
    const known = await scanAs(host.tokenOf('olga'));
    expect(known.findings).toContainEqual(expect.objectContaining({ rule_id, file: null }));
    expect(known.not_assessed.map((each) => each.rule_id)).not.toContain(rule_id);
    expect((await scanAs(host.publicToken)).not_assessed).toContainEqual({ rule_id, reason: 'no_permission' });
  });

  it('accepts URLs, and several repositories at once', async () => {
    const address = `${host.webUrl}/octo/greeter/tree/main`;
    const { code, stdout } = await cli(['scan', address, '.github', '--format', 'json'], env);
    const { findings } = JSON.parse(stdout) as { findings: { root: string }[] };
    expect(new Set(findings.map(({ root }) => root))).toContain(address);
    expect(code).toBe(1);
  });

  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    [
      'no token',
      ['octo/greeter'],
      { GITHUB_TOKEN: '' },
      3,
      /No such file or folder: "octo\/greeter".*set GITHUB_TOKEN/,
    ],
    ['a wrong token', ['octo/greeter'], { GITHUB_TOKEN: 'ghp_wrong' }, 3, /refused our credentials/],
    ['a missing one', ['octo/missing'], {}, 3, /There is no repository octo\/missing that this token can read/],
    ['nothing to scan', ['octo/plain'], {}, 3, /No workflow/],
    ['nobody there', ['octo/greeter'], { SCM_API_URL: 'http://127.0.0.1:9/api/v3' }, 3, /could not be reached/],
    ['another host', ['https://gitlab.com/octo/greeter'], {}, 2, /not a repository on 127.0.0.1/],
    ['an open connection', ['octo/greeter'], { SCM_API_URL: 'http://github.example.com' }, 2, /SCM_API_URL must/],
    ['neither a path nor a name', ['octo/greeter/x'], {}, 3, /No such file or folder/],
  ])('explains the error: %s', async (_, args, extra, expected, message) => {
    const { code, stdout, stderr } = await cli(['scan', ...args], { ...env, ...extra });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('ghp_');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([expected, '']);
  });

  describe('at a ref', () => {
    const SAFE = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{ run: make }]\n';
    const FILE = '.github/workflows/ci.yml';
    let commits: { first: string; tree: string };
    const rules = async (name: string): Promise<string[]> => {
      const { stdout, stderr } = await cli(['scan', name, '--format', 'json', '--fail-on', 'never'], env);
      expect(stderr).toBe('');
      return (JSON.parse(stdout) as Report).findings.map(({ rule_id }) => rule_id);
    };

    beforeAll(async () => {
      const repository = await host.addRepository({ fullName: 'octo/lines', files: { [FILE]: SAFE } });
      const git = host.world.git(repository);
      const first = (await git.object('HEAD'))?.oid ?? '';
      commits = { first, tree: (await git.object('HEAD^{tree}'))?.oid ?? '' };
      await host.world.tag(repository, 'v1.0', first, true);
      await host.world.tag(repository, 'light', first);
      await host.push('octo/lines', {
        branch: 'feature/new.one',
        files: { [FILE]: UNSAFE.replace('greet:', 'x:'), '.github/actions/deep/er/est/action.yml': SAFE },
      });
    });

    it('scans a branch, an annotated or simple tag, and a commit, in two requests', async () => {
      const branch = await rules('octo/lines@feature/new.one');
      expect(branch).toContain('template-injection');
      await host.log();
      expect(await rules(`${host.webUrl}/octo/lines@v1.0`)).not.toContain('template-injection');
      expect(
        (await host.log()).filter(({ operation }) => operation !== undefined && !operation.endsWith('Settings')).length,
      ).toBeLessThan(3);
      expect(await rules('octo/lines@light')).toEqual(await rules(`octo/lines@${commits.first}`));
      expect(await rules('octo/lines@main')).toEqual(await rules('octo/lines'));
    });

    it('scans two refs of one repository side by side', async () => {
      const { stdout } = await cli(
        ['scan', 'octo/lines@v1.0', 'octo/lines@feature/new.one', '--format', 'json', '--fail-on', 'never'],
        env,
      );
      const { findings } = JSON.parse(stdout) as { findings: { root: string; rule_id: string }[] };
      const roots = findings.filter(({ rule_id }) => rule_id === 'template-injection').map(({ root }) => root);
      expect(new Set(roots)).toEqual(new Set(['octo/lines@feature/new.one']));
      expect(new Set(findings.map(({ root }) => root)).size).toBe(2);
    });

    it.each([
      ['a ref that is not there', () => 'octo/lines@v2', 3, /octo\/lines has no branch, tag or commit "v2"/],
      ['the id of a tree', () => `octo/lines@${commits.tree}`, 3, /has no branch, tag or commit/],
      ['text that git reads otherwise', () => 'octo/lines@main:x', 2, /"main:x" is not the name of a branch or tag/],
      ['text that would change the query', () => 'octo/lines@x") { id } #', 2, /is not the name of a branch or tag/],
      ['no ref', () => 'octo/lines@', 2, /"" is not the name of a branch or tag/],
      ['a repository that is not there', () => 'octo/missing@v1', 3, /There is no repository octo\/missing/],
    ])('explains the error: %s', async (_, name, expected, message) => {
      const { code, stdout, stderr } = await cli(['scan', name()], env);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect([code, stdout]).toEqual([expected, '']);
    });
  });

  it('reports how long a limit lasts', async () => {
    const effect = { kind: 'secondary-limit', status: 403, retryAfterSeconds: 42 } as const;
    await host.fault({ match: 'POST /api/graphql', effect });
    const { code, stderr } = await cli(['scan', 'octo/greeter'], env);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/limits our requests.*again in 42 seconds/)]);
  });
});

it('never looks up a local path remotely', async () => {
  await host.log();
  const { code } = await cli(['scan', 'lib/cli', 'tests/fixtures', '--fail-on', 'never'], {
    ...env,
    SCM_API_URL: 'nonsense',
  });
  expect(code).toBe(0);
  expect(await host.log()).toEqual([]);
});
