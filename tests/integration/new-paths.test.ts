import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { pathsSinceLastScan } from '#lib/services/new-paths.ts';
import { type Company, type ConnectedService, QUIET, startConnectedService } from '../support/connected-service.ts';

const PATH = '.github/workflows/preview.yml';

/** A fork's code beside a secret, and its title in a shell: two combinations, which share the secret. */
const RISKY = `on: pull_request_target
permissions: {}
jobs:
  preview:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with:
          ref: \${{ github.event.pull_request.head.sha }}
          persist-credentials: false
      - run: npm ci && npm run build
        env:
          KEY: \${{ secrets.DEPLOY_KEY }}
      - run: echo "\${{ github.event.pull_request.title }}"
`;

const FORK = 'fork-code-with-credentials';
const TEXT = 'event-text-to-shell-with-credentials';

let service: ConnectedService;
let acme: Company;
let risky: string;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
  await service.host.addRepository({ fullName: 'acme/risky', files: { [PATH]: RISKY } });
  risky = (await service.connect(acme)).get('acme/risky') ?? '';
  await scan();
});
afterAll(() => service?.stop());

const scan = async () => {
  const answer = await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: risky } });
  expect(answer.status, answer.text).toBe(200);
};
const setRule = async (rule_id: string, enabled: boolean) => {
  const call = { as: acme.admin, params: { rule_id }, body: { enabled } };
  expect((await service.call('PUT /api/rule-settings/{rule_id}', call)).status).toBe(204);
};

describe('the paths since the last scan', () => {
  const since = async () => {
    const found = await pathsSinceLastScan(createServices(env(), log), risky);
    return found?.map(({ comboId }) => comboId) ?? null;
  };
  const push = (text: string) => service.host.push('acme/risky', { files: { [PATH]: text } });

  it('cannot be told after a first scan', async () => {
    expect(await since()).toBeNull();
  });

  it('are those that its files brought, and none when it ran again', async () => {
    await push(RISKY.replace(/^ {6}- run: echo.*\n/m, ''));
    await scan();
    expect(await since()).toEqual([]);
    await push(RISKY);
    await scan();
    expect(await since()).toEqual([TEXT]);
    await scan();
    expect(await since()).toEqual([]);
  });

  it('are none when lines moved', async () => {
    await push(`# A comment.\n\n${RISKY}`);
    await scan();
    expect(await since()).toEqual([]);
  });

  it('leave out what is switched off now', async () => {
    await push(QUIET);
    await scan();
    await push(RISKY);
    await scan();
    expect(await since()).toEqual([TEXT, FORK]);
    await setRule('untrusted-checkout', false);
    expect(await since()).toEqual([TEXT]);
    await setRule('untrusted-checkout', true);
  });

  it('cannot be told without stored evidence', async () => {
    await service.database.sql(
      'delete from public.scan_facts where scan_id = (select last_scan_id from public.repositories where id = $1)',
      [risky],
    );
    expect(await since()).toBeNull();
  });
});
