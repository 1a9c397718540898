import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import type { HardenReply } from '#lib/services/hardening/workflow.ts';
import type { RouteAnswer } from '../../support/call-route.ts';
import { type CodeHostForTests, startCodeHost } from '../../support/code-host.ts';
import { type ImageRegistryForTests, startImageRegistry } from '../../support/image-registry.ts';
import { startService, type TestService } from '../../support/service.ts';

const WORKFLOW = `# Comments on xyzzyq.
on: pull_request_target
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: octo/greet@v1
      - uses: octo/hidden@v1
      - uses: octo/nowhere@v1
      - run: echo "\${{ github.event.pull_request.title }}"
`;

const IMAGES = `on: push
permissions: {}
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    container: node:22
    services:
      db: { image: 'ghcr.io/octo/db:1' }
      own: { image: registry.example.com/octo/own:1 }
      hidden: { image: ghcr.io/octo/hidden:1 }
    steps:
      - uses: octo/greet@v1
`;

let host: CodeHostForTests;
let registry: ImageRegistryForTests;
let service: TestService;
let commit = '';
let visitors = 0;

beforeAll(async () => {
  [host, registry] = await Promise.all([startCodeHost(), startImageRegistry()]);
  service = await startService({
    IMAGE_LOOKUP: 'on',
    IMAGE_REGISTRY_ORIGIN: registry.origin,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
  });
  Reflect.set(globalThis, PEER_MARK, true);
  for (const [fullName, visibility] of [
    ['octo/greet', 'public'],
    ['octo/hidden', 'private'],
  ] as const) {
    const repository = await host.addRepository({ fullName, visibility, files: { 'action.yml': 'name: Greet\n' } });
    const { after } = await host.push(fullName, { files: { 'action.yml': 'name: Greet\n# 1\n' } });
    for (const name of ['v1', 'v1.2.3']) await host.world.tag(repository, name, after);
    if (visibility === 'public') commit = after;
  }
});
afterAll(() => Promise.all([service?.stop(), host?.stop(), registry?.stop()]));
beforeEach(() => service.database.sql('delete from public.rate_limits'));

function harden(body: unknown): Promise<RouteAnswer> {
  visitors += 1;
  return service.call('POST /api/public/harden', { body, headers: { [PEER_HEADER]: `203.0.113.${visitors}` } });
}

async function hardened(body: unknown): Promise<HardenReply> {
  const answer = await harden(body);
  expect(answer.status, answer.text).toBe(200);
  const reply = answer.json as unknown as HardenReply;
  expectAccounted(reply);
  return reply;
}

