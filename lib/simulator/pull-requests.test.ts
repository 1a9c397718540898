import type { Octokit } from '@octokit/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { octokitOf, octokitOfUser, refusalOf } from '../../tests/support/octokit.ts';
import { APP_PERMISSIONS } from './manifest.ts';
import { GUARDED_TAGS } from './settings.ts';

let host: CodeHostForTests;
let app: Octokit;

beforeAll(async () => {
  host = await startCodeHost({
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
      world.addAccount({ login: 'eve', type: 'User' });
      world.addInstallation({ id: 900, accountId: team.id, permissions: APP_PERMISSIONS });
    },
  });
  app = await octokitOf(host, 900);
});
afterAll(() => host.stop());

let made = 0;
async function repository(options: { readonly visibility?: 'private'; readonly guarded?: true } = {}) {
  made += 1;
  const name = `repo-${made}`;
  const added = await host.addRepository({
    fullName: `team/${name}`,
    visibility: options.visibility ?? 'public',
    labels: ['security'],
    ...(options.guarded ? {} : { settings: { rulesets: [GUARDED_TAGS] } }),
    files: { '.github/workflows/ci.yml': 'on: push\n', 'a.txt': 'a\n' },
  });
  return { at: { owner: 'team', repo: name }, id: `R_${added.id}`, fullName: `team/${name}`, added };
}

async function branch(fullName: string, name: string, files: Record<string, string> = { [`${name}.txt`]: 'x\n' }) {
  return (await host.push(fullName, { branch: name, files, keepOthers: true })).after;
}

type Place = { readonly owner: string; readonly repo: string };

async function open(at: Place, head: string, more: { readonly body?: string; readonly base?: string } = {}) {
  const { data } = await app.request('POST /repos/{owner}/{repo}/pulls', {
    ...at,
    title: `Fix ${head}`,
    head,
    base: 'main',
    ...more,
  });
  return data;
}

function listed(at: Place, options: { readonly head?: string; readonly state?: 'open' | 'closed' | 'all' } = {}) {
  return app.request('GET /repos/{owner}/{repo}/pulls', { ...at, ...options });
}

