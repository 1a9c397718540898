import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewRepository } from '#lib/simulator/model.ts';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';
import { type PackageRegistryForTests, startPackageRegistry } from '../../support/package-registry.ts';

const RULE = 'published-version-missing-provenance';

let registry: PackageRegistryForTests;
let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  registry = await startPackageRegistry();
  service = await startConnectedService({ PACKAGE_LOOKUP: 'on', PACKAGE_REGISTRY_ORIGIN: registry.origin });
  acme = await service.company('acme');
});
afterAll(async () => {
  await service?.stop();
  await registry?.stop();
});
beforeEach(() => void registry.take());
afterEach(() => {
  registry.clear();
  service.host.clearFaults();
});

const workflow = (...steps: readonly string[]) => `on: { release: { types: [published] } }
permissions: {}
jobs:
  release:
    runs-on: ubuntu-24.04
    steps:
${steps.map((step) => `      - ${step}\n`).join('')}`;

let made = 0;
async function newRepository(
  steps: readonly string[],
  files: Readonly<Record<string, string>> = {},
  more: Partial<NewRepository> = {},
) {
  const fullName = `acme/lib${(made += 1)}`;
  const all = { '.github/workflows/release.yml': workflow(...steps), ...files };
  await service.host.addRepository({ fullName, files: all, visibility: 'public', ...more });
  const id = (await service.connect(acme)).get(fullName) ?? '';
  await service.host.log();
  return { id, fullName, source: `git+https://github.com/${fullName}.git` };
}

async function scan(id: string) {
  const { status, json, text } = await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: id } });
  expect(status, text).toBe(200);
  const [row] = await service.database.sql<{ said: string[] | null; reason: string | null; completed: boolean }>(
    `select r.completed @> array[$2] as completed,
       (select n ->> 'reason' from jsonb_array_elements(r.not_assessed) as n where n ->> 'rule_id' = $2) as reason,
       (select array_agg(f.description order by f.line) from public.findings f where f.scan_id = $1 and f.rule_id = $2) as said
     from public.scan_rules r where r.scan_id = $1`,
    [json['scan_id'], RULE],
  );
  return { said: row?.said ?? [], reason: row?.reason, completed: row?.completed };
}

const asked = () =>
  registry
    .take()
    .map(({ path }) => path)
    .sort();
const filesRead = async () => (await service.host.log()).filter(({ operation }) => operation === 'MoreFiles').length;
const NOTHING = { said: [], reason: null, completed: true };
const packageOf = (name: string) => ({ 'package.json': JSON.stringify({ name }) });

