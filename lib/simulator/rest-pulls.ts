import { assertMayRead } from './acting.ts';
import { isMergeable, mergePullRequest } from './merges.ts';
import type { PullRequest, Repository } from './model.ts';
import { labelJson, labelsOf, pullRequestJson } from './pull-request-json.ts';
import { addLabels, contentsOf, editPullRequest, openPullRequest } from './pull-requests.ts';
import { diffJson } from './representations.ts';
import { type Answer, type Handler, NOT_FOUND, paginate, type RestRequest, withRepository } from './rest-answer.ts';
import { commitsJson } from './rest-commits.ts';

export const PULL_HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /repos/{owner}/{repo}/pulls': withRepository((request, repository) => {
    assertMayRead(request, repository, 'pull_requests');
    const { query, world, places } = request;
    const state = query.get('state') ?? 'open';
    const base = query.get('base');
    const head = query.get('head')?.toLowerCase();
    const labelOf = (each: PullRequest): string => {
      const source = world.repositoryById(each.headRepositoryId) ?? repository;
      return `${world.ownerOf(source).login}:${each.headBranch}`.toLowerCase();
    };
    const found = world
      .pullRequests(repository)
      .filter((each) => state === 'all' || each.state === state)
      .filter((each) => base === null || each.baseBranch === base)
      // GitHub ignores a head without an owner.
      .filter((each) => head?.includes(':') !== true || labelOf(each) === head);
    const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
    const direction = query.get('direction') ?? (query.has('sort') && key !== 'createdAt' ? 'asc' : 'desc');
    const sorted = [...found].sort((a, b) => (a[key] === b[key] ? a.number - b.number : a[key] < b[key] ? -1 : 1));
    if (direction === 'desc') sorted.reverse();
    const { page, headers } = paginate(sorted, request);
    return { status: 200, body: page.map((each) => pullRequestJson(each, repository, world, places)), headers };
  }),

  'POST /repos/{owner}/{repo}/pulls': withRepository(async (request, repository) => {
    const { title, head, base, body, draft, head_repo: headRepository } = request.body;
    if (headRepository !== undefined) throw new Error('The field "head_repo" is not simulated.');
    const opened = await openPullRequest(request, repository, {
      title: title as string | undefined,
      head: String(head),
      base: String(base),
      body: body as string | undefined,
      draft: draft === true,
    });
    return full(201, opened, repository, request);
  }),

  'GET /repos/{owner}/{repo}/pulls/{pull_number}': withPullRequest((request, repository, found) =>
    full(200, found, repository, request),
  ),

  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}': withPullRequest(async (request, repository, found) => {
    await editPullRequest(request, found, request.body);
    return full(200, found, repository, request);
  }),

  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': withPullRequest(async (request, repository, found) => {
    const { files } = await contentsOf(found, request);
    const { page, headers } = paginate(files, request);
    const body = page.map((file) => diffJson(file, found.headOid, repository, request.world, request.places));
    return { status: 200, body, headers };
  }),

  'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits': withPullRequest(async (request, repository, found) => {
    const { commits } = await contentsOf(found, request);
    const { page, headers } = paginate(commits, request);
    const body = await commitsJson(page, request.world.git(repository), repository, request);
    return { status: 200, body, headers };
  }),

  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge': withPullRequest(async (request, _repository, found) => {
    const { merge_method: method, commit_title: title, commit_message: message, sha } = request.body;
    const merged = await mergePullRequest(request, found, {
      method: (method as 'merge' | 'squash' | 'rebase' | undefined) ?? 'merge',
      title: title as string | undefined,
      message: message as string | undefined,
      expectedHead: sha as string | undefined,
    });
    return { status: 200, body: { sha: merged, merged: true, message: 'Pull Request successfully merged' } };
  }),

  'GET /repos/{owner}/{repo}/labels': withRepository((request, repository) => {
    assertMayRead(request, repository, 'pull_requests');
    const { page, headers } = paginate(repository.labels, request);
    const body = page.map((label) => labelJson(label, repository, request.world, request.places));
    return { status: 200, body, headers };
  }),

  'GET /repos/{owner}/{repo}/labels/{name}': withRepository((request, repository) => {
    assertMayRead(request, repository, 'pull_requests');
    const name = request.parameters['name']?.toLowerCase();
    const found = repository.labels.find((label) => label.name.toLowerCase() === name);
    if (found === undefined) return NOT_FOUND;
    return { status: 200, body: labelJson(found, repository, request.world, request.places) };
  }),

  'GET /repos/{owner}/{repo}/issues/{issue_number}/labels': withPullRequest((request, repository, found) => {
    const { page, headers } = paginate(labelsOf(found, repository), request);
    const body = page.map((label) => labelJson(label, repository, request.world, request.places));
    return { status: 200, body, headers };
  }),

  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels': withPullRequest((request, repository, found) => {
    const labels = (request.body['labels'] ?? []) as readonly (string | { readonly name: string })[];
    addLabels(
      request,
      found,
      labels.map((label) => (typeof label === 'string' ? label : label.name)),
    );
    const body = labelsOf(found, repository).map((label) =>
      labelJson(label, repository, request.world, request.places),
    );
    return { status: 200, body };
  }),
};

function withPullRequest(
  handler: (request: RestRequest, repository: Repository, found: PullRequest) => Answer | Promise<Answer>,
): Handler {
  return withRepository((request, repository) => {
    assertMayRead(request, repository, 'pull_requests');
    const { parameters, world } = request;
    const number = Number(parameters['pull_number'] ?? parameters['issue_number']);
    const found = world.pullRequests(repository).find((each) => each.number === number);
    return found === undefined ? NOT_FOUND : handler(request, repository, found);
  });
}

async function full(
  status: number,
  found: PullRequest,
  repository: Repository,
  { world, places }: RestRequest,
): Promise<Answer> {
  const [contents, mergeable] = await Promise.all([contentsOf(found, { world }), isMergeable(found, { world })]);
  return { status, body: pullRequestJson(found, repository, world, places, { ...contents, mergeable }) };
}