describe('a pull request', () => {
  it('is opened by the app, and read with its files, commits and counts', async () => {
    const { at, fullName } = await repository();
    const head = await branch(fullName, 'fix/a', { 'a.txt': 'b\n', 'b.txt': 'new\n' });
    const opened = await open(at, 'fix/a', { body: 'Because.' });
    expect(opened).toMatchObject({
      number: 1,
      state: 'open',
      title: 'Fix fix/a',
      body: 'Because.',
      user: { login: 'chainbreak-local[bot]', type: 'Bot' },
      head: { ref: 'fix/a', sha: head, label: 'team:fix/a' },
      base: { ref: 'main' },
      mergeable: true,
      commits: 1,
      changed_files: 2,
      additions: 2,
      deletions: 1,
    });
    const one = { ...at, pull_number: 1 };
    const files = await app.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', one);
    expect(files.data.map(({ filename, status }) => [filename, status])).toEqual([
      ['a.txt', 'modified'],
      ['b.txt', 'added'],
    ]);
    const commits = await app.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', one);
    expect(commits.data.map(({ sha }) => sha)).toEqual([head]);
    const edited = await app.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...one,
      title: 'Better',
      body: 'Since.',
    });
    expect(edited.data).toMatchObject({ title: 'Better', body: 'Since.' });
  });

  it('is refused in the words of GitHub when it exists, adds nothing, or has no branch', async () => {
    const { at, fullName } = await repository();
    await branch(fullName, 'fix/a');
    await open(at, 'fix/a');
    const refused = (head: string, base = 'main') => refusalOf(open(at, head, { base }));
    const custom = (message: string) => ({
      status: 422,
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
    });
    expect(await refused('fix/a')).toEqual(custom('A pull request already exists for team:fix/a.'));
    const main = (await app.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...at, ref: 'heads/main' })).data;
    await app.request('POST /repos/{owner}/{repo}/git/refs', { ...at, ref: 'refs/heads/same', sha: main.object.sha });
    expect(await refused('same')).toEqual(custom('No commits between main and same'));
    const invalid = (field: string) => ({ errors: [{ resource: 'PullRequest', code: 'invalid', field }] });
    expect(await refused('nope')).toMatchObject({ status: 422, ...invalid('head') });
    expect(await refused('fix/a', 'nope')).toMatchObject({ status: 422, ...invalid('base') });
    const inGraphql = app.graphql(CREATE, {
      input: { ...graphqlInput('fix/a'), repositoryId: await repositoryId(at) },
    });
    expect((await refusalOf(inGraphql)).errors).toMatchObject([
      { type: 'UNPROCESSABLE', message: 'A pull request already exists for team:fix/a.' },
    ]);
  });

  it('is opened once by many callers at once', async () => {
    const { at, fullName } = await repository();
    await branch(fullName, 'fix/a');
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => open(at, 'fix/a')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await listed(at, { state: 'all' })).data).toHaveLength(1);
  });

  it('is listed by head and state, newest first', async () => {
    const { at, fullName } = await repository();
    for (const name of ['fix/a', 'fix/b', 'fix/c']) {
      await branch(fullName, name);
      await open(at, name);
    }
    await app.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: 2, state: 'closed' });
    const numbers = async (...options: Parameters<typeof listed>) =>
      (await listed(...options)).data.map(({ number }) => number);
    expect(await numbers(at)).toEqual([3, 1]);
    expect(await numbers(at, { state: 'all' })).toEqual([3, 2, 1]);
    expect(await numbers(at, { state: 'closed' })).toEqual([2]);
    expect(await numbers(at, { state: 'all', head: 'team:fix/b' })).toEqual([2]);
    expect(await numbers(at, { head: 'other:fix/a' })).toEqual([]);
  });

  it('gets labels of the repository', async () => {
    const { at, fullName } = await repository();
    await branch(fullName, 'fix/a');
    await open(at, 'fix/a');
    const labels = await app.request('GET /repos/{owner}/{repo}/labels', at);
    expect(labels.data.map(({ name }) => name)).toEqual(['security']);
    const missing = app.request('GET /repos/{owner}/{repo}/labels/{name}', { ...at, name: 'chore' });
    expect(await refusalOf(missing)).toMatchObject({ status: 404 });
    const added = await app.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
      ...at,
      issue_number: 1,
      labels: ['security'],
    });
    expect(added.data).toMatchObject([{ name: 'security' }]);
    expect((await listed(at)).data).toMatchObject([{ labels: [{ name: 'security' }] }]);
  });

  it('needs permission', async () => {
    const { at, fullName } = await repository({ visibility: 'private' });
    await branch(fullName, 'fix/a');
    await open(at, 'fix/a');
    const none = await octokitOf(host, 900, { permissions: { contents: 'write', metadata: 'read' } });
    const reader = await octokitOf(host, 900, { permissions: { pull_requests: 'read', metadata: 'read' } });
    const list = (client: Octokit) => client.request('GET /repos/{owner}/{repo}/pulls', at);
    expect(await refusalOf(list(none))).toMatchObject({ status: 403 });
    expect((await list(reader)).data).toHaveLength(1);
    await branch(fullName, 'fix/b');
    const create = { ...at, title: 'x', head: 'fix/b', base: 'main' };
    const created = reader.request('POST /repos/{owner}/{repo}/pulls', create);
    expect(await refusalOf(created)).toMatchObject({ status: 403, message: 'Resource not accessible by integration' });
    const stranger = octokitOfUser(host, 'eve').request('POST /repos/{owner}/{repo}/pulls', create);
    expect(await refusalOf(stranger)).toMatchObject({ status: 404 });
  });
});

const CREATE = `mutation Create($input: CreatePullRequestInput!) {
  createPullRequest(input: $input) { pullRequest { id number headRefOid author { login } } } }`;

function graphqlInput(head: string): Record<string, string> {
  return { headRefName: head, baseRefName: 'main', title: 'Fix' };
}

async function repositoryId({ owner, repo }: Place): Promise<string> {
  const query = 'query Id($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { id } }';
  return (await app.graphql<{ repository: { id: string } }>(query, { owner, repo })).repository.id;
}

