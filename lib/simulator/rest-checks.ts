import { assertMayRead } from './acting.ts';
import { commitAt } from './branches.ts';
import { annotationJson, checkRunJson, createCheckRun, updateCheckRun } from './check-runs.ts';
import type { CheckRun, Repository } from './model.ts';
import {
  type Answer,
  type Handler,
  NOT_FOUND,
  paginate,
  type RestRequest,
  refuse,
  withRepository,
} from './rest-answer.ts';

export const CHECK_HANDLERS: Readonly<Record<string, Handler>> = {
  'POST /repos/{owner}/{repo}/check-runs': withRepository(async (request, repository) => {
    const run = await createCheckRun(request, repository, request.body);
    return { status: 201, body: checkRunJson(run, repository, request) };
  }),

  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}': withCheckRun((request, repository, run) => ({
    status: 200,
    body: checkRunJson(run, repository, request),
  })),

  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': withCheckRun((request, repository, run) => {
    updateCheckRun(request, repository, run, request.body);
    return { status: 200, body: checkRunJson(run, repository, request) };
  }),

  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations': withCheckRun((request, repository, run) => {
    const { page, headers } = paginate(run.annotations, request);
    return { status: 200, body: page.map((each) => annotationJson(each, run, repository, request)), headers };
  }),

  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': withRepository(async (request, repository) => {
    assertMayRead(request, repository, 'checks');
    const { parameters, query, world, credentials } = request;
    const ref = parameters['ref'] ?? '';
    const oid = await commitAt(world.git(repository), ref);
    if (oid === undefined) return refuse(422, `No commit found for SHA: ${ref}`);
    const name = query.get('check_name');
    const status = query.get('status');
    const isOwn = query.get('app_id') === null || Number(query.get('app_id')) === credentials.app.id;
    const all = world.checkRuns(repository).filter(({ headOid }) => isOwn && headOid === oid);
    const newest = new Map(all.map((run) => [run.name, run]));
    const found = (query.get('filter') === 'all' ? all : [...newest.values()])
      .filter((run) => name === null || run.name === name)
      .filter((run) => status === null || run.status === status)
      .reverse();
    const { page, headers } = paginate(found, request);
    const runs = page.map((run) => checkRunJson(run, repository, request));
    return { status: 200, body: { total_count: found.length, check_runs: runs }, headers };
  }),
};

function withCheckRun(
  handler: (request: RestRequest, repository: Repository, run: CheckRun) => Answer | Promise<Answer>,
): Handler {
  return withRepository((request, repository) => {
    assertMayRead(request, repository, 'checks');
    const id = Number(request.parameters['check_run_id']);
    const run = request.world.checkRuns(repository).find((each) => each.id === id);
    return run === undefined ? NOT_FOUND : handler(request, repository, run);
  });
}
