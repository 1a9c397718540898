import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  defaultFieldResolver,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import type { Acting } from './acting.ts';
import { type Caller, isOf } from './credentials.ts';
import { type Objects, parseTree, type Ref, type TreeEntry } from './git.ts';
import { commitFields, dateOf, ownerFields, type Source } from './graphql-commits.ts';
import { type Context, type Fields, repositoryOf } from './graphql-context.ts';
import { mutationFields } from './graphql-mutations.ts';
import { pullRequestFields, pullRequestOf, pullsFields } from './graphql-pulls.ts';
import { branchSettingsFields, type SettingsView, settingsFields } from './graphql-settings.ts';
import type { Repository } from './model.ts';
import type { GitObject } from './object-reader.ts';
import { Refused, sentenceOf } from './refused.ts';
import { refId } from './representations.ts';
import type { World } from './world.ts';

/** GitHub truncates the text of a blob after this many bytes. */
const MAX_TEXT_BYTES = 512_000;
/** git treats a file as binary if its first bytes contain a NUL. */
const SNIFFED_BYTES = 8_000;
const MAX_NODES = 100;
const SDL = 'node_modules/@octokit/graphql-schema/schema.graphql';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

export interface GraphqlAnswer {
  readonly body: { data?: unknown; errors?: readonly unknown[] };
  readonly operation: string | undefined;
  readonly notSimulated: readonly string[];
}

let schema: GraphQLSchema | undefined;
/** Lazy, since building the schema takes 250 ms. */
function githubSchema(): GraphQLSchema {
  schema ??= buildSchema(readFileSync(SDL, 'utf8'), { assumeValidSDL: true, noLocation: true });
  return schema;
}

const documents = new Map<string, { document: DocumentNode; errors: readonly GraphQLError[] }>();

export async function answerQuery(
  { query, variables, operationName }: GraphqlRequest,
  acting: Acting,
): Promise<GraphqlAnswer> {
  const { caller, world, places } = acting;
  let prepared: ReturnType<typeof prepare>;
  try {
    prepared = prepare(query);
  } catch (error) {
    const body = { errors: [{ message: error instanceof Error ? error.message : 'Parse error' }] };
    return { body, operation: undefined, notSimulated: [] };
  }
  const definition = getOperationAST(prepared.document, operationName);
  const operation = definition?.name?.value;
  if (prepared.errors.length > 0) {
    return { body: { errors: prepared.errors.map((error) => error.toJSON()) }, operation, notSimulated: [] };
  }
  const context: Context = {
    acting,
    world,
    webUrl: places.webUrl,
    canSee: (repository) => canSee(caller, repository, world),
    canRead: (repository) => canReadContents(caller, repository),
    viewOf: (repository) => viewOf(caller, repository, world),
    repositoryFields: (repository) => repositoryFields(repository, context),
    objectFields: (object, repository) => objectFields(object, sourceOf(repository, context), ''),
    refFields: (ref, repository) => refFields(ref, 'refs/heads/', sourceOf(repository, context)),
    notSimulated: new Set(),
  };
  const { data, errors } = await execute({
    schema: githubSchema(),
    document: prepared.document,
    rootValue: definition?.operation === OperationTypeNode.MUTATION ? mutationFields(context) : rootFields(context),
    contextValue: context,
    variableValues: variables,
    operationName: operationName ?? null,
    fieldResolver: strictResolver,
  });
  for (const { originalError, message } of errors ?? []) {
    const isExpected = originalError instanceof Refused || originalError instanceof GraphQLError;
    if (originalError !== undefined && !isExpected) context.notSimulated.add(`failure: ${message}`);
  }
  const body = { data, ...(errors === undefined ? {} : { errors: errors.map(toGithubError) }) };
  return { body, operation, notSimulated: [...context.notSimulated] };
}

function prepare(query: string): { document: DocumentNode; errors: readonly GraphQLError[] } {
  let prepared = documents.get(query);
  if (prepared === undefined) {
    const document = parse(query, { maxTokens: 20_000 });
    prepared = { document, errors: validate(githubSchema(), document) };
    if (documents.size > 100) documents.clear();
    documents.set(query, prepared);
  }
  return prepared;
}

/** graphql-js would answer null for a missing field and hide the gap. */
const strictResolver: GraphQLFieldResolver<unknown, Context> = (source, args, context, info) => {
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, info.fieldName)) {
    const name = `${info.parentType.name}.${info.fieldName}`;
    context.notSimulated.add(name);
    throw new GraphQLError(`${name} is not simulated.`);
  }
  return defaultFieldResolver(source, args, context, info);
};

export function canSee(caller: Caller, repository: Repository, world: World): boolean {
  switch (caller.kind) {
    case 'user':
      return world.access(repository, caller.account.id) !== 'none';
    case 'installation':
      return repository.visibility === 'public' || isOf(caller, repository, world);
    case 'app':
    case 'anonymous':
      return false;
  }
}

