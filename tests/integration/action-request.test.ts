import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Repository } from '#lib/simulator/model.ts';
import * as requestRoute from '../../app/api/public/actions/[owner]/[name]/request/route.ts';
import * as actionRoute from '../../app/api/public/actions/[owner]/[name]/route.ts';
import { advisory } from '../support/advisory.ts';
import { callRoute, type RouteAnswer } from '../support/call-route.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';

let database: TestDatabase;
let host: CodeHostForTests;

const GOOD = {
  'action.yml': 'name: Tool\nruns:\n  using: node24\n  main: dist/index.js\nbranding: { icon: box, color: blue }\n',
  'dist/index.js': 'console.log("hello");\n',
  'package.json': '{"name":"tool","version":"1.0.0"}\n',
  LICENSE: 'MIT License\n',
};
const INJECTED = {
  'action.yml':
    'name: Greeter\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: echo "${{ github.event.issue.title }}"\n',
};

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  [database, host] = await Promise.all([emptyDatabase(), startCodeHost()]);
  configure({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});
beforeEach(() => database.sql('delete from public.rate_limits'));
afterEach(() => host.clearFaults());

const person = { name: 'Ada', email: 'ada@example.com' };

async function publish(fullName: string, files: Record<string, string>, tags: readonly string[]): Promise<Repository> {
  const repository = await host.addRepository({ fullName, files });
  for (const [index, tag] of tags.entries()) {
    const author = { ...person, date: new Date(Date.UTC(2026, 8, 1 + index)) };
    const oid = await host.world.commit(repository, 'main', {
      files: { ...files, 'CHANGELOG.md': `${tag}\n` },
      message: tag,
      author,
    });
    await host.world.tag(repository, tag, oid);
  }
  return repository;
}

const ask = (owner: string, name: string): Promise<RouteAnswer> =>
  callRoute(requestRoute, { method: 'POST', params: { owner, name } });
const read = (owner: string, name: string) => callRoute(actionRoute, { params: { owner, name } });
const latestOf = ({ json }: RouteAnswer) =>
  json['latest'] as {
    sha: string;
    score: number;
    band: string;
    breakdown: Record<string, number>;
    signals: { id: string; state: string; reason?: string }[];
    finding_counts: Record<string, number>;
  };
const stateOf = (answer: RouteAnswer, id: string) => latestOf(answer).signals.find((signal) => signal.id === id)?.state;
const age = () => database.sql(`update public.actions set scored_at = scored_at - interval '2 hours'`);