describe('pull requests in GraphQL', () => {
  it('are found by branch, and many of them read in one query by id, number or alias', async () => {
    const { at, id, fullName } = await repository();
    const heads = await Promise.all(['fix/a', 'fix/b', 'fix/c'].map((name) => branch(fullName, name)));
    const ids: string[] = [];
    for (const name of ['fix/a', 'fix/b', 'fix/c']) {
      const created = await app.graphql<{ createPullRequest: { pullRequest: { id: string; author: unknown } } }>(
        CREATE,
        {
          input: { ...graphqlInput(name), repositoryId: id },
        },
      );
      expect(created.createPullRequest.pullRequest.author).toEqual({ login: 'chainbreak-local' });
      ids.push(created.createPullRequest.pullRequest.id);
    }
    await host.people.merge(fullName, 1);
    await host.people.close(fullName, 2);
    const fields = 'id number state merged mergedAt closedAt headRefOid mergeCommit { oid }';
    const nodes = await app
      .graphql(`query Many($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { ${fields} } } }`, {
        ids: [...ids, 'PR_1'],
      })
      .catch((error: unknown) => error as { readonly data: unknown; readonly errors: unknown });
    const expected = [
      {
        number: 1,
        state: 'MERGED',
        merged: true,
        mergedAt: expect.any(String),
        headRefOid: heads[0],
        mergeCommit: { oid: expect.any(String) },
      },
      { number: 2, state: 'CLOSED', merged: false, mergedAt: null, closedAt: expect.any(String), mergeCommit: null },
      { number: 3, state: 'OPEN', merged: false, closedAt: null, headRefOid: heads[2] },
    ];
    expect(nodes).toMatchObject({
      data: { nodes: [...expected, null] },
      errors: [{ type: 'NOT_FOUND', path: ['nodes', 3] }],
    });
    const aliased = `query Aliased($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
      a: pullRequest(number: 1) { ${fields} } b: pullRequest(number: 2) { ${fields} } c: pullRequest(number: 3) { ${fields} }
      open: pullRequests(headRefName: "fix/c", states: [OPEN], first: 5) { totalCount nodes { id isCrossRepository } }
      gone: pullRequests(headRefName: "fix/a", states: [OPEN], first: 5) { nodes { id } } } }`;
    expect(await app.graphql(aliased, at)).toMatchObject({
      repository: {
        a: expected[0],
        b: expected[1],
        c: expected[2],
        open: { totalCount: 1, nodes: [{ id: ids[2], isCrossRepository: false }] },
        gone: { nodes: [] },
      },
    });
  });

  it('are edited, closed, reopened and labelled', async () => {
    const { at, fullName, added } = await repository();
    await branch(fullName, 'fix/a');
    const { node_id: pullRequestId } = await open(at, 'fix/a');
    const change = (field: string, type: string, input: Record<string, unknown>) =>
      app.graphql(`mutation Change($input: ${type}!) { ${field}(input: $input) { clientMutationId } }`, { input });
    await change('updatePullRequest', 'UpdatePullRequestInput', { pullRequestId, title: 'New', body: 'Text' });
    const label = `LA_${added.labels[0]?.id}`;
    await change('addLabelsToLabelable', 'AddLabelsToLabelableInput', {
      labelableId: pullRequestId,
      labelIds: [label],
    });
    await change('closePullRequest', 'ClosePullRequestInput', { pullRequestId });
    expect((await listed(at, { state: 'closed' })).data).toMatchObject([
      { title: 'New', body: 'Text', labels: [{ name: 'security' }], closed_at: expect.any(String), merged_at: null },
    ]);
    await change('reopenPullRequest', 'ReopenPullRequestInput', { pullRequestId });
    expect((await listed(at)).data).toMatchObject([{ closed_at: null }]);
  });
});

describe('the head of a pull request', () => {
  it('follows its branch, and stays readable when the branch is deleted, which closes it', async () => {
    const { at, fullName } = await repository();
    await branch(fullName, 'fix/a');
    await open(at, 'fix/a');
    const head = await branch(fullName, 'fix/a', { 'later.txt': 'y\n' });
    expect((await listed(at)).data).toMatchObject([{ head: { sha: head } }]);
    await app.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...at, ref: 'heads/fix/a' });
    expect((await listed(at, { state: 'closed' })).data).toMatchObject([{ head: { sha: head }, merged_at: null }]);
    const { data } = await app.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: head });
    expect(data.sha).toBe(head);
    const reopened = app.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...at,
      pull_number: 1,
      state: 'open',
    });
    expect((await refusalOf(reopened)).errors).toMatchObject([
      { message: 'state cannot be changed. The fix/a branch was deleted.' },
    ]);
  });

  it('is in a fork, whose commits are read as data through the repository', async () => {
    const { at, fullName, added } = await repository();
    const eve = host.world.account('eve');
    if (eve === undefined) throw new Error('Eve is missing.');
    const fork = await host.world.fork(added, eve, `fork-${made}`);
    const forkName = host.world.fullNameOf(fork);
    const head = await branch(forkName, 'patch', { '.github/workflows/ci.yml': 'on: pull_request_target\n' });
    const { number } = await host.people.open(fullName, { title: 'A gift', head: 'eve:patch', by: 'eve' });
    const { data } = await app.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: number });
    expect(data).toMatchObject({
      user: { login: 'eve' },
      head: { sha: head, label: 'eve:patch', repo: { full_name: forkName, fork: true } },
    });
    const text = `query Text($owner: String!, $repo: String!, $at: String!) { repository(owner: $owner, name: $repo) {
      object(expression: $at) { ... on Blob { text } } pullRequest(number: ${number}) { isCrossRepository } } }`;
    expect(await app.graphql(text, { ...at, at: `${head}:.github/workflows/ci.yml` })).toEqual({
      repository: { object: { text: 'on: pull_request_target\n' }, pullRequest: { isCrossRepository: true } },
    });
    const compared = await app.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...at,
      basehead: 'main...eve:patch',
    });
    expect(compared.data).toMatchObject({ ahead_by: 1, files: [{ filename: '.github/workflows/ci.yml' }] });
    const next = await branch(forkName, 'patch', { b: 'b' });
    expect((await listed(at)).data).toMatchObject([{ head: { sha: next } }]);
    const later = await app.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: next });
    expect(later.data).toMatchObject({ sha: next, parents: [{ sha: head }] });
  });
});