function expectAccounted({ diff, categories, unattributed_hunks }: HardenReply): void {
  expect(unattributed_hunks).toEqual([]);
  const changed: string[] = [];
  let [old, fresh] = [0, 0];
  for (const line of diff.split('\n')) {
    const [, first, second] = /^@@ -(\d+),\d+ \+(\d+),\d+ @@$/.exec(line) ?? [];
    if (first !== undefined) [old, fresh] = [Number(first), Number(second)];
    else if (line.startsWith(' ')) [old, fresh] = [old + 1, fresh + 1];
    else if (line.startsWith('-') && !line.startsWith('--- a/')) {
      changed.push(`-${old}`);
      old += 1;
    } else if (line.startsWith('+') && !line.startsWith('+++ b/')) {
      changed.push(`+${fresh}`);
      fresh += 1;
    }
  }
  const lines = (sign: string, start: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${sign}${start + index}`);
  const owned = categories.flatMap(({ hunks }) =>
    hunks.flatMap((hunk) => [
      ...lines('-', hunk.old_start, hunk.old_lines),
      ...lines('+', hunk.new_start, hunk.new_lines),
    ]),
  );
  expect(owned.sort()).toEqual(changed.sort());
}

describe('POST /api/public/harden', () => {
  it('pins public actions, moves text to the environment, and names the categories', async () => {
    const reply = await hardened({ workflow: WORKFLOW, filename: '.github/workflows/greet.yml' });
    expect(reply.hardened).toBe(
      WORKFLOW.replace('greet@v1', `greet@${commit} # v1.2.3`).replace(
        '- run: echo "${{ github.event.pull_request.title }}"',
        [
          '- env:',
          '          PULL_REQUEST_TITLE: ${{ github.event.pull_request.title }}',
          '        run: echo "${PULL_REQUEST_TITLE}"',
        ].join('\n'),
      ),
    );
    const applied = reply.categories.filter((category) => category.applied);
    expect(applied).toEqual([
      {
        category: 'CICD-SEC-3',
        title: 'Dependency Chain Abuse',
        applied: true,
        fixes: [{ rule_id: 'unpinned-uses', line: 9, description: expect.any(String) }],
        hunks: [{ old_start: 9, old_lines: 1, new_start: 9, new_lines: 1 }],
      },
      {
        category: 'CICD-SEC-4',
        title: 'Poisoned Pipeline Execution (PPE)',
        applied: true,
        fixes: [{ rule_id: 'template-injection', line: 12, description: expect.any(String) }],
        hunks: [{ old_start: 12, old_lines: 1, new_start: 12, new_lines: 3 }],
      },
    ]);
    expect(reply.categories).toHaveLength(10);
    expect(reply.unattributed_hunks).toEqual([]);
    const left = reply.refused.filter(({ rule_id }) => rule_id === 'unpinned-uses');
    expect(left.map(({ line }) => line)).toEqual([10, 11]);
    expect(reply.diff).toMatch(
      /^--- a\/\.github\/workflows\/greet\.yml\n\+\+\+ b\/\.github\/workflows\/greet\.yml\n@@ /,
    );
  });

  it('returns a diff that patch applies, and is idempotent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'harden-'));
    try {
      const original = WORKFLOW.replaceAll('\n', '\r\n').trimEnd();
      const reply = await hardened({ workflow: original });
      writeFileSync(join(folder, 'workflow.yml'), original);
      execFileSync('patch', ['-p1', '--binary'], { cwd: folder, input: reply.diff });
      expect(readFileSync(join(folder, 'workflow.yml'), 'utf8')).toBe(reply.hardened);
      const again = await hardened({ workflow: reply.hardened });
      expect(again).toMatchObject({ changed: false, diff: '', hardened: reply.hardened });
      expect(again.categories.flatMap(({ hunks }) => hunks)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('respects the requested categories; an empty list means all', async () => {
    const some = await hardened({ workflow: WORKFLOW, categories: ['CICD-SEC-4'] });
    expect(some.hardened).toContain('octo/greet@v1\n');
    expect(some.hardened).toContain('PULL_REQUEST_TITLE');
    expect((await hardened({ workflow: WORKFLOW, categories: [] })).hardened).toContain(commit);
  });

  it('sends no request if versions do not matter', async () => {
    await host.log();
    await hardened({ workflow: WORKFLOW, categories: ['CICD-SEC-4'] });
    expect(await host.log()).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['an empty text', { workflow: ' \n' }],
    ['a text of more than 256 KiB', { workflow: `${WORKFLOW}#${'x'.repeat(256 * 1024)}` }],
    ['a body of more than 2 MiB', { workflow: 'x'.repeat(2 * 1024 * 1024 + 1) }],
    ['an unknown category', { workflow: WORKFLOW, categories: ['CICD-SEC-11'] }],
    ['an unknown field', { workflow: WORKFLOW, more: 1 }],
    ['a name that leads elsewhere', { workflow: WORKFLOW, filename: 'a/../../b.yml' }],
    ['an absolute name', { workflow: WORKFLOW, filename: '/b.yml' }],
  ])('refuses %s with 400', async (_, body) => {
    expect(await harden(body)).toMatchObject({ status: 400, json: { code: 'validation-failed' } });
  });

  it.each([
    ['broken YAML', { workflow: 'on: push\njobs:\n  a: [\n' }, /^Line \d+, column \d+: /],
    ['a key that is there twice', { workflow: `${WORKFLOW}on: push\n` }, /^Line 13, column 1: /],
    ['something else', { workflow: 'hello: world\n' }, /"on"/],
    ['plain text', { workflow: 'hello' }, /./],
    ['an action', { workflow: 'name: a\nruns: { using: composite, steps: [] }\n' }, /action/],
    ['an action by its name', { workflow: WORKFLOW, filename: 'sub/action.yml' }, /action/],
  ])('refuses %s with 422 and the place', async (_, body, message) => {
    const { status, json } = await harden(body);
    expect(status).toBe(422);
    expect(json).toMatchObject({ code: 'not-a-workflow', detail: expect.stringMatching(message) });
  });

  it('keeps the version of an action that the code host lacks', async () => {
    const workflow = WORKFLOW.replace(/.*octo\/(?:greet|hidden).*\n/g, '');
    const { hardened: text, refused } = await hardened({ workflow });
    expect(text).toContain('uses: octo/nowhere@v1\n');
    expect(refused.map(({ rule_id }) => rule_id)).toContain('unpinned-uses');
  });

  it('gives up with 504 if there is too much to look up', async () => {
    const steps = Array.from({ length: 51 }, (_, index) => `      - uses: octo/greet@v${index}\n`).join('');
    const { status, json } = await harden({ workflow: WORKFLOW + steps });
    expect(status).toBe(504);
    expect(json['detail']).toMatch(/leave CICD-SEC-3 out/);
    expect((await harden({ workflow: WORKFLOW + steps, categories: ['CICD-SEC-4'] })).status).toBe(200);
  });

  it.each([
    ['is down', { kind: 'status', status: 502 }],
    ['never answers', { kind: 'hang' }],
  ] as const)(
    'gives up with 504, in time, if the code host %s',
    async (name, effect) => {
      await host.fault({ match: 'POST /api/graphql', times: 10, effect });
      try {
        const started = performance.now();
        const { status, json } = await harden({
          workflow: WORKFLOW.replace('greet@v1', `${name.replaceAll(' ', '-')}@v1`),
        });
        expect(performance.now() - started).toBeLessThan(14_000);
        expect(status).toBe(504);
        expect(json).toMatchObject({ code: 'timed-out', detail: expect.stringMatching(/leave CICD-SEC-3 out/) });
      } finally {
        host.clearFaults();
      }
    },
    30_000,
  );

  it('pins images on request, and explains those that it cannot', async () => {
    const [node, db] = [registry.push('registry-1.docker.io/library/node:22'), registry.push('ghcr.io/octo/db:1')];
    registry.push('ghcr.io/octo/hidden:1', { isPrivate: true });
    const reply = await hardened({ workflow: IMAGES, include_review: true, categories: ['CICD-SEC-3'] });
    expect(reply.hardened).toBe(
      IMAGES.replace('node:22', `node:22@${node}`)
        .replace('octo/db:1', `octo/db:1@${db}`)
        .replace('greet@v1', `greet@${commit} # v1.2.3`),
    );
    const reasons = reply.refused.filter(({ rule_id }) => rule_id === 'unpinned-images');
    expect(reasons).toEqual([
      {
        rule_id: 'unpinned-images',
        line: 10,
        reason: expect.stringMatching(/^It is not hosted on a registry that can be queried/),
      },
      {
        rule_id: 'unpinned-images',
        line: 11,
        reason: expect.stringMatching(/^Its registry has no such tag, or requires a login/),
      },
    ]);
    expect(registry.take().filter(({ path }) => path.includes('own'))).toEqual([]);
    const again = await hardened({ workflow: reply.hardened, include_review: true, categories: ['CICD-SEC-3'] });
    expect(again.changed).toBe(false);
  });

  it.each([
    ['fixes to look at are not asked for', { include_review: false }],
    ['another category is', { include_review: true, categories: ['CICD-SEC-5'] }],
  ])('sends no request to registries if %s', async (_, options) => {
    registry.take();
    expect((await hardened({ workflow: IMAGES, ...options })).hardened).toContain('container: node:22\n');
    expect(registry.take()).toEqual([]);
  });

  it('makes every other fix in time if a registry never answers', async () => {
    registry.answer('quay.io', () => {});
    const started = performance.now();
    const workflow = IMAGES.replace('node:22', 'quay.io/octo/silent:1').replace(/ {4}services:\n(?: {6}.*\n)+/, '');
    const reply = await hardened({ workflow, include_review: true, categories: ['CICD-SEC-3'] });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(reply.hardened).toBe(workflow.replace('greet@v1', `greet@${commit} # v1.2.3`));
    expect(reply.refused).toContainEqual({
      rule_id: 'unpinned-images',
      line: 7,
      reason: expect.stringMatching(
        /^Its registry did not return a digest\..* imagetools inspect quay\.io\/octo\/silent:1 /,
      ),
    });
  }, 20_000);

  it('shares the rate limit of the public scan', async () => {
    const headers = { [PEER_HEADER]: '198.51.100.7' };
    const body = { workflow: WORKFLOW, categories: ['CICD-SEC-4'] };
    for (let count = 0; count < 5; count += 1) {
      expect((await service.call('POST /api/public/harden', { body, headers })).status).toBe(200);
    }
    expect((await service.call('POST /api/public/harden', { body, headers })).status).toBe(429);
    expect((await service.call('POST /api/public-scan', { body: { repo: 'octo/greet' }, headers })).status).toBe(429);
  });

  it('stores and logs nothing of the text', () => {
    expect(service.log.join('')).not.toMatch(/xyzzyq|PULL_REQUEST_TITLE/);
  });
});
