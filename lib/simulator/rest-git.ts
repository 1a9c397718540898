import { isOf } from './credentials.ts';
import type { Repository } from './model.ts';
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

function refusal({ caller, world }: RestRequest, repository: Repository, permission: string): Answer | undefined {
  if (caller.kind === 'installation') {
    const may = isOf(caller, repository, world) && caller.permissions[permission] === 'write';
    return may ? undefined : lacks(`${permission}=write`);
  }
  if (caller.kind !== 'user') return NEEDS_TOKEN;
  const access = world.access(repository, caller.account.id);
  return access === 'write' || access === 'admin' ? undefined : refuse(404, 'Not Found');
}
