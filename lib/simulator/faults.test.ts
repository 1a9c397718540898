import type { Octokit } from '@octokit/core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { octokitOf, refusalOf } from '../../tests/support/octokit.ts';
import { REFUSALS } from './faults.ts';
import { APP_PERMISSIONS } from './manifest.ts';
import { GUARDED_TAGS } from './settings.ts';

let host: CodeHostForTests;
let app: Octokit;
const heads = new Map<string, string>();

beforeAll(async () => {
  host = await startCodeHost({
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addInstallation({ id: 900, accountId: team.id, permissions: APP_PERMISSIONS });
      const settings = { rulesets: [GUARDED_TAGS] };
      for (const name of ['one', 'two']) {
        await world.addRepository({ fullName: `team/${name}`, settings, files: { a: 'a' } });
      }
    },
  });
  app = await octokitOf(host, 900);
  for (const repo of ['one', 'two']) heads.set(repo, await read(repo));
});
afterAll(() => host.stop());
afterEach(() => host.clearFaults());

async function read(repo: string): Promise<string> {
  const path = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
  return (await app.request(path, { owner: 'team', repo, ref: 'heads/main' })).data.object.sha;
}

let made = 0;
function commit(repo: string) {
  made += 1;
  const input = {
    branch: { repositoryNameWithOwner: `team/${repo}`, branchName: 'main' },
    expectedHeadOid: heads.get(repo),
    message: { headline: 'Change' },
    fileChanges: { additions: [{ path: 'a', contents: Buffer.from(String(made)).toString('base64') }] },
  };
  const query =
    'mutation C($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';
  return app.graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(query, { input });
}

it('reaches one repository, in REST and in GraphQL', async () => {
  await host.fault({ match: '* /*', repository: 'team/One', times: 2, effect: REFUSALS.noPermission });
  expect(await refusalOf(read('one'))).toMatchObject({
    status: 403,
    message: 'Resource not accessible by integration',
  });
  expect(await read('two')).toBe(heads.get('two'));
  heads.set('two', (await commit('two')).createCommitOnBranch.commit.oid);
  expect(await refusalOf(commit('one'))).toMatchObject({
    status: 200,
    errors: [{ type: 'FORBIDDEN', path: ['createCommitOnBranch'], message: 'Resource not accessible by integration' }],
  });
  expect(await read('one')).toBe(heads.get('one'));
});

it('reaches one GraphQL field, by the id of the repository too', async () => {
  const id = `R_${host.world.repository('team/one')?.id}`;
  await host.fault({
    match: 'POST /api/graphql',
    repository: 'team/one',
    field: 'createRef',
    effect: REFUSALS.protectedBranch,
  });
  heads.set('one', (await commit('one')).createCommitOnBranch.commit.oid);
  const created = app.graphql(
    `mutation R($id: ID!, $oid: GitObjectID!) {
      createRef(input: { repositoryId: $id, name: "refs/heads/x", oid: $oid }) { ref { name } } }`,
    { id, oid: heads.get('one') },
  );
  expect((await refusalOf(created)).errors).toMatchObject([{ type: 'UNPROCESSABLE' }]);
});

it('fails after the work is done, so that a caller must find its own', async () => {
  const before = heads.get('one');
  await host.fault({
    match: 'POST /api/graphql',
    field: 'createCommitOnBranch',
    effect: { kind: 'after', status: 502 },
  });
  expect(await refusalOf(commit('one'))).toMatchObject({ status: 502 });
  const after = await read('one');
  expect(after).not.toBe(before);
  heads.set('one', after);
  await host.fault({ match: 'POST /repos/*/git/refs', effect: { kind: 'after', status: 500 } });
  const ref = { owner: 'team', repo: 'one', ref: 'refs/heads/half', sha: after };
  const create = () => app.request('POST /repos/{owner}/{repo}/git/refs', ref);
  expect(await refusalOf(create())).toMatchObject({ status: 500 });
  expect(await refusalOf(create())).toMatchObject({ status: 422, message: 'Reference already exists' });
});

it('slows an answer down, and refuses by the secondary limit with a time to wait', async () => {
  await host.fault({ match: 'GET /repos/team/one/*', effect: { kind: 'slow', ms: 50 } });
  expect(await read('one')).toBe(heads.get('one'));
  await host.fault({
    match: 'GET *',
    repository: 'team/one',
    effect: { kind: 'secondary-limit', status: 403, retryAfterSeconds: 7 },
  });
  const error = (await read('one').catch((thrown: unknown) => thrown)) as { response: { headers: object } };
  expect(error.response.headers).toMatchObject({ 'retry-after': '7' });
  expect((await host.log()).map(({ fault }) => fault).filter(Boolean)).toContain('slow');
});
