import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { env } from '#lib/env.ts';
import { actionFilterPath, readActionFilter } from '#lib/http/action-filter.ts';
import { log } from '#lib/log.ts';
import { ALGORITHM_VERSION, algorithmOf } from '#lib/scorer/algorithm.ts';
import { BANDS } from '#lib/scorer/score.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { browseActions, readRecentMoves } from '#lib/services/pages/action-directory.ts';
import { readActionPage } from '#lib/services/pages/action-page.ts';
import { listPublicPages } from '#lib/services/pages/public-pages.ts';
import Methodology from '../../app/(site)/actions/methodology/page.tsx';
import * as requestRoute from '../../app/(site)/actions/request/route.ts';
import RuleDetails from '../../app/(site)/rules/[id]/page.tsx';
import { Details } from '../../app/components/action/details.tsx';
import { Directory } from '../../app/components/actions/directory.tsx';
import { FLAWS, storeHistory } from '../support/action-history.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { expectSound } from '../support/expect-page.ts';
import { textOf } from '../support/html.ts';
import { scoredAction } from '../support/scored-action.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let host: CodeHostForTests;
let services: Services;

const GOOD_TAGS = { 'v1.0.0': 'a', v1: 'a' };

beforeAll(async () => {
  host = await startCodeHost();
  service = await startService(
    {
      SCM_WEB_URL: host.webUrl,
      SCM_API_URL: host.apiUrl,
      SCM_GRAPHQL_URL: host.graphqlUrl,
      SCM_PUBLIC_TOKEN: host.publicToken,
    },
    { ownDatabase: true },
  );
  services = createServices(env(), log);
});
afterAll(async () => {
  await service?.stop();
  await host?.stop();
});
beforeEach(async () => void (await service.database.sql('delete from public.rate_limits')));

const store = (...parameters: Parameters<typeof storeHistory> extends [unknown, ...infer Rest] ? Rest : never) =>
  storeHistory(service.database, ...parameters);

async function pageOf(fullName: string): Promise<{ readonly html: string; readonly text: string }> {
  const [owner = '', name = ''] = fullName.split('/');
  const action = await readActionPage(services, owner, name);
  return draw(createElement(Details, { action, codeHostUrl: host.webUrl, canScore: true }));
}

function draw(element: ReactElement): { readonly html: string; readonly text: string } {
  const html = renderToStaticMarkup(element);
  expectSound(html);
  return { html, text: textOf(html.replaceAll('<', ' <')).replace(/\s+/g, ' ') };
}

async function directoryAt(query: Readonly<Record<string, string | string[]>>) {
  const { filter, unknown } = readActionFilter(query);
  const listed = await browseActions(services, filter);
  const moves = await readRecentMoves(services);
  return {
    listed,
    ...draw(
      createElement(Directory, {
        listed,
        filter,
        unknown,
        moves,
        missing: undefined,
        refused: null,
        host: 'code.example',
      }),
    ),
  };
}

