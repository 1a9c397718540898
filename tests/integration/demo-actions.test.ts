import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import type { ActionDetail } from '#lib/db/shapes/actions.ts';
import { env } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import { addDemoActions } from '#lib/launcher/demo-actions.ts';
import { log } from '#lib/log.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { workOnActions } from '#lib/services/actions/work.ts';
import { createServices } from '#lib/services/context.ts';
import { seedDemo } from '#lib/simulator/demo.ts';
import { DEMO_ACTIONS, MOVED_TAG } from '#lib/simulator/demo-actions.ts';
import { actionsUsedBy } from '#lib/workflow/model/action-uses.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';
import { makeRepository, scan } from '../support/repository.ts';

let database: TestDatabase;
let host: CodeHostForTests;

const STRAY = '0e58ed8671d6b60d0890c21b07f8835ace038e67';

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  [database, host] = await Promise.all([
    emptyDatabase(),
    startCodeHost({ seed: (world) => seedDemo(world, 'lib/simulator/demo') }),
  ]);
  configure({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
  });
  const db = createAdminDb(database);
  await addDemoActions(database);
  await addDemoActions(database);
  const use = { owner: 'tj-actions', name: 'changed-files', path: '', ref: STRAY, file: 'a.yml', line: 1 };
  await scan(db, await makeRepository(db), [], { action_uses: [use] });
  await workOnActions(createServices(env(), log), { waitingOnly: true });
}, 120_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});

async function read(fullName: string): Promise<ActionDetail> {
  const [owner = '', name = ''] = fullName.split('/');
  const detail = await actions.read(createAdminDb(database), owner, name);
  if (detail === null) throw new Error(`${fullName} is unknown.`);
  return detail;
}
const presentIn = ({ latest }: ActionDetail): string[] =>
  (latest?.signals ?? []).filter(({ state }) => state === 'present').map(({ id }) => id);

describe('the actions of the demo', () => {
  it('are those that its workflows use, and show every band', async () => {
    const codeHost = createCodeHost({ apiUrl: host.apiUrl, graphqlUrl: host.graphqlUrl, token: host.publicToken });
    const used = new Set<string>();
    for (const repository of host.world.repositories) {
      const fullName = host.world.fullNameOf(repository);
      if (repository.visibility !== 'public' || !/^(?:acme|globex)\//.test(fullName)) continue;
      const [owner = '', name = ''] = fullName.split('/');
      const { files } = await codeHost.readPublicRepository(owner, name);
      for (const { slug } of actionsUsedBy(createRepository(files, fullName))) used.add(slug);
    }
    const scores = await Promise.all(
      DEMO_ACTIONS.map(async ({ name }) => [name, (await read(name)).latest?.band] as const),
    );
    expect(scores.map(([name]) => name)).toEqual(expect.arrayContaining([...used]));
    expect(used.size).toBeGreaterThan(8);
    expect(Object.fromEntries(scores)).toEqual({
      'actions/checkout': 'A',
      'actions/cache': 'A',
      'actions/setup-python': 'A',
      'actions/upload-artifact': 'A',
      'actions/download-artifact': 'A',
      'aws-actions/configure-aws-credentials': 'A',
      'anthropics/claude-code-action': 'A',
      'docker/login-action': 'B',
      'docker/build-push-action': 'B',
      'pypa/gh-action-pypi-publish': 'B',
      'reviewdog/action-setup': 'B',
      'tj-actions/changed-files': 'C',
      'initech/setup-scanner': 'D',
      'actions-rs/toolchain': 'D',
      'initech/auto-label': 'F',
    });
  });

  it('have one archived action and one whose release tag was moved', async () => {
    expect(presentIn(await read('actions-rs/toolchain'))).toContain('archived');
    expect(presentIn(await read(MOVED_TAG.action))).toContain('exact-tag-moved');
    for (const { name } of DEMO_ACTIONS) {
      if (name !== MOVED_TAG.action) expect(presentIn(await read(name)), name).not.toContain('exact-tag-moved');
    }
  });

  it('have a commit that no branch or tag has, which a workflow pins', async () => {
    const { versions } = await read('tj-actions/changed-files');
    expect(versions.find(({ sha }) => sha === STRAY)).toMatchObject({ score: 0, band: 'F' });
    const rows = await database.sql<{ blocks: readonly string[] }>(
      `select e.hard_block as blocks from public.action_evaluations e
         join public.action_versions v on v.id = e.version_id where v.commit_sha = $1`,
      [STRAY],
    );
    expect(rows[0]?.blocks).toEqual(expect.arrayContaining(['malware-this-commit', 'unreachable-commit']));
  });

  it('show what a look-up finds in the workflows, and nothing else', async () => {
    const codeHost = createCodeHost({ apiUrl: host.apiUrl, graphqlUrl: host.graphqlUrl, token: host.publicToken });
    const added: Record<string, readonly string[]> = {};
    for (const repository of host.world.repositories) {
      const fullName = host.world.fullNameOf(repository);
      if (repository.visibility !== 'public' || !/^(?:acme|globex)\//.test(fullName)) continue;
      const [owner = '', name = ''] = fullName.split('/');
      const { files } = await codeHost.readPublicRepository(owner, name);
      const parsed = createRepository(files, owner);
      const network = await codeHost.readActions(actionsUsedBy(parsed));
      const before = new Set(scanRepository(parsed).findings.map(({ fingerprint }) => fingerprint));
      const { findings } = scanRepository(parsed, { facts: { ...NO_FACTS, network } });
      const fresh = findings.filter(({ fingerprint }) => !before.has(fingerprint));
      if (fresh.length > 0) added[fullName] = fresh.map(({ ruleId, snippet }) => `${ruleId}: ${snippet?.trim()}`);
    }
    expect(added).toEqual({
      'globex/mobile-app': [`impostor-commit: uses: tj-actions/changed-files@${STRAY}`],
    });
  });
});
