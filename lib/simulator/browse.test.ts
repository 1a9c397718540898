import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';

let host: CodeHostForTests;

beforeAll(async () => {
  host = await startCodeHost({
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
      await world.addRepositories([
        { fullName: 'team/web', files: { 'a b.yml': 'on: push\n<b>: 1\n' } },
        { fullName: 'team/secret', visibility: 'private', files: { 'a.yml': 'on: push\n' } },
      ]);
    },
  });
});

afterAll(() => host.stop());

async function open(path: string, form?: Readonly<Record<string, string>>, origin?: string) {
  const response = await fetch(`${host.webUrl}${path}`, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    ...(origin !== undefined && { headers: { origin } }),
  });
  return { status: response.status, text: await response.text() };
}

it('a file is shown with numbered lines, and its text as text', async () => {
  const { status, text } = await open('/team/web/blob/main/a%20b.yml');
  expect(status).toBe(200);
  expect(text).toContain('id="L2"');
  expect(text).toContain('&#60;b&#62;: 1');
  expect(text).not.toContain('<b>: 1');
});

it('a pull request shows its change, and is merged by a press on its page alone', async () => {
  await host.push('team/web', { branch: 'fix', files: { 'a b.yml': 'on: pull_request\n' } });
  const { number, headOid } = await host.people.open('team/web', { title: '<i>Fix</i>', head: 'fix' });
  const path = `/team/web/pull/${number}`;
  const shown = await open(path);
  expect(shown.text).toContain('&#60;i&#62;Fix&#60;/i&#62;');
  expect(shown.text).toContain('+on: pull_request');
  expect((await open('/team/web')).text).toContain(path);
  expect((await open(`/team/web/commit/${headOid}`)).text).toContain('+on: pull_request');
  expect((await open(path, { decision: 'merge' }, 'https://evil.example.com')).status).toBe(404);
  expect((await open(path)).text).toContain('value="merge"');
  expect((await open(path, { decision: 'merge' }, host.webUrl)).status).toBe(303);
  expect((await open(path)).text).toContain('<b>merged</b>');
  expect((await open('/team/web/blob/main/a%20b.yml')).text).toContain('on: pull_request');
  const again = await open(path, { decision: 'merge' }, host.webUrl);
  expect(again.status).toBeGreaterThanOrEqual(400);
  host.takeViolations();
});

it.each(['/team/secret', '/team/secret/blob/main/a.yml', '/team/web/blob/main/none.yml', '/team/web/pull/99'])(
  '%s is not there for the public',
  async (path) => {
    expect((await open(path)).status).toBe(404);
    host.takeViolations();
  },
);