function canReadContents(caller: Caller, { visibility }: Repository): boolean {
  return caller.kind !== 'installation' || visibility === 'public' || caller.permissions['contents'] !== undefined;
}

function viewOf(caller: Caller, repository: Repository, world: World): SettingsView {
  const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
  const owner = world.ownerOf(repository);
  const members = world.accounts.filter(({ id }) => world.roleIn(owner.id, id) !== undefined).length;
  return {
    mayAdminister:
      access === 'admin' ||
      (caller.kind === 'installation' &&
        isOf(caller, repository, world) &&
        caller.permissions['administration'] !== undefined),
    isInstallation: caller.kind === 'installation',
    permission: access === undefined || access === 'none' ? null : access.toUpperCase(),
    isInOrganization: owner.type === 'Organization',
    people: owner.type === 'Organization' ? members : 1,
  };
}

function toGithubError(error: GraphQLError): Record<string, unknown> {
  const { message, path, locations }: GraphQLFormattedError = error.toJSON();
  const { originalError } = error;
  if (originalError instanceof Refused) {
    return { type: originalError.type, path, locations, message: sentenceOf(originalError) };
  }
  const type = error.extensions['type'];
  return { ...(type === undefined ? {} : { type }), path, locations, message };
}

function rootFields(context: Context): Fields {
  return {
    rateLimit: () => ({
      __typename: 'RateLimit',
      cost: 1,
      limit: 5_000,
      remaining: 4_999,
      used: 1,
      nodeCount: 0,
      resetAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    node: ({ id }: { readonly id: string }) => nodeFields(id, context),
    nodes: ({ ids }: { readonly ids: readonly string[] }) => {
      if (ids.length > MAX_NODES)
        throw new GraphQLError(`You may not provide more than ${MAX_NODES} node ids; you provided ${ids.length}.`);
      return ids.map((id) => {
        try {
          return nodeFields(id, context);
        } catch (error) {
          return error;
        }
      });
    },
    repositoryOwner: ({ login }: { login: string }) => {
      const account = context.world.account(login);
      return account === undefined ? null : ownerFields(account);
    },
    repository: ({ owner, name, followRenames }: { owner: string; name: string; followRenames: boolean }) => {
      const found = context.world.repository(`${owner}/${name}`, followRenames);
      if (found !== undefined && context.canSee(found)) return repositoryFields(found, context);
      throw new GraphQLError(`Could not resolve to a Repository with the name '${owner}/${name}'.`, {
        extensions: { type: 'NOT_FOUND' },
      });
    },
  };
}

function nodeFields(id: string, context: Context): Fields {
  if (id.startsWith('PR_')) return pullRequestFields(pullRequestOf(id, context), context);
  return repositoryFields(repositoryOf(id, context), context);
}

function sourceOf(repository: Repository, { world, webUrl }: Context): Source {
  return { git: world.git(repository), world, repository, webUrl };
}

function repositoryFields(repository: Repository, context: Context): Fields {
  const { world, webUrl, canRead, viewOf } = context;
  const view = viewOf(repository);
  const source = sourceOf(repository, context);
  const { git } = source;
  const fullName = world.fullNameOf(repository);
  const branch = `refs/heads/${repository.defaultBranch}`;
  const assertReadable = (): void => {
    if (canRead(repository)) return;
    throw new GraphQLError('Resource not accessible by integration', { extensions: { type: 'FORBIDDEN' } });
  };
  const object = async (revision: string): Promise<Fields | null> => {
    assertReadable();
    const found = await git.object(revision);
    return found === undefined ? null : objectFields(found, source, /:(.*)$/.exec(revision)?.[1] ?? '');
  };
  return {
    __typename: 'Repository',
    id: `R_${repository.id}`,
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: fullName,
    url: `${webUrl}/${fullName}`,
    description: repository.description,
    visibility: repository.visibility.toUpperCase(),
    isPrivate: repository.visibility !== 'public',
    isArchived: repository.archived,
    isDisabled: repository.disabled,
    isFork: repository.fork,
    isEmpty: async () => (await git.object(branch)) === undefined,
    pushedAt: repository.pushedAt,
    createdAt: repository.createdAt,
    stargazerCount: repository.stars,
    owner: ownerFields(world.ownerOf(repository)),
    defaultBranchRef: async () => {
      assertReadable();
      const head = await git.object(branch);
      if (head === undefined) return null;
      return {
        __typename: 'Ref',
        id: refId(repository, branch),
        name: repository.defaultBranch,
        prefix: 'refs/heads/',
        target: () => objectFields(head, source, ''),
        ...branchSettingsFields(repository, view),
      };
    },
    object: ({ expression, oid }: { expression?: string; oid?: string }) => object(expression ?? oid ?? ''),
    ...settingsFields(repository, view),
    ...pullsFields(repository, context),
    ref: async ({ qualifiedName }: { qualifiedName: string }) => {
      assertReadable();
      const prefix = PREFIXES.find((each) => qualifiedName.startsWith(each));
      const name = qualifiedName.slice(prefix?.length ?? 0);
      const found = prefix === undefined ? undefined : (await git.refs(prefix)).find((ref) => ref.name === name);
      return prefix === undefined || found === undefined ? null : refFields(found, prefix, source);
    },
    refs: async ({ refPrefix, first, after }: { refPrefix: string; first?: number; after?: string | null }) => {
      assertReadable();
      const prefix = PREFIXES.find((each) => each === refPrefix);
      if (prefix === undefined) throw new GraphQLError('Only branches and tags are simulated.');
      return connectionFields(await refsNewestFirst(git, prefix), prefix, source, { first, after });
    },
  };
}

const PREFIXES = ['refs/heads/', 'refs/tags/'] as const;
type Prefix = (typeof PREFIXES)[number];

async function refsNewestFirst(git: Objects, prefix: Prefix): Promise<readonly Ref[]> {
  const dated = await Promise.all(
    (await git.refs(prefix)).map(async (ref) => ({ ref, date: dateOf(await peeled(git, ref.oid)) })),
  );
  return dated.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0)).map(({ ref }) => ref);
}

