import type { Octokit } from '@octokit/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { octokitOf, octokitOfUser, refusalOf } from '../../tests/support/octokit.ts';
import { APP_PERMISSIONS } from './manifest.ts';
import { GUARDED_TAGS } from './settings.ts';

const WORKFLOW = '.github/workflows/ci.yml';
const HEADS = 'refs/heads/';
let host: CodeHostForTests;
let app: Octokit;

beforeAll(async () => {
  host = await startCodeHost({
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
      world.addInstallation({ id: 900, accountId: team.id, permissions: APP_PERMISSIONS });
    },
  });
  app = await octokitOf(host, 900);
});
afterAll(() => host.stop());

let made = 0;
async function repository(options: { readonly rulesets?: 'guarded'; readonly visibility?: 'private' } = {}) {
  made += 1;
  const name = `repo-${made}`;
  const added = await host.addRepository({
    fullName: `team/${name}`,
    visibility: options.visibility ?? 'public',
    ...(options.rulesets === 'guarded' ? {} : { settings: { rulesets: [GUARDED_TAGS] } }),
    files: { [WORKFLOW]: 'on: push\n', 'a.txt': 'a\n', 'run.sh': { executable: 'echo a\n' }, 'old/x': 'x\n' },
  });
  return { at: { owner: 'team', repo: name }, id: `R_${added.id}`, fullName: `team/${name}`, added };
}

type Place = { readonly owner: string; readonly repo: string };

async function headOf(at: Place, branch = 'main', client = app): Promise<string> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...at, ref: `heads/${branch}` });
  return data.object.sha;
}

const COMMIT = `mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url author { name user { login } } signature { isValid } } ref { id name } } }`;

interface Committed {
  readonly createCommitOnBranch: {
    readonly commit: { readonly oid: string; readonly author: { readonly name: string } };
  };
}

function commit(
  fullName: string,
  branch: string,
  expectedHeadOid: string,
  files: Record<string, string | null>,
  client = app,
): Promise<Committed> {
  const changed = Object.entries(files);
  return client.graphql<Committed>(COMMIT, {
    input: {
      branch: { repositoryNameWithOwner: fullName, branchName: branch },
      expectedHeadOid,
      message: { headline: 'Fix it', body: 'With care' },
      fileChanges: {
        additions: changed.flatMap(([path, text]) =>
          text === null ? [] : [{ path, contents: Buffer.from(text).toString('base64') }],
        ),
        deletions: changed.flatMap(([path, text]) => (text === null ? [{ path }] : [])),
      },
    },
  });
}

describe('a branch', () => {
  it('is created, read, moved and deleted', async () => {
    const { at, fullName } = await repository();
    const first = await headOf(at);
    const created = await app.request('POST /repos/{owner}/{repo}/git/refs', {
      ...at,
      ref: `${HEADS}chainbreak/fix-1`,
      sha: first,
    });
    expect(created.data).toMatchObject({ ref: `${HEADS}chainbreak/fix-1`, object: { sha: first, type: 'commit' } });
    expect(await headOf(at, 'chainbreak/fix-1')).toBe(first);
    const { after } = await host.push(fullName, { files: { b: 'b' }, keepOthers: true });
    const ref = 'heads/chainbreak/fix-1';
    await app.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref, sha: after });
    expect(await headOf(at, 'chainbreak/fix-1')).toBe(after);
    const back = app.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref, sha: first });
    expect(await refusalOf(back)).toMatchObject({ status: 422, message: 'Update is not a fast forward' });
    await app.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref, sha: first, force: true });
    expect(await headOf(at, 'chainbreak/fix-1')).toBe(first);
    const { data } = await app.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', {
      ...at,
      ref: 'heads/chainbreak/',
    });
    expect(data.map(({ ref }) => ref)).toEqual([`${HEADS}chainbreak/fix-1`]);
    await app.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref });
    expect(await refusalOf(headOf(at, 'chainbreak/fix-1'))).toMatchObject({ status: 404 });
  });

  it('is refused in the words of GitHub when it exists, has a bad name, or names no commit', async () => {
    const { at } = await repository();
    const sha = await headOf(at);
    const create = (ref: string, oid = sha) =>
      refusalOf(app.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref, sha: oid }));
    expect(await create(`${HEADS}main`)).toMatchObject({ status: 422, message: 'Reference already exists' });
    expect(await create(`${HEADS}a..b`)).toMatchObject({
      status: 422,
      message: 'refs/heads/a..b is not a valid ref name.',
    });
    expect(await create(`${HEADS}x`, 'f'.repeat(40))).toMatchObject({ status: 422, message: 'Object does not exist' });
    const missing = app.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/nope' });
    expect(await refusalOf(missing)).toMatchObject({ status: 422, message: 'Reference does not exist' });
    const empty = await host.addRepository({ fullName: 'team/empty' });
    const onEmpty = { owner: 'team', repo: empty.name, ref: `${HEADS}x`, sha };
    expect(await refusalOf(app.request('POST /repos/{owner}/{repo}/git/refs', onEmpty))).toMatchObject({ status: 409 });
  });

  it('is created and deleted through GraphQL too, one refused mutation leaving the others', async () => {
    const { at, id } = await repository();
    const oid = await headOf(at);
    const name = `${HEADS}chainbreak/one`;
    const query = `mutation Create($a: CreateRefInput!, $b: CreateRefInput!) {
      a: createRef(input: $a) { ref { id name target { oid } } } b: createRef(input: $b) { ref { id } } }`;
    const made = app.graphql(query, {
      a: { repositoryId: id, name, oid },
      b: { repositoryId: id, name, oid },
    });
    const error = (await made.catch((thrown: unknown) => thrown)) as {
      readonly data: { readonly a: { readonly ref: { readonly id: string } }; readonly b: null };
      readonly errors: unknown;
    };
    expect(error.data).toMatchObject({ a: { ref: { name: 'chainbreak/one', target: { oid } } }, b: null });
    expect(error.errors).toMatchObject([
      { type: 'UNPROCESSABLE', path: ['b'], message: `A ref named "${name}" already exists in the repository.` },
    ]);
    await app.graphql('mutation Delete($input: DeleteRefInput!) { deleteRef(input: $input) { clientMutationId } }', {
      input: { refId: error.data.a.ref.id },
    });
    expect(await refusalOf(headOf(at, 'chainbreak/one'))).toMatchObject({ status: 404 });
  });
});

