import type { IncomingMessage } from 'node:http';
import type { Fault, Faults } from './faults.ts';
import { type FileChanges, isBranch, isPath } from './git.ts';
import type { People } from './people.ts';
import { push } from './push.ts';
import { Refused, sentenceOf } from './refused.ts';
import type { Places } from './representations.ts';
import { parseObject, readBody, textOf } from './request.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

interface Controlled {
  readonly world: World;
  readonly webhooks: Webhooks;
  readonly host: {
    readonly log: readonly unknown[];
    readonly violations: readonly string[];
    readonly faults: Faults;
    readonly places: Places;
    readonly people: People;
  };
}

interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

export async function answerControl(
  request: IncomingMessage,
  method: string,
  path: string,
  controlled: Controlled,
): Promise<ControlAnswer> {
  const { world, host } = controlled;
  // Refuses web pages, whose requests always carry an origin.
  if (request.headers.origin !== undefined) return { status: 403, body: { message: 'Not for pages' } };
  switch (`${method} ${path}`) {
    case 'GET /_sim/health':
      return { status: 200, body: { status: 'ok', repositories: world.repositories.length } };
    case 'GET /_sim/log':
      return { status: 200, body: host.log };
    case 'GET /_sim/violations':
      return { status: 200, body: host.violations };
    case 'POST /_sim/faults':
      host.faults.add(JSON.parse(textOf(await readBody(request))) as Fault);
      return { status: 201, body: {} };
    case 'POST /_sim/push':
      return pushFiles(parseObject(textOf(await readBody(request))), controlled);
    case 'POST /_sim/pull':
      return openPull(parseObject(textOf(await readBody(request))), host.people);
    case 'POST /_sim/rerequest':
      return rerequest(parseObject(textOf(await readBody(request))), host.people);
    case 'POST /_sim/merge':
    case 'POST /_sim/close':
    case 'POST /_sim/reopen':
      return decide(path.slice('/_sim/'.length), parseObject(textOf(await readBody(request))), host.people);
    default:
      return { status: 404, body: { message: 'Not Found' } };
  }
}

const PULL_FIELDS = 'Expected {repository, title, head, base?, body?, actor?}.';
const DECISION_FIELDS = 'Expected {repository, number, actor?} and, to merge, {method?, delete_branch?}.';

async function openPull(body: Record<string, unknown> | undefined, people: People): Promise<ControlAnswer> {
  const { repository, title, head, base, body: text, actor, ...unknown } = body ?? {};
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isOptional = (value: unknown): value is string | undefined => value === undefined || isText(value);
  const refusal = { status: 400, body: { message: PULL_FIELDS } };
  if (!isText(repository) || !isText(title) || !isText(head) || Object.keys(unknown).length > 0) return refusal;
  if (!isOptional(base) || !isOptional(text) || !isOptional(actor)) return refusal;
  return answering(async () => {
    const { number, headOid } = await people.open(repository, {
      title,
      head,
      ...(base === undefined ? {} : { base }),
      ...(text === undefined ? {} : { body: text }),
      ...(actor === undefined ? {} : { by: actor }),
    });
    return { number, head: headOid };
  });
}

async function decide(
  decision: string,
  body: Record<string, unknown> | undefined,
  people: People,
): Promise<ControlAnswer> {
  const { repository, number, actor, method = 'merge', delete_branch: deleteBranch = false, ...unknown } = body ?? {};
  const isKnown = typeof repository === 'string' && Number.isInteger(number) && Object.keys(unknown).length === 0;
  const isMethod = method === 'merge' || method === 'squash';
  if (!isKnown || !isMethod || typeof deleteBranch !== 'boolean') {
    return { status: 400, body: { message: DECISION_FIELDS } };
  }
  const by = typeof actor === 'string' ? { by: actor } : {};
  const options = { ...by, method, deleteBranch } as const;
  return answering(async () => {
    const decided =
      decision === 'merge'
        ? people.merge(repository, Number(number), options)
        : decision === 'close'
          ? people.close(repository, Number(number), by)
          : people.reopen(repository, Number(number), by);
    const { request, deliveries } = await decided;
    return { state: request.state, merged: request.mergedAt !== null, commit: request.mergeCommit, deliveries };
  });
}

async function rerequest(body: Record<string, unknown> | undefined, people: People): Promise<ControlAnswer> {
  const { repository, check_run: run, suite = false, ...unknown } = body ?? {};
  const isKnown = typeof repository === 'string' && Number.isInteger(run) && typeof suite === 'boolean';
  if (!isKnown || Object.keys(unknown).length > 0) {
    return { status: 400, body: { message: 'Expected {repository, check_run, suite?}.' } };
  }
  return answering(async () => ({
    deliveries: (await people.rerequest(repository, Number(run), { suite })).deliveries,
  }));
}

async function answering(act: () => Promise<unknown>): Promise<ControlAnswer> {
  try {
    return { status: 201, body: await act() };
  } catch (error) {
    const status = error instanceof Refused ? error.status : 404;
    const message = error instanceof Refused ? sentenceOf(error) : error instanceof Error ? error.message : '';
    return { status, body: { message } };
  }
}

const FIELDS = 'Expected {repository, files, message?, branch?, actor?}.';

async function pushFiles(
  body: Record<string, unknown> | undefined,
  { world, webhooks, host }: Controlled,
): Promise<ControlAnswer> {
  const refuse = (status: number, message: string): ControlAnswer => ({ status, body: { message } });
  const { repository: name, files, message, branch, actor, ...unknown } = body ?? {};
  const isOptional = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';
  if (typeof name !== 'string' || !isFiles(files) || Object.keys(unknown).length > 0) return refuse(400, FIELDS);
  if (!isOptional(message) || !isOptional(branch) || !isOptional(actor)) return refuse(400, FIELDS);
  const wrong = Object.keys(files).find((path) => !isPath(path));
  if (wrong !== undefined) return refuse(400, `"${wrong}" is no path of a file.`);
  if (branch !== undefined && !isBranch(branch)) return refuse(400, `"${branch}" is no name of a branch.`);
  const repository = world.repository(name);
  if (repository === undefined) return refuse(404, `There is no repository "${name}".`);
  const by = actor === undefined ? undefined : world.account(actor);
  if (actor !== undefined && by === undefined) return refuse(404, `There is no account "${actor}".`);
  const change = {
    files,
    keepOthers: true,
    ...(message === undefined ? {} : { message }),
    ...(branch === undefined ? {} : { branch }),
    ...(by === undefined ? {} : { by }),
  };
  const { before, after, deliveries } = await push(repository, change, { world, webhooks, places: host.places });
  return { status: 201, body: { before, after, deliveries } };
}

function isFiles(value: unknown): value is FileChanges & Readonly<Record<string, string | null>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const contents: unknown[] = Object.values(value);
  return contents.length > 0 && contents.every((content) => content === null || typeof content === 'string');
}
