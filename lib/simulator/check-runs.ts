import { type Acting, writerOf } from './acting.ts';
import { commitAt } from './branches.ts';
import { parseCommit } from './commits.ts';
import { type Announcing, type Sent, send, type Timing } from './events.ts';
import type { Account, Annotation, CheckRun, Repository } from './model.ts';
import { invalid, Refused } from './refused.ts';
import { appJson } from './representations.ts';

/** GitHub counts bytes, although it documents characters. */
const MAX_TEXT_BYTES = 65_535;
const MAX_MESSAGE_BYTES = 65_536;
const MAX_TITLE_LENGTH = 255;

type Json = Record<string, unknown>;

interface Output {
  readonly title?: string;
  readonly summary?: string;
  readonly text?: string;
  readonly annotations?: readonly Annotation[];
}

export interface CheckRunFields {
  readonly name?: string;
  readonly head_sha?: string;
  readonly status?: CheckRun['status'];
  readonly conclusion?: string;
  readonly external_id?: string;
  readonly details_url?: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly output?: Output;
  readonly actions?: unknown;
}

export async function createCheckRun(
  acting: Acting,
  repository: Repository,
  fields: CheckRunFields,
): Promise<CheckRun> {
  assertMayCheck(acting, repository);
  const { world } = acting;
  const headOid = String(fields.head_sha);
  const isFull = /^[0-9a-f]{40}$/.test(headOid);
  if (!isFull || (await commitAt(world.git(repository), headOid)) === undefined) {
    throw new Refused(422, `No commit found for SHA: ${headOid}`);
  }
  const changes = changesOf(fields);
  return world.addCheckRun(repository, {
    headOid,
    name: String(fields.name),
    status: 'queued',
    conclusion: null,
    externalId: '',
    detailsUrl: null,
    startedAt: new Date().toISOString(),
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    annotations: [],
    ...changes,
  });
}

export function updateCheckRun(acting: Acting, repository: Repository, run: CheckRun, fields: CheckRunFields): void {
  assertMayCheck(acting, repository);
  const changes = changesOf(fields);
  const annotations = [...run.annotations, ...(changes.annotations ?? [])];
  acting.world.updateCheckRun(run, { ...changes, annotations });
}

function assertMayCheck(acting: Acting, repository: Repository): void {
  if (acting.caller.kind === 'user') throw new Refused(403, 'You must authenticate via a GitHub App.');
  writerOf(acting, repository, 'checks');
}