describe('a merge', () => {
  it('moves the base, keeps both parents or one, and closes the pull request', async () => {
    const { at, fullName } = await repository();
    const head = await branch(fullName, 'fix/a');
    const second = await branch(fullName, 'fix/b');
    await open(at, 'fix/a');
    await open(at, 'fix/b');
    const merge = (number: number, more: object = {}) =>
      app.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...at, pull_number: number, ...more });
    expect(await refusalOf(merge(1, { sha: second }))).toMatchObject({ status: 409 });
    const merged = await merge(1, { sha: head });
    const main = await app.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: 'main' });
    expect(main.data).toMatchObject({ sha: merged.data.sha, parents: [{}, { sha: head }] });
    expect(main.data.commit.message).toContain('Merge pull request #1 from team/fix/a');
    await merge(2, { merge_method: 'squash' });
    const squashed = await app.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: 'main' });
    expect(squashed.data).toMatchObject({ parents: [{ sha: merged.data.sha }], commit: { message: 'Fix fix/b (#2)' } });
    expect((await listed(at, { state: 'closed' })).data).toMatchObject([
      { merged_at: expect.any(String), merge_commit_sha: squashed.data.sha },
      { merged_at: expect.any(String), merge_commit_sha: merged.data.sha },
    ]);
    expect(await refusalOf(merge(1))).toMatchObject({ status: 405, message: 'Pull Request is not mergeable' });
  });

  it('is refused for a conflict, and for the app where reviews are required', async () => {
    const { at, fullName } = await repository();
    await branch(fullName, 'fix/a', { 'a.txt': 'mine\n' });
    await open(at, 'fix/a');
    await host.push(fullName, { files: { 'a.txt': 'theirs\n' }, keepOthers: true });
    const merge = (place: Place) =>
      app.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...place, pull_number: 1 });
    expect(await refusalOf(merge(at))).toMatchObject({ status: 405, message: 'Pull Request is not mergeable' });
    const { data } = await app.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...at, pull_number: 1 });
    expect(data).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
    const guarded = await repository({ guarded: true });
    await branch(guarded.fullName, 'fix/a');
    await open(guarded.at, 'fix/a');
    expect(await refusalOf(merge(guarded.at))).toMatchObject({ status: 405 });
    const { request } = await host.people.merge(guarded.fullName, 1, { by: 'ada', deleteBranch: true });
    expect(request).toMatchObject({ state: 'closed', mergeCommit: expect.any(String) });
    const gone = app.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...guarded.at, ref: 'heads/fix/a' });
    expect(await refusalOf(gone)).toMatchObject({ status: 404 });
  });

  it('is asked for over HTTP below /_sim/', async () => {
    const { fullName } = await repository();
    await branch(fullName, 'fix/a');
    const control = async (action: string, body: unknown) => {
      const response = await fetch(`${host.webUrl}/_sim/${action}`, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const opened = await control('pull', { repository: fullName, title: 'Fix', head: 'fix/a', actor: 'ada' });
    expect(opened).toMatchObject({ status: 201, body: { number: 1 } });
    expect(await control('pull', { repository: fullName, title: 'Fix', head: 'fix/a' })).toMatchObject({
      status: 422,
      body: { message: 'A pull request already exists for team:fix/a.' },
    });
    expect(await control('close', { repository: fullName, number: 1 })).toMatchObject({ body: { state: 'closed' } });
    expect(await control('reopen', { repository: fullName, number: 1 })).toMatchObject({ body: { state: 'open' } });
    expect(await control('merge', { repository: fullName, number: 1 })).toMatchObject({
      status: 201,
      body: { merged: true, commit: expect.any(String) },
    });
    expect(await control('merge', { repository: fullName, number: 1 })).toMatchObject({ status: 405 });
    expect(await control('merge', { repository: fullName, number: 2 })).toMatchObject({ status: 404 });
    expect(await control('merge', { repository: fullName, number: 1, odd: 1 })).toMatchObject({ status: 400 });
  });
});
