import { isOf } from './credentials.ts';
import { type Objects, parseTree, type TreeEntry } from './git.ts';
import type { Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import { releaseJson } from './representations.ts';
import {
  type Answer,
  type Handler,
  lacks,
  NEEDS_TOKEN,
  type RestRequest,
  refuse,
  withRepository,
} from './rest-answer.ts';

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

  'POST /repos/{owner}/{repo}/git/refs': withRepository(async (request, repository) => {
    const refused = refusal(request, repository, 'contents');
    if (refused !== undefined) return refused;
    const { body, world, places } = request;
    const ref = String(body['ref']);
    const sha = String(body['sha']);
    const [, branch] = /^refs\/heads\/(.+)$/.exec(ref) ?? [];
    if (branch === undefined) return refuse(422, 'Reference name is not supported here');
    if (!(await world.createBranch(repository, branch, sha))) return refuse(422, 'Reference cannot be created');
    const git = `${places.apiUrl}/repos/${world.fullNameOf(repository)}/git`;
    const object = { type: 'commit', sha, url: `${git}/commits/${sha}` };
    return { status: 201, body: { ref, node_id: `REF_${repository.id}_${branch}`, url: `${git}/${ref}`, object } };
  }),
};

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

function refusal({ caller, world }: RestRequest, repository: Repository, permission: string): Answer | undefined {
  if (caller.kind === 'installation') {
    const may = isOf(caller, repository, world) && caller.permissions[permission] === 'write';
    return may ? undefined : lacks(`${permission}=write`);
  }
  if (caller.kind !== 'user') return NEEDS_TOKEN;
  const access = world.access(repository, caller.account.id);
  return access === 'write' || access === 'admin' ? undefined : refuse(404, 'Not Found');
}