function changesOf(fields: CheckRunFields): Partial<CheckRun> {
  const { name, status, conclusion, output, actions } = fields;
  if (actions !== undefined) throw new Error('Actions of check runs are not simulated.');
  if (status === 'completed' && conclusion === undefined)
    throw invalid('CheckRun', 'conclusion is missing', 'conclusion');
  const isCompleted = conclusion !== undefined;
  const { external_id: externalId, details_url: detailsUrl, started_at: startedAt } = fields;
  return {
    ...(name === undefined ? {} : { name }),
    ...(status === undefined
      ? {}
      : { status, ...(status === 'completed' ? {} : { conclusion: null, completedAt: null }) }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(detailsUrl === undefined ? {} : { detailsUrl }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(isCompleted
      ? { status: 'completed' as const, conclusion, completedAt: fields.completed_at ?? new Date().toISOString() }
      : {}),
    ...(output === undefined ? {} : outputOf(output)),
  };
}

function outputOf({ title, summary, text, annotations = [] }: Output): Partial<CheckRun> {
  for (const [field, value] of Object.entries({ summary, text })) {
    if (value === undefined || Buffer.byteLength(value) <= MAX_TEXT_BYTES) continue;
    throw invalid('CheckRun', `${field} exceeds a maximum bytesize of ${MAX_TEXT_BYTES}`, field);
  }
  for (const annotation of annotations) assertAnnotation(annotation);
  return {
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    ...(text === undefined ? {} : { text }),
    annotations,
  };
}

function assertAnnotation(annotation: Annotation): void {
  const { path, start_line: start, end_line: end, message, title } = annotation;
  const { start_column: startColumn, end_column: endColumn } = annotation;
  const refuse = (reason: string, field: string): Refused => invalid('CheckAnnotation', reason, field);
  if (path === '' || path.startsWith('/')) throw refuse('path is not relative to the repository', 'path');
  if (start < 1 || end < start) throw refuse('end_line must not be before start_line', 'end_line');
  if (start !== end && (startColumn !== undefined || endColumn !== undefined)) {
    throw refuse('columns are only for annotations of one line', 'start_column');
  }
  if (startColumn !== undefined && endColumn !== undefined && endColumn < startColumn) {
    throw refuse('end_column must not be before start_column', 'end_column');
  }
  if (message === '' || Buffer.byteLength(message) > MAX_MESSAGE_BYTES) throw refuse('message is invalid', 'message');
  if (title !== undefined && title.length > MAX_TITLE_LENGTH) throw refuse('title is too long', 'title');
}

export function checkRunJson(run: CheckRun, repository: Repository, acting: Omit<Acting, 'caller'>): Json {
  const { world, places } = acting;
  const fullName = world.fullNameOf(repository);
  const api = `${places.apiUrl}/repos/${fullName}`;
  const html = `${places.webUrl}/${fullName}/runs/${run.id}`;
  const at = (repo: Repository): Json => ({
    id: repo.id,
    url: `${places.apiUrl}/repos/${world.fullNameOf(repo)}`,
    name: repo.name,
  });
  // GitHub lists no pull request of a fork.
  const requests = world
    .pullRequests(repository)
    .filter((each) => each.headOid === run.headOid && each.headRepositoryId === repository.id);
  return {
    id: run.id,
    node_id: `CR_${run.id}`,
    name: run.name,
    head_sha: run.headOid,
    external_id: run.externalId,
    url: `${api}/check-runs/${run.id}`,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${api}/check-runs/${run.id}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: ownAppJson(acting),
    pull_requests: requests.map(({ id, number, headBranch, headOid, baseBranch, baseOid }) => ({
      id,
      number,
      url: `${api}/pulls/${number}`,
      head: { ref: headBranch, sha: headOid, repo: at(repository) },
      base: { ref: baseBranch, sha: baseOid, repo: at(repository) },
    })),
  };
}

export function annotationJson(annotation: Annotation, run: CheckRun, repository: Repository, acting: Acting): Json {
  const { world, places } = acting;
  return {
    path: annotation.path,
    blob_href: `${places.webUrl}/${world.fullNameOf(repository)}/blob/${run.headOid}/${annotation.path}`,
    start_line: annotation.start_line,
    end_line: annotation.end_line,
    start_column: annotation.start_column ?? null,
    end_column: annotation.end_column ?? null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  };
}

function ownAppJson({ world, credentials, places }: Omit<Acting, 'caller'>): Json {
  const owner = world.accounts.find(({ type }) => type === 'Organization') ?? world.bot(credentials.app.slug);
  return appJson(credentials.app, owner, world.installations.length, places);
}

export async function rerequest(
  run: CheckRun,
  what: 'check_run' | 'check_suite',
  by: Account,
  acting: Omit<Acting, 'caller'> & Announcing,
  timing: Timing,
): Promise<Sent> {
  const { world, places } = acting;
  const repository = world.repositoryById(run.repositoryId);
  if (repository === undefined) throw new Error(`Check run ${run.id} has no repository.`);
  const shown = checkRunJson(run, repository, acting);
  const suite = {
    id: run.suiteId,
    node_id: `CS_${run.suiteId}`,
    head_branch: headBranchOf(shown),
    head_sha: run.headOid,
    status: run.status,
    conclusion: run.conclusion,
    url: `${places.apiUrl}/repos/${world.fullNameOf(repository)}/check-suites/${run.suiteId}`,
    before: null,
    after: run.headOid,
    pull_requests: shown['pull_requests'],
    app: shown['app'],
    created_at: run.startedAt,
    updated_at: run.completedAt ?? run.startedAt,
  };
  const payload =
    what === 'check_run'
      ? { action: 'rerequested', check_run: { ...shown, check_suite: suite } }
      : { action: 'rerequested', check_suite: await withHead(suite, run, repository, acting) };
  return send(repository, { name: what, payload, sender: by, permission: 'checks' }, acting, timing);
}

async function withHead(
  suite: Json,
  run: CheckRun,
  repository: Repository,
  { world, places }: Announcing,
): Promise<Json> {
  const { events: _events, permissions: _permissions, ...app } = suite['app'] as Json;
  const runs = world.checkRuns(repository).filter(({ suiteId }) => suiteId === run.suiteId);
  const found = await world.git(repository).object(run.headOid);
  if (found === undefined) throw new Refused(422, `No commit found for SHA: ${run.headOid}`);
  const { tree, author, committer, message } = parseCommit(found);
  return {
    ...suite,
    app,
    latest_check_runs_count: runs.length,
    check_runs_url: `${places.apiUrl}/repos/${world.fullNameOf(repository)}/check-suites/${run.suiteId}/check-runs`,
    head_commit: {
      id: run.headOid,
      tree_id: tree,
      message,
      timestamp: committer.date.toISOString(),
      author: { name: author.name, email: author.email },
      committer: { name: committer.name, email: committer.email },
    },
  };
}

function headBranchOf(shown: Json): string | null {
  const [request] = shown['pull_requests'] as readonly { readonly head: { readonly ref: string } }[];
  return request?.head.ref ?? null;
}