describe('the page of an action', () => {
  it('draws score and band, and shows each signal with its evidence and points', async () => {
    await store('draw/plain', [{ tags: GOOD_TAGS, facts: FLAWS.plain }]);
    const { latest } = await readActionPage(services, 'draw', 'plain');
    const { html, text } = await pageOf('draw/plain');
    expect(html).toContain(`aria-label="Score ${latest?.score} of 100, band ${latest?.band}.`);
    const shown = latest?.families.flatMap(({ present, absent, unknown }) => [...present, ...absent, ...unknown]) ?? [];
    const { families } = algorithmOf(ALGORITHM_VERSION);
    expect(shown.map(({ id }) => id).sort()).toEqual(
      Object.values(families)
        .flatMap(({ signals }) => signals.map(({ id }) => id))
        .sort(),
    );
    for (const { id, means } of shown) {
      expect(text).toContain(id);
      expect(text).toContain(means);
    }
    expect(text).toMatch(/One did\. The latest commit was made on \d{4}-\d\d-\d\d\./);
    expect(text).toMatch(/−5 At most one person committed in the last twelve months/);
    for (const family of latest?.families ?? []) {
      expect(text).toContain(
        family.pointsAfterCap === 0 ? `nothing of ${family.cap}` : `−${family.pointsAfterCap} of ${family.cap}`,
      );
    }
  });

  it('offers the line that pins the commit, with a tag that still names it', async () => {
    await store('pin/moved', [
      { tags: { 'v1.0.0': 'a', 'v1.0.1': 'a', v1: 'a' }, days: 3 },
      { commit: 'a', tags: { 'v1.0.0': 'a', 'v1.0.1': 'b', v1: 'b' } },
    ]);
    const { latest } = await readActionPage(services, 'pin', 'moved');
    expect(latest?.pin).toBe(`uses: pin/moved@${'a'.repeat(40)} # v1.0.0`);
    expect((await pageOf('pin/moved')).text).toMatch(/v1\.0\.1 until \d{4}-\d\d-\d\d/);
  });

  it('writes no tag into the line that could do more than name a version', async () => {
    await store('pin/strange', [{ tags: { 'v1.0.0;rm${IFS}-rf': 'a' } }]);
    expect((await readActionPage(services, 'pin', 'strange')).latest?.pin).toBe(`uses: pin/strange@${'a'.repeat(40)}`);
  });

  it('warns of a blocked version, and pins neither it nor any of band F', async () => {
    await store('pin/hijacked', [
      { tags: { 'v1.0.0': 'a' }, days: 2 },
      { commit: 'e', tags: { 'v1.0.0': 'e' }, facts: { ...FLAWS.plain, ...FLAWS.hijacked } },
    ]);
    const { latest, versions } = await readActionPage(services, 'pin', 'hijacked');
    expect([latest?.pin, latest?.band]).toEqual([null, 'F']);
    expect(versions.map(({ pin }) => pin === null)).toEqual([true, false]);
    const { text } = await pageOf('pin/hijacked');
    expect(text).toContain('Do not run this version No branch or tag of the repository contains the commit');
    expect(text).toContain('This version is blocked.');
    expect(text).not.toContain(`@${'e'.repeat(40)}`);
  });

  it('draws the history with moved tags and changes of the algorithm, in words too', async () => {
    await store('draw/history', [
      { tags: { 'v1.0.0': 'a', 'v1.1.0': 'c', v1: 'c' }, algorithm: '0.9.0', days: 20 },
      { tags: { 'v1.0.0': 'a', 'v1.1.0': 'c', v1: 'c' }, days: 10 },
      { commit: 'e', tags: { 'v1.0.0': 'e', 'v1.1.0': 'e', v1: 'e' }, facts: FLAWS.plain },
    ]);
    const { history, moves } = await readActionPage(services, 'draw', 'history');
    expect(history.map(({ algorithmVersion }) => algorithmVersion)).toEqual(['0.9.0', '1.0.0', '1.0.0']);
    expect(moves).toMatchObject([
      { tags: ['v1.0.0', 'v1.1.0'], count: 2, from: null, to: 'e'.repeat(40), back: false },
    ]);
    const { html, text } = await pageOf('draw/history');
    const picture = /<svg role="img" aria-label="(Score over time[^"]*)"[^]*?<\/svg>/.exec(html);
    expect(picture?.[1]).toMatch(
      /from \d+ on .* to \d+ on .*, lowest \d+\. Release tags moved once\. The algorithm changed once\.$/,
    );
    expect(picture?.[0].match(/<line /g)).toHaveLength(2);
    expect(picture?.[0].match(/stroke-dasharray/g)).toHaveLength(1);
    expect(text).toContain('All 3 evaluations as a table');
    expect(text).toMatch(/Down from \d+ on/);
  });

  it('draws older releases that are in use apart from the line of the newest', async () => {
    const tags = { 'v1.0.0': 'a', 'v2.0.0': 'b' };
    await store('draw/older', [
      { commit: 'a', tags: { 'v1.0.0': 'a' }, days: 9 },
      { commit: 'b', tags, days: 2 },
      { commit: 'a', tags, facts: FLAWS.plain, current: false },
    ]);
    const { history, latest } = await readActionPage(services, 'draw', 'older');
    expect(history.map(({ newest }) => newest)).toEqual([true, true, false]);
    expect([latest?.sha, latest?.previousScore?.score]).toEqual(['b'.repeat(40), history[0]?.score]);
    const { html, text } = await pageOf('draw/older');
    expect(/<path d="M[^"]*"/.exec(html)?.[0].match(/H/g)).toHaveLength(1);
    expect(text).toContain('Small: an older release');
  });

  it('says what is unknown and why, and shows no good band for it', async () => {
    await store('draw/unread', [{ tags: GOOD_TAGS, facts: FLAWS.unread }]);
    const { latest, versions } = await readActionPage(services, 'draw', 'unread');
    expect(versions.map(({ band }) => band)).toEqual([null]);
    expect([latest?.band, latest?.shownBand, latest?.provisional, latest?.advisoriesKnown]).toEqual([
      'A',
      null,
      true,
      false,
    ]);
    const { html, text } = await pageOf('draw/unread');
    expect(html).toContain(`of 100, provisional, without a band. At least ${latest?.floor}`);
    expect(text).toContain('Provisional Too little is known for a good band.');
    expect(text).toContain('Published advisories could not be read');
    expect(text).toMatch(/\d+ signals unknown: The code host’s rate limit was reached\./);
    expect(text).toContain(`would be ${latest?.floor} instead of ${latest?.score}`);
  });

  it('waits for a queued action, and offers to score one of the catalog', async () => {
    const db = createAdminDb(service.database);
    await actions.enqueue(db, 'wait', 'queued');
    await actions.catalog(db, ['wait/listed']);
    const pending = await pageOf('wait/queued');
    expect(pending.text).toContain('Waiting to be scored');
    expect(pending.text).toContain('This page refreshes once there is a score.');
    expect(pending.html).toContain('action="/actions/request"');
    const listed = await pageOf('wait/listed');
    expect(listed.text).toContain('Not scored yet');
    expect(listed.text).not.toContain('refreshes');
    await actions.store(db, scoredAction('wait/queued', { score: 91 }));
    expect((await pageOf('wait/queued')).text).toContain('91 / 100');
  });

  it('keeps a scored page for five minutes', async () => {
    await store('wait/kept', [{ tags: GOOD_TAGS }]);
    const before = await readActionPage(services, 'wait', 'kept');
    await service.database.sql(`update public.actions set description = 'changed' where name = 'kept'`);
    expect(await readActionPage(services, 'WAIT', 'Kept')).toBe(before);
  });

  it('says since when a score is stale', async () => {
    await store('wait/stale', [{ tags: GOOD_TAGS }]);
    await service.database.sql(`update public.actions set stale_since = '2026-10-01T10:00:00Z' where name = 'stale'`);
    expect((await pageOf('wait/stale')).text).toMatch(/This score is not current .* 1 Oct 2026, 10:00 UTC/);
  });

  it('shows text of repositories as text, bounded and apart from its surroundings', async () => {
    const evil = '\u202E<img src=x onerror=alert(1)>"';
    await store('evil/texts', [{ tags: { [`v1-${evil}`]: 'a', ['t'.repeat(250)]: 'a' } }], {
      description: `${evil}${'d'.repeat(900)}`,
    });
    const { html } = await pageOf('evil/texts');
    expect(html).not.toMatch(/<img|\u202E|t{61}|d{301}/);
    expect(html).toMatch(/<bdi dir="auto"[^>]*>&lt;U\+202E&gt;&lt;img src=x/);
    const listed = await directoryAt({ q: 'evil/texts' });
    expect(listed.html).not.toMatch(/<img|\u202E|d{161}/);
  });
});