describe('npm and PyPI versions', () => {
  it('are looked up for a public repository’s packages, with one more request for its manifests', async () => {
    const files = {
      ...packageOf('@acme/one'),
      'core/package.json': '{"name":"@acme/core"}',
      'pyproject.toml': '[project]\nname = "acme-one"\n',
    };
    const steps = ['run: npm publish', 'run: npm publish ./core', 'uses: pypa/gh-action-pypi-publish@v1.13.0'];
    const { id, source } = await newRepository(steps, files);
    registry.npm('@acme/one', { version: '2.0.0', source });
    registry.npm('@acme/core', { provenance: true, source });
    registry.pypi('acme-one', [{ filename: 'acme_one-3.1.tar.gz' }], { source: source.slice(4, -4) });
    expect(await scan(id)).toEqual({
      said: ['@acme/one 2.0.0 has no provenance on npm.', 'acme-one 3.1 has no provenance on PyPI.'],
      reason: null,
      completed: true,
    });
    expect(asked()).toEqual([
      '/pypi.org/pypi/acme-one/3.1/json',
      '/pypi.org/simple/acme-one/',
      '/registry.npmjs.org/@acme%2fcore/latest',
      '/registry.npmjs.org/@acme%2fone/latest',
    ]);
    expect(await filesRead()).toBe(1);
    expect((await scan(id)).said).toHaveLength(2);
    expect([asked(), await filesRead()]).toEqual([[], 0]);
  });

  it('are cached for ten minutes', async () => {
    registry.npm('@acme/shared', { provenance: true });
    for (const _ of ['one', 'two']) {
      const { id } = await newRepository(['run: npm publish'], packageOf('@acme/shared'));
      expect(await scan(id)).toEqual(NOTHING);
    }
    expect(asked()).toEqual(['/registry.npmjs.org/@acme%2fshared/latest']);
  });

  it.each(['private', 'internal'] as const)('are not looked up for a repository that is %s', async (visibility) => {
    const { id } = await newRepository(['run: npm publish'], packageOf('@acme/own'), { visibility });
    expect(await scan(id)).toEqual({ said: [], reason: 'offline', completed: false });
    expect([asked(), await filesRead()]).toEqual([[], 0]);
  });

  it('are not looked up without publishing, and the rule is assessed', async () => {
    for (const visibility of ['public', 'private'] as const) {
      const { id } = await newRepository(['run: npm test'], packageOf('@acme/untold'), { visibility });
      expect(await scan(id)).toEqual(NOTHING);
    }
    expect([asked(), await filesRead()]).toEqual([[], 0]);
  });

  it('are not looked up if the rule is off', async () => {
    const { id } = await newRepository(['run: npm publish'], packageOf('@acme/off'));
    const call = { as: acme.admin, params: { repo_id: id, rule_id: RULE }, body: { enabled: false } };
    expect((await service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', call)).status).toBe(204);
    expect(await scan(id)).toEqual({ said: [], reason: 'disabled', completed: false });
    expect([asked(), await filesRead()]).toEqual([[], 0]);
  });

  it('are not looked up for a visitor', async () => {
    const { fullName } = await newRepository(['run: npm publish'], packageOf('@acme/visited'));
    const { status, json } = await service.call('POST /api/public-scan', { body: { repo: fullName } });
    expect(status).toBe(200);
    expect(json['not_assessed']).toContainEqual({ rule_id: RULE, reason: 'offline' });
    expect([asked(), await filesRead()]).toEqual([[], 0]);
  });

  it('are unknown for workspaces, which nothing lists, and for unnamed packages', async () => {
    const workspaces = { 'package.json': '{"name":"@acme/root","workspaces":["packages/*"]}' };
    const cases = [
      await newRepository(['run: npm publish --workspaces'], workspaces),
      await newRepository(['run: npm publish ./elsewhere'], packageOf('@acme/root')),
      await newRepository(['uses: pypa/gh-action-pypi-publish@v1.13.0'], {
        'python/pyproject.toml': '[project]\nname = "acme-root"\n',
      }),
      await newRepository(['run: npm publish'], { 'package.json': '{"name":"../../x"}' }),
    ];
    for (const { id } of cases) expect(await scan(id)).toEqual({ said: [], reason: 'offline', completed: false });
    expect(asked()).toEqual([]);
  });

  it.each([
    [500, 'offline'],
    [403, 'no_permission'],
  ])('stay unknown if the registry answers %i, and the scan says why', async (status, reason) => {
    const { id } = await newRepository(['run: npm publish'], packageOf(`@acme/fails${status}`));
    registry.answer('/latest', (response) => response.writeHead(status).end('{"version":"1.0.0","dist":{}}'));
    expect(await scan(id)).toEqual({ said: [], reason, completed: false });
  });

  it.each([
    ['fails', { kind: 'status', status: 422 }, 'offline'],
    ['limits us', { kind: 'secondary-limit', status: 429, retryAfterSeconds: 1 }, 'rate_limited'],
  ] as const)('stay unknown if the code host %s before the files are read', async (_, effect, reason) => {
    const company = await service.company(`solo${(made += 1)}`);
    const fullName = `${company.account.login}/lib`;
    const files = { '.github/workflows/release.yml': workflow('run: npm publish'), ...packageOf('@acme/unread') };
    await service.host.addRepository({ fullName, files, visibility: 'public' });
    const id = (await service.connect(company)).get(fullName) ?? '';
    await service.host.fault({ match: 'POST /api/graphql', skip: 2, effect });
    const { json } = await service.call('POST /api/scan', { as: company.admin, body: { repo_id: id } });
    const [row] = await service.database.sql<{ not_assessed: unknown[] }>(
      'select not_assessed from public.scan_rules where scan_id = $1',
      [json['scan_id']],
    );
    expect(row?.not_assessed).toContainEqual({ rule_id: RULE, reason });
    expect(asked()).toEqual([]);
  });

  it('delay a scan no longer than the code host’s time limit', { timeout: 30_000 }, async () => {
    const folders = Array.from({ length: 12 }, (_, n) => `p${n}`);
    const files = folders.map((folder) => [`${folder}/package.json`, `{"name":"silent-${folder}"}`]);
    const { id } = await newRepository(
      folders.map((folder) => `run: npm publish ./${folder}`),
      Object.fromEntries(files) as Record<string, string>,
    );
    registry.answer('/latest', () => {});
    const started = performance.now();
    expect(await scan(id)).toEqual({ said: [], reason: 'offline', completed: false });
    expect(performance.now() - started).toBeLessThan(9_000);
  });

  it('stay unknown during a registry’s back-off', async () => {
    const { id } = await newRepository(['run: npm publish'], packageOf('@acme/limited'));
    registry.answer('/latest', (response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await scan(id)).toEqual({ said: [], reason: 'rate_limited', completed: false });
    const other = await newRepository(['run: npm publish'], packageOf('@acme/later'));
    registry.take();
    expect(await scan(other.id)).toEqual({ said: [], reason: 'rate_limited', completed: false });
    expect(asked()).toEqual([]);
    await filesRead();
    await scan(other.id);
    expect(await filesRead()).toBe(1);
  });
});
