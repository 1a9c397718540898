import { isOf } from './credentials.ts';
import { repositoryJson } from './representations.ts';
import { type Answer, type Handler, lacks, type RestRequest, refuse, withRepository } from './rest-answer.ts';
import { APP_HANDLERS } from './rest-app.ts';
import { PEOPLE_HANDLERS } from './rest-people.ts';

/** Answers one operation; undefined when GitHub has it and nobody simulates it. */
export function answerRest(request: RestRequest): Answer | undefined {
  const { method, path } = request.operation;
  return HANDLERS[`${method} ${path}`]?.(request);
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  ...APP_HANDLERS,
  ...PEOPLE_HANDLERS,

  'GET /repos/{owner}/{repo}': withRepository(({ caller, world, places }, repository) => {
    const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
    return { status: 200, body: repositoryJson(repository, access, world, places) };
  }),

  'GET /repos/{owner}/{repo}/actions/permissions/workflow': withRepository(({ caller, world }, repository) => {
    if (caller.kind === 'installation') {
      if (!isOf(caller, repository, world) || caller.permissions['administration'] === undefined) {
        return lacks('administration=read');
      }
    } else if (caller.kind !== 'user' || world.access(repository, caller.account.id) !== 'admin') {
      return refuse(403, 'Must have admin rights to Repository.');
    }
    const { defaultPermissions, canApprovePullRequests } = repository.workflowSettings;
    const body = {
      default_workflow_permissions: defaultPermissions,
      can_approve_pull_request_reviews: canApprovePullRequests,
    };
    return { status: 200, body };
  }),

  'GET /rate_limit': () => {
    const rate = { limit: 5_000, remaining: 4_999, used: 1, reset: Math.ceil(Date.now() / 1000) + 3_600 };
    return { status: 200, body: { resources: { core: rate, search: rate, graphql: rate }, rate } };
  },
};