describe('the directory', () => {
  it('keeps search, bands, order and page in its address', async () => {
    await store('list/first', [{ tags: GOOD_TAGS }], { stars: 5 });
    await store('list/second', [{ tags: GOOD_TAGS, facts: FLAWS.plain }], { stars: 9 });
    await store('list/third', [{ tags: GOOD_TAGS, facts: FLAWS.unread }], { stars: 7 });
    const names = async (query: Readonly<Record<string, string | string[]>>) =>
      (await directoryAt({ q: 'list/', ...query })).listed.actions.map(({ name }) => name);
    expect(await names({})).toEqual(['second', 'first', 'third']);
    expect(await names({ sort: 'stars', order: 'desc' })).toEqual(['second', 'third', 'first']);
    expect(await names({ sort: 'name' })).toEqual(['first', 'second', 'third']);
    expect(await names({ band: 'A' })).toEqual(['first', 'third']);
    const { listed, text } = await directoryAt({ q: 'list/', band: ['C', 'D'] });
    expect(listed.counts).toEqual({ A: 2, C: 1 });
    expect(text).toContain('1 scored action ');
    expect(listed.actions.find(({ name }) => name === 'third')).toBeUndefined();
    expect((await directoryAt({ q: 'list/third' })).text).toContain('Band ? : provisional');
    const { filter, unknown } = readActionFilter({
      q: 'a b',
      band: ['f', 'A', 'E'],
      sort: 'stars',
      order: 'desc',
      page: '3',
    });
    expect(actionFilterPath(filter)).toBe('/actions?q=a+b&band=A&band=F&sort=stars&order=desc&page=3');
    expect(unknown).toEqual(['band=E']);
    expect(readActionFilter({ sort: 'x', order: 'up', page: '0' }).unknown).toEqual(['sort=x', 'order=up', 'page=0']);
  });

  it('has pages that link each other and keep the filter', async () => {
    const db = createAdminDb(service.database);
    for (let number = 10; number < 42; number += 1) {
      await actions.store(db, scoredAction(`paged/number-${number}`, { score: 70 }));
    }
    const first = await directoryAt({ q: 'paged/', sort: 'name' });
    expect([first.listed.actions.length, first.listed.total, first.listed.pages]).toEqual([30, 32, 2]);
    expect(first.html).toContain('href="/actions?q=paged%2F&amp;sort=name&amp;page=2" rel="next"');
    const second = await directoryAt({ q: 'paged/', sort: 'name', page: '2' });
    expect(second.listed.actions.map(({ name }) => name)).toEqual(['number-40', 'number-41']);
    expect(second.html).toContain('href="/actions?q=paged%2F&amp;sort=name" rel="prev"');
    expect((await directoryAt({ q: 'paged/', page: '9' })).text).toContain('This page is past the last one');
  });

  it('says that nothing matches', async () => {
    expect((await directoryAt({ q: 'pineapple' })).text).toContain('No scored action matches');
  });
});