describe('a commit on a branch', () => {
  it("is the app's, signed, and leaves other files and the kind of a file alone", async () => {
    const { at, fullName } = await repository();
    const sha = await headOf(at);
    const made = await commit(fullName, 'main', sha, {
      [WORKFLOW]: 'on: pull_request\n',
      'run.sh': 'echo b\n',
      'old/x': null,
    });
    const { oid } = made.createCommitOnBranch.commit;
    expect(made.createCommitOnBranch).toMatchObject({
      commit: { author: { user: { login: 'chainbreak-local[bot]' } }, signature: { isValid: true } },
      ref: { name: 'main' },
    });
    expect(await headOf(at)).toBe(oid);
    const { data } = await app.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: 'main' });
    expect(data).toMatchObject({
      sha: oid,
      author: { login: 'chainbreak-local[bot]', type: 'Bot' },
      commit: { message: 'Fix it\n\nWith care', committer: { name: 'GitHub' }, verification: { verified: true } },
      parents: [{ sha }],
    });
    expect(data.files?.map(({ filename, status }) => [filename, status])).toEqual([
      [WORKFLOW, 'modified'],
      ['old/x', 'removed'],
      ['run.sh', 'modified'],
    ]);
    const { data: tree } = await app.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      ...at,
      tree_sha: oid,
    });
    expect(tree.tree.map(({ path, mode }) => [path, mode])).toEqual([
      ['.github', '040000'],
      ['a.txt', '100644'],
      ['run.sh', '100755'],
    ]);
  });

  it('is refused as stale when the branch moved, and changes nothing', async () => {
    const { at, fullName } = await repository();
    const old = await headOf(at);
    const { after } = await host.push(fullName, { files: { b: 'b' }, keepOthers: true });
    const { status, errors } = await refusalOf(commit(fullName, 'main', old, { 'a.txt': 'b\n' }));
    expect(status).toBe(200);
    expect(errors).toMatchObject([
      {
        type: 'STALE_DATA',
        path: ['createCommitOnBranch'],
        message: `Expected branch to point to "${old}" but it did not.  Pull and try again.`,
      },
    ]);
    expect(await headOf(at)).toBe(after);
  });

  it('lets exactly one of many writers with the same expectation through', async () => {
    const { at, fullName } = await repository();
    const sha = await headOf(at);
    const tries = Array.from({ length: 6 }, (_, index) => commit(fullName, 'main', sha, { 'a.txt': `${index}\n` }));
    const settled = await Promise.allSettled(tries);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('needs contents: write, and workflows: write for a workflow file', async () => {
    const { at, fullName } = await repository();
    const sha = await headOf(at);
    const withoutWorkflows = await octokitOf(host, 900, { permissions: { contents: 'write', metadata: 'read' } });
    const refused = await refusalOf(commit(fullName, 'main', sha, { [WORKFLOW]: 'x: y\n' }, withoutWorkflows));
    expect(refused.errors).toMatchObject([
      {
        type: 'FORBIDDEN',
        message: `refusing to allow a GitHub App to create or update workflow \`${WORKFLOW}\` without \`workflows\` permission`,
      },
    ]);
    await commit(fullName, 'main', sha, { 'a.txt': 'b\n' }, withoutWorkflows);
    const reader = await octokitOf(host, 900, { permissions: { contents: 'read', metadata: 'read' } });
    const head = await headOf(at);
    const read = await refusalOf(commit(fullName, 'main', head, { 'a.txt': 'c\n' }, reader));
    expect(read.errors).toMatchObject([{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }]);
    const ref = reader.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: `${HEADS}x`, sha: head });
    expect(await refusalOf(ref)).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
    expect(await headOf(at)).toBe(head);
  });

  it('is refused on a guarded branch, in an archived repository and for a file that is not there', async () => {
    const guarded = await repository({ rulesets: 'guarded' });
    const sha = await headOf(guarded.at);
    expect(await refusalOf(commit(guarded.fullName, 'main', sha, { 'a.txt': 'b\n' }))).toMatchObject({
      message: 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
    });
    const { at, fullName, added } = await repository();
    const head = await headOf(at);
    expect((await refusalOf(commit(fullName, 'main', head, { gone: null }))).message).toContain('does not exist as of');
    host.world.updateRepository(added, { archived: true });
    const refused = await refusalOf(commit(fullName, 'main', head, { 'a.txt': 'b\n' }));
    expect(refused.message).toBe('Repository was archived so is read-only.');
    const ref = app.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: `${HEADS}x`, sha: head });
    expect(await refusalOf(ref)).toMatchObject({ status: 403, message: 'Repository was archived so is read-only.' });
  });
});

