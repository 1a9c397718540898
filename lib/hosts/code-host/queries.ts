import * as z from 'zod/mini';
import { Id } from './answers.ts';
import { isRef } from './repository-name.ts';

export const HEAD = `fragment Head on Repository {
  databaseId nameWithOwner url visibility isArchived isFork isDisabled isEmpty
  defaultBranchRef { name target { oid } }
}`;

/**
 * Reads workflows with their text, and the names of other files, in one request. `object` is not a connection, so the
 * query costs one point. Modes identify symbolic links, whose text is their target.
 */
function filesQuery(name: string, revision: string, variables = '', fields = ''): string {
  return `query ${name}($owner: String!, $name: String!${variables}) {
  repository(owner: $owner, name: $name) {
    ...Head
    root: object(expression: "${revision}:") { oid ... on Tree { entries { name mode type } } }
    github: object(expression: "${revision}:.github") { oid ... on Tree { entries { name mode type } } }
    workflows: object(expression: "${revision}:.github/workflows") {
      ... on Tree { entries { name mode type object { ...Content } } }
    }
    actions: object(expression: "${revision}:.github/actions") {
      ... on Tree { entries { name mode type object {
        ... on Tree { entries { name mode type object { ... on Tree { entries { name mode type } } } } }
      } } }
    }
    actionYml: object(expression: "${revision}:action.yml") { oid ...Content }
    actionYaml: object(expression: "${revision}:action.yaml") { oid ...Content }
    dependabotYml: object(expression: "${revision}:.github/dependabot.yml") { ...Content }
    dependabotYaml: object(expression: "${revision}:.github/dependabot.yaml") { ...Content }
    configYml: object(expression: "${revision}:.github/chainbreak.yml") { ...Content }
    configYaml: object(expression: "${revision}:.github/chainbreak.yaml") { ...Content }
${fields}  }
}
${HEAD}
fragment Content on Blob { byteSize isBinary isTruncated text }`;
}

export const FILES_QUERY = filesQuery('RepositoryFiles', 'HEAD');

/** Like `FILES_QUERY`, at a branch, tag or commit. Throws a RangeError for other text, which could change the query. */
export function refFilesQuery(ref: string): string {
  if (!isRef(ref)) throw new RangeError('not a branch, tag or commit');
  const at = `    at: object(expression: "${ref}") { type: __typename oid ... on Tag { target { type: __typename oid } } }\n`;
  return filesQuery('RepositoryFiles', ref, '', at);
}

/**
 * Like `FILES_QUERY`, at the commit `commit`, and reads `count` files at the commit `other`, whose expressions are
 * variables. Both arguments are commit SHAs.
 */
export function changeFilesQuery(commit: string, other: string, count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const variables = numbers.map((number) => `, $c${number}: String!`).join('');
  const names = `    headWorkflows: object(expression: "${other}:.github/workflows") { ... on Tree { entries { name mode type } } }\n`;
  const contents = numbers.map((number) => `    c${number}: object(expression: $c${number}) { ...Content }\n`).join('');
  return filesQuery('ChangedFiles', commit, variables, names + contents);
}

export const PROBE_QUERY = `query RepositoryProbe($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    ...Head
    root: object(expression: "HEAD:") { oid }
    github: object(expression: "HEAD:.github") { oid }
    actionYml: object(expression: "HEAD:action.yml") { oid }
    actionYaml: object(expression: "HEAD:action.yaml") { oid }
  }
}
${HEAD}`;

export function moreFilesQuery(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const variables = numbers.map((number) => `$p${number}: String!`).join(', ');
  const fields = numbers.map((number) => `p${number}: object(expression: $p${number}) { ...Content }`).join('\n');
  return `query MoreFiles($owner: String!, $name: String!, ${variables}) {
  repository(owner: $owner, name: $name) {
${fields}
  }
}
fragment Content on Blob { byteSize isBinary isTruncated text }`;
}

const content = {
  byteSize: z.optional(z.number()),
  isBinary: z.optional(z.nullable(z.boolean())),
  isTruncated: z.optional(z.boolean()),
  text: z.optional(z.nullable(z.string())),
};
export const Content = z.nullable(z.object(content));
export type Content = z.infer<typeof Content>;

const entry = { name: z.string(), mode: z.number(), type: z.string() };

function entriesOf<T extends z.core.$ZodType>(item: T) {
  return { entries: z.optional(z.nullable(z.array(item))) };
}

function folder<T extends z.core.$ZodType>(item: T) {
  return z.nullable(z.object(entriesOf(item)));
}

const oid = { oid: z.string() };
export const Oid = z.nullable(z.object(oid));
export const Names = folder(z.object(entry));
const NamesWithOid = z.nullable(z.object({ ...oid, ...entriesOf(z.object(entry)) }));
const ContentWithOid = z.nullable(z.object({ ...oid, ...content }));

export const head = {
  databaseId: z.nullable(Id),
  nameWithOwner: z.string(),
  url: z.string(),
  visibility: z.enum(['PUBLIC', 'PRIVATE', 'INTERNAL']),
  isArchived: z.boolean(),
  isFork: z.boolean(),
  isDisabled: z.boolean(),
  isEmpty: z.boolean(),
  defaultBranchRef: z.nullable(z.object({ name: z.string(), target: Oid })),
};

export const ProbeAnswer = z.object({
  repository: z.nullable(z.object({ ...head, root: Oid, github: Oid, actionYml: Oid, actionYaml: Oid })),
});
export type ProbedRepository = NonNullable<z.infer<typeof ProbeAnswer>['repository']>;

const named = { type: z.string(), oid: z.string() };

export const FilesAnswer = z.object({
  repository: z.nullable(
    z.object({
      ...head,
      at: z.optional(z.nullable(z.object({ ...named, target: z.optional(z.nullable(z.object(named))) }))),
      root: NamesWithOid,
      github: NamesWithOid,
      workflows: folder(z.object({ ...entry, object: Content })),
      actions: folder(z.object({ ...entry, object: folder(z.object({ ...entry, object: folder(z.object(entry)) })) })),
      actionYml: ContentWithOid,
      actionYaml: ContentWithOid,
      dependabotYml: Content,
      dependabotYaml: Content,
      configYml: Content,
      configYaml: Content,
    }),
  ),
});
export type FoundRepository = NonNullable<z.infer<typeof FilesAnswer>['repository']>;

export const MoreFilesAnswer = z.object({ repository: z.nullable(z.record(z.string(), Content)) });