describe('moves of tags', () => {
  it('are those of release tags: neither of aliases, branches and other tags, nor new tags', async () => {
    const before = { 'v2.0.0': 'a', 'v2.1': 'a', v2: 'a', latest: 'a', 'v3.1': 'a', 'v3.1.0': 'a' };
    await store('moves/kinds', [
      { tags: before, days: 5 },
      {
        commit: 'b',
        tags: { 'v2.0.0': 'b', 'v2.1': 'b', v2: 'b', latest: 'b', 'v3.1': 'b', 'v3.1.0': 'a', 'v9.9.9': 'b' },
        branches: { main: 'b' },
        days: 4,
      },
      { commit: 'a', tags: before, branches: { main: 'b' } },
    ]);
    const { moves } = await readActionPage(services, 'moves', 'kinds');
    expect(moves.map(({ tags, back, from, to }) => [tags, back, from?.[0], to[0]])).toEqual([
      [['v2.0.0', 'v2.1'], true, 'b', 'a'],
      [['v2.0.0', 'v2.1'], false, 'a', 'b'],
    ]);
    const recent = (await actions.listTagMoves(createAdminDb(service.database), 90, 500)).filter(
      ({ owner }) => owner === 'moves',
    );
    expect(new Set(recent.map(({ tag }) => tag))).toEqual(new Set(['v2.0.0', 'v2.1']));
    expect(
      (await actions.listTagMoves(createAdminDb(service.database), 3, 500)).filter(({ owner }) => owner === 'moves'),
    ).toHaveLength(2);
  });
});

