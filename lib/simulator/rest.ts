import { isOf } from './credentials.ts';
import { repositoryJson, securityJson } from './representations.ts';
import { type Answer, type Handler, type RestRequest, withRepository } from './rest-answer.ts';
import { APP_HANDLERS } from './rest-app.ts';
import { PEOPLE_HANDLERS } from './rest-people.ts';
import { SETTINGS_HANDLERS } from './rest-settings.ts';

/** Answers one operation; undefined when GitHub has it and nobody simulates it. */
export function answerRest(request: RestRequest): Answer | undefined {
  const { method, path } = request.operation;
  return HANDLERS[`${method} ${path}`]?.(request);
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  ...APP_HANDLERS,
  ...PEOPLE_HANDLERS,
  ...SETTINGS_HANDLERS,

  'GET /repos/{owner}/{repo}': withRepository(({ caller, world, places }, repository) => {
    const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
    const isInstalled = caller.kind === 'installation' && isOf(caller, repository, world);
    const mayAdminister = access === 'admin' || (isInstalled && caller.permissions['administration'] !== undefined);
    const body = repositoryJson(repository, access, world, places);
    return { status: 200, body: mayAdminister ? { ...body, ...securityJson(repository) } : body };
  }),

  'GET /rate_limit': () => {
    const rate = { limit: 5_000, remaining: 4_999, used: 1, reset: Math.ceil(Date.now() / 1000) + 3_600 };
    return { status: 200, body: { resources: { core: rate, search: rate, graphql: rate }, rate } };
  },
};
