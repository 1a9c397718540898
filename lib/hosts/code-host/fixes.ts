import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { understand } from './answers.ts';
import { again, type Client, type GraphqlError } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import {
  ADD_LABELS,
  BlobAnswer,
  COMMIT,
  CREATE_REF,
  FixBranchesAnswer,
  fixBranchesQuery,
  LabelAnswer,
  OPEN_PULL,
  PullsAnswer,
  RefAnswer,
  UPDATE_PULL,
  UPDATE_REFS,
} from './fix-queries.ts';
import type {
  BranchHead,
  FixBranch,
  FixBranches,
  FixCommit,
  FixPlace,
  FixReplacement,
  FixWritten,
  FoundPull,
  NewPull,
  WriteBudget,
  WriteRefusal,
} from './port.ts';
import { toHead } from './read-repository.ts';
import type { RepositoryName } from './repository-name.ts';
import { isTreeOf } from './tree.ts';

/** With more, a query may exceed GitHub's ten seconds. */
const MAX_BRANCHES = 20;
const LABELS = ['security', 'chainbreak'];
const NO_COMMIT = '0'.repeat(40);
const MAX_LIMITED = 3;

const preparedBranchOf = (branch: string): string => `${branch}-next`;

/** Reads what exists of the fix branches. Undefined if the name now belongs to another repository. */
export async function readFixBranches(
  client: Client,
  at: RepositoryName & { readonly scmId: string },
  places: readonly FixPlace[],
  known: { readonly base: string; readonly tree: string },
): Promise<FixBranches | undefined> {
  const parts: FixBranches[] = [];
  for (let start = 0; start < Math.max(1, places.length); start += MAX_BRANCHES) {
    const part = await readPart(client, at, places.slice(start, start + MAX_BRANCHES), known);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [first] = parts as [FixBranches];
  const isUnchanged = parts.every((part) => part.isUnchanged && part.head.commit === first.head.commit);
  return { ...first, isUnchanged, branches: parts.flatMap(({ branches }) => branches) };
}

async function readPart(
  client: Client,
  { owner, name, scmId }: RepositoryName & { readonly scmId: string },
  places: readonly FixPlace[],
  { base, tree }: { readonly base: string; readonly tree: string },
): Promise<FixBranches | undefined> {
  const variables = Object.fromEntries([
    ...places.flatMap(({ file, branch }, n) => [
      [`r${n}`, `refs/heads/${branch}`],
      [`h${n}`, branch],
      [`n${n}`, `refs/heads/${preparedBranchOf(branch)}`],
      [`o${n}`, `refs/heads/${branch}:${file}`],
    ]),
    ...LABELS.map((label, n) => [`l${n}`, label]),
  ]);
  const query = fixBranchesQuery(places.length, LABELS.length);
  const { data, errors } = await again(2, async () => {
    const answer = await client.query(query, { owner, name, base, ...variables });
    const [error] = answer.errors;
    if (error !== undefined && !(error.type === 'NOT_FOUND' && error.path?.length === 1)) {
      const kind = error.type === 'FORBIDDEN' ? 'forbidden' : 'server';
      throw new CodeHostFailure(kind, `GraphQL: ${error.type ?? 'error'}`);
    }
    return answer;
  });
  if (errors.length > 0) return undefined;
  const found = understand(z.object({ repository: z.nullable(FixBranchesAnswer) }), data).repository;
  if (found === null || String(found.databaseId) !== scmId) return undefined;
  return {
    head: toHead(found, tree),
    repositoryId: found.id,
    isUnchanged: isTreeOf(tree, found),
    branches: places.map((place, n) => toBranch(place, found, n)),
    labelIds: LABELS.flatMap((_, n) => understand(LabelAnswer, found[`l${n}`])?.id ?? []),
  };
}

function toBranch(place: FixPlace, found: Readonly<Record<string, unknown>>, n: number): FixBranch {
  const ref = understand(RefAnswer, found[`r${n}`]);
  const prepared = understand(RefAnswer, found[`n${n}`]);
  const { nodes } = understand(PullsAnswer, found[`p${n}`]);
  const own = nodes.filter(({ isCrossRepository }) => !isCrossRepository);
  return {
    ...place,
    head: headOf(ref),
    blobId: understand(BlobAnswer, found[`o${n}`])?.oid,
    preparedBranch: preparedBranchOf(place.branch),
    preparedHead: headOf(prepared),
    pulls: own.map(
      (pull): FoundPull => ({
        id: pull.id,
        number: pull.number,
        url: pull.url,
        state: pull.state === 'OPEN' ? 'open' : 'closed',
        author: (pull.author?.login ?? '').replace(/\[bot\]$/, ''),
        base: pull.baseRefName,
        openedAt: pull.createdAt,
        message: pull.commits.nodes.at(-1)?.commit.message ?? '',
      }),
    ),
  };
}

function headOf(ref: z.infer<typeof RefAnswer>): BranchHead | undefined {
  if (ref?.target == null) return undefined;
  const { oid, message = '', author } = ref.target;
  return { commit: oid, message, author: author?.name ?? '', commitsAhead: ref.compare?.behindBy ?? null };
}

export interface Writing {
  readonly client: Client;
  readonly budget: WriteBudget;
  readonly installationId: string;
  readonly deadline: number;
}

export function commitFix(writing: Writing, commit: FixCommit, pull?: NewPull): Promise<FixWritten> {
  const { repositoryId, fullName, branch, expectedHead, base, file, text, headline, body } = commit;
  const move = branchInput({ repositoryId, branch, from: expectedHead, to: base });
  return write(writing, [
    ...move,
    {
      field: COMMIT,
      variable: ['commit', 'CreateCommitOnBranchInput!'],
      input: {
        branch: { repositoryNameWithOwner: fullName, branchName: branch },
        expectedHeadOid: base,
        message: { headline, body },
        fileChanges: { additions: [{ path: file, contents: Buffer.from(text).toString('base64') }] },
      },
    },
    ...(pull === undefined ? [] : [pullInput(pull)]),
  ]);
}

export function openFix(writing: Writing, pull: NewPull): Promise<FixWritten> {
  return write(writing, [pullInput(pull)]);
}

export function replaceFix(writing: Writing, change: FixReplacement): Promise<FixWritten> {
  const { repositoryId, branch, from, to, preparedBranch, pullId, text } = change;
  const refUpdates = [
    { name: `refs/heads/${branch}`, beforeOid: from, afterOid: to, force: true },
    { name: `refs/heads/${preparedBranch}`, beforeOid: to, afterOid: NO_COMMIT },
  ];
  return write(writing, [
    { field: UPDATE_REFS, variable: ['updateRefs', 'UpdateRefsInput!'], input: { repositoryId, refUpdates } },
    { field: UPDATE_PULL, variable: ['update', 'UpdatePullRequestInput!'], input: { pullRequestId: pullId, ...text } },
  ]);
}

export async function labelFixes(
  writing: Writing,
  pullIds: readonly string[],
  labels: readonly string[],
): Promise<void> {
  if (pullIds.length === 0 || labels.length === 0) return;
  const inputs = pullIds.map((id, n) => [`a${n}`, { labelableId: id, labelIds: labels }] as const);
  const variables = inputs.map(([name]) => `$${name}: AddLabelsToLabelableInput!`).join(', ');
  const mutation = `mutation LabelFixes(${variables}) {\n${ADD_LABELS(pullIds.length)}\n}`;
  await send(writing, mutation, Object.fromEntries(inputs));
}

interface Field {
  readonly field: string;
  readonly variable: readonly [name: string, type: string];
  readonly input: Readonly<Record<string, unknown>>;
}

function branchInput({
  repositoryId,
  branch,
  from,
  to,
}: {
  readonly repositoryId: string;
  readonly branch: string;
  readonly from: string | undefined;
  readonly to: string;
}): Field[] {
  const name = `refs/heads/${branch}`;
  if (from === to) return [];
  if (from === undefined) {
    return [{ field: CREATE_REF, variable: ['createRef', 'CreateRefInput!'], input: { repositoryId, name, oid: to } }];
  }
  const refUpdates = [{ name, beforeOid: from, afterOid: to, force: true }];
  return [{ field: UPDATE_REFS, variable: ['updateRefs', 'UpdateRefsInput!'], input: { repositoryId, refUpdates } }];
}

function pullInput({ repositoryId, branch, base, title, body }: NewPull): Field {
  const input = { repositoryId, baseRefName: base, headRefName: branch, title, body };
  return { field: OPEN_PULL, variable: ['pull', 'CreatePullRequestInput!'], input };
}

const Written = z.nullish(
  z.object({
    createCommitOnBranch: z.nullish(z.object({ commit: z.nullish(z.object({ oid: z.string() })) })),
    createPullRequest: z.nullish(
      z.object({
        pullRequest: z.nullish(
          z.object({ id: z.string(), number: z.number(), url: z.string(), createdAt: z.string() }),
        ),
      }),
    ),
  }),
);

async function write(writing: Writing, fields: readonly Field[]): Promise<FixWritten> {
  const variables = fields.map(({ variable: [name, type] }) => `$${name}: ${type}`).join(', ');
  const mutation = `mutation WriteFix(${variables}) {\n${fields.map(({ field }) => field).join('\n')}\n}`;
  const inputs = Object.fromEntries(fields.map(({ variable: [name], input }) => [name, input]));
  const answer = await send(writing, mutation, inputs).catch((error: unknown) => {
    if (error instanceof CodeHostFailure && error.isPassing) return undefined;
    throw error;
  });
  if (answer === undefined) return { commit: undefined, pull: undefined, refused: 'lost' };
  const { data, errors } = answer;
  const written = understand(Written, data);
  const pull = written?.createPullRequest?.pullRequest;
  const order = fields.map(({ field }) => nameOf(field));
  const [first] = [...errors].sort((a, b) => order.indexOf(String(a.path?.[0])) - order.indexOf(String(b.path?.[0])));
  return {
    commit: written?.createCommitOnBranch?.commit?.oid,
    pull: pull == null ? undefined : { id: pull.id, number: pull.number, url: pull.url, openedAt: pull.createdAt },
    refused: first === undefined ? undefined : refusalOf(first),
  };
}

/** Sends a mutation in the budget. A request refused for a limit changed nothing, so it is sent again in time. */
async function send(
  { client, budget, installationId, deadline }: Writing,
  mutation: string,
  variables: Readonly<Record<string, unknown>>,
): ReturnType<Client['query']> {
  for (let limited = 0; ; limited += 1) {
    const slot = await budget.reserve(installationId, Math.max(0, deadline - Date.now()));
    if ('exhaustedSeconds' in slot) {
      throw new CodeHostFailure('limit', 'Not sent: the budget of writes is used up.', slot.exhaustedSeconds);
    }
    if (slot.waitMs > 0) await delay(slot.waitMs);
    try {
      return await client.query(mutation, variables);
    } catch (error) {
      if (!(error instanceof CodeHostFailure) || error.kind !== 'limit') throw error;
      await budget.pause(installationId, error.retryAfterSeconds ?? 1);
      if (limited === MAX_LIMITED) throw error;
    }
  }
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf('('));
}

/** Only the first error counts: those of later fields follow from it. */
function refusalOf({ type = '', message = '', path = [] }: GraphqlError): WriteRefusal {
  if (type === 'STALE_DATA' || STALE.test(message)) return 'stale';
  if (/rule violations?|protected branch|branch protection|cannot (?:create|update) ref/i.test(message)) {
    return 'protected';
  }
  if (
    type === 'FORBIDDEN' ||
    /not accessible|without `?workflows`? permission|must have .{0,40}access/i.test(message)
  ) {
    return 'forbidden';
  }
  return [CREATE_REF, UPDATE_REFS].some((field) => nameOf(field) === path[0]) ? 'stale' : 'invalid';
}

const STALE = /already exists|expected branch to point to|no such branch|no commits between/i;
