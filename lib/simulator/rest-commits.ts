import { assertMayRead } from './acting.ts';
import { commitAt } from './branches.ts';
import { parseCommit } from './commits.ts';
import type { Objects } from './git.ts';
import { canSee } from './graphql.ts';
import type { Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import { Refused } from './refused.ts';
import { commitJson, diffJson } from './representations.ts';
import { type Handler, NOT_FOUND, paginate, type RestRequest, refuse, withRepository } from './rest-answer.ts';

const MAX_COMMITS = 250;
const MAX_FILES = 300;

export const COMMIT_HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /repos/{owner}/{repo}/commits': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'contents');
    const { query, world } = request;
    const unsupported = ['path', 'author', 'committer', 'since', 'until'].find((name) => query.has(name));
    if (unsupported !== undefined) throw new Error(`The list of commits is not simulated with "${unsupported}".`);
    const git = world.git(repository);
    const start = query.get('sha') ?? 'HEAD';
    const head = await commitAt(git, start);
    if (head === undefined) {
      return start === 'HEAD' ? refuse(409, 'Git Repository is empty.') : NOT_FOUND;
    }
    const { page, headers } = paginate(await git.history(head), request);
    return { status: 200, body: await commitsJson(page, git, repository, request), headers };
  }),

  'GET /repos/{owner}/{repo}/commits/{ref}': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'contents');
    const { parameters, world, places } = request;
    const git = world.git(repository);
    const ref = parameters['ref'] ?? '';
    const oid = await commitAt(git, ref);
    const commit = oid === undefined ? undefined : await git.object(oid);
    if (commit === undefined) return refuse(422, `No commit found for SHA: ${ref}`);
    const [parent] = parseCommit(commit).parents;
    const files = parent === undefined ? [] : await git.diff(parent, commit.oid);
    const additions = files.reduce((sum, file) => sum + file.additions, 0);
    const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
    const body = {
      ...commitJson(commit, repository, world, places),
      stats: { additions, deletions, total: additions + deletions },
      files: files.slice(0, MAX_FILES).map((file) => diffJson(file, commit.oid, repository, world, places)),
    };
    return { status: 200, body };
  }),

  'GET /repos/{owner}/{repo}/compare/{basehead}': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'contents');
    const { parameters, query, world, places } = request;
    const [base = '', head = ''] = (parameters['basehead'] ?? '').split('...');
    const git = world.git(repository);
    const [from, to] = await Promise.all([commitAt(git, base), headAt(head, repository, request)]);
    const compared = from === undefined || to === undefined ? undefined : await git.compare(from, to);
    if (from === undefined || to === undefined || compared === undefined) return NOT_FOUND;
    const { ahead, behind, mergeBase } = compared;
    const status = ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical';
    const [files, added] = await Promise.all([git.diff(mergeBase, to), git.between(from, to)]);
    const fullName = world.fullNameOf(repository);
    const url = `${places.apiUrl}/repos/${fullName}/compare/${base}...${head}`;
    const page = `${places.webUrl}/${fullName}/compare/${base}...${head}`;
    const shown = query.has('page') || query.has('per_page') ? paginate(added, request).page : added;
    const isFirst = Number(query.get('page') ?? 1) === 1;
    const body = {
      url,
      html_url: page,
      permalink_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      base_commit: await oneCommit(from, git, repository, request),
      merge_base_commit: await oneCommit(mergeBase, git, repository, request),
      status,
      ahead_by: ahead,
      behind_by: behind,
      total_commits: ahead,
      commits: await commitsJson(shown.slice(0, MAX_COMMITS), git, repository, request),
      files: isFirst ? files.slice(0, MAX_FILES).map((file) => diffJson(file, to, repository, world, places)) : [],
    };
    return { status: 200, body };
  }),
};

async function headAt(
  head: string,
  repository: Repository,
  { world, caller }: RestRequest,
): Promise<string | undefined> {
  const [owner = '', branch] = head.split(':', 2);
  if (branch === undefined) return commitAt(world.git(repository), head);
  const fork = world.forkOf(repository, owner);
  if (fork === undefined || (fork.id !== repository.id && !canSee(caller, fork, world))) return undefined;
  const oid = await commitAt(world.git(fork), `refs/heads/${branch}`);
  if (oid !== undefined) await world.keep(repository, `refs/network/${oid}`, oid, fork);
  return oid;
}

export async function commitsJson(
  oids: readonly string[],
  git: Objects,
  repository: Repository,
  request: Pick<RestRequest, 'world' | 'places'>,
): Promise<unknown[]> {
  return Promise.all(oids.map((oid) => oneCommit(oid, git, repository, request)));
}

async function oneCommit(
  oid: string,
  git: Objects,
  repository: Repository,
  { world, places }: Pick<RestRequest, 'world' | 'places'>,
): Promise<unknown> {
  const found: GitObject | undefined = await git.object(oid);
  if (found === undefined) throw new Refused(404, 'Not Found');
  return commitJson(found, repository, world, places);
}