function connectionFields(
  all: readonly Ref[],
  prefix: Prefix,
  source: Source,
  { first = 100, after }: { readonly first?: number | undefined; readonly after?: string | null | undefined },
): Fields {
  const start = after == null ? 0 : Number(after) + 1;
  const shown = all.slice(start, start + Math.min(100, first));
  const last = start + shown.length;
  return {
    __typename: 'RefConnection',
    totalCount: all.length,
    nodes: shown.map((ref) => refFields(ref, prefix, source)),
    pageInfo: {
      __typename: 'PageInfo',
      hasNextPage: last < all.length,
      endCursor: shown.length === 0 ? null : String(last - 1),
    },
  };
}

function refFields({ name, oid }: Ref, prefix: Prefix, source: Source): Fields {
  return {
    __typename: 'Ref',
    id: refId(source.repository, `${prefix}${name}`),
    name,
    prefix,
    target: async () => {
      const found = await source.git.object(oid);
      return found === undefined ? null : objectFields(found, source, '');
    },
    compare: async ({ headRef }: { readonly headRef: string }) => {
      const head = (await source.git.object(`refs/heads/${headRef}`))?.oid;
      const compared = head === undefined ? undefined : await source.git.compare(oid, head);
      if (compared === undefined) return null;
      const { ahead, behind } = compared;
      return { __typename: 'Comparison', aheadBy: ahead, behindBy: behind };
    },
  };
}

async function peeled(git: Objects, oid: string): Promise<GitObject | undefined> {
  const found = await git.object(oid);
  const [, target] = found?.type === 'tag' ? (/^object ([0-9a-f]{40})$/m.exec(found.content.toString()) ?? []) : [];
  return target === undefined ? found : peeled(git, target);
}

function objectFields(object: GitObject, source: Source, path: string): Fields {
  const { oid, type, content } = object;
  const { git } = source;
  const common = { id: `O_${oid}`, oid, abbreviatedOid: oid.slice(0, 7) };
  switch (type) {
    case 'blob': {
      const isBinary = content.subarray(0, SNIFFED_BYTES).includes(0);
      return {
        __typename: 'Blob',
        ...common,
        byteSize: content.length,
        isBinary,
        isTruncated: content.length > MAX_TEXT_BYTES,
        text: isBinary ? null : content.toString('utf8', 0, MAX_TEXT_BYTES),
      };
    }
    case 'tree':
      return {
        __typename: 'Tree',
        ...common,
        entries: () => parseTree(content).map((entry) => entryFields(entry, source, path)),
      };
    case 'commit':
      return { ...common, ...commitFields(object, source) };
    case 'tag':
      return {
        __typename: 'Tag',
        ...common,
        target: async () => {
          const target = await git.object(/^object ([0-9a-f]{40})$/m.exec(content.toString())?.[1] ?? '');
          if (target === undefined) throw new GraphQLError('A tag names an object that is not there.');
          return objectFields(target, source, '');
        },
      };
  }
}

function entryFields({ mode, name, oid, type }: TreeEntry, source: Source, folder: string): Fields {
  const path = folder === '' ? name : `${folder}/${name}`;
  return {
    __typename: 'TreeEntry',
    name,
    path,
    mode,
    oid,
    type,
    object: async () => {
      const found = type === 'commit' ? undefined : await source.git.object(oid);
      return found === undefined ? null : objectFields(found, source, path);
    },
  };
}
