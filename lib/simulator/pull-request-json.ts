import type { FileDiff } from './git.ts';
import type { Account, Label, PullRequest, Repository } from './model.ts';
import { type Places, repositoryJson, userJson } from './representations.ts';
import type { World } from './world.ts';

type Json = Record<string, unknown>;

export function labelJson(label: Label, repository: Repository, world: World, { apiUrl }: Places): Json {
  const { id, name, color, description } = label;
  const url = `${apiUrl}/repos/${world.fullNameOf(repository)}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: `LA_${id}`, url, name, description, color, default: false };
}

export function labelsOf(request: PullRequest, repository: Repository): Label[] {
  return repository.labels.filter(({ name }) => request.labels.includes(name));
}

export function pullRequestJson(
  request: PullRequest,
  repository: Repository,
  world: World,
  places: Places,
  details?: {
    readonly files: readonly FileDiff[];
    readonly commits: readonly string[];
    readonly mergeable: boolean | null;
  },
): Json {
  const { id, number, state, title, body, headOid, headBranch, baseOid, baseBranch, mergeCommit } = request;
  const fullName = world.fullNameOf(repository);
  const api = `${places.apiUrl}/repos/${fullName}`;
  const url = `${api}/pulls/${number}`;
  const html = `${places.webUrl}/${fullName}/pull/${number}`;
  const issue = `${api}/issues/${number}`;
  const author = world.account(request.authorId);
  const source = world.repositoryById(request.headRepositoryId);
  const side = (of: Repository, ref: string, sha: string): Json => {
    const owner = world.ownerOf(of);
    const repo = repositoryJson(of, undefined, world, places);
    return { label: `${owner.login}:${ref}`, ref, sha, user: userJson(owner, places), repo };
  };
  const person = (account: Account | undefined): Json | null =>
    account === undefined ? null : userJson(account, places);
  const links = {
    self: url,
    html,
    issue,
    comments: `${issue}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${api}/statuses/${headOid}`,
  };
  return {
    id,
    node_id: `PR_${id}`,
    number,
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    state,
    locked: false,
    title,
    body,
    draft: request.draft,
    user: person(author),
    labels: labelsOf(request, repository).map((label) => labelJson(label, repository, world, places)),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: request.createdAt,
    updated_at: request.updatedAt,
    closed_at: request.closedAt,
    merged_at: request.mergedAt,
    merge_commit_sha: mergeCommit,
    head: side(source ?? repository, headBranch, headOid),
    base: side(repository, baseBranch, baseOid),
    author_association: author?.type === 'User' ? 'MEMBER' : 'NONE',
    auto_merge: null,
    active_lock_reason: null,
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    ...(details === undefined
      ? {}
      : {
          merged: request.mergedAt !== null,
          mergeable: details.mergeable,
          rebaseable: details.mergeable,
          mergeable_state: details.mergeable === null ? 'unknown' : details.mergeable ? 'clean' : 'dirty',
          merged_by: request.mergedById === null ? null : person(world.account(request.mergedById)),
          comments: 0,
          review_comments: 0,
          maintainer_can_modify: false,
          commits: details.commits.length,
          additions: details.files.reduce((sum, file) => sum + file.additions, 0),
          deletions: details.files.reduce((sum, file) => sum + file.deletions, 0),
          changed_files: details.files.length,
        }),
  };
}
