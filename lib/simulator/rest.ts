import { isOf } from './credentials.ts';
import { Refused } from './refused.ts';
import { repositoryJson, securityJson } from './representations.ts';
import { type Answer, answerRefused, type Handler, type RestRequest, withRepository } from './rest-answer.ts';
import { APP_HANDLERS } from './rest-app.ts';
import { CHECK_HANDLERS } from './rest-checks.ts';
import { COMMIT_HANDLERS } from './rest-commits.ts';
import { GIT_HANDLERS } from './rest-git.ts';
import { PEOPLE_HANDLERS } from './rest-people.ts';
import { PULL_HANDLERS } from './rest-pulls.ts';
import { SETTINGS_HANDLERS } from './rest-settings.ts';

export async function answerRest(request: RestRequest): Promise<Answer | undefined> {
  const { method, path } = request.operation;
  try {
    return await HANDLERS[`${method} ${path}`]?.(request);
  } catch (error) {
    if (error instanceof Refused) return answerRefused(error);
    throw error;
  }
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  ...APP_HANDLERS,
  ...CHECK_HANDLERS,
  ...COMMIT_HANDLERS,
  ...GIT_HANDLERS,
  ...PEOPLE_HANDLERS,
  ...PULL_HANDLERS,
  ...SETTINGS_HANDLERS,

  'GET /repos/{owner}/{repo}': withRepository(({ caller, world, places }, repository) => {
    const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
    const isInstalled = caller.kind === 'installation' && isOf(caller, repository, world);
    const mayAdminister = access === 'admin' || (isInstalled && caller.permissions['administration'] !== undefined);
    const body = repositoryJson(repository, access, world, places);
    return { status: 200, body: mayAdminister ? { ...body, ...securityJson(repository) } : body };
  }),

  'GET /advisories': ({ query, world }) => {
    const ecosystem = query.get('ecosystem');
    const affects = query.get('affects')?.toLowerCase() ?? null;
    const all = world.advisories.filter(({ vulnerabilities }) =>
      (vulnerabilities as { package: { ecosystem: string; name: string } }[]).some(
        (each) =>
          (ecosystem === null || each.package.ecosystem === ecosystem) &&
          (affects === null || each.package.name.toLowerCase() === affects),
      ),
    );
    const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30)));
    return { status: 200, body: all.slice(0, size) };
  },

  'GET /rate_limit': () => {
    const rate = { limit: 5_000, remaining: 4_999, used: 1, reset: Math.ceil(Date.now() / 1000) + 3_600 };
    return { status: 200, body: { resources: { core: rate, search: rate, graphql: rate }, rate } };
  },
};