describe('a request to score an action', () => {
  it('reads, scores and stores the newest release in at most twelve requests to the code host', async () => {
    const repository = await publish('octo/tool', GOOD, ['v1.0.0', 'v1.2.0', 'v1.10.0', 'v2.0.0-beta.1']);
    await host.log();
    const answer = await ask('Octo', 'TOOL');
    expect([answer.status, answer.json['status']]).toEqual([200, 'scored']);
    expect((await host.log()).length).toBeLessThanOrEqual(12);
    const released = (await host.world.git(repository).refs('refs/tags/')).find(({ name }) => name === 'v1.10.0');
    const { sha, score, breakdown, signals } = latestOf(answer);
    expect(sha).toBe(released?.oid);
    expect(score).toBe(100 - Object.values(breakdown).reduce((sum, points) => sum + points, 0));
    expect(signals.length).toBeGreaterThan(40);
    expect(stateOf(answer, 'composite-injection-context')).toBe('absent');
    expect((await read('octo', 'tool')).json).toEqual(answer.json);
  });

  it('deducts for what the action’s own files do, and counts its findings', async () => {
    await publish('octo/greeter', INJECTED, ['v1.0.0']);
    const answer = await ask('octo', 'greeter');
    expect(stateOf(answer, 'composite-injection-context')).toBe('present');
    expect(latestOf(answer).breakdown['static']).toBeGreaterThanOrEqual(25);
    const { HIGH, MEDIUM } = latestOf(answer).finding_counts as { HIGH: number; MEDIUM: number };
    expect(HIGH + MEDIUM).toBeGreaterThan(0);
  });

  it('answers a score of the last hour without asking the code host, and the same score after it', async () => {
    const first = await ask('octo', 'tool');
    await host.log();
    expect((await ask('octo', 'tool')).json).toEqual(first.json);
    expect(await host.log()).toEqual([]);
    await age();
    const again = await ask('octo', 'tool');
    expect((await host.log()).length).toBeGreaterThan(0);
    expect(latestOf(again).score).toBe(latestOf(first).score);
    expect(again.json['versions']).toHaveLength(2);
    await age();
    expect((await ask('octo', 'tool')).json['versions']).toHaveLength(2);
  });

  it('sees that an exact tag was moved since the last time', async () => {
    const repository = await publish('octo/moved', GOOD, ['v1.0.0', 'v1.1.0']);
    expect(stateOf(await ask('octo', 'moved'), 'exact-tag-moved')).not.toBe('present');
    await database.sql(`update public.ref_observations set first_seen_at = first_seen_at - interval '9 days',
      last_seen_at = last_seen_at - interval '1 day'`);
    const oid = await host.world.commit(repository, 'other', {
      files: { ...GOOD, 'dist/index.js': 'console.log("changed");\n' },
      message: 'Change',
      author: { ...person, date: new Date(Date.UTC(2026, 9, 1)) },
    });
    await host.world.tag(repository, 'v1.1.0', oid);
    await age();
    const answer = await ask('octo', 'moved');
    expect(stateOf(answer, 'exact-tag-moved')).toBe('present');
    expect(latestOf(answer).sha).toBe(oid);
    expect(answer.json['versions']).toHaveLength(2);
  });

  it('tells malicious code in an advisory from a weakness, by what the advisory says', async () => {
    await publish('octo/hijacked', GOOD, ['v1.0.0']);
    host.world.advisories.push(
      advisory({ ghsa_id: 'GHSA-1111-1111-1111', name: 'octo/hijacked', range: '<= 1.0.0', cwe: 'CWE-506' }),
    );
    const answer = await ask('octo', 'hijacked');
    expect(stateOf(answer, 'malware-mapping-unknown')).toBe('present');
    expect(stateOf(answer, 'vuln-high')).not.toBe('present');
  });

  it('takes what does not arrive as unknown', async () => {
    await publish('octo/partly', GOOD, ['v1.0.0']);
    await host.fault({ match: 'GET /repos/octo/partly/releases', times: 4, effect: { kind: 'status', status: 502 } });
    const answer = await ask('octo', 'partly');
    expect(answer.status).toBe(200);
    expect(latestOf(answer).signals).toContainEqual(
      expect.objectContaining({ id: 'no-immutable-release', state: 'unknown', reason: 'fetch_failed' }),
    );
  });

  it('waits for the worker when the code host is down, and keeps a former score', async () => {
    await host.fault({ match: 'POST /api/graphql', times: 9, effect: { kind: 'status', status: 502 } });
    const answer = await ask('octo', 'later');
    expect([answer.status, answer.json]).toEqual([202, { status: 'pending' }]);
    expect((await read('octo', 'later')).json).toMatchObject({ status: 'pending', latest: null });
    await age();
    const before = await read('octo', 'tool');
    expect((await ask('octo', 'tool')).status).toBe(202);
    expect(latestOf(await read('octo', 'tool'))).toEqual(latestOf(before));
  });

  it('stores nothing without the files of the commit', async () => {
    await publish('octo/treeless', GOOD, ['v1.0.0']);
    await host.fault({
      match: 'GET /repos/octo/treeless/git/trees/*',
      times: 4,
      effect: { kind: 'status', status: 502 },
    });
    expect((await ask('octo', 'treeless')).status).toBe(202);
    expect((await read('octo', 'treeless')).json).toMatchObject({ status: 'pending', versions: [] });
  });

  it('is refused for what is no public repository, for malformed names, and over its own budget', async () => {
    await host.addRepository({ fullName: 'octo/hidden', visibility: 'private', files: GOOD });
    expect((await ask('octo', 'hidden')).status).toBe(404);
    expect((await ask('octo', 'absent')).status).toBe(404);
    expect((await ask('..', 'x')).status).toBe(400);
    expect((await ask('octo', 'a b')).status).toBe(400);
    expect((await ask('octo', 'tool')).status).toBe(200);
    expect((await ask('octo', 'tool')).status).toBe(429);
  });
});
