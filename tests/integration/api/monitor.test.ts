import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';

let service: ConnectedService;
let acme: Company;
let id: string;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
  await service.host.addRepository({ fullName: 'acme/shop' });
  id = (await service.connect(acme)).get('acme/shop') ?? '';
});
afterAll(() => service?.stop());

const monitor = (body: unknown, as: TestUser | undefined = acme.admin, repo = id) =>
  service.call('PUT /api/repositories/{repo_id}/monitor', { ...(as && { as }), params: { repo_id: repo }, body });
const stored = async () =>
  (await service.database.sql('select monitored, monitored_by from public.repositories where id = $1', [id]))[0];

describe('PUT /api/repositories/{repo_id}/monitor', () => {
  it('switches on and off, and stores whom to notify', async () => {
    expect((await monitor({ monitored: true })).json).toEqual({ monitored: true });
    expect(await stored()).toEqual({ monitored: true, monitored_by: acme.admin.id });
    expect((await monitor({ monitored: true })).json).toEqual({ monitored: true });
    expect((await monitor({ monitored: false })).json).toEqual({ monitored: false });
    expect(await stored()).toEqual({ monitored: false, monitored_by: null });
  });

  it('answers the same 404 for foreign, unknown and invalid ids, and changes nothing', async () => {
    const blank = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
    const stranger = service.user();
    const answers = [
      await monitor({ monitored: true }, stranger),
      await monitor({ monitored: true }, stranger, randomUUID()),
      await monitor({ monitored: true }, acme.admin, randomUUID()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ text }) => blank(text))).size).toBe(1);
    expect((await monitor({ monitored: true }, acme.admin, 'shop')).status).toBe(404);
    expect(await stored()).toEqual({ monitored: false, monitored_by: null });
  });

  it('answers 404 for a repository that left the installation', async () => {
    const { world } = service.host;
    world.updateInstallation(acme.installation, { repositoryIds: [] });
    await service.connect(acme);
    expect((await monitor({ monitored: true })).status).toBe(404);
    world.updateInstallation(acme.installation, { repositoryIds: null });
    await service.connect(acme);
    expect((await monitor({ monitored: false })).status).toBe(200);
  });

  it.each([{}, { monitored: 'yes' }, { monitored: null }, { monitored: true, extra: 1 }, [], null])(
    'refuses the body %j with 400',
    async (body) => {
      const { status, json } = await monitor(body);
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    },
  );

  it('needs a token: 401', async () => {
    const call = { params: { repo_id: id }, body: { monitored: true } };
    expect((await service.call('PUT /api/repositories/{repo_id}/monitor', call)).status).toBe(401);
  });
});
