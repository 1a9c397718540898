import type { Octokit } from '@octokit/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { octokitOf, octokitOfUser, refusalOf } from '../../tests/support/octokit.ts';
import { APP_PERMISSIONS } from './manifest.ts';

const AT = { owner: 'team', repo: 'web' };
const LEVEL = 'warning';
let host: CodeHostForTests;
let app: Octokit;
let head: string;

beforeAll(async () => {
  host = await startCodeHost({
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
      world.addInstallation({ id: 900, accountId: team.id, permissions: APP_PERMISSIONS });
      await world.addRepository({ fullName: 'team/web', visibility: 'private', files: { 'a.txt': 'a\n' } });
    },
  });
  app = await octokitOf(host, 900);
  head = (await host.push('team/web', { branch: 'fix/a', files: { b: 'b' }, keepOthers: true })).after;
  await host.people.open('team/web', { title: 'Fix', head: 'fix/a', by: 'ada' });
});
afterAll(() => host.stop());

const create = (more: object = {}, client = app) =>
  client.request('POST /repos/{owner}/{repo}/check-runs', {
    ...AT,
    name: 'chainbreak',
    head_sha: head,
    ...more,
  } as never);

const update = (id: number | bigint, more: object) =>
  app.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', { ...AT, check_run_id: id, ...more } as never);

const annotations = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    path: 'a.txt',
    start_line: index + 1,
    end_line: index + 1,
    annotation_level: LEVEL,
    message: 'Careful',
    ...more,
  }));

describe('a check run', () => {
  it('is created, collects annotations by fifty, and is found by commit', async () => {
    const { data: created } = await create({
      status: 'in_progress',
      external_id: 'x-1',
      details_url: 'https://a.example/1',
    });
    expect(created).toMatchObject({
      status: 'in_progress',
      conclusion: null,
      external_id: 'x-1',
      details_url: 'https://a.example/1',
      app: { slug: 'chainbreak-local' },
      pull_requests: [{ number: 1, head: { sha: head } }],
    });
    const output = { title: 'Two', summary: 'Some **text**' };
    await update(created.id, { output: { ...output, annotations: annotations(50) } });
    const done = await update(created.id, {
      conclusion: 'failure',
      output: { ...output, annotations: annotations(2) },
    });
    expect(done.data).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      completed_at: expect.any(String),
      output: { ...output, annotations_count: 52 },
    });
    const listed = await app.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', {
      ...AT,
      check_run_id: created.id,
      per_page: 100,
    });
    expect(listed.data).toHaveLength(52);
    await create({ name: 'other' });
    const again = await create();
    const found = async (query: object) => {
      const path = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
      const { data } = await app.request(path, { ...AT, ref: 'fix/a', ...query });
      return data.check_runs.map(({ id }) => id);
    };
    expect(await found({ check_name: 'chainbreak' })).toEqual([again.data.id]);
    expect(await found({ check_name: 'chainbreak', filter: 'all' })).toEqual([again.data.id, created.id]);
    expect(await found({ app_id: 1 })).toEqual([]);
  });

  it('is refused with too long a summary, wrong lines or an unknown commit', async () => {
    const refused = async (output: object, more: object = {}) =>
      refusalOf(create({ output: { title: 't', summary: 's', ...output }, ...more }));
    expect((await refused({ summary: 'ü'.repeat(40_000) })).errors).toMatchObject([
      { field: 'summary', message: 'summary exceeds a maximum bytesize of 65535' },
    ]);
    expect(await refused({ annotations: annotations(1, { end_line: 0 }) })).toMatchObject({ status: 422 });
    expect(await refused({ annotations: annotations(1, { start_line: 0 }) })).toMatchObject({ status: 422 });
    expect(await refused({ annotations: annotations(1, { end_line: 9, start_column: 1 }) })).toMatchObject({
      status: 422,
    });
    expect(await refused({}, { head_sha: 'f'.repeat(40) })).toMatchObject({
      status: 422,
      message: `No commit found for SHA: ${'f'.repeat(40)}`,
    });
    expect(host.takeViolations()).toEqual([]);
  });

  it('is a mistake of the caller with 51 annotations in a request', async () => {
    const output = { title: 't', summary: 's', annotations: annotations(51) };
    expect(await refusalOf(create({ output }))).toMatchObject({ status: 422 });
    expect(host.takeViolations()).toMatchObject([expect.stringContaining('must NOT have more than 50 items')]);
  });

  it('is for apps with checks: write', async () => {
    const reader = await octokitOf(host, 900, { permissions: { checks: 'read', metadata: 'read' } });
    expect(await refusalOf(create({}, reader))).toMatchObject({
      status: 403,
      message: 'Resource not accessible by integration',
    });
    expect(await refusalOf(create({}, octokitOfUser(host, 'ada')))).toMatchObject({
      status: 403,
      message: 'You must authenticate via a GitHub App.',
    });
  });
});
