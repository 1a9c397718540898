import { assertMayRead } from './acting.ts';
import { createBranch, moveBranch, removeBranch } from './branches.ts';
import { type Objects, parseTree, type TreeEntry } from './git.ts';
import type { Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import { refJson, releaseJson } from './representations.ts';
import { type Answer, type Handler, NOT_FOUND, type RestRequest, refuse, withRepository } from './rest-answer.ts';

export const GIT_HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': withRepository(async (request, repository) => {
    const { parameters, world, places } = request;
    const sha = parameters['file_sha'] ?? '';
    const found = /^[0-9a-f]{40}$/.test(sha) ? await world.git(repository).object(sha) : undefined;
    if (found?.type !== 'blob') return refuse(404, 'Not Found');
    const body = {
      sha,
      node_id: `B_${sha}`,
      size: found.content.length,
      url: `${places.apiUrl}/repos/${world.fullNameOf(repository)}/git/blobs/${sha}`,
      // GitHub breaks the lines of base64 after 60 characters.
      content: found.content.toString('base64').replace(/.{60}/g, '$&\n'),
      encoding: 'base64',
    };
    return { status: 200, body };
  }),

  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': withRepository(async (request, repository) => {
    const { parameters, query, world, places } = request;
    const git = world.git(repository);
    const url = `${places.apiUrl}/repos/${world.fullNameOf(repository)}/git`;
    const root = await git.object(`${parameters['tree_sha']}^{tree}`);
    if (root === undefined) return refuse(404, 'Not Found');
    const tree = [];
    for await (const { path, mode, type, oid, size } of entriesOf(git, root, '', query.has('recursive'))) {
      const common = { path, mode: mode.toString(8).padStart(6, '0'), type, sha: oid };
      tree.push({ ...common, ...(size === undefined ? {} : { size }), url: `${url}/${type}s/${oid}` });
    }
    return { status: 200, body: { sha: root.oid, url: `${url}/trees/${root.oid}`, tree, truncated: false } };
  }),

  'GET /repos/{owner}/{repo}/releases': withRepository(({ query, world, places }, repository) => {
    const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30)));
    const newestFirst = [...repository.releases].sort((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1));
    return {
      status: 200,
      body: newestFirst.slice(0, size).map((each) => releaseJson(each, repository, world, places)),
    };
  }),

  'GET /repos/{owner}/{repo}/git/ref/{ref}': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'contents');
    const found = await refAt(request, repository);
    return found === undefined ? NOT_FOUND : refAnswer(200, found.ref, found.oid, request, repository);
  }),

  'GET /repos/{owner}/{repo}/git/matching-refs/{ref}': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'contents');
    const { parameters, world, places } = request;
    const git = world.git(repository);
    const all = await Promise.all(
      PREFIXES.map(async (prefix) =>
        (await git.refs(prefix)).map(({ name, oid }) => ({ ref: `${prefix}${name}`, oid })),
      ),
    );
    const wanted = `refs/${parameters['ref']}`;
    const found = all.flat().filter(({ ref }) => ref.startsWith(wanted));
    return { status: 200, body: found.map(({ ref, oid }) => refJson(ref, oid, repository, world, places)) };
  }),

  'POST /repos/{owner}/{repo}/git/refs': withRepository(async (request, repository) => {
    const ref = String(request.body['ref']);
    const sha = String(request.body['sha']);
    await createBranch(request, repository, ref, sha);
    return refAnswer(201, ref, sha, request, repository);
  }),

  'PATCH /repos/{owner}/{repo}/git/refs/{ref}': withRepository(async (request, repository) => {
    const ref = `refs/${request.parameters['ref']}`;
    const sha = String(request.body['sha']);
    await moveBranch(request, repository, ref, sha, request.body['force'] === true);
    return refAnswer(200, ref, sha, request, repository);
  }),

  'DELETE /repos/{owner}/{repo}/git/refs/{ref}': withRepository(async (request, repository) => {
    await removeBranch(request, repository, `refs/${request.parameters['ref']}`);
    return { status: 204, body: undefined };
  }),
};

const PREFIXES = ['refs/heads/', 'refs/tags/'] as const;

function refAnswer(status: number, ref: string, oid: string, request: RestRequest, repository: Repository): Answer {
  return { status, body: refJson(ref, oid, repository, request.world, request.places) };
}

async function refAt(
  { parameters, world }: RestRequest,
  repository: Repository,
): Promise<{ readonly ref: string; readonly oid: string } | undefined> {
  const ref = `refs/${parameters['ref']}`;
  const prefix = PREFIXES.find((each) => ref.startsWith(each));
  if (prefix === undefined) return undefined;
  const refs = await world.git(repository).refs(prefix);
  const oid = refs.find(({ name }) => `${prefix}${name}` === ref)?.oid;
  return oid === undefined ? undefined : { ref, oid };
}

interface FoundEntry extends TreeEntry {
  readonly path: string;
  readonly size: number | undefined;
}

async function* entriesOf(
  git: Objects,
  tree: GitObject,
  folder: string,
  recursive: boolean,
): AsyncGenerator<FoundEntry> {
  for (const entry of parseTree(tree.content)) {
    const path = `${folder}${entry.name}`;
    const object = entry.type === 'commit' ? undefined : await git.object(entry.oid);
    yield { ...entry, path, size: entry.type === 'blob' ? object?.content.length : undefined };
    if (recursive && entry.type === 'tree' && object !== undefined) yield* entriesOf(git, object, `${path}/`, true);
  }
}
