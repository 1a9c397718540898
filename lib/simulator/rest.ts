import { isOf } from './credentials.ts';
import { commitJson, repositoryJson, securityJson } from './representations.ts';
import { type Answer, type Handler, NOT_FOUND, type RestRequest, withRepository } from './rest-answer.ts';
import { APP_HANDLERS } from './rest-app.ts';
import { GIT_HANDLERS } from './rest-git.ts';
import { PEOPLE_HANDLERS } from './rest-people.ts';
import { SETTINGS_HANDLERS } from './rest-settings.ts';

export function answerRest(request: RestRequest): Answer | Promise<Answer> | undefined {
  const { method, path } = request.operation;
  return HANDLERS[`${method} ${path}`]?.(request);
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  ...APP_HANDLERS,
  ...GIT_HANDLERS,
  ...PEOPLE_HANDLERS,
  ...SETTINGS_HANDLERS,

  'GET /repos/{owner}/{repo}': withRepository(({ caller, world, places }, repository) => {
    const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
    const isInstalled = caller.kind === 'installation' && isOf(caller, repository, world);
    const mayAdminister = access === 'admin' || (isInstalled && caller.permissions['administration'] !== undefined);
    const body = repositoryJson(repository, access, world, places);
    return { status: 200, body: mayAdminister ? { ...body, ...securityJson(repository) } : body };
  }),

  'GET /repos/{owner}/{repo}/compare/{basehead}': withRepository(async (request, repository) => {
    const { parameters, world, places } = request;
    const [base = '', head = ''] = (parameters['basehead'] ?? '').split('...');
    const git = world.git(repository);
    const compared = await git.compare(base, head);
    if (compared === undefined) return NOT_FOUND;
    const { ahead, behind, mergeBase } = compared;
    const status = ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical';
    const [own, shared] = await Promise.all([git.object(base), git.object(mergeBase)]);
    const fullName = world.fullNameOf(repository);
    const url = `${places.apiUrl}/repos/${fullName}/compare/${base}...${head}`;
    const page = `${places.webUrl}/${fullName}/compare/${base}...${head}`;
    const body = {
      url,
      html_url: page,
      permalink_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      base_commit: commitJson(own, fullName, places),
      merge_base_commit: commitJson(shared, fullName, places),
      status,
      ahead_by: ahead,
      behind_by: behind,
      total_commits: ahead,
      commits: [],
    };
    return { status: 200, body };
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