describe('commits', () => {
  it('are listed newest first with who made them', async () => {
    const { at, fullName } = await repository();
    const base = await headOf(at);
    await app.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: `${HEADS}fix/a`, sha: base });
    await commit(fullName, 'fix/a', base, { 'a.txt': 'b\n' });
    const ada = host.world.account('ada');
    if (ada === undefined) throw new Error('Ada is missing.');
    const { after } = await host.push(fullName, { files: { c: 'c' }, keepOthers: true, branch: 'fix/a', by: ada });
    const list = (page: number) =>
      app.request('GET /repos/{owner}/{repo}/commits', { ...at, sha: 'fix/a', per_page: 2, page });
    const newest = await list(1);
    expect(newest.data).toMatchObject([
      { sha: after, author: { login: 'ada', type: 'User' } },
      { author: { login: 'chainbreak-local[bot]', type: 'Bot' } },
    ]);
    expect(newest.headers.link).toContain('rel="next"');
    expect((await list(2)).data).toMatchObject([{ sha: base }]);
  });

  it('are compared from their common ancestor, with files, hunks and renames', async () => {
    const { at, fullName } = await repository();
    const base = await headOf(at);
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    await host.push(fullName, { files: { 'long.txt': text }, keepOthers: true });
    const start = await headOf(at);
    await app.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: `${HEADS}fix/b`, sha: start });
    const files = {
      'a.txt': 'b\n',
      'long.txt': null,
      'moved.txt': text.replace('line 3', 'line three'),
      'new ü.txt': 'n',
    };
    const made = await commit(fullName, 'fix/b', start, files);
    const { after } = await host.push(fullName, { files: { later: 'x' }, keepOthers: true });
    const { data } = await app.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...at,
      basehead: 'main...fix/b',
    });
    expect(data).toMatchObject({
      status: 'diverged',
      ahead_by: 1,
      behind_by: 1,
      base_commit: { sha: after },
      merge_base_commit: { sha: start },
      commits: [{ sha: made.createCommitOnBranch.commit.oid }],
    });
    expect(data.files).toMatchObject([
      { filename: 'a.txt', status: 'modified', additions: 1, deletions: 1, patch: '@@ -1 +1 @@\n-a\n+b' },
      { filename: 'moved.txt', status: 'renamed', previous_filename: 'long.txt', additions: 1, deletions: 1 },
      { filename: 'new ü.txt', status: 'added' },
    ]);
    const same = await app.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...at,
      basehead: `${base}...${base}`,
    });
    expect(same.data).toMatchObject({ status: 'identical', files: [], commits: [] });
  });

  it('are compared and listed in a private repository only with permission', async () => {
    const { at } = await repository({ visibility: 'private' });
    const narrow = await octokitOf(host, 900, { permissions: { metadata: 'read' } });
    const commits = narrow.request('GET /repos/{owner}/{repo}/commits', at);
    expect(await refusalOf(commits)).toMatchObject({ status: 403 });
    const compared = narrow.request('GET /repos/{owner}/{repo}/compare/{basehead}', { ...at, basehead: 'main...main' });
    expect(await refusalOf(compared)).toMatchObject({ status: 403 });
    expect((await octokitOfUser(host, 'ada').request('GET /repos/{owner}/{repo}/commits', at)).data).toHaveLength(1);
  });
});
