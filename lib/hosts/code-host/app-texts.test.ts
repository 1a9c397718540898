import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Effect } from '#lib/simulator/faults.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import type { CodeHostApp } from './port.ts';

let host: CodeHostForTests;
let codeHost: CodeHostApp;
let commit: string;
let scmId: string;

beforeAll(async () => {
  host = await startCodeHost();
  const team = host.world.addAccount({ login: 'team', type: 'Organization' });
  host.world.addInstallation({ id: 900, accountId: team.id, permissions: { metadata: 'read', contents: 'read' } });
  const files = { 'package.json': '{"name":"first"}', 'core/setup.cfg': '[metadata]\n', blob: 'a\0b' };
  const { id } = await host.addRepository({ fullName: 'team/app', visibility: 'private', files });
  scmId = String(id);
  commit = (await host.push('team/app', { files: { later: 'x' }, keepOthers: true })).after;
  await host.push('team/app', { files: { 'package.json': '{"name":"second"}' } });
});
afterAll(() => host.stop());
afterEach(() => host.clearFaults());

const connect = () => {
  const { apiUrl, graphqlUrl, webUrl, app } = host;
  return createCodeHostApp({ apiUrl, graphqlUrl, webUrl, app: { ...app, id: String(app.id) } });
};
const read = (paths: readonly string[], fullName = 'team/app') =>
  codeHost.readTexts('900', { scmId, fullName, commit }, paths);
const queries = async () => (await host.log()).filter(({ operation }) => operation === 'MoreFiles').length;

describe('texts of files', () => {
  it('are those of the commit, in one request; missing and binary files are distinguished', async () => {
    codeHost = connect();
    await host.log();
    expect(await read(['package.json', 'core/setup.cfg', 'blob', 'core', 'nothing'])).toEqual({
      value: new Map([
        ['package.json', '{"name":"first"}'],
        ['core/setup.cfg', '[metadata]\n'],
        ['blob', undefined],
      ]),
    });
    expect(await queries()).toBe(1);
  });

  it('cost no request if there are none, or too many', async () => {
    codeHost = connect();
    await host.log();
    expect(await read([])).toEqual({ value: new Map() });
    expect(await read(Array.from({ length: 101 }, (_, n) => `f${n}`))).toEqual({ missing: 'rate_limited' });
    expect(await codeHost.readTexts('x', { scmId, fullName: 'team/app', commit }, ['package.json'])).toEqual({
      missing: 'offline',
    });
    expect(await queries()).toBe(0);
  });

  it.each<[string, Effect, string]>([
    ['a limit', { kind: 'primary-limit', status: 403, resetSeconds: 60 }, 'rate_limited'],
    ['a refusal', { kind: 'status', status: 403 }, 'no_permission'],
    ['a failure', { kind: 'status', status: 502 }, 'offline'],
  ])('are missing with the reason after %s', async (_, effect, reason) => {
    codeHost = connect();
    await host.fault({ match: 'POST /api/graphql', effect });
    expect(await read(['package.json'])).toEqual({ missing: reason });
  });

  it('are missing for a missing repository', async () => {
    codeHost = connect();
    expect(await read(['package.json'], 'team/none')).toEqual({ missing: 'offline' });
  });
});
