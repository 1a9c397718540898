import * as z from 'zod/mini';
import { Id } from './answers.ts';
import { HEAD, head, Oid } from './queries.ts';

/** Pull requests of forks can have our branch's name, so ours is looked for among this many. */
const PULLS = 50;

/**
 * Reads what exists of several fix branches in one request. `compare` counts the branch's own commits from the side of
 * the default branch.
 */
export function fixBranchesQuery(count: number, labels: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const names = Array.from({ length: labels }, (_, index) => index);
  const variables = [
    ...numbers.map((n) => `$r${n}: String!, $h${n}: String!, $n${n}: String!, $o${n}: String!`),
    ...names.map((n) => `$l${n}: String!`),
  ];
  const fields = [
    ...numbers.map(
      (n) => `r${n}: ref(qualifiedName: $r${n}) { ...Branch }
    n${n}: ref(qualifiedName: $n${n}) { ...Branch }
    o${n}: object(expression: $o${n}) { oid }
    p${n}: pullRequests(headRefName: $h${n}, states: [OPEN, CLOSED], first: ${PULLS}, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { ...Pull }
    }`,
    ),
    ...names.map((n) => `l${n}: label(name: $l${n}) { id }`),
  ];
  return `query FixBranches($owner: String!, $name: String!, $base: String!, ${variables.join(', ')}) {
  repository(owner: $owner, name: $name) {
    ...Head
    id
    root: object(expression: "HEAD:") { oid }
    github: object(expression: "HEAD:.github") { oid }
    actionYml: object(expression: "HEAD:action.yml") { oid }
    actionYaml: object(expression: "HEAD:action.yaml") { oid }
    ${fields.join('\n    ')}
  }
}
${HEAD}
fragment Branch on Ref {
  target { oid ... on Commit { message author { name } } }
  compare(headRef: $base) { behindBy }
}
fragment Pull on PullRequest {
  id number url state isCrossRepository baseRefName createdAt
  author { login }
  commits(last: 1) { nodes { commit { message } } }
}`;
}

export const RefAnswer = z.nullable(
  z.object({
    target: z.nullable(
      z.object({
        oid: z.string(),
        message: z.optional(z.string()),
        author: z.optional(z.nullable(z.object({ name: z.nullable(z.string()) }))),
      }),
    ),
    compare: z.nullable(z.object({ behindBy: z.number() })),
  }),
);

export const BlobAnswer = z.nullable(z.object({ oid: z.string() }));

export const PullsAnswer = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      number: z.number(),
      url: z.string(),
      state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
      isCrossRepository: z.boolean(),
      baseRefName: z.string(),
      createdAt: z.string(),
      author: z.nullable(z.object({ login: z.string() })),
      commits: z.object({
        nodes: z.array(z.nullable(z.object({ commit: z.object({ message: z.string() }) }))),
      }),
    }),
  ),
});

export const FixBranchesAnswer = z.looseObject({
  ...head,
  databaseId: z.nullable(Id),
  id: z.string(),
  root: Oid,
  github: Oid,
  actionYml: Oid,
  actionYaml: Oid,
});

export const LabelAnswer = z.nullable(z.object({ id: z.string() }));

/** Root fields of a mutation run in order, each also after the failure of the one before. */
export const CREATE_REF = 'createRef(input: $createRef) { ref { id } }';
export const UPDATE_REFS = 'updateRefs(input: $updateRefs) { clientMutationId }';
export const COMMIT = 'createCommitOnBranch(input: $commit) { commit { oid } }';
export const OPEN_PULL = 'createPullRequest(input: $pull) { pullRequest { id number url createdAt } }';
export const UPDATE_PULL = 'updatePullRequest(input: $update) { pullRequest { id } }';
export const ADD_LABELS = (count: number): string =>
  Array.from({ length: count }, (_, n) => `a${n}: addLabelsToLabelable(input: $a${n}) { clientMutationId }`).join('\n');