describe('the methodology', () => {
  it('lists every signal with its points, and every band, from the tables of the scorer', () => {
    const { html, text } = draw(Methodology());
    for (const { cap, signals } of Object.values(algorithmOf(ALGORITHM_VERSION).families)) {
      expect(text).toContain(`At most ${cap} points.`);
      for (const {
        id,
        points: [first, next, max],
      } of signals) {
        const row = new RegExp(`<tr[^>]* id="${id}"[^]*?</tr>`).exec(html)?.[0] ?? '';
        expect(textOf(row), id).toMatch(
          new RegExp(next === 0 ? `\\D${first}$` : `\\D${first}, then ${next} each, at most ${max}$`),
        );
      }
    }
    for (const [band, from] of BANDS) expect(text).toMatch(new RegExp(`Band ${band} ${from} to \\d+`));
  });
});

describe('links', () => {
  it('lead from the rule about low scores to the actions', async () => {
    const html = renderToStaticMarkup(await RuleDetails({ params: Promise.resolve({ id: 'low-score-action' }) }));
    expect(html).toContain('href="/actions"');
    expect(html).toContain('href="/actions/methodology"');
  });

  it('of the sitemap lead to scored actions alone', async () => {
    await store('map/scored', [{ tags: GOOD_TAGS }]);
    const paths = (await listPublicPages(services)).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/actions', '/actions/methodology', '/rules/artipacked', '/actions/map/scored']),
    );
    expect(paths.filter((path) => /\/wait\/listed|\/s\//.test(path))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
    const bare = { ...services, env: { ...services.env, database: null } };
    expect((await listPublicPages(bare)).some(({ path }) => path.startsWith('/actions/map'))).toBe(false);
  });
});

describe('the form that asks for a score', () => {
  const post = async (action: string, headers: Record<string, string> = {}) => {
    const request = new Request('http://127.0.0.1/actions/request', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ action }).toString(),
    });
    const response = await requestRoute.POST(request, { params: Promise.resolve({}) });
    return [response.status, response.headers.get('location')];
  };

  it('leads to the page of the action, scored or waiting', async () => {
    await host.addRepository({
      fullName: 'octo/Form',
      files: { 'action.yml': 'name: Form\nruns:\n  using: node24\n  main: index.js\n', 'index.js': '' },
    });
    expect(await post('OCTO/form')).toEqual([303, '/actions/octo/Form']);
    expect((await pageOf('octo/Form')).text).toMatch(/\d+ \/ 100/);
    await host.fault({ match: 'POST /api/graphql', times: 9, effect: { kind: 'status', status: 502 } });
    expect(await post('octo/later')).toEqual([303, '/actions/octo/later']);
    host.clearFaults();
    expect((await readActionPage(services, 'octo', 'later')).status).toBe('pending');
  });

  it('leads back with the reason when it is refused', async () => {
    expect(await post('octo/absent')).toEqual([303, '/actions?problem=not-found&action=octo%2Fabsent']);
    expect(await post('nonsense')).toEqual([303, '/actions?problem=validation-failed&action=nonsense']);
    expect(await post('octo/Form', { 'sec-fetch-site': 'cross-site' })).toEqual([
      303,
      '/actions?problem=forbidden&action=octo%2FForm',
    ]);
  });

  it('shares the budget of the API’s requests', async () => {
    const answers: unknown[] = [];
    for (let request = 0; request < 6; request += 1) answers.push((await post('nonsense'))[1]);
    expect(answers[4]).toMatch(/^\/actions\?problem=validation-failed/);
    expect(answers[5]).toMatch(/^\/actions\?problem=rate-limited&action=nonsense&wait=\d+$/);
    const api = await service.call('POST /api/public/actions/{owner}/{name}/request', {
      params: { owner: 'octo', name: 'form' },
    });
    expect(api.status).toBe(429);
  });
});
