import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seedDemo } from './demo.ts';
import { INITECH, initechRepositories, seedInitech } from './initech.ts';
import { World } from './world.ts';

function open(): World {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-initech-'));
  const world = World.open(folder);
  onTestFinished(() => {
    world.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return world;
}

it('adds forty repositories of every kind to the demo once, with an admin and an installation', async () => {
  const world = open();
  await seedDemo(world, 'lib/simulator/demo');
  await seedInitech(world);
  await seedInitech(world);
  const installation = world.installations.find(({ id }) => id === INITECH.installationId);
  if (installation === undefined) throw new Error('The installation is missing.');
  const repositories = world.repositories.filter((each) => world.isInstalledOn(installation, each));
  expect(repositories).toHaveLength(40);
  expect(repositories.filter(({ archived }) => archived)).toHaveLength(1);
  expect(repositories.filter(({ visibility }) => visibility === 'private')).toHaveLength(2);
  const trees = await Promise.all(repositories.map((each) => world.git(each).object('HEAD:.github/workflows')));
  expect(trees.filter((tree) => tree === undefined)).toHaveLength(1);
  const admin = world.account(INITECH.admin.login);
  expect(world.roleIn(installation.accountId, admin?.id ?? 0)).toBe('admin');
  expect(world.account(installation.accountId)?.login).toBe('initech');
});

it('has one repository with markup, a right-to-left override and long words in its names', () => {
  const names = initechRepositories().flatMap(({ fullName, description = '', files = {} }) => {
    const text = `${description} ${JSON.stringify(files)}`;
    return /<script>/.test(text) && text.includes('\u202e') && /\S{100}/.test(text) ? [fullName] : [];
  });
  expect(names).toEqual(['initech/fax-tools']);
});
