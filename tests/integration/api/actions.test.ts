import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { type ConnectedService, sloppyFiles, startConnectedService } from '../../support/connected-service.ts';
import { scoredAction } from '../../support/scored-action.ts';

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
  const db = createAdminDb(service.database);
  await actions.store(db, scoredAction('actions/checkout', { score: 95 }));
  await actions.store(db, scoredAction('somebody/risky', { score: 12 }));
  await actions.enqueue(db, 'nobody', 'waiting');
});
afterAll(() => service?.stop());

describe('the directory of actions', () => {
  it('is public, cached for five minutes, and begins with the riskiest', async () => {
    const { json, headers } = await service.call('GET /api/public/actions');
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=300');
    expect(json).toMatchObject({ total: 2, page: 1, per_page: 30 });
    expect((json['actions'] as { name: string }[]).map(({ name }) => name)).toEqual(['risky', 'checkout']);
    const { json: page } = await service.call('GET /api/public/actions', {
      query: '?sort=score&order=desc&per_page=1&page=2',
    });
    expect(page).toMatchObject({ actions: [{ name: 'risky', score: 12, band: 'F' }], total: 2, page: 2, per_page: 1 });
  });

  it.each(['sort=risk', 'order=up', 'page=0', 'page=1.5', 'per_page=101', `q=${'a'.repeat(101)}`])(
    'refuses %s',
    async (query) => {
      expect((await service.call('GET /api/public/actions', { query: `?${query}` })).status).toBe(400);
    },
  );
});

describe('one action', () => {
  it('is shown whole under any spelling, and cached once it is scored', async () => {
    const scored = await service.call('GET /api/public/actions/{owner}/{name}', {
      params: { owner: 'ACTIONS', name: 'Checkout' },
    });
    expect(scored.headers.get('cache-control')).toBe('public, max-age=300, s-maxage=300');
    expect(scored.json).toMatchObject({
      owner: 'actions',
      name: 'checkout',
      status: 'scored',
      latest: { score: 95, breakdown: { metadata: 5 }, signals: [{ id: 'stale-12m' }], algorithm_version: '1.0.0' },
      versions: [{ refs: [{ ref: 'refs/tags/v1.0.0' }] }],
    });
    const pending = await service.call('GET /api/public/actions/{owner}/{name}', {
      params: { owner: 'nobody', name: 'waiting' },
    });
    expect(pending.headers.get('cache-control')).toBe('no-store');
    expect(pending.json).toMatchObject({ status: 'pending', latest: null, versions: [] });
  });

  it.each([
    ['never', 'seen'],
    ['..', 'x'],
    ['a', 'b%2Fc'],
  ])('is not there: %s/%s', async (owner, name) => {
    const { status } = await service.call('GET /api/public/actions/{owner}/{name}', { params: { owner, name } });
    expect(status).toBe(404);
  });
});

describe('the ranking', () => {
  it('counts the repositories whose last scan saw an action, which reports a low score, for one organization if asked', async () => {
    const company = await service.company('ranked');
    const files = {
      '.github/workflows/ci.yml':
        'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: Somebody/Risky/sub@v1\n',
    };
    await service.host.addRepository({ fullName: 'ranked/app', files });
    await service.host.addRepository({ fullName: 'ranked/other', files: sloppyFiles() });
    const ids = await service.connect(company);
    for (const id of ids.values()) {
      expect((await service.call('POST /api/scan', { as: company.admin, body: { repo_id: id } })).status).toBe(200);
    }
    expect(
      await service.database.sql(`select severity, file, line from public.findings where rule_id = 'low-score-action'`),
    ).toEqual([{ severity: 'LOW', file: '.github/workflows/ci.yml', line: 6 }]);
    const ranked = await service.call('GET /api/actions/ranking', { as: company.admin });
    expect(ranked.json).toMatchObject([
      { owner: 'somebody', name: 'risky', used_by_repos: 1 },
      { owner: 'actions', name: 'checkout', score: 95 },
    ]);
    const [{ org_id: org } = { org_id: '' }] = await service.database.sql<{ org_id: string }>(
      'select org_id from public.repositories where id = $1',
      [ids.get('ranked/app')],
    );
    expect(
      await service.database.sql(
        'select owner, name, path, ref, file, line from public.action_uses where repo_id = $1',
        [ids.get('ranked/app')],
      ),
    ).toEqual([
      { owner: 'Somebody', name: 'Risky', path: 'sub', ref: 'v1', file: '.github/workflows/ci.yml', line: 6 },
    ]);
    const query = `?org=${org}&limit=1`;
    expect((await service.call('GET /api/actions/ranking', { as: company.admin, query })).json).toHaveLength(1);
    const stranger = await service.call('GET /api/actions/ranking', { as: service.user(), query });
    expect([stranger.status, stranger.json['code']]).toEqual([403, 'forbidden']);
    expect((await service.call('GET /api/actions/ranking', { as: service.user() })).json).toMatchObject([
      { name: 'risky', used_by_repos: 0 },
      { name: 'checkout', used_by_repos: 0 },
    ]);
  });

  it('asks for a token', async () => {
    expect((await service.call('GET /api/actions/ranking')).status).toBe(401);
  });
});
